package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store/sqlite"
)

// The size of the library under measurement, and of the pages that are read.
const (
	benchElementals = 100_000
	benchLists      = 1_000
	benchPage       = 20
	benchClients    = 4
	benchRound      = 300 * time.Millisecond
)

// BenchmarkContent measures requests through real connections against a library of
// 100,000 elementals in an SQLite file, each kind in turn with a handler that answers
// with a constant of the same size: what net/http and JSON clients cost by themselves.
// One iteration is a round of 300 ms of each. "ratio" is the rate beside that of the
// constant.
func BenchmarkContent(b *testing.B) {
	f := newBenchFixture(b)
	for _, c := range []struct {
		name    string
		request func(i int) *http.Request
	}{
		{"list page of 20", func(i int) *http.Request {
			return f.request("GET", fmt.Sprintf("/v1/list/%d/items?size=%d&page=%d", f.lists[i%benchLists], benchPage, 1+i%5), "")
		}},
		{"elemental", func(i int) *http.Request {
			return f.request("GET", fmt.Sprintf("/v1/elemental/e%d", i*7919%benchElementals), "")
		}},
		{"search", func(i int) *http.Request {
			return f.request("GET", fmt.Sprintf("/v1/elementals?search=%s+%s", benchWord(i), benchWord(i+1)), "")
		}},
		{"search of a common word", func(int) *http.Request { return f.request("GET", "/v1/elementals?search=elemental", "") }},
		{"list search", func(i int) *http.Request {
			return f.request("GET", "/v1/lists?size=20&search=list+"+strconv.Itoa(i%benchLists), "")
		}},
		{"create-many of 100", func(int) *http.Request { return f.request("POST", "/v1/user/elementals", f.batch()) }},
	} {
		b.Run(c.name, func(b *testing.B) { f.compare(b, c.request) })
	}
}

type benchFixture struct {
	url   string // of the library
	fixed *httptest.Server
	key   string
	lists []int64

	mu      sync.Mutex
	answer  []byte // of the constant handler
	status  int
	created int
}

func newBenchFixture(b *testing.B) *benchFixture {
	b.Helper()
	ctx := b.Context()
	st, err := sqlite.Open(ctx, filepath.Join(b.TempDir(), "bench.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	lib, err := quire.NewLibrary(ctx, st, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(lib.Close(context.Background()), st.Close()); err != nil {
			b.Error(err)
		}
	})
	u, err := lib.CreateUser(ctx, quire.UserInput{ID: "ann"})
	if err != nil {
		b.Fatal(err)
	}
	f := &benchFixture{}
	if _, f.key, err = lib.CreateKey(ctx, u.ID, quire.KeyInput{}); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	f.fill(b, lib, u.Actor())
	b.Logf("%d elementals and %d lists were stored in %v", benchElementals, benchLists, time.Since(began).Round(time.Millisecond))

	srv := httptest.NewServer(New(lib, nil, nil))
	f.url = srv.URL
	f.fixed = httptest.NewServer(http.HandlerFunc(f.serveFixed))
	b.Cleanup(func() { srv.Close(); f.fixed.Close() })
	return f
}

// fill stores the library: each list has 100 elementals, each elemental is in one.
func (f *benchFixture) fill(b *testing.B, lib *quire.Library, a quire.Actor) {
	b.Helper()
	for range benchLists {
		l, err := lib.CreateList(b.Context(), a, quire.ListInput{Title: fmt.Sprintf("A list %d", len(f.lists))})
		if err != nil {
			b.Fatal(err)
		}
		f.lists = append(f.lists, l.ID)
	}
	for from := 0; from < benchElementals; from += 1000 {
		ins := make([]quire.ElementalInput, 1000)
		for i := range ins {
			n := from + i
			ins[i] = quire.ElementalInput{
				ID: fmt.Sprintf("e%d", n), Title: fmt.Sprintf("The elemental number %d", n), TypeID: quire.TypeDocument,
				Description: "Of " + benchWord(n), Body: benchBody(n), Lists: f.lists[n/100 : n/100+1],
			}
		}
		items, err := lib.CreateElementals(b.Context(), a, ins)
		if err != nil {
			b.Fatal(err)
		}
		for _, it := range items {
			if it.Err != nil {
				b.Fatal(it.Err)
			}
		}
	}
}

// benchWord is one of 5,000 words that are each in few elementals.
func benchWord(n int) string { return "word" + strconv.Itoa(n%5000) }

// benchBody is a text of some 1,000 bytes.
func benchBody(n int) string {
	return strings.Repeat("Some **text** of an elemental that nobody reads twice, "+benchWord(n)+". ", 14) + benchWord(n+1)
}

func (f *benchFixture) request(method, path, body string) *http.Request {
	req, err := http.NewRequest(method, path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("x-api-key", f.key)
	return req
}

func (f *benchFixture) batch() string {
	f.mu.Lock()
	f.created += 100
	first := f.created
	f.mu.Unlock()
	var body strings.Builder
	for i := range 100 {
		body.WriteByte("[,"[min(i, 1)])
		fmt.Fprintf(&body, `{"title":"A new elemental %d","type_id":3,"template":%q}`, first+i, benchBody(first+i))
	}
	return body.String() + "]"
}

func (f *benchFixture) serveFixed(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(f.answer)))
	w.WriteHeader(f.status)
	_, _ = w.Write(f.answer)
}

// compare measures a kind of request in turns with the constant.
func (f *benchFixture) compare(b *testing.B, request func(i int) *http.Request) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchClients}}
	defer client.CloseIdleConnections()
	f.answer, f.status = f.ask(b, client, f.url, request(0))
	var own, fixed []time.Duration
	var ownTime, fixedTime time.Duration
	for b.Loop() {
		d, t := f.round(b, client, f.url, request)
		own, ownTime = append(own, d...), ownTime+t
		d, t = f.round(b, client, f.fixed.URL, request)
		fixed, fixedTime = append(fixed, d...), fixedTime+t
	}
	slices.Sort(own)
	slices.Sort(fixed)
	rate := func(ds []time.Duration, in time.Duration) float64 { return float64(len(ds)) / in.Seconds() }
	micros := func(ds []time.Duration, q float64) float64 {
		return float64(ds[int(q*float64(len(ds)-1))]) / float64(time.Microsecond)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(len(f.answer)), "bytes")
	b.ReportMetric(rate(own, ownTime), "req/s")
	b.ReportMetric(rate(fixed, fixedTime), "const-req/s")
	b.ReportMetric(rate(own, ownTime)/rate(fixed, fixedTime), "ratio")
	b.ReportMetric(micros(own, 0.5), "p50-us")
	b.ReportMetric(micros(own, 0.99), "p99-us")
	b.ReportMetric(micros(fixed, 0.5), "const-p50-us")
	b.ReportMetric(micros(fixed, 0.99), "const-p99-us")
}

// round sends requests from all clients for the length of a round and returns how long
// each took, and all together.
func (f *benchFixture) round(b *testing.B, client *http.Client, base string, request func(i int) *http.Request) ([]time.Duration, time.Duration) {
	var mu sync.Mutex
	var took []time.Duration
	var wg sync.WaitGroup
	began := time.Now()
	for c := range benchClients {
		wg.Go(func() {
			var own []time.Duration
			for i := c; time.Since(began) < benchRound; i += benchClients {
				req := request(i)
				start := time.Now()
				f.ask(b, client, base, req)
				own = append(own, time.Since(start))
			}
			mu.Lock()
			took = append(took, own...)
			mu.Unlock()
		})
	}
	wg.Wait()
	return took, time.Since(began)
}

func (f *benchFixture) ask(b *testing.B, client *http.Client, base string, req *http.Request) ([]byte, int) {
	u, err := req.URL.Parse(base + req.URL.RequestURI())
	if err != nil {
		b.Error(err)
		return nil, 0
	}
	req.URL = u
	resp, err := client.Do(req)
	if err != nil {
		b.Error(err)
		return nil, 0
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 || !bytes.HasPrefix(body, []byte("{")) {
		b.Errorf("%s: %d, %v: %.200s", req.URL, resp.StatusCode, err, body)
	}
	return body, resp.StatusCode
}
