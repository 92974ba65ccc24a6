package langchain

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/quirelib/quire"
	"go.uber.org/goleak"
)

// failure is how a server fails and what comes of it.
type failure struct {
	name       string
	fault      func(w http.ResponseWriter, r *http.Request, s *session)
	only       Provider // "": all
	plainToo   bool     // it fails in the same way when it is not asked to stream
	pieces     []string // before the error
	code       quire.Code
	status     int // 0: no StatusError
	retryAfter time.Duration
	cause      string // is in the text of the causes
}

// answers makes a fault of a status, a header and a body.
func answers(status int, retryAfter, body string) func(http.ResponseWriter, *http.Request, *session) {
	return func(w http.ResponseWriter, _ *http.Request, _ *session) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// cut ends the connection in the middle of a response.
func cutOff(http.ResponseWriter) { panic(http.ErrAbortHandler) }

var failures = []failure{
	{name: "429 with seconds", fault: answers(429, "30", `{"error":{"type":"rate_limit_error","message":"slow down"}}`),
		plainToo: true, code: quire.CodeUnavailable, status: 429, retryAfter: 30 * time.Second, cause: "slow down"},
	{name: "503 with a date", fault: func(w http.ResponseWriter, r *http.Request, s *session) {
		answers(503, time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), "busy")(w, r, s)
	}, plainToo: true, code: quire.CodeUnavailable, status: 503, retryAfter: time.Hour, cause: "busy"},
	{name: "529", fault: answers(529, "", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
		plainToo: true, code: quire.CodeUnavailable, status: 529, cause: "Overloaded"},
	{name: "500 in HTML", fault: answers(500, "", "<html>oops</html>"), plainToo: true, code: quire.CodeUnavailable, status: 500, cause: "oops"},
	{name: "401", fault: answers(401, "", `{"error":{"message":"bad key"}}`), plainToo: true, code: quire.CodeUnavailable, status: 401, cause: "bad key"},
	{name: "404", fault: answers(404, "", `{"error":"model \"x\" not found, try pulling it first"}`),
		plainToo: true, code: quire.CodeUnavailable, status: 404, cause: "pulling"},
	{name: "400", fault: answers(400, "", `{"error":{"message":"too many tokens","code":"context_length_exceeded"}}`),
		plainToo: true, code: quire.CodeInternal, status: 400, cause: "too many tokens"},
	{name: "413 without a body", fault: answers(413, "", ""), plainToo: true, code: quire.CodeInternal, status: 413},
	{name: "error event", fault: func(_ http.ResponseWriter, _ *http.Request, s *session) {
		s.say("It is ", "41")
		s.error("overloaded_error", "too much to do")
		s.say(" never seen")
		s.end()
	}, pieces: []string{"It is ", "41"}, code: quire.CodeUnavailable, cause: "too much to do"},
	{name: "error event at once", fault: func(_ http.ResponseWriter, _ *http.Request, s *session) {
		s.begin()
		s.error("api_error", "no")
	}, code: quire.CodeUnavailable, cause: "no"},
	{name: "error event for good", only: Anthropic, fault: func(_ http.ResponseWriter, _ *http.Request, s *session) {
		s.begin()
		s.error("invalid_request_error", "prompt is too long")
	}, code: quire.CodeInternal, status: 400, cause: "too long"},
	{name: "error event with a number", only: OpenAI, fault: func(_ http.ResponseWriter, _ *http.Request, s *session) {
		s.say("It")
		s.line("", `{"object":"error","message":"out of memory","type":"BadRequestError","param":null,"code":507}`)
	}, pieces: []string{"It"}, code: quire.CodeUnavailable, status: 507, cause: "out of memory"},
	{name: "error as plain JSON in the stream", only: OpenAI, fault: func(w http.ResponseWriter, _ *http.Request, s *session) {
		s.say("It")
		fmt.Fprint(w, `{"error":{"message":"upstream gone","code":502}}`)
	}, pieces: []string{"It"}, code: quire.CodeUnavailable, status: 502, cause: "upstream gone"},
	{name: "early end", fault: func(_ http.ResponseWriter, _ *http.Request, s *session) { s.say("It is ", "41") },
		pieces: []string{"It is ", "41"}, code: quire.CodeUnavailable, cause: "ended before"},
	{name: "early end without a word", fault: func(_ http.ResponseWriter, _ *http.Request, s *session) { s.begin() },
		code: quire.CodeUnavailable, cause: "ended before"},
	{name: "empty body", fault: func(http.ResponseWriter, *http.Request, *session) {}, plainToo: true, code: quire.CodeUnavailable},
	{name: "connection lost", fault: func(w http.ResponseWriter, _ *http.Request, s *session) {
		s.say("It is ", "41")
		cutOff(w)
	}, pieces: []string{"It is ", "41"}, code: quire.CodeUnavailable, cause: "EOF"},
	{name: "connection lost before the headers", fault: func(w http.ResponseWriter, _ *http.Request, _ *session) { cutOff(w) },
		plainToo: true, code: quire.CodeUnavailable, cause: "EOF"},
	{name: "half a line", fault: func(w http.ResponseWriter, _ *http.Request, s *session) {
		s.say("It")
		fmt.Fprint(w, `data: {"choices":[{"del`)
	}, pieces: []string{"It"}, code: quire.CodeUnavailable, cause: "not JSON"},
	{name: "a page instead of a stream", fault: func(w http.ResponseWriter, _ *http.Request, _ *session) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html>\n<p>Please log in.\n</html>\n")
	}, plainToo: true, code: quire.CodeUnavailable},
	{name: "error with status 200", fault: func(w http.ResponseWriter, _ *http.Request, _ *session) {
		writeJSON(w, object{"error": object{"message": "no credits", "code": 402}})
	}, plainToo: true, code: quire.CodeInternal, status: 402, cause: "no credits"},
	{name: "does not stream", only: OpenAI, fault: func(_ http.ResponseWriter, _ *http.Request, s *session) { s.plain("It is 41.") },
		code: quire.CodeUnavailable, cause: "Options.Plain"},
	{name: "says nothing", fault: func(_ http.ResponseWriter, _ *http.Request, s *session) { s.answer("") },
		plainToo: true, code: quire.CodeUnavailable},
	{name: "withheld", fault: func(_ http.ResponseWriter, _ *http.Request, s *session) {
		s.stop = "content_filter"
		s.answer("It is ", "41")
	}, pieces: []string{"It is ", "41"}, code: quire.CodeUnavailable, cause: "content_filter"},
}

func TestFailures(t *testing.T) {
	t.Parallel()
	ran := 0
	for _, p := range providers {
		for _, f := range failures {
			if f.only != "" && f.only != p {
				continue
			}
			ran++
			t.Run(string(p)+" "+f.name, func(t *testing.T) {
				t.Parallel()
				s := newServer(t, p).fails(f.fault)
				pieces, err := take(t.Context(), s.llm(t, nil))
				if diff := cmp.Diff(f.pieces, pieces); diff != "" {
					t.Errorf("pieces before the error (-want +got)\n%s", diff)
				}
				f.check(t, err)
				if f.plainToo {
					pieces, err := take(t.Context(), s.llm(t, &Options{Plain: true}))
					if len(pieces) > 0 {
						t.Errorf("plain: %q before the error", pieces)
					}
					f.check(t, err)
				}
			})
		}
	}
	t.Logf("%d failures of %d providers", ran, len(providers))
}

// check holds an error against what is expected.
func (f failure) check(t *testing.T, err error) {
	t.Helper()
	if quire.CodeOf(err) != f.code {
		t.Fatalf("code %q, want %q: %v", quire.CodeOf(err), f.code, err)
	}
	if cause := quire.Cause(err); !strings.Contains(cause, f.cause) {
		t.Errorf("the causes %q do not have %q", cause, f.cause)
	}
	if f.cause != "" && f.cause != "EOF" && strings.Contains(err.Error(), f.cause) {
		t.Errorf("what the server said is shown: %v", err)
	}
	var status *StatusError
	if !errors.As(err, &status) {
		if f.status != 0 {
			t.Errorf("no StatusError in %s", quire.Cause(err))
		}
		return
	}
	if f.status != 0 && status.Status != f.status {
		t.Errorf("status %d, want %d", status.Status, f.status)
	}
	if d := status.RetryAfter - f.retryAfter; d > time.Second || d < -2*time.Second {
		t.Errorf("retry after %v, want %v", status.RetryAfter, f.retryAfter)
	}
}

// TestNobodyThere asks a server that has gone.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	for _, p := range providers {
		s := newServer(t, p)
		llm := s.llm(t, nil)
		s.Close()
		_, err := take(t.Context(), llm)
		if quire.CodeOf(err) != quire.CodeUnavailable || !strings.Contains(quire.Cause(err), "refused") {
			t.Errorf("%s: %s", p, quire.Cause(err))
		}
	}
}

// TestSlowFirstByte waits for headers and for the first byte after them.
func TestSlowFirstByte(t *testing.T) {
	t.Parallel()
	for _, p := range providers {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			s := newServer(t, p).fails(func(w http.ResponseWriter, _ *http.Request, s *session) {
				time.Sleep(300 * time.Millisecond)
				if s.streamed && s.provider != Ollama {
					w.Header().Set("Content-Type", "text/event-stream")
				}
				w.(http.Flusher).Flush()
				time.Sleep(300 * time.Millisecond)
				s.answer("It is ", "41.")
			})
			if pieces, err := take(t.Context(), s.llm(t, nil)); err != nil || strings.Join(pieces, "") != "It is 41." {
				t.Errorf("%q, %v", pieces, err)
			}
		})
	}
}

// TestCancel ends the context at each moment of an answer. The call ends with the
// context's error, the server sees the request end, and no goroutine is left.
func TestCancel(t *testing.T) {
	for _, p := range providers {
		for moment, before := range map[string]func(s *session){
			"before the headers":    func(*session) {},
			"before the first byte": func(s *session) { s.begin() },
			"between pieces":        func(s *session) { s.say("It is ") },
		} {
			for _, cause := range []error{context.Canceled, context.DeadlineExceeded} {
				t.Run(fmt.Sprint(p, " ", moment, " ", cause), func(t *testing.T) {
					leaks := goleak.IgnoreCurrent()
					gone := make(chan struct{})
					reached := make(chan struct{}, 1)
					s := newServer(t, p).fails(func(_ http.ResponseWriter, r *http.Request, s *session) {
						before(s)
						reached <- struct{}{}
						<-r.Context().Done()
						close(gone)
					})
					ctx, cancel := context.WithCancel(t.Context())
					if cause == context.DeadlineExceeded {
						ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
					}
					defer cancel()
					go func() {
						<-reached
						if cause == context.Canceled {
							time.Sleep(20 * time.Millisecond)
							cancel()
						}
					}()
					began := time.Now()
					if _, err := take(ctx, s.llm(t, nil)); err != cause {
						t.Errorf("got %v, want %v itself", err, cause)
					}
					if took := time.Since(began); took > time.Minute {
						t.Errorf("it took %v to end", took)
					}
					<-gone
					s.Close()
					goleak.VerifyNone(t, leaks)
				})
			}
		}
	}
}

// TestStop takes one piece and no more: the request ends.
func TestStop(t *testing.T) {
	for _, p := range providers {
		t.Run(string(p), func(t *testing.T) {
			leaks := goleak.IgnoreCurrent()
			gone := make(chan struct{})
			s := newServer(t, p).fails(func(_ http.ResponseWriter, r *http.Request, s *session) {
				defer close(gone)
				for r.Context().Err() == nil {
					s.say("more ")
					time.Sleep(time.Millisecond)
				}
			})
			for piece, err := range s.llm(t, nil).Generate(t.Context(), question()) {
				if err != nil || piece != "more " {
					t.Fatal(piece, err)
				}
				break
			}
			<-gone
			s.Close()
			goleak.VerifyNone(t, leaks)
		})
	}
}

// TestLongLines sends answers in lines around and far over the 64 KiB that langchaingo
// reads at most.
func TestLongLines(t *testing.T) {
	t.Parallel()
	sizes := []int{59 << 10, 64<<10 - 200, 64 << 10, 70_000, 600_000}
	if !testing.Short() {
		sizes = append(sizes, 5_000_000)
	}
	for _, p := range providers {
		for _, size := range sizes {
			t.Run(fmt.Sprint(p, " ", size), func(t *testing.T) {
				t.Parallel()
				var b strings.Builder
				for i := 0; b.Len() < size; i++ {
					fmt.Fprintf(&b, "%d: \"日本語\" <&> \\ \x01\n 🙂 [1] ", i)
				}
				for _, streamed := range []bool{true, false} {
					s := newServer(t, p).says("before ", b.String(), " after")
					pieces, err := take(t.Context(), s.llm(t, &Options{Plain: !streamed}))
					if got := strings.Join(pieces, ""); err != nil || got != "before "+b.String()+" after" {
						t.Errorf("streamed %v: %d bytes of %d, %s", streamed, len(got), b.Len()+13, quire.Cause(err))
					}
				}
			})
		}
	}
}

// TestTooLongLine is over what is read at all.
func TestTooLongLine(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: sends 17 MB")
	}
	for _, p := range providers {
		s := newServer(t, p).says("before ", strings.Repeat("x", maxLine+1))
		pieces, err := take(t.Context(), s.llm(t, nil))
		if len(pieces) != 1 || quire.CodeOf(err) != quire.CodeUnavailable || !strings.Contains(quire.Cause(err), "over") {
			t.Errorf("%s: %d pieces, %s", p, len(pieces), quire.Cause(err))
		}
	}
}
