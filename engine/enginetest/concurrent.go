package enginetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

var concurrentCases = []indexCase{
	{"concurrent/replace is atomic", testAtomicReplace},
	{"concurrent/reset is atomic", testAtomicReset},
	{"concurrent/tenants", testConcurrentTenants},
	{"concurrent/close", testConcurrentClose},
}

// cancelAfter returns a context that is cancelled a short time from now: 20
// microseconds for each round, so that a call is caught at different places, and at
// once in round 0.
func cancelAfter(t *testing.T, round int) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	if round == 0 {
		cancel()
	}
	timer := time.AfterFunc(time.Duration(round)*20*time.Microsecond, cancel)
	t.Cleanup(func() {
		timer.Stop()
		cancel()
	})
	return ctx
}

// testAtomicReplace writes an elemental over and over; every set has its own
// category and its own size. Whoever searches must see one set, whole.
func testAtomicReplace(t *testing.T, open opener) {
	x := setup(t, open)
	const sets = 8
	count := func(set int) int { return 20 + 5*set }
	write := func(set int) error {
		var chunks []quire.Chunk
		for n := range count(set) {
			// Half of the ids are those of the other sets, half are the set's own.
			c := chunk(n+n%2*1000*(set+1), "t", "a", away(n%16))
			c.CategoryName = fmt.Sprint(set)
			c.TagIDs = []string{"1", fmt.Sprint(n%2 + 2)}
			chunks = append(chunks, c)
		}
		return x.index.Replace(t.Context(), "t", "a", chunks)
	}
	if err := write(0); err != nil {
		t.Fatal(err)
	}
	if err := x.index.Replace(t.Context(), "t", "other", []quire.Chunk{chunk(99999, "t", "other", away(0))}); err != nil {
		t.Fatal(err)
	}
	sizes := map[int]bool{}
	for set := range sets {
		sizes[count(set)] = true
	}

	search := func(f quire.Filters) func() bool {
		return func() bool {
			hits, err := x.index.Search(t.Context(), corner(0), f, 1000)
			if err != nil || !sizes[len(hits)] || mixed(hits) {
				t.Errorf("Search(%+v) during Replace: %d hits, %v: not one of the sets that were stored", f, len(hits), err)
				return false
			}
			return true
		}
	}
	beside(func() {
		for round := range size(400, 100) {
			if err := write(round % sets); err != nil {
				t.Errorf("Replace: %v", err)
			}
		}
	},
		search(quire.Filters{TenantID: "t", ElementalID: "a"}),
		search(quire.Filters{TenantID: "t", ElementalID: "a", TagIDs: []string{"2", "3"}})) // an OR that may be asked in parts
}

// mixed reports whether chunks of testAtomicReplace come from different sets: the
// ids of odd numbers tell the set, as does the count.
func mixed(hits []quire.Hit) bool {
	set := (len(hits) - 20) / 5
	for _, h := range hits {
		var n int
		fmt.Sscanf(h.ID[len(h.ID)-12:], "%x", &n)
		if n >= 1000 && n/1000 != set+1 {
			return true
		}
	}
	return false
}

func testAtomicReset(t *testing.T, open opener) {
	x := setup(t, open)
	var chunks []quire.Chunk
	for n := range 200 {
		chunks = append(chunks, chunk(n, "t", "a", away(n%16)))
	}
	beside(func() {
		for range size(100, 30) {
			if err := x.index.Replace(t.Context(), "t", "a", chunks); err != nil {
				t.Errorf("Replace: %v", err)
			}
			if err := x.index.Reset(t.Context()); err != nil {
				t.Errorf("Reset: %v", err)
			}
		}
	}, func() bool {
		hits, err := x.index.Search(t.Context(), corner(0), quire.Filters{TenantID: "t"}, 1000)
		if err != nil || len(hits) != 0 && len(hits) != len(chunks) {
			t.Errorf("Search during Reset and Replace: %d hits, %v; want 0 or %d", len(hits), err, len(chunks))
			return false
		}
		return true
	})
}

// testConcurrentTenants lets each goroutine work in a tenant of its own, where it
// must find exactly what it wrote.
func testConcurrentTenants(t *testing.T, open opener) {
	x := setup(t, open)
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Go(func() {
			tenant := fmt.Sprint("t", w)
			own := NewIndex()
			for round := range size(60, 20) {
				elemental := fmt.Sprint("e", round%3)
				var chunks []quire.Chunk
				for n := range round % 7 {
					chunks = append(chunks, chunk(round%3*100+n, tenant, elemental, away(round%16)))
				}
				if err := errors.Join(x.index.Replace(t.Context(), tenant, elemental, chunks), own.Replace(t.Context(), tenant, elemental, chunks)); err != nil {
					t.Errorf("Replace: %v", err)
				}
				want, _ := own.Search(t.Context(), corner(0), quire.Filters{TenantID: tenant}, 10)
				got, err := x.index.Search(t.Context(), corner(0), quire.Filters{TenantID: tenant}, 10)
				if diff := diffHits(want, got); err != nil || diff != "" {
					t.Errorf("tenant %s: %v (-want +got):\n%s", tenant, err, diff)
				}
				if _, err := x.index.Stats(t.Context()); err != nil {
					t.Errorf("Stats: %v", err)
				}
			}
		})
	}
	workers.Wait()
}

// testConcurrentClose closes under load.
func testConcurrentClose(t *testing.T, open opener) {
	x := setup(t, open)
	closeUnderLoad(t, x.index.Close, func(worker, round int) error {
		elemental := fmt.Sprint("e", worker)
		err := x.index.Replace(t.Context(), "t", elemental, []quire.Chunk{chunk(worker, "t", elemental, away(round%16))})
		if err == nil {
			_, err = x.index.Search(t.Context(), corner(0), quire.Filters{TenantID: "t"}, 3)
		}
		return err
	})
}

// closeUnderLoad closes while six workers call: calls work or say that it is closed, and
// those that begin afterwards say so.
func closeUnderLoad(t *testing.T, closing func() error, call func(worker, round int) error) {
	started := make(chan struct{}, 6)
	var closed atomic.Bool
	var workers sync.WaitGroup
	for w := range 6 {
		workers.Go(func() {
			for round := 0; ; round++ {
				afterwards := closed.Load()
				err := call(w, round)
				if round == 0 {
					started <- struct{}{}
				}
				if err != nil || afterwards {
					wantError(t, "a call beside or after Close", err, quire.ErrClosed)
					return
				}
			}
		})
	}
	for range 6 {
		<-started
	}
	if err := closing(); err != nil {
		t.Errorf("Close: %v", err)
	}
	closed.Store(true)
	workers.Wait()
}

// beside does work while each of the searches is made again and again, by a goroutine of
// its own, until it returns false.
func beside(work func(), searches ...func() bool) {
	done := make(chan struct{})
	var searchers sync.WaitGroup
	for _, search := range searches {
		searchers.Go(func() {
			for search() {
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	work()
	close(done)
	searchers.Wait()
}
