package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirelib/quire/engine/enginetest"
)

// TestHealthUnderLoad asks for the health without a key while others write and search: it
// is one word, asks no model anything, and comes soon.
func TestHealthUnderLoad(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, openSQLite(t), nil)
	probed := &echo{Embedder: enginetest.NewEmbedder()}
	f.withModels(probed, nil)
	id := f.elemental(f.ann, "How to sail a boat", "")
	f.ingest(f.ann, id)
	embedded, generated := len(probed.Batches()), probed.calls.Load()
	ctx, stop := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	var meanwhile atomic.Int64
	for i := range 4 {
		busy.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				method, path, body := "GET", "/v1/elementals?search=boat", ""
				if n%2 == 0 {
					method, path, body = "POST", "/v1/user/elemental", fmt.Sprintf(`{"title":"Boat number %d of %d","type_id":3,"category_id":18,"template":"boat"}`, n, i)
				}
				if rec := f.asked(f.ann.key, method, path, body); rec.Code >= 300 {
					t.Errorf("%s %s: %d %s", method, path, rec.Code, rec.Body.String())
					return
				}
				meanwhile.Add(1)
			}
		})
	}
	const each = 250
	var took [4][]time.Duration
	var asking sync.WaitGroup
	for i := range took {
		asking.Go(func() {
			for n := range each {
				path := []string{"/health", "/v1/health"}[n%2]
				begin := time.Now()
				rec := f.asked("", "GET", path, "")
				took[i] = append(took[i], time.Since(begin))
				if rec.Code != 200 || rec.Body.String() != `{"status":"UP"}`+"\n" {
					t.Errorf("%s: %d %q", path, rec.Code, rec.Body.String())
					return
				}
			}
		})
	}
	asking.Wait()
	stop()
	busy.Wait()
	if rec := f.asked("", "GET", "/health/detailed", ""); rec.Code != http.StatusUnauthorized {
		t.Errorf("/health/detailed without a key: %d %s", rec.Code, rec.Body.String())
	}
	if rec := f.asked(f.ann.key, "GET", "/health/detailed", ""); rec.Code != http.StatusOK {
		t.Errorf("/health/detailed with a key: %d %s", rec.Code, rec.Body.String())
	}
	calls := int64(len(probed.Batches())-embedded) + probed.calls.Load() - generated
	all := slices.Concat(took[:]...)
	slices.Sort(all)
	if calls != 0 {
		t.Errorf("%d calls to models", calls)
	}
	if meanwhile.Load() == 0 {
		t.Error("no other request was answered meanwhile: there was no load")
	}
	if t.Failed() {
		return
	}
	p99 := all[len(all)*99/100]
	if p99 > 10*time.Second { // only a health that waits for others takes as long
		t.Errorf("p99 is %v", p99)
		return
	}
	t.Logf("H3: %d times the health without a key, %d other requests meanwhile: one word each, %d calls to models; p50 %v, p99 %v",
		len(all), meanwhile.Load(), calls, all[len(all)/2].Round(time.Microsecond), p99.Round(time.Microsecond))
}
