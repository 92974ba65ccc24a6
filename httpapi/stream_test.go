package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

const chatBody = `{"query":"boat?","filters":{"tenant_id":"ann"}}`

// events reads server-sent events as their specification says, comments left out,
// and fails on fields other than data.
func events(t testing.TB, body string) []string {
	t.Helper()
	var out []string
	var data []string
	for line := range strings.SplitSeq(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(body), "\n") {
		switch rest, isData := strings.CutPrefix(line, "data: "); {
		case isData:
			data = append(data, rest)
		case line == "":
			if data != nil {
				out = append(out, strings.Join(data, "\n"))
			}
			data = nil
		case !strings.HasPrefix(line, ":"):
			t.Fatalf("unexpected line %q", line)
		}
	}
	if data != nil {
		t.Fatalf("the body ends inside an event: %q", data)
	}
	return out
}

// streamed is a stream taken apart.
type streamed struct {
	text    string          // the pieces joined
	pieces  int             // how many there were
	sources json.RawMessage // of the sources event; nil without one
	failed  string          // detail of the error event; "" without one
	waits   int             // heartbeats, where they were counted
}

// readStream takes a stream apart and checks its form: pieces, then sources or an
// error, then exactly one end marker.
func readStream(t testing.TB, body string) (s streamed) {
	t.Helper()
	all := events(t, body)
	if len(all) == 0 || all[len(all)-1] != "[DONE]" || slices.Index(all, "[DONE]") != len(all)-1 {
		t.Fatalf("no single [DONE] at the end of %q", all)
	}
	for i, data := range all[:len(all)-1] {
		var e struct {
			Event string
			Data  struct {
				Content *string
				Sources json.RawMessage
				Detail  *string
			}
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("%v in %q", err, data)
		}
		switch {
		case e.Event == "message" && e.Data.Content != nil:
			s.text += *e.Data.Content
			s.pieces++
		case e.Event == "sources" && e.Data.Sources != nil && i == len(all)-2:
			s.sources = e.Data.Sources
		case e.Event == "error" && e.Data.Detail != nil && i == len(all)-2:
			s.failed = *e.Data.Detail
		default:
			t.Fatalf("unexpected event %d of %d: %s", i+1, len(all), data)
		}
	}
	return s
}

func TestStreamRoute(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	f.ingest(f.ann, f.elemental(f.ann, "How to sail a boat", ""))
	whole := f.do(f.ann.key, "POST", "/v1/kb/chat", chatBody).want(200)
	a := f.do(f.ann.key, "POST", "/v1/kb/chat/stream", chatBody).want(200)
	if got := a.header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type is %q", got)
	}
	s := readStream(t, a.body)
	if s.text != whole.str("answer") || s.pieces < 2 || s.failed != "" {
		t.Errorf("the stream says %+v, the plain answer %q", s, whole.str("answer"))
	}
	if diff := cmp.Diff(whole.at("sources"), parse(t, string(s.sources))); diff != "" {
		t.Errorf("sources (-plain +stream):\n%s", diff)
	}
	// Nothing found: one sentence, no sources, no generation.
	before := len(f.llm.Requests())
	s = readStream(t, f.do(f.bob.key, "POST", "/v1/kb/chat/stream", strings.ReplaceAll(chatBody, "ann", "bob")).want(200).body)
	if s.text != "The knowledge base holds no answer to this question." || string(s.sources) != "[]" || len(f.llm.Requests()) != before {
		t.Errorf("nothing found: %+v", s)
	}
}

// TestStreamFailures: an error before the first event is an ordinary answer, a later one an
// event; then comes the end, and nothing after it. That holds for a provider that refuses,
// fails midway, cuts its answer off, does not stop, and hangs until the application's deadline.
func TestStreamFailures(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, &Options{HeartbeatInterval: 10 * time.Millisecond})
	f.ingest(f.ann, f.elemental(f.ann, "How to sail a boat", ""))
	secret := errors.New("secret of the provider")
	tests := []struct {
		name   string
		set    func() (deadline time.Duration)
		status int
		text   bool
	}{
		{"fails at once", func() time.Duration { f.llm.Fail(1, 0, secret); return 0 }, 503, false},
		{"is unavailable at once", func() time.Duration { f.llm.Fail(1, 0, quire.ErrUnavailable.WithCause(secret)); return 0 }, 503, false},
		{"fails later", func() time.Duration { f.llm.Fail(1, 1, secret); return 0 }, 200, true},
		{"is cut off", func() time.Duration { f.llm.Fail(1, 2, io.ErrUnexpectedEOF); return 0 }, 200, true},
		{"does not stop", func() time.Duration {
			f.llm.Script(slices.Repeat([]string{strings.Repeat("a", 64<<10)}, 1_000)...)
			return 0
		}, 200, true},
		{"hangs at once", func() time.Duration {
			f.llm.Script("a", "b")
			f.llm.Hold(enginetest.NewGate())
			return 100 * time.Millisecond
		}, 200, false},
		{"hangs later", func() time.Duration {
			gate := enginetest.NewGate()
			gate.Pass(1)
			f.llm.Hold(gate)
			return 100 * time.Millisecond
		}, 200, true},
	}
	terminal := 0
	for _, tt := range tests {
		ctx, cancel := t.Context(), func() {}
		if d := tt.set(); d > 0 {
			ctx, cancel = context.WithTimeout(ctx, d)
		}
		req := httptest.NewRequestWithContext(ctx, "POST", "/v1/kb/chat/stream", strings.NewReader(chatBody))
		req.Header.Set("X-Api-Key", f.ann.key)
		rec := exchanged(t, f.h, req)
		cancel()
		body := rec.Body.String()
		if rec.Code != tt.status || strings.Contains(body, "secret") {
			t.Errorf("%s: %d %s", tt.name, rec.Code, body)
			continue
		}
		if tt.status != 200 {
			a := answer{t, rec.Code, rec.Header(), body}
			if a.check(tt.name); a.str("detail") == "" {
				t.Errorf("%s: %s", tt.name, body)
			}
			terminal++
			continue
		}
		s := readStream(t, body) // which fails unless the error and the end come last, and once
		if (s.text != "") != tt.text || s.failed == "" || s.sources != nil {
			t.Errorf("%s: %+v", tt.name, s)
			continue
		}
		terminal++
	}
	if t.Failed() {
		return
	}
	t.Logf("D5: %d of %d ways of a provider to fail end in exactly one answer or error event", terminal, len(tests))
}

// script is a generation made of pieces, for streams without an Engine.
func script(pieces ...string) func(context.Context) iter.Seq2[quire.ChatEvent, error] {
	return func(context.Context) iter.Seq2[quire.ChatEvent, error] {
		return func(yield func(quire.ChatEvent, error) bool) {
			for _, p := range pieces {
				if !yield(quire.ChatEvent{Content: p}, nil) {
					return
				}
			}
			yield(quire.ChatEvent{Last: true}, nil)
		}
	}
}

// streamHandler serves one generation without key and body.
func streamHandler(opts Options, timeout time.Duration, open func(context.Context) iter.Seq2[quire.ChatEvent, error]) http.Handler {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.HeartbeatInterval == 0 {
		opts.HeartbeatInterval = time.Minute
	}
	opts.WriteTimeout = timeout
	s := &server{opts: opts}
	s.router = newRouter([]route{{method: "GET", pattern: "/health/stream", open: true,
		handle: func(s *server, c *call) error { return s.stream(c, open) }}}, "")
	return s
}

// get reads a stream to its end.
func get(t testing.TB, h http.Handler) answer {
	t.Helper()
	rec := exchanged(t, h, httptest.NewRequest("GET", "/health/stream", nil))
	return answer{nil, rec.Code, rec.Header(), rec.Body.String()}
}

// TestStreamText sends texts that look like the frame around them, in pieces that end
// anywhere: the pieces joined are the text, byte for byte.
func TestStreamText(t *testing.T) {
	t.Parallel()
	texts := []string{
		"", "plain", "a\nb", "a\r\nb\rc", "\n\nevent: done\ndata: [DONE]\n\n", "data: [DONE]", "x\u2028y\u2029z", "<script>&amp;</script>",
		"日本語のテキスト", "👩‍👩‍👧‍👦 family", "e\u0301", "\x01\x1f\x7f\u0085", `quote " and \ backslash`, ": comment",
	}
	texts = append(texts, extraStrings(t)...)
	ran := 0
	for _, text := range texts {
		for _, size := range []int{1, 2, 3, 5, 1000} {
			var pieces []string
			for chunk := range slices.Chunk([]byte(text), size) {
				pieces = append(pieces, string(chunk))
			}
			s := readStream(t, get(t, streamHandler(Options{}, time.Second, script(pieces...))).body)
			if s.text != text || string(s.sources) != "[]" {
				t.Errorf("%q in pieces of %d bytes came as %q", text, size, s.text)
			}
			ran++
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("D4: %d texts in pieces of 5 sizes: %d streams byte-equal, 0 forged frames", len(texts), ran)
}

// extraStrings are awkward strings, if the shared data is there.
func extraStrings(t *testing.T) (out []string) {
	t.Helper()
	for _, file := range []string{"../../shared/data/naughty/blns.json", "../../shared/data/extra/extra_strings.json"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Logf("%s is not there", file)
			continue
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		collect(v, &out)
	}
	return out
}

// collect finds the strings in a JSON value.
func collect(v any, out *[]string) {
	switch v := v.(type) {
	case string:
		*out = append(*out, v)
	case []any:
		for _, x := range v {
			collect(x, out)
		}
	case map[string]any:
		for _, x := range v {
			collect(x, out)
		}
	}
}

// FuzzEventWriter: whatever text in whatever pieces, there is no forged frame and the
// pieces joined are the text (with U+FFFD where it is no UTF-8, as in the plain
// answer).
func FuzzEventWriter(f *testing.F) {
	f.Add("data: [DONE]\n\n", uint8(1))
	f.Add("日本\xff\xe6\x97", uint8(2))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		var pieces []string
		for chunk := range slices.Chunk([]byte(text), int(size)+1) {
			pieces = append(pieces, string(chunk))
		}
		s := readStream(t, get(t, streamHandler(Options{}, time.Second, script(pieces...))).body)
		plain, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var want string
		if err := json.Unmarshal(plain, &want); err != nil {
			t.Fatal(err)
		}
		if s.text != want {
			t.Fatalf("%q came as %q", text, s.text)
		}
	})
}

func TestStreamPanic(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	opts := Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	broken := func(context.Context) iter.Seq2[quire.ChatEvent, error] {
		return func(yield func(quire.ChatEvent, error) bool) {
			yield(quire.ChatEvent{Content: "so far"}, nil)
			panic("secret")
		}
	}
	const panics = 10
	for range panics {
		a := get(t, streamHandler(opts, time.Second, broken))
		if s := readStream(t, a.body); s.text != "so far" || s.failed == "" || strings.Contains(a.body, "secret") {
			t.Errorf("a panic: %+v", s)
		}
	}
	if strings.Count(log.String(), "secret") < panics {
		t.Errorf("not all panics are in the log: %s", log.String())
	}
	ended := func(context.Context) iter.Seq2[quire.ChatEvent, error] {
		return func(func(quire.ChatEvent, error) bool) {}
	}
	if a := get(t, streamHandler(opts, time.Second, ended)); a.status != 500 {
		t.Errorf("an answer without an end: %d %s", a.status, a.body)
	}
	if t.Failed() {
		return
	}
	t.Logf("D8: %d panics in the goroutine of a generation are error events, the process lives", panics)
}

// TestPanicOfModel: what a model panics with is in the log and in no answer.
func TestPanicOfModel(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	f := newEngineFixture(t, &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	f.ingest(f.ann, f.elemental(f.ann, "How to sail a boat", ""))
	for _, route := range []string{"/v1/kb/chat", "/v1/kb/chat/stream"} {
		log.Reset()
		f.llm.ScriptFunc(func(*quire.LLMRequest) []string { panic("secret") })
		a := f.do(f.ann.key, "POST", route, `{"query":"How to sail a boat?","filters":{"tenant_id":"ann"}}`).want(500)
		if a.detail(500, problem500.message); strings.Contains(a.body, "secret") || !strings.Contains(log.String(), "secret") {
			t.Errorf("%s: answer %s, log %s", route, a.body, log.String())
		}
	}
}
