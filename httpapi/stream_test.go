package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
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

// TestStreamFailures: an error before the first event is an ordinary answer, a later
// one an event and the end.
func TestStreamFailures(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	f.ingest(f.ann, f.elemental(f.ann, "How to sail a boat", ""))
	f.llm.Fail(1, 0, errors.New("secret of the provider"))
	a := f.do(f.ann.key, "POST", "/v1/kb/chat/stream", chatBody)
	if a.status < 500 || a.str("detail") == "" || strings.Contains(a.body, "secret") {
		t.Errorf("failing at once: %d %s", a.status, a.body)
	}
	f.llm.Fail(1, 1, errors.New("secret of the provider"))
	a = f.do(f.ann.key, "POST", "/v1/kb/chat/stream", chatBody).want(200)
	s := readStream(t, a.body)
	if s.text == "" || s.failed == "" || s.sources != nil || strings.Contains(a.body, "secret") {
		t.Errorf("failing later: %+v", s)
	}
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
	s := &server{opts: opts, writeTimeout: timeout}
	s.router = newRouter([]route{{method: "GET", pattern: "/health/stream", open: true,
		handle: func(s *server, c *call) error { return s.stream(c, open) }}}, "")
	return s
}

// get reads a stream to its end.
func get(t testing.TB, h http.Handler) answer {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest("GET", "/health/stream", nil))
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
	t.Logf("%d texts in pieces of 5 sizes: %d streams", len(texts), ran)
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
	a := get(t, streamHandler(opts, time.Second, broken))
	if s := readStream(t, a.body); s.text != "so far" || s.failed == "" || strings.Contains(a.body, "secret") {
		t.Errorf("a panic: %+v", s)
	}
	if !strings.Contains(log.String(), "secret") {
		t.Errorf("the panic is not in the log: %s", log.String())
	}
	ended := func(context.Context) iter.Seq2[quire.ChatEvent, error] {
		return func(func(quire.ChatEvent, error) bool) {}
	}
	if a := get(t, streamHandler(opts, time.Second, ended)); a.status != 500 {
		t.Errorf("an answer without an end: %d %s", a.status, a.body)
	}
}

// hanging yields one piece and then waits for the end of its context.
func hanging(gone chan<- struct{}) func(context.Context) iter.Seq2[quire.ChatEvent, error] {
	return func(ctx context.Context) iter.Seq2[quire.ChatEvent, error] {
		return func(yield func(quire.ChatEvent, error) bool) {
			if yield(quire.ChatEvent{Content: "first"}, nil) {
				<-ctx.Done()
				yield(quire.ChatEvent{}, ctx.Err())
			}
			gone <- struct{}{}
		}
	}
}

// TestStreamClientGone: a client that leaves ends the generation within a second, and
// no goroutine stays (TestMain looks).
func TestStreamClientGone(t *testing.T) {
	t.Parallel()
	const clients = 100
	gone := make(chan struct{}, clients)
	srv := httptest.NewServer(streamHandler(Options{}, time.Second, hanging(gone)))
	defer srv.Close()
	var slowest time.Duration
	for range clients {
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, "GET", srv.URL+"/health/stream", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		cancel()
		resp.Body.Close()
		select {
		case <-gone:
			slowest = max(slowest, time.Since(begin))
		case <-time.After(5 * time.Second):
			t.Fatal("the generation goes on without a client")
		}
	}
	t.Logf("%d clients left, the slowest generation ended after %v", clients, slowest.Round(time.Millisecond))
	if slowest > time.Second {
		t.Error("that is more than a second")
	}
}

// slow yields pieces with pauses.
func slow(pieces int, pause time.Duration) func(context.Context) iter.Seq2[quire.ChatEvent, error] {
	return func(ctx context.Context) iter.Seq2[quire.ChatEvent, error] {
		return func(yield func(quire.ChatEvent, error) bool) {
			for i := range pieces {
				select {
				case <-time.After(pause):
				case <-ctx.Done():
					yield(quire.ChatEvent{}, ctx.Err())
					return
				}
				if !yield(quire.ChatEvent{Content: fmt.Sprint(i, " ")}, nil) {
					return
				}
			}
			yield(quire.ChatEvent{Last: true}, nil)
		}
	}
}

// wrapped hides everything of a ResponseWriter but Unwrap, as middleware does.
type wrapped struct{ inner http.ResponseWriter }

func (w wrapped) Header() http.Header         { return w.inner.Header() }
func (w wrapped) Write(p []byte) (int, error) { return w.inner.Write(p) }
func (w wrapped) WriteHeader(status int)      { w.inner.WriteHeader(status) }
func (w wrapped) Unwrap() http.ResponseWriter { return w.inner }

// TestStreamOutlivesServerTimeouts streams for longer than the server's ReadTimeout
// and WriteTimeout, with heartbeats, also through middleware. The connection then
// serves an ordinary request.
func TestStreamOutlivesServerTimeouts(t *testing.T) {
	t.Parallel()
	h := streamHandler(Options{HeartbeatInterval: 20 * time.Millisecond}, time.Second, slow(4, 100*time.Millisecond))
	middleware := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(wrapped{w}, r) })
	for name, handler := range map[string]http.Handler{"plain": h, "through middleware": middleware} {
		srv := httptest.NewUnstartedServer(handler)
		srv.Config.ReadTimeout, srv.Config.WriteTimeout = 150*time.Millisecond, 150*time.Millisecond
		srv.Start()
		for range 2 {
			resp, err := srv.Client().Get(srv.URL + "/health/stream")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil {
				t.Fatalf("%s: %v after %q", name, err, body)
			}
			if s := readStream(t, string(body)); s.text != "0 1 2 3 " || s.failed != "" {
				t.Errorf("%s: %+v", name, s)
			}
			if n := strings.Count(string(body), ": waiting\n\n"); n < 4 {
				t.Errorf("%s: %d heartbeats", name, n)
			}
		}
		srv.Close()
	}
}

// TestStreamOverHTTP2: there the server's WriteTimeout would cut a stream even while
// nothing is being written.
func TestStreamOverHTTP2(t *testing.T) {
	t.Parallel()
	srv := httptest.NewUnstartedServer(streamHandler(Options{}, 50*time.Millisecond, slow(2, 300*time.Millisecond)))
	srv.EnableHTTP2 = true
	srv.Config.ReadTimeout, srv.Config.WriteTimeout = 100*time.Millisecond, 100*time.Millisecond
	srv.StartTLS()
	defer srv.Close()
	resp, err := srv.Client().Get(srv.URL + "/health/stream")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || resp.ProtoMajor != 2 {
		t.Fatalf("HTTP/%d, %v after %q", resp.ProtoMajor, err, body)
	}
	if s := readStream(t, string(body)); s.text != "0 1 " {
		t.Errorf("%+v", s)
	}
}

// TestStreamLeavesConnectionUsable: the deadline of the last event does not cut the
// next answer on the same connection.
func TestStreamLeavesConnectionUsable(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(streamHandler(Options{}, 50*time.Millisecond, script("x")))
	defer srv.Close()
	for range 2 {
		resp, err := srv.Client().Get(srv.URL + "/health/stream")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		readStream(t, string(body))
		time.Sleep(100 * time.Millisecond)
	}
}

// TestStreamSlowStart: while the first event is awaited, heartbeats begin the stream;
// an error then is an event.
func TestStreamSlowStart(t *testing.T) {
	t.Parallel()
	late := func(context.Context) iter.Seq2[quire.ChatEvent, error] {
		return func(yield func(quire.ChatEvent, error) bool) {
			time.Sleep(100 * time.Millisecond)
			yield(quire.ChatEvent{}, quire.ErrUnavailable)
		}
	}
	a := get(t, streamHandler(Options{HeartbeatInterval: 10 * time.Millisecond}, time.Second, late))
	if s := readStream(t, a.body); a.status != 200 || s.failed != "temporarily unavailable" || !strings.HasPrefix(a.body, ": waiting\n\n") {
		t.Errorf("%d %q", a.status, a.body)
	}
	a = get(t, streamHandler(Options{HeartbeatInterval: time.Minute}, time.Second, late))
	if a.status != 503 || a.header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("%d %q", a.status, a.body)
	}
}

// TestStreamStuckReader: a client that stops reading frees the handler.
func TestStreamStuckReader(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	endless := func(context.Context) iter.Seq2[quire.ChatEvent, error] {
		return func(yield func(quire.ChatEvent, error) bool) {
			defer close(ended)
			for yield(quire.ChatEvent{Content: strings.Repeat("x", 1<<16)}, nil) {
			}
		}
	}
	srv := httptest.NewServer(streamHandler(Options{}, 200*time.Millisecond, endless))
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /health/stream HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the handler waits for a reader that is stuck")
	}
}

// TestStreamDeadlineOfTheApplication: a context that ends without the client leaving
// still ends the stream in form.
func TestStreamDeadlineOfTheApplication(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{}, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	rec := httptest.NewRecorder()
	streamHandler(Options{}, time.Second, hanging(gone)).ServeHTTP(rec, httptest.NewRequestWithContext(ctx, "GET", "/health/stream", nil))
	if s := readStream(t, rec.Body.String()); s.text != "first" || s.failed != "the request took too long" {
		t.Errorf("%+v", s)
	}
	<-gone
}
