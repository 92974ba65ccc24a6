package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store/sqlite"
)

// longBody is the size of each body of a long list.
const longBody = 20_000

// longList is a list of n documents on SQLite. They are stored without their words,
// because nothing here searches.
func longList(t *testing.T, n int) (*fixture, int64) {
	t.Helper()
	ctx := t.Context()
	s, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixtureOn(t, s, nil)
	l, err := f.lib.CreateList(ctx, f.ann.Actor(), quire.ListInput{Title: "A long list"})
	if err != nil {
		t.Fatal(err)
	}
	body := strings.Repeat("Some words and a line.\n", longBody/23+1)[:longBody]
	err = s.Update(ctx, func(tx quire.Tx) error {
		for i := range n {
			e := quire.ElementalRecord{
				ID: fmt.Sprintf("long-%06d", i), OwnerID: "ann", TenantID: "ann", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText,
				Title: fmt.Sprintf("Document number %d", i), Body: body, Visibility: quire.Public, Version: 1,
			}
			if err := tx.PutElemental(ctx, e, quire.IndexedText{}); err != nil {
				return err
			}
			if err := tx.PutItem(ctx, quire.ListItem{ListID: l.ID, ElementalID: e.ID, OrderIndex: int64(i)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return f, l.ID
}

// heapGrowth runs work and returns by how many bytes the heap was larger during it
// than before, at most, sampled every few milliseconds. What is garbage and not yet
// collected counts, so the collector is made to run often.
func heapGrowth(t *testing.T, work func()) int64 {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before := int64(m.HeapAlloc)
	done, result := make(chan struct{}), make(chan int64)
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		most, samples := int64(0), 0
		for {
			select {
			case <-tick.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most, samples = max(most, int64(m.HeapAlloc)-before), samples+1
			case <-done:
				if samples < 3 {
					t.Errorf("only %d samples", samples)
				}
				result <- most
				return
			}
		}
	}()
	work()
	close(done)
	return <-result
}

// TestLongListsCompileInBoundedMemory is not parallel: other tests would use memory
// meanwhile.
func TestLongListsCompileInBoundedMemory(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector keeps several times the memory that is to be measured; run it without")
	}
	n := 10_000
	if testing.Short() {
		n = 1_000
		t.Logf("short: %d elementals instead of 10,000", n)
	}
	const limit = 64 << 20
	f, id := longList(t, n)
	check := func(name string, work func() int64) {
		var size int64
		grown := heapGrowth(t, func() { size = work() })
		t.Logf("%s: %.1f MB compiled, the heap grew by %.1f MB at most", name, float64(size)/1e6, float64(grown)/1e6)
		if size < int64(n)*longBody {
			t.Errorf("%s: only %d bytes", name, size)
		}
		if grown > limit {
			t.Errorf("%s: the heap grew by %d bytes, more than %d", name, grown, limit)
		}
	}
	srv := httptest.NewServer(f.h)
	defer srv.Close()
	for _, format := range []quire.KnowledgeFormat{quire.FormatText, quire.FormatMarkdown, quire.FormatJSON} {
		check(string(format), func() int64 {
			w := &counter{}
			if err := f.lib.WriteListKnowledge(t.Context(), f.ann.Actor(), id, quire.KnowledgeOptions{Format: format}, w); err != nil {
				t.Fatal(err)
			}
			return w.size
		})
		check(string(format)+" over HTTP", func() int64 {
			resp := f.request(srv, fmt.Sprintf("/v1/list/%d/knowledge-base?group_by=row&fields=title,content&format=%s", id, format))
			defer resp.Body.Close()
			size, err := io.Copy(io.Discard, resp.Body)
			if err != nil || resp.StatusCode != 200 {
				t.Fatal(resp.Status, err)
			}
			return size
		})
	}
}

// counter counts what is written. After limit bytes (0: no limit) it calls then.
type counter struct {
	size, limit int64
	then        func() error
}

func (c *counter) Write(p []byte) (int, error) {
	c.size += int64(len(p))
	if c.limit > 0 && c.size > c.limit {
		if err := c.then(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// TestLongListsEndEarly ends the compiling half way, by the writer and by the context.
func TestLongListsEndEarly(t *testing.T) {
	t.Parallel()
	const items = 200
	f, id := longList(t, items)
	full := errors.New("the disk is full")
	for _, format := range []quire.KnowledgeFormat{quire.FormatText, quire.FormatMarkdown, quire.FormatJSON} {
		end := func(ctx context.Context, name string, then func() error, want error) {
			w := &counter{limit: items * longBody / 2, then: then}
			err := f.lib.WriteListKnowledge(ctx, f.ann.Actor(), id, quire.KnowledgeOptions{Format: format}, w)
			if !errors.Is(err, want) {
				t.Errorf("%s, %s: %v, want %v", format, name, err, want)
			}
			if w.size < w.limit || w.size > items*longBody*3/4 {
				t.Errorf("%s, %s: %d bytes were written, want little more than %d", format, name, w.size, w.limit)
			}
		}
		end(t.Context(), "error", func() error { return full }, full)
		ctx, cancel := context.WithCancel(t.Context())
		end(ctx, "cancelled", func() error { cancel(); return nil }, context.Canceled)
		cancel()
	}
}
