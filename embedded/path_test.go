package embedded_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/store/sqlite"
)

// TestPathIsAFile: who gives the file of a backup is told what to do with it.
func TestPathIsAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "backup.db")
	if err := os.WriteFile(path, []byte("a backup"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := embedded.Open(t.Context(), path, nil)
	if quire.CodeOf(err) != quire.CodeInvalid || !strings.Contains(err.Error(), "quire.db") {
		t.Errorf("got %v", err)
	}
}

// TestMustExist: a mistyped directory is not made, and one that has a library is opened.
func TestMustExist(t *testing.T) {
	t.Parallel()
	must := &embedded.Options{SQLite: &sqlite.Options{MustExist: true}}
	parent := t.TempDir()
	for _, dir := range []string{filepath.Join(parent, "none"), parent} {
		if _, err := embedded.Open(t.Context(), dir, must); quire.CodeOf(err) != quire.CodeNotFound {
			t.Errorf("got %v", err)
		}
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
		t.Errorf("made %v, %v", left, err)
	}
	for _, opts := range []*embedded.Options{nil, must} {
		q, err := embedded.Open(t.Context(), parent, opts)
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
