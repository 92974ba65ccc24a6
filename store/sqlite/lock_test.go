package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
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

// TestLockedByAnotherName opens a file that is in use by a hard link, and after the file
// beside it that is locked was removed.
func TestLockedByAnotherName(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux the file is locked itself")
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "store.db"), filepath.Join(t.TempDir(), "other.db")
	s := mustOpen(t, path)
	putMetaValue(t, s, "still", "works")
	if err := errors.Join(os.Link(path, link), os.Remove(path+".lock")); err != nil {
		t.Fatal(err)
	}
	wantLocked(t, link)
	wantLocked(t, path)
	putMetaValue(t, s, "still", "works on")
	mustClose(t, s)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, link)
	if got := metaValue(t, s, "still"); got != "works on" {
		t.Errorf("read %q", got)
	}
	mustClose(t, s)
}

// TestLockedItself: a process that has a file open is found even when the file beside it that
// is locked was removed.
func TestLockedItself(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux the file is locked itself")
	}
	path := filepath.Join(t.TempDir(), "store.db")
	cmd, lines := startChild(t, "hold", path)
	defer func() {
		cmd.Process.Kill()
		cmd.Wait() // reports the kill
	}()
	if !lines.Scan() || lines.Text() != "open" {
		t.Fatalf("the child says %q", lines.Text())
	}
	if err := os.Remove(path + ".lock"); err != nil {
		t.Fatal(err)
	}
	wantLocked(t, path)
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

// TestLockedByProcess has other processes hold files and then kills them.
func TestLockedByProcess(t *testing.T) {
	t.Parallel()
	processes := 50
	if testing.Short() {
		processes = 5
	}
	const atOnce = 5
	var refused, free atomic.Int64
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for range processes / atOnce {
				path := filepath.Join(t.TempDir(), "store.db")
				cmd, lines := startChild(t, "hold", path)
				if !lines.Scan() || lines.Text() != "open" {
					t.Errorf("the child says %q", lines.Text())
					return
				}
				if _, err := Open(t.Context(), path, nil); errors.Is(err, quire.ErrLocked) {
					refused.Add(1)
				} else {
					t.Errorf("held by another process: %v", err)
				}
				if err := cmd.Process.Kill(); err != nil {
					t.Error(err)
				}
				cmd.Wait() // reports the kill
				s, err := Open(t.Context(), path, nil)
				if err != nil {
					t.Errorf("after the kill: %v", err)
					return
				}
				if err := s.Close(); err == nil {
					free.Add(1)
				}
			}
		})
	}
	all.Wait()
	t.Logf("A9: files held by %d other processes: %d refused, %d opened after the other was killed", processes, refused.Load(), free.Load())
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
