//go:build unix

package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/quirelib/quire"
)

// TestHardLinkAfterKill opens a file by both of its names when a killed process has left its
// last writes in the log: neither is opened, and all is there when the other name is gone.
func TestHardLinkAfterKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, link := filepath.Join(dir, "store.db"), filepath.Join(dir, "link.db")
	acknowledged := killWriter(t, path, 0)
	if err := os.Link(path, link); err != nil {
		t.Fatal(err)
	}
	data, log := mustRead(t, path), mustRead(t, path+"-wal")
	for _, name := range []string{link, path} {
		s, err := Open(t.Context(), name, nil)
		if wantCode(t, err, quire.CodeInvalid); err == nil {
			mustClose(t, s)
		}
	}
	wantUntouched(t, path, data)
	wantUntouched(t, path+"-wal", log)
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	checkKilled(t, path, acknowledged)
}

// A backup is not published over another file, by any way of doing it. On Linux it has one
// name at all times, so that it opens wherever a process is killed.
func TestPublish(t *testing.T) {
	t.Parallel()
	for name, way := range map[string]func(part, path string) error{"publish": publish, "renameOverOwn": renameOverOwn} {
		dir := t.TempDir()
		part, path := filepath.Join(dir, "part"), filepath.Join(dir, "copy")
		mustWrite(t, part, []byte("part"))
		mustWrite(t, path, []byte("other"))
		if err := way(part, path); !errors.Is(err, os.ErrExist) || string(mustRead(t, path)) != "other" {
			t.Errorf("%s over another file: %v", name, err)
		}
		if err := errors.Join(os.Remove(path), way(part, path)); err != nil || string(mustRead(t, path)) != "part" {
			t.Errorf("%s: %v", name, err)
		}
		if got := listDir(t, dir); len(got) != 1 && (runtime.GOOS == "linux" || name != "publish") {
			t.Errorf("%s: files are %q", name, got)
		}
		os.Remove(part)
		if err := way(part, filepath.Join(dir, "third")); err == nil || len(listDir(t, dir)) != 1 {
			t.Errorf("%s of nothing: error %v, files %q", name, err, listDir(t, dir))
		}
	}
}
