package quire

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestTurns: one at a time has its turn, whoever asks for many keeps others waiting for one of
// them only, and whoever gave up waiting keeps nobody.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const each = time.Second
		turns := newTurns(1)
		var mu sync.Mutex
		var order []string
		running := 0
		change := func(user, name string) {
			done, err := turns.wait(t.Context(), user)
			if err != nil {
				t.Error(err)
				return
			}
			defer done()
			mu.Lock()
			if running++; running > 1 {
				t.Errorf("%s has a turn at the same time as another", name)
			}
			order = append(order, name)
			mu.Unlock()
			time.Sleep(each)
			mu.Lock()
			running--
			mu.Unlock()
		}
		var all sync.WaitGroup
		began := time.Now()
		for range 24 {
			all.Go(func() { change("ann", "ann") })
		}
		synctest.Wait()
		impatient, cancel := context.WithTimeout(t.Context(), each/2)
		defer cancel()
		for _, user := range []string{"ann", "eve"} {
			all.Go(func() {
				if _, err := turns.wait(impatient, user); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s, who gave up: %v", user, err)
				}
			})
		}
		all.Go(func() { change("bob", "bob") })
		all.Wait()
		if got := fmt.Sprint(order[:3]); got != "[ann bob ann]" {
			t.Errorf("the first were %s, want bob second", got)
		}
		if took := time.Since(began); len(order) != 25 || took != 25*each {
			t.Errorf("%d changes took %v", len(order), took)
		}
		if len(turns.users) != 0 || len(turns.all) != 0 {
			t.Errorf("left over: %d users, %d turns", len(turns.users), len(turns.all))
		}
	})
}
