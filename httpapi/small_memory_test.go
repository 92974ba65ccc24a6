package httpapi

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store/sqlite"
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

// crowd is requests of one key, at the same time on connections of their own.
type crowd struct {
	name string
	n    int
	head string
	body []byte
}

// meet sends the requests of crowds, one crowd after the other, and wants that they take no more
// memory than is there for small ones, and that somebody else is served beside them.
func (f *fixture) meet(t *testing.T, crowds ...crowd) {
	t.Helper()
	srv := httptest.NewServer(f.h)
	defer srv.Close()
	for _, c := range crowds {
		served := 0
		took := heapWith(func() {
			defer flood(t, srv, c.n, c.head, c.body)()
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
			t.Errorf("%s: %d MiB, %d of 40 requests of somebody else served", c.name, took>>20, served)
		}
		t.Logf("B10: %d connections of one key with %s: %d MiB at most, %d of 40 requests of somebody else served", c.n, c.name, took>>20, served)
	}
}

// head is how a request of Ann's begins, with one more header.
func (f *fixture) head(method, path, header string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\n%s\r\n\r\n", method, path, f.ann.key, header)
}

// ofLength is the header of a body of n bytes.
func ofLength(n int) string { return fmt.Sprint("Content-Length: ", n) }

// TestManySmallRequests: many requests of one key, none of which is large, do not take more
// memory than is there for small ones, whether they are read or not; somebody else is served.
func TestManySmallRequests(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	f := newFixture(t, nil)
	id := f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":"A title of it","type_id":3,"category_id":18,"template":"`+strings.Repeat("*w* ", 26_000)+`"}`).want(201).str("response.id")
	for range 100 {
		f.elemental(f.ann, "With a long description", `,"description":"`+strings.Repeat("long words ", 1800)+`"`)
	}
	body := bytes.Repeat([]byte(" "), 1<<20-100)
	f.meet(t,
		crowd{"documents", manySmall, f.head("GET", "/v1/elemental/"+id, "Accept: */*"), nil},
		crowd{"files", manySmall, f.head("GET", f.fileOf(1<<20), "Accept: */*"), nil},
		crowd{"larger files", manySmall, f.head("GET", f.fileOf(4_900_000), "Accept: */*"), nil},
		crowd{"pages", manySmall, f.head("GET", "/v1/user/elementals?size=100", "Accept: */*"), nil},
		crowd{"bodies", manySmall, f.head("POST", "/v1/user/list", ofLength(1<<20)), body},
		crowd{"chunks", manySmall, f.head("POST", "/v1/user/list", "Transfer-Encoding: chunked") + fmt.Sprintf("%x\r\n", 1<<20), body},
	)
}

// TestManyValues: a short body may hold what takes many times its length when it is decoded.
func TestManyValues(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	const n = 32
	f := newEngineFixture(t, nil)
	values := `{"query":"x","filters":{"tenant_id":"ann","tag_ids":[` + strings.Repeat("1,", 499_000) + `1]}}`
	history := `{"query":"x","filters":{"tenant_id":"ann"},"history":[` + strings.Repeat("{},", 340_000) + `{}]}`
	keys := `{"title":"A list of it"` + manyKeys(490_000) + `}`
	f.meet(t,
		crowd{"bodies of 500,000 values", n, f.head("POST", "/v1/kb/search", ofLength(len(values))), []byte(values)},
		crowd{"340,000 turns of a conversation", n, f.head("POST", "/v1/kb/chat", ofLength(len(history))), []byte(history)},
		crowd{"490,000 unknown keys", n, f.head("POST", "/v1/user/list", ofLength(len(keys))), []byte(keys)},
	)
}

// TestUnpagedAnswers: what answers with all that a user has, however much that is, takes turns.
func TestUnpagedAnswers(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "quire.db"), &sqlite.Options{Synchronous: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f := newFixtureOn(t, s, nil) // what the Store in memory returns is its own
	f.describe(f.ann, 500, 2000)
	f.meet(t, crowd{"500 long tags", 96, f.head("GET", "/v1/user/tags", "Accept: */*"), nil}, crowd{"2,000 long lists", 96, f.head("GET", "/v1/user/lists", "Accept: */*"), nil})
}

// manyKeys are members of an object, after others.
func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%x":1`, i)
	}
	return b.String()
}

// describe makes tags and lists of a user, with long descriptions.
func (f *fixture) describe(a account, tags, lists int) {
	f.t.Helper()
	note := strings.Repeat("word ", 4000)
	for i := range tags {
		_, err := f.lib.CreateTag(f.t.Context(), a.Actor(), quire.TagInput{Title: fmt.Sprint("tag ", i), Color: "#aabbcc", ElementalTypeID: quire.TypeDocument, Description: note})
		if err != nil {
			f.t.Fatal(err)
		}
	}
	for i := range lists {
		if _, err := f.lib.CreateList(f.t.Context(), a.Actor(), quire.ListInput{Title: fmt.Sprint("A list of it ", i), Description: note}); err != nil {
			f.t.Fatal(err)
		}
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
