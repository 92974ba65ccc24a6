package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

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

// TestStreamClientGone: a client that leaves ends the call to the model within a second, and
// no goroutine stays. It is not parallel, as it counts them.
func TestStreamClientGone(t *testing.T) {
	const clients = 500
	f := newEngineFixture(t, nil)
	f.ingest(f.ann, f.elemental(f.ann, "All about boats", ""))
	f.llm.Script("first", "second")
	srv := httptest.NewServer(f.h)
	defer srv.Close()
	before := runtime.NumGoroutine()
	var slowest time.Duration
	cancelled := 0
	for range clients {
		gate := enginetest.NewGate()
		gate.Pass(1)
		f.llm.Hold(gate) // before the second piece
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, "POST", srv.URL+"/v1/kb/chat/stream", strings.NewReader(chatBody))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Api-Key", f.ann.key)
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil || !strings.Contains(line, "first") {
			t.Fatalf("%q, %v", line, err)
		}
		begin := time.Now()
		cancel()
		resp.Body.Close()
		select {
		case end := <-f.llm.Ended():
			slowest = max(slowest, time.Since(begin))
			if end == enginetest.EndCancelled {
				cancelled++
			}
		case <-time.After(time.Minute):
			t.Fatal("the generation goes on without a client")
		}
	}
	srv.CloseClientConnections()
	srv.Client().CloseIdleConnections()
	leaked := runtime.NumGoroutine() - before
	for began := time.Now(); leaked > 0 && time.Since(began) < time.Minute; leaked = runtime.NumGoroutine() - before {
		time.Sleep(10 * time.Millisecond)
	}
	if cancelled != clients || leaked > 0 {
		t.Errorf("of %d calls to the model %d were cancelled, the last after %v; %d goroutines stay", clients, cancelled, slowest, leaked)
	}
	if t.Failed() {
		return
	}
	t.Logf("D3: %d clients left, %d calls to the model cancelled, the slowest after %v, %d goroutines leaked", clients, cancelled, slowest.Round(time.Millisecond), max(0, leaked))
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

// streamFrom reads a stream of a server to its end, and says by which version of HTTP it came.
func streamFrom(t *testing.T, srv *httptest.Server) (streamed, int) {
	t.Helper()
	resp, err := srv.Client().Get(srv.URL + "/health/stream")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		t.Fatalf("%v after %q", err, body)
	}
	s := readStream(t, string(body))
	s.waits = strings.Count(string(body), ": waiting\n\n")
	return s, resp.ProtoMajor
}

// TestStreamOutlivesServerTimeouts streams for longer than the server's ReadTimeout
// and WriteTimeout, with heartbeats: also through middleware, and over HTTP/2, where the
// WriteTimeout would cut a stream even while nothing is being written. The connection
// then serves another request.
func TestStreamOutlivesServerTimeouts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const events = 10
		h := streamHandler(Options{HeartbeatInterval: 20 * time.Millisecond}, time.Second, slow(events, 100*time.Millisecond))
		middleware := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(wrapped{w}, r) })
		// Without heartbeats, and with events that come later than each of the timeouts.
		silent := streamHandler(Options{}, 50*time.Millisecond, slow(events, 350*time.Millisecond))
		streams, arrived := 0, 0
		for _, tt := range []struct {
			name    string
			handler http.Handler
			http2   bool
		}{{"plain", h, false}, {"through middleware", middleware, false}, {"HTTP/2", silent, true}} {
			srv, start := pipeServer(tt.handler, tt.http2)
			srv.Config.ReadTimeout, srv.Config.WriteTimeout = 300*time.Millisecond, 300*time.Millisecond
			start()
			for range 2 {
				s, proto := streamFrom(t, srv)
				if (proto == 2) != tt.http2 || s.text != "0 1 2 3 4 5 6 7 8 9 " || s.failed != "" {
					t.Errorf("%s: HTTP/%d, %+v", tt.name, proto, s)
				}
				if s.waits < 40 && !tt.http2 {
					t.Errorf("%s: %d heartbeats", tt.name, s.waits)
				}
				streams++
				arrived += s.pieces
			}
			srv.Close()
		}
		if t.Failed() {
			return
		}
		t.Logf("D2: %d of %d events of %d streams of 1 to 4 s arrived through servers with timeouts of 300 ms, also through middleware and over HTTP/2", arrived, streams*events, streams)
	})
}

// TestStreamLeavesConnectionUsable: the deadline of the last event does not cut the
// next answer on the same connection.
func TestStreamLeavesConnectionUsable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, start := pipeServer(streamHandler(Options{}, 50*time.Millisecond, script("x")), false)
		var connections atomic.Int64
		srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				connections.Add(1)
			}
		}
		start()
		defer srv.Close()
		for range 2 {
			if s, _ := streamFrom(t, srv); s.text != "x" || s.failed != "" {
				t.Errorf("%+v", s)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n := connections.Load(); n != 1 {
			t.Errorf("two streams took %d connections", n)
		}
	})
}

// TestStreamSlowStart: while the first event is awaited, heartbeats begin the stream;
// an error then is an event.
func TestStreamSlowStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
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
	})
}

// TestStreamStuckReader: a client that stops reading frees the handler.
func TestStreamStuckReader(t *testing.T) {
	t.Parallel()
	const readers, limit = 20, 200 * time.Millisecond
	ended := make(chan struct{}, readers)
	endless := func(context.Context) iter.Seq2[quire.ChatEvent, error] {
		return func(yield func(quire.ChatEvent, error) bool) {
			defer func() { ended <- struct{}{} }()
			for yield(quire.ChatEvent{Content: strings.Repeat("x", 1<<16)}, nil) {
			}
		}
	}
	srv := httptest.NewServer(streamHandler(Options{}, limit, endless))
	defer srv.Close()
	began := time.Now()
	for range readers {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET /health/stream HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	for range readers {
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatal("the handler waits for a reader that is stuck")
		}
	}
	t.Logf("D2: %d streams whose readers are stuck ended within %.1f s, with a limit of %v for each event", readers, time.Since(began).Seconds(), limit)
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
