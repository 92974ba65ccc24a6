package httpapi

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

// smallMost is what many small requests at the same time may take: the budget for small answers
// is 128 MiB, half of it for one user, and what is garbage comes to that.
const smallMost = 400 << 20

// manySmall is how many of them there are; before they were counted they took a gigabyte and more.
const manySmall = 600

// heapWith returns by how much the heap that is in use grew at most while do ran.
func heapWith(do func()) int64 {
	var before, m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most, end, ended := before.HeapInuse, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-end:
				return
			case <-time.After(50 * time.Millisecond):
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse)
			}
		}
	}()
	do()
	close(end)
	<-ended
	return int64(most - before.HeapInuse)
}

// flood opens connections of which each sends head and what write writes, and reads nothing.
func flood(t *testing.T, srv *httptest.Server, n int, head string, body []byte) (closeAll func()) {
	t.Helper()
	var mu sync.Mutex
	var all []net.Conn
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range n / 8 {
				c, err := net.Dial("tcp", srv.Listener.Addr().String())
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				all = append(all, c)
				mu.Unlock()
				if err := c.(*net.TCPConn).SetReadBuffer(4096); err != nil {
					t.Error(err)
				}
				_, _ = io.WriteString(c, head) // what is refused may be cut off
				_, _ = c.Write(body)
			}
		})
	}
	wg.Wait()
	return func() {
		for _, c := range all {
			c.Close()
		}
	}
}

// TestManySmallRequests: many requests of one key, none of which is large, do not take more
// memory than is there for small ones, whether they are read or not; somebody else is served.
func TestManySmallRequests(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	f := newFixture(t, nil)
	srv := httptest.NewServer(f.h)
	defer srv.Close()
	id := f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":"A title of it","type_id":3,"category_id":18,"template":"`+strings.Repeat("*w* ", 26_000)+`"}`).want(201).str("response.id")
	for range 100 {
		f.elemental(f.ann, "With a long description", `,"description":"`+strings.Repeat("long words ", 1800)+`"`)
	}
	get := "GET %s HTTP/1.1\r\nHost: x\r\nx-api-key: " + f.ann.key + "\r\n\r\n"
	post := "POST /v1/user/list HTTP/1.1\r\nHost: x\r\nx-api-key: " + f.ann.key + "\r\n"
	body := bytes.Repeat([]byte(" "), 1<<20-100)
	for name, tt := range map[string]struct {
		head string
		body []byte
	}{
		"documents":    {fmt.Sprintf(get, "/v1/elemental/"+id), nil},
		"files":        {fmt.Sprintf(get, f.fileOf(1<<20)), nil},
		"larger files": {fmt.Sprintf(get, f.fileOf(4_900_000)), nil},
		"pages":        {fmt.Sprintf(get, "/v1/user/elementals?size=100"), nil},
		"bodies":       {fmt.Sprintf("%sContent-Length: %d\r\n\r\n", post, 1<<20), body},
		"chunks":       {fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n", post, 1<<20), body},
	} {
		served := 0
		took := heapWith(func() {
			defer flood(t, srv, manySmall, tt.head, tt.body)()
			for range 20 {
				if a := f.do(f.bob.key, "GET", "/v1/lists", ""); a.status == http.StatusOK {
					served++
				}
				if a := f.do(f.bob.key, "POST", "/v1/user/list", `{"title":"A list of bob's"}`); a.status < 300 {
					served++
				}
				time.Sleep(100 * time.Millisecond)
			}
		})
		f.h.(*server).allGivenBack(t)
		if took > smallMost || served != 40 {
			t.Errorf("%s: %d MiB, %d of 40 requests of somebody else served", name, took>>20, served)
		}
		t.Logf("B10: %d connections of one key with %s: %d MiB at most, %d of 40 requests of somebody else served", manySmall, name, took>>20, served)
	}
}

// fileOf makes a file of a length and returns its path.
func (f *fixture) fileOf(length int) string {
	f.t.Helper()
	e := f.elemental(f.ann, "With a file", `,"files":[`+upload("f", bytes.Repeat([]byte("x"), length))+`]`)
	return fmt.Sprint("/v1/elemental/", e, "/file/", f.do(f.ann.key, "GET", "/v1/elemental/"+e, "").at("response.files.0.id"))
}

// allGivenBack waits until no request has any memory.
func (s *server) allGivenBack(t *testing.T) {
	t.Helper()
	for _, b := range s.budgets() {
		b.await(t, "all is given back", func() bool { return b.used == 0 && len(b.waiting) == 0 && len(b.reading) == 0 && len(b.held) == 0 })
	}
}

// TestChatsHoldNoBodies: who asks in a body that is long for what is in it keeps nobody from
// sending one while the LLM writes.
func TestChatsHoldNoBodies(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	gate := enginetest.NewGate()
	f.llm.Hold(gate)
	f.ingest(f.ann, f.elemental(f.ann, "How to sail a boat", ""))
	srv := httptest.NewServer(f.h)
	defer srv.Close()
	body := `{"query":"sail a boat","filters":{"tenant_id":"` + f.ann.TenantID + `"}}` + strings.Repeat(" ", 1<<19)
	defer flood(t, srv, 8, fmt.Sprintf("POST /v1/kb/chat HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nContent-Length: %d\r\n\r\n", f.ann.key, len(body)), []byte(body))()
	for range 8 {
		<-gate.Arrived()
	}
	s := f.h.(*server)
	for _, b := range []*budget{&s.smallBodies, &s.largeBodies} {
		b.await(t, "bodies are given back", func() bool { return b.used == 0 })
	}
	s.chats.await(t, "questions are counted", func() bool { return s.chats.used == 8*int64(len("sail a boat")) })
	gate.Open()
	s.allGivenBack(t)
}

// TestPanicsGiveBack: also the answer to a panic takes memory only while it is sent.
func TestPanicsGiveBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t, &Options{Logger: slog.New(slog.DiscardHandler), Authenticate: func(*http.Request) (quire.User, error) { panic("on purpose") }})
	for range 3 {
		f.do("", "GET", "/v1/lists", "").want(500)
	}
	f.h.(*server).allGivenBack(t)
}

// TestBodyLimits: bodies of just as much as is said are free, and small.
func TestBodyLimits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		length int
		of     func(s *server) *budget
	}{
		{freeBody, nil},
		{freeBody + 1, func(s *server) *budget { return &s.smallBodies }},
		{smallBody, func(s *server) *budget { return &s.smallBodies }},
		{smallBody + 1, func(s *server) *budget { return &s.largeBodies }},
	} {
		f := newFixture(t, nil)
		s := f.h.(*server)
		release := map[*budget]func(){}
		for _, b := range []*budget{&s.smallBodies, &s.largeBodies} {
			b.wait = time.Millisecond
			release[b] = b.take("somebody", b.size)
		}
		want := http.StatusCreated
		if tt.of != nil {
			want = http.StatusServiceUnavailable
		}
		text := `{"title":"A list"}`
		text += strings.Repeat(" ", tt.length-len(text))
		f.do(f.ann.key, "POST", "/v1/user/list", text).want(want)
		if tt.of == nil {
			continue
		}
		release[tt.of(s)]()
		f.do(f.ann.key, "POST", "/v1/user/list", text).want(http.StatusCreated)
	}
}
