package store_test

import (
	"errors"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
	"github.com/quirelib/quire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// openMemory opens a Memory, and the second time what the first one held.
func openMemory(testing.TB) func() quire.Store {
	m := store.NewMemory()
	return func() quire.Store {
		m = m.Reopen()
		return m
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	storetest.Run(t, openMemory)
}

func TestMemoryIsExclusive(t *testing.T) {
	t.Parallel()
	if !store.NewMemory().Exclusive() {
		t.Error("another process cannot have it open")
	}
}

// Two open handles on the same content take turns as one does.
func TestReopenWhileOpen(t *testing.T) {
	t.Parallel()
	one := store.NewMemory()
	two := one.Reopen()
	ctx := t.Context()
	const each = 200
	var wg sync.WaitGroup
	for _, s := range []quire.Store{one, two} {
		wg.Go(func() {
			for range each {
				err := s.Update(ctx, func(tx quire.Tx) error {
					value, err := tx.Meta(ctx, "n")
					if err != nil && !errors.Is(err, quire.ErrNotFound) {
						return err
					}
					return tx.PutMeta(ctx, "n", append(value, 1))
				})
				if err != nil {
					t.Errorf("Update: %v", err)
				}
			}
		})
	}
	wg.Wait()
	if err := one.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	err := two.View(ctx, func(tx quire.ReadTx) error {
		value, err := tx.Meta(ctx, "n")
		if len(value) != 2*each {
			t.Errorf("%d updates are there, want %d", len(value), 2*each)
		}
		return err
	})
	if err != nil {
		t.Errorf("View after the other was closed: %v", err)
	}
}

func BenchmarkMemory(b *testing.B) { storetest.Bench(b, openMemory) }
