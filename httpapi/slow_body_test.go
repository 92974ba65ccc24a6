package httpapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// trickle is a request whose body a test sends as it likes.
type trickle struct {
	body *io.PipeWriter
	rest string     // of the body
	done chan reply // gets the answer
}

type reply struct {
	status     int
	message    string
	retryAfter string
}

// sendSlowly begins to post a list, with so much white space behind it that is quick to check.
// With unknown, its length is not announced.
func (f *fixture) sendSlowly(srv *httptest.Server, by account, size int, unknown bool) *trickle {
	f.t.Helper()
	r, w := io.Pipe()
	body := `{"title":"x"}` + strings.Repeat(" ", size)
	req, err := http.NewRequestWithContext(f.t.Context(), "POST", srv.URL+"/v1/user/list", r)
	if err != nil {
		f.t.Fatal(err)
	}
	if !unknown {
		req.ContentLength = int64(len(body))
	}
	req.Header.Set("X-Api-Key", by.key)
	s := &trickle{w, body, make(chan reply, 1)}
	go func() {
		var got reply
		resp, err := srv.Client().Do(req)
		if err == nil {
			var e errorJSON
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			_ = json.Unmarshal(text, &e) // other answers have no message
			got = reply{resp.StatusCode, e.Message, resp.Header.Get("Retry-After")}
		} else {
			got.message = err.Error()
		}
		r.Close()
		s.done <- got
	}()
	return s
}

// send sends the next n bytes of the body; it fails where the server has given up.
func (s *trickle) send(n int) error {
	part := s.rest[:min(n, len(s.rest))]
	s.rest = s.rest[len(part):]
	_, err := io.WriteString(s.body, part)
	if s.rest == "" {
		s.body.Close()
	}
	return err
}

// finish sends what is left, unless there is an answer already: who goes on sending may not get
// to see it.
func (s *trickle) finish() reply {
	select {
	case got := <-s.done:
		return got
	case <-time.After(300 * time.Millisecond):
	}
	_ = s.send(len(s.rest)) // the answer says more
	return <-s.done
}

// slowBodies is a server with little memory for bodies, and little patience.
func slowBodies(t *testing.T, http2 bool) (*fixture, *httptest.Server, *budget) {
	t.Helper()
	f := newFixture(t, &Options{MaxRequestMemory: 8 << 20})
	bodies := &f.h.(*server).largeBodies
	bodies.wait, bodies.start, bodies.whole = 3*time.Second, 200*time.Millisecond, time.Minute
	srv := httptest.NewUnstartedServer(f.h)
	srv.EnableHTTP2 = http2
	if http2 {
		srv.StartTLS()
	} else {
		srv.Start()
	}
	t.Cleanup(srv.Close)
	return f, srv, bodies
}

// await waits until a budget looks as it should.
func (b *budget) await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 1000 {
		b.mu.Lock()
		there := ok()
		b.mu.Unlock()
		if there {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("never happened: %s", what)
}

// TestSlowBodiesMakeRoom: two users announce bodies that take all the memory there is, and
// send next to nothing. A third one gets in within the time that requests wait; of the two, the
// other one is left alone.
func TestSlowBodiesMakeRoom(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		http2, unknown bool
	}{{"HTTP/1.1", false, false}, {"HTTP/2", true, false}, {"unknown length", false, true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, srv, bodies := slowBodies(t, tt.http2)
			if tt.unknown {
				f.h.(*server).opts.MaxBodyBytes = 3<<20 - 16 // two times what follows the first MiB is all there is
			}
			cat := f.account("cat")
			var slow []*trickle
			for i, by := range []account{f.ann, f.bob} {
				s := f.sendSlowly(srv, by, 1_900_000, tt.unknown)
				if tt.unknown {
					_ = s.send(1_100_000) // beyond what is read without memory
				}
				slow = append(slow, s)
				bodies.await(t, "both are being read", func() bool { return len(bodies.reading) == i+1 })
				_ = s.send(1000)
			}
			if tt.unknown { // what was sent keeps up for longer
				bodies.mu.Lock()
				bodies.whole = 500 * time.Millisecond
				bodies.mu.Unlock()
			}
			began := time.Now()
			if got := f.sendSlowly(srv, cat, 1_500_000, false).finish(); got.status != 201 {
				t.Errorf("beside two slow bodies: %+v", got)
			}
			t.Logf("the third one was served after %v", time.Since(began).Round(time.Millisecond))
			if got := slow[0].finish(); got.status != 408 || !strings.Contains(got.message, "while others waited") || !strings.Contains(got.message, "2m5s") {
				t.Errorf("who made room got %+v", got)
			}
			if got := slow[1].finish(); got.status != 201 {
				t.Errorf("the other slow one got %+v", got)
			}
			bodies.await(t, "all is given back", func() bool { return bodies.used == 0 && len(bodies.reading) == 0 })
		})
	}
}

// TestSlowBodiesAlone: a slow body is read to its end while nobody waits, while only its own
// user does, and while what is waited for would not be there without it.
func TestSlowBodiesAlone(t *testing.T) {
	t.Parallel()
	f, srv, bodies := slowBodies(t, false)
	bodies.wait = 500 * time.Millisecond
	slow := f.sendSlowly(srv, f.ann, 1_900_000, false)
	other := f.sendSlowly(srv, f.bob, 1_900_000, false)
	bodies.await(t, "both are being read", func() bool { return len(bodies.reading) == 2 })
	for range 20 {
		if err := slow.send(100); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	own := f.sendSlowly(srv, f.ann, 1_500_000, false).finish()
	if own.status != 503 || own.retryAfter != "5" || !strings.Contains(own.message, "bodies of requests") || !strings.Contains(own.message, "others' or your own") {
		t.Errorf("beside an own slow body: %+v", own)
	}
	if got := other.finish(); got.status != 201 {
		t.Errorf("another user's body, which kept nobody out, got %+v", got)
	}
	release, err := bodies.acquire(t.Context(), "eve", 4<<20, bodies.size) // which is no body that is read
	if err != nil {
		t.Fatal(err)
	}
	if got := f.sendSlowly(srv, f.bob, 7_000_000, false).finish(); got.status != 503 {
		t.Errorf("more than the slow body could make room for: %+v", got)
	}
	release()
	if got := slow.finish(); got.status != 201 {
		t.Errorf("the slow one got %+v", got)
	}
}

// TestSteadyBodiesStay: who keeps the pace is not ended by who waits.
func TestSteadyBodiesStay(t *testing.T) {
	t.Parallel()
	f, srv, bodies := slowBodies(t, false)
	bodies.wait, bodies.whole = time.Second, 20*time.Second
	var steady []*trickle
	for i, by := range []account{f.ann, f.bob} {
		steady = append(steady, f.sendSlowly(srv, by, 1_900_000, false))
		bodies.await(t, "both are being read", func() bool { return len(bodies.reading) == i+1 })
		_ = steady[i].send(950_000) // of which 10 s are none too long
	}
	if got := f.sendSlowly(srv, f.account("cat"), 1_500_000, false).finish(); got.status != 503 {
		t.Errorf("beside two bodies that keep the pace: %+v", got)
	}
	for _, s := range steady {
		if got := s.finish(); got.status != 201 {
			t.Errorf("who kept the pace got %+v", got)
		}
	}
}

// TestManySlowBodies: small ones are ended together for one that is larger, and the room goes to
// nobody who came after it.
func TestManySlowBodies(t *testing.T) {
	t.Parallel()
	f, srv, bodies := slowBodies(t, false)
	bodies.wait, bodies.start = 6*time.Second, 2*time.Second // all are to be there before one is ended
	const n = 6
	var slow []*trickle
	send := func() {
		by := f.account(fmt.Sprintf("one-of-many-%d", len(slow)))
		slow = append(slow, f.sendSlowly(srv, by, 1_100_000, false))
	}
	for range n / 2 {
		send()
	}
	bodies.await(t, "three are being read", func() bool { return len(bodies.reading) == n/2 })
	large := f.sendSlowly(srv, f.ann, 3_000_000, false)
	bodies.await(t, "the large one waits", func() bool { return len(bodies.waiting) == 1 })
	for range n / 2 {
		send()
	}
	bodies.await(t, "three wait behind it", func() bool { return len(bodies.waiting) == 1+n/2 })
	if got := large.finish(); got.status != 201 {
		t.Errorf("beside %d slow bodies: %+v", n, got)
	}
	statuses := map[int]int{}
	for _, s := range slow {
		statuses[s.finish().status]++
	}
	if statuses[408] < 2 || statuses[201]+statuses[408]+statuses[503] != n {
		t.Errorf("the slow ones got %v", statuses)
	}
}
