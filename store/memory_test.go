package store_test

import (
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

func BenchmarkMemory(b *testing.B) { storetest.Bench(b, openMemory) }
