package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// wantLocked checks that the file cannot be opened, and that this is known soon.
func wantLocked(t *testing.T, path string) {
	t.Helper()
	start := time.Now()
	_, err := Open(t.Context(), path, nil)
	if !errors.Is(err, quire.ErrLocked) {
		t.Fatalf("got error %v, want ErrLocked", err)
	}
	wantSafe(t, err)
	if d := time.Since(start); d > time.Second {
		t.Errorf("ErrLocked took %v", d)
	}
}

// TestLocked opens a file a second time, by all names it has.
func TestLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	s := mustOpen(t, path)
	if !s.Exclusive() {
		t.Error("Exclusive is false")
	}
	link, linkedDir := filepath.Join(dir, "link.db"), filepath.Join(t.TempDir(), "dir")
	if err := errors.Join(os.Symlink(path, link), os.Symlink(dir, linkedDir)); err != nil {
		t.Fatal(err)
	}
	names := []string{path, filepath.Join(dir, ".", "x", "..", "store.db"), link, filepath.Join(linkedDir, "store.db")}
	for _, name := range names {
		wantLocked(t, name)
	}
	putMetaValue(t, s, "still", "works")
	mustClose(t, s)
	mustClose(t, s)
	for _, name := range names {
		s := mustOpen(t, name)
		if got := metaValue(t, s, "still"); got != "works" {
			t.Errorf("read %q through %s", got, name)
		}
		mustClose(t, s)
	}
}

// childHold opens the database and keeps it open.
func childHold(path string) {
	if _, err := Open(context.Background(), path, nil); err != nil {
		fmt.Println(quire.Cause(err))
		return
	}
	fmt.Println("open")
	select {} // until it is killed
}

// TestLockedByProcess has another process hold the file and then kills it.
func TestLockedByProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	cmd, lines := startChild(t, "hold", path)
	if !lines.Scan() || lines.Text() != "open" {
		t.Fatalf("the child says %q", lines.Text())
	}
	wantLocked(t, path)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // reports the kill
	mustClose(t, mustOpen(t, path))
}

// Waiting for the lock ends with the context.
func TestLockedContext(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := mustOpen(t, path)
	defer mustClose(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, path, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want context.DeadlineExceeded", err)
	}
}
