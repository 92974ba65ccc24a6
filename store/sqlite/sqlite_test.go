package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(tb testing.TB) func() quire.Store {
		path := filepath.Join(tb.TempDir(), "store.db")
		return func() quire.Store { return mustOpen(tb, path) }
	})
}

// mustOpen opens a Store with the default options.
func mustOpen(tb testing.TB, path string) *Store {
	tb.Helper()
	s, err := Open(tb.Context(), path, nil)
	if err != nil {
		tb.Fatalf("Open: %s", quire.Cause(err))
	}
	return s
}
