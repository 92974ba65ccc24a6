package httpapi

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

// levels is a fixture with the log of its handler.
type levels struct {
	*fixture
	log      *logged
	stopping chan struct{}
}

func newLevels(t *testing.T) *levels {
	l := &levels{log: &logged{}, stopping: make(chan struct{})}
	l.fixture = newFixture(t, nil)
	logger := slog.New(slog.NewTextHandler(l.log, nil))
	l.withEngine(&Options{Logger: logger, Stopping: l.stopping, MaxAnswerMemory: 8 << 20, MaxRequestMemory: 8 << 20}, nil)
	l.ingest(l.ann, l.elemental(l.ann, "How to sail a boat", ""))
	return l
}

// fill takes all that a budget has until the test ends.
func (l *levels) fill(b *budget) {
	l.t.Helper()
	release, err := b.acquire(l.t.Context(), "eve", 8<<20, 8<<20)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(release)
	b.wait = time.Millisecond
}

// serve answers a request of Ann's.
func (l *levels) serve(ctx context.Context, w http.ResponseWriter, method, path string, body io.Reader) {
	r := httptest.NewRequestWithContext(ctx, method, path, body)
	r.Header.Set("X-Api-Key", l.ann.key)
	l.h.ServeHTTP(w, r)
}

// unwritable is a connection that its client has closed.
type unwritable struct{ *httptest.ResponseRecorder }

func (unwritable) Write([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// TestLogLevels: what is meant to happen now and then, by who runs the service or by its
// clients, is no error in the log.
func TestLogLevels(t *testing.T) {
	t.Parallel()
	long := `{"title":"A list"}` + strings.Repeat(" ", 2<<20)
	tests := []struct {
		name, level string // "" for nothing
		happen      func(l *levels)
	}{
		{"the model does not answer", "ERROR", func(l *levels) {
			l.llm.Fail(1, 0, errors.New("no connection"))
			l.do(l.ann.key, "POST", "/v1/kb/chat", chatBody).want(503)
		}},
		{"the engine was closed", "WARN", func(l *levels) {
			if err := l.eng.Close(l.t.Context()); err != nil {
				l.t.Fatal(err)
			}
			l.do(l.ann.key, "POST", "/v1/kb/chat", chatBody).want(503)
		}},
		{"a chat before the service stops", "WARN", func(l *levels) {
			close(l.stopping)
			l.do(l.ann.key, "POST", "/v1/kb/chat", chatBody).want(503)
		}},
		{"a chat while the service stops", "WARN", func(l *levels) {
			l.llm.ScriptFunc(func(*quire.LLMRequest) []string { close(l.stopping); return []string{"a boat"} })
			l.llm.Hold(enginetest.NewGate())
			l.do(l.ann.key, "POST", "/v1/kb/chat", chatBody).want(503)
		}},
		{"a stream before the service stops", "WARN", func(l *levels) {
			close(l.stopping)
			opts := l.h.(*server).opts
			h := streamHandler(opts, opts.WriteTimeout, func(ctx context.Context) iter.Seq2[quire.ChatEvent, error] {
				return func(func(quire.ChatEvent, error) bool) { <-ctx.Done() }
			})
			if a := get(l.t, h); a.status != 503 || !strings.Contains(a.body, errStopping.message) {
				l.t.Errorf("%d %s", a.status, a.body)
			}
		}},
		{"a stream while the service stops", "WARN", func(l *levels) {
			opts := l.h.(*server).opts
			h := streamHandler(opts, opts.WriteTimeout, func(ctx context.Context) iter.Seq2[quire.ChatEvent, error] {
				return func(yield func(quire.ChatEvent, error) bool) {
					yield(quire.ChatEvent{Content: "a boat"}, nil)
					close(l.stopping)
					<-ctx.Done()
				}
			})
			if s := readStream(l.t, get(l.t, h).body); s.text != "a boat" || s.failed != errStopping.message {
				l.t.Errorf("%+v", s)
			}
		}},
		{"no memory for an answer", "WARN", func(l *levels) {
			id := l.elemental(l.ann, "A document of some length", `,"description":"`+strings.Repeat("word ", 4000)+`"`)
			if _, err := l.lib.UpdateElemental(l.t.Context(), l.ann.Actor(), id, quire.ElementalPatch{Body: new(words(1 << 20))}); err != nil {
				l.t.Fatal(err)
			}
			l.fill(&l.h.(*server).largeAnswers)
			l.do(l.ann.key, "GET", "/v1/elemental/"+id, "").want(503)
		}},
		{"no memory for a body", "WARN", func(l *levels) {
			l.fill(&l.h.(*server).largeBodies)
			l.do(l.ann.key, "POST", "/v1/user/list", long).want(503)
		}},
		{"too many requests", "", func(l *levels) {
			l.h.(*server).rates = newRateLimiter(Rate{PerMinute: 1, Burst: 1})
			l.do(l.ann.key, "GET", "/v1/lists", "").want(200)
			l.do(l.ann.key, "GET", "/v1/lists", "").want(429)
		}},
		{"too many streams", "", func(l *levels) {
			l.h.(*server).streams = streamCount{limit: 1, open: map[caller]int{(&call{s: l.h.(*server), user: l.ann.User, r: keyed(l.ann.key)}).caller(): 1}}
			l.do(l.ann.key, "POST", "/v1/kb/chat/stream", chatBody).want(429)
		}},
		{"a body that comes too slowly", "", func(l *levels) {
			w := httptest.NewRecorder()
			l.serve(l.t.Context(), w, "POST", "/v1/user/list", iotest.ErrReader(os.ErrDeadlineExceeded))
			if w.Code != 408 {
				l.t.Errorf("%d %s", w.Code, w.Body)
			}
		}},
		{"a body that breaks off", "", func(l *levels) {
			l.serve(l.t.Context(), httptest.NewRecorder(), "POST", "/v1/user/list", iotest.ErrReader(io.ErrUnexpectedEOF))
		}},
		{"a client that left before the answer", "", func(l *levels) {
			ctx, cancel := context.WithCancel(l.t.Context())
			cancel()
			for _, path := range []string{"/v1/kb/chat", "/v1/kb/chat/stream", "/v1/kb/search"} {
				l.serve(ctx, httptest.NewRecorder(), "POST", path, strings.NewReader(chatBody))
			}
		}},
		{"a client that left in the answer", "", func(l *levels) {
			for _, path := range []string{"/v1/kb/chat", "/v1/kb/chat/stream"} {
				l.serve(l.t.Context(), unwritable{httptest.NewRecorder()}, "POST", path, strings.NewReader(chatBody))
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLevels(t)
			func() {
				// Where an answer has begun, the handler cuts the connection.
				defer func() {
					if p := recover(); p != nil && p != http.ErrAbortHandler {
						panic(p)
					}
				}()
				tt.happen(l)
			}()
			records := l.log.all()
			if (tt.level == "") != (len(records) == 0) || len(records) > 1 || tt.level != "" && !strings.Contains(records[0], "level="+tt.level+" ") {
				t.Errorf("logged %q, want level %q", records, tt.level)
			}
		})
	}
}

// keyed is a request with an API key.
func keyed(key string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("X-Api-Key", key)
	return r
}
