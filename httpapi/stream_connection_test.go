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
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
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

// TestStreamClientGone: a client that leaves ends the generation within a second, and
// no goroutine stays (TestMain looks).
func TestStreamClientGone(t *testing.T) {
	t.Parallel()
	const clients = 500
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
