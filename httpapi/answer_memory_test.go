package httpapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store/sqlite"
)

// largeDocuments are the longest document there can be and the longest one that is parsed.
func largeDocuments(t *testing.T, f *fixture) map[string]string {
	t.Helper()
	const most = 16 << 20
	ids := map[string]string{}
	for name, size := range map[string]int{"document": most - most/100, "markdown": 2 << 20} {
		e, err := f.lib.CreateElemental(t.Context(), f.ann.Actor(), quire.ElementalInput{
			Title: "A text as long as can be", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText,
			Body: strings.Repeat("Some *words* & a line.\n", size/23),
		})
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = e.ID
	}
	return ids
}

// TestPreparedTemplatesAreNotBuilt fills 12 KB with 4 KB, which makes 33 MB of JSON. It is
// not parallel: other tests would use memory meanwhile.
func TestPreparedTemplatesAreNotBuilt(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector keeps several times the memory that is to be measured; run it without")
	}
	f := newFixture(t, nil)
	id := f.elementalOf(f.ann, strings.Repeat("#a ", 4000))
	srv := httptest.NewServer(f.h)
	defer srv.Close()
	var n int64
	grown := heapGrowth(t, func() {
		req, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL+"/v1/elemental/"+id+"/template/prepare", strings.NewReader(`{"#a":"`+strings.Repeat("\u2028", 1390)+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("x-api-key", f.ann.key)
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if n, err = io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 || n < 33_000_000 {
			t.Error(resp.Status, n, err)
		}
	})
	t.Logf("%d bytes, the heap grew by %d", n, grown)
	if grown > 16<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

// TestLargeAnswersTakeBoundedMemory is not parallel: other tests would use memory
// meanwhile.
func TestLargeAnswersTakeBoundedMemory(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector keeps several times the memory that is to be measured; run it without")
	}
	if testing.Short() {
		t.Skip("short: 500 MB of answers take a minute")
	}
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixtureOn(t, s, &Options{MaxAnswerMemory: 64 << 20})
	ids := largeDocuments(t, f)
	srv := httptest.NewServer(f.h)
	defer srv.Close()
	const readers, limit = 4, 160 << 20
	for _, name := range []string{"document", "markdown"} {
		var size atomic.Int64
		grown := heapGrowth(t, func() {
			var wg sync.WaitGroup
			for range readers {
				wg.Go(func() {
					resp := f.request(srv, "/v1/elemental/"+ids[name])
					for resp.StatusCode == http.StatusServiceUnavailable { // it says when to try again
						resp.Body.Close()
						time.Sleep(100 * time.Millisecond)
						resp = f.request(srv, "/v1/elemental/"+ids[name])
					}
					defer resp.Body.Close()
					n, err := io.Copy(io.Discard, resp.Body)
					if err != nil || resp.StatusCode != 200 {
						t.Error(resp.Status, err)
					}
					size.Store(n)
				})
			}
			wg.Wait()
		})
		t.Logf("%s: %d readers of %.1f MB, the heap grew by %.1f MB at most", name, readers, float64(size.Load())/1e6, float64(grown)/1e6)
		if grown > limit {
			t.Errorf("%s: the heap grew by %d bytes, more than %d", name, grown, limit)
		}
	}
}

// TestLargeListsTakeBoundedMemory reads lists of large documents in all the ways there are,
// by clients of two users at once. One document is of line breaks only: laid out, each
// is an indented line. It is not parallel: other tests would use memory meanwhile.
func TestLargeListsTakeBoundedMemory(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector keeps several times the memory that is to be measured; run it without")
	}
	if testing.Short() {
		t.Skip("short: hundreds of megabytes of answers take a minute")
	}
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixtureOn(t, s, &Options{MaxAnswerMemory: 64 << 20})
	const size = 4 << 20
	in := quire.ListInput{Title: "A list of long texts"}
	for _, body := range []string{strings.Repeat("Some *words* & a line.\n", size/23), strings.Repeat("\n", size-1) + "x", strings.Repeat("\x01", size)} {
		e, err := f.lib.CreateElemental(t.Context(), f.ann.Actor(), quire.ElementalInput{
			Title: "A long text among others", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: body,
		})
		if err != nil {
			t.Fatal(err)
		}
		in.Items = append(in.Items, quire.ItemInput{ElementalID: e.ID})
	}
	l, err := f.lib.CreateList(t.Context(), f.ann.Actor(), in)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(f.h)
	defer srv.Close()
	list := "/v1/list/" + formatID(l.ID)
	const readers, limit = 4, 64 << 20
	for _, path := range []string{
		list + "/knowledge-base?format=text&group_by=row&fields=content", list + "/knowledge-base?format=markdown&group_by=row&fields=content",
		list + "/knowledge-base?format=json&group_by=row&fields=content", list, list + "?expand_items=true", list + "/items?expand_items=true",
	} {
		var size atomic.Int64
		grown := heapGrowth(t, func() {
			var wg sync.WaitGroup
			for i := range readers {
				wg.Go(func() {
					key := []string{f.ann.key, f.bob.key}[i%2]
					for {
						req, err := http.NewRequestWithContext(t.Context(), "GET", srv.URL+path, nil)
						if err != nil {
							t.Error(err)
							return
						}
						req.Header.Set("x-api-key", key)
						resp, err := srv.Client().Do(req)
						if err != nil {
							t.Error(err)
							return
						}
						n, err := io.Copy(io.Discard, resp.Body)
						resp.Body.Close()
						if resp.StatusCode == http.StatusServiceUnavailable { // it says when to try again
							time.Sleep(100 * time.Millisecond)
							continue
						}
						if err != nil || resp.StatusCode != 200 || n < int64(len(in.Items))*4<<20 {
							t.Error(resp.Status, n, err)
						}
						size.Store(n)
						return
					}
				})
			}
			wg.Wait()
		})
		t.Logf("%d readers of %.1f MB, the heap grew by %.1f MB at most: %s", readers, float64(size.Load())/1e6, float64(grown)/1e6, strings.TrimPrefix(path, list))
		if grown > limit {
			t.Errorf("the heap grew by %d bytes, more than %d", grown, limit)
		}
	}
}
