//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/quirelib/quire"
)

func init() { children["visit"] = childVisit }

// childVisit tries to lock a database as SQLite does when it closes it: if nobody else has
// locks, it deletes the log. Versions since 3.51 look at the second of these too.
func childVisit(path string) {
	for _, part := range []struct {
		suffix     string
		start, len int64
	}{{"", 1<<30 + 2, 510}, {"-shm", 128, 1}} { // https://www.sqlite.org/src/file/src/os_unix.c
		f, err := os.OpenFile(path+part.suffix, os.O_RDWR, 0)
		if err != nil {
			fmt.Println(err)
			continue
		}
		err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK, Start: part.start, Len: part.len})
		fmt.Println(errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES))
	}
}

// wantOwned checks that another process finds the locks of the Store that has a file open.
func wantOwned(t *testing.T, path string) {
	t.Helper()
	cmd, lines := startChild(t, "visit", path)
	for _, what := range []string{"database", "shared index"} {
		if !lines.Scan() || lines.Text() != "true" {
			t.Errorf("the lock of the %s is gone: %q", what, lines.Text())
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestRefusedOpenKeepsLocks: an Open that is refused because this process has the file open
// takes nothing away from the Store that has it.
func TestRefusedOpenKeepsLocks(t *testing.T) {
	t.Parallel()
	for name, way := range map[string]func(path string) (other string, err error){
		"hard link": func(path string) (string, error) {
			return path + ".hard", os.Link(path, path+".hard")
		},
		"lock file removed": func(path string) (string, error) { return path, os.Remove(path + ".lock") },
		"symbolic link": func(path string) (string, error) {
			return path + ".link", errors.Join(os.Remove(path+".lock"), os.Symlink(path, path+".link"))
		},
		"hard link to the log": func(path string) (string, error) {
			return path + ".log", os.Link(path+"-wal", path+".log")
		},
		"hard link beside another": func(path string) (string, error) {
			return path + ".other", os.Link(path+"-shm", path+".other-wal")
		},
		"log":          func(path string) (string, error) { return path + "-wal", nil },
		"shared index": func(path string) (string, error) { return path + "-shm", nil },
		"journal":      func(path string) (string, error) { return path + "-journal", nil },
		"lock file":    func(path string) (string, error) { return path + ".lock", nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "store.db")
			s := mustOpen(t, path)
			putMetaValue(t, s, "name", "value")
			other, err := way(path)
			if err != nil {
				t.Fatal(err)
			}
			wantLocked(t, other)
			wantOwned(t, path)
			mustClose(t, s)
		})
	}
}

// A file that was moved or replaced while it is open is still the Store's.
func TestRefusedOpenOfMoved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := mustOpen(t, path)
	putMetaValue(t, s, "name", "value")
	if err := errors.Join(os.Rename(path, path+".away"), os.Remove(path+".lock")); err != nil {
		t.Fatal(err)
	}
	wantLocked(t, path+".away")
	wantLocked(t, path) // nor is one made in its place
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	wantOwned(t, path)
	mustClose(t, s)
	mustClose(t, mustOpen(t, path)) // the claim has gone with the Store
}

// A database that is made does not take the place of one that is open.
func TestMakingKeepsOpenDraft(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := mustOpen(t, path+".new")
	putMetaValue(t, s, "name", "value")
	wantLocked(t, path)
	wantOwned(t, path+".new")
	mustClose(t, s)
}

// Of many that open a file at the same time, one has it, and its locks.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	var open atomic.Pointer[Store]
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s, err := Open(t.Context(), path, nil)
			switch {
			case err == nil && !open.CompareAndSwap(nil, s):
				t.Error("two have it open")
				mustClose(t, s)
			case err != nil && !errors.Is(err, quire.ErrLocked):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if open.Load() == nil {
		t.Fatal("nobody has it open")
	}
	wantOwned(t, path)
	mustClose(t, open.Load())
}

// What a Store does with its file by itself leaves its locks alone too.
func TestOwnReadsKeepLocks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	s := mustOpen(t, path)
	defer mustClose(t, s)
	putMetaValue(t, s, "name", "value")
	for name, do := range map[string]func() error{
		"Backup":  func() error { return s.Backup(t.Context(), filepath.Join(dir, "copy")) },
		"Verify":  func() error { return s.Verify(t.Context(), new(quire.Verification)) },
		"Compact": func() error { return s.Compact(t.Context()) },
		"another Store": func() error {
			other, err := Open(t.Context(), filepath.Join(dir, "other.db"), nil)
			if err != nil {
				return err
			}
			return other.Close()
		},
	} {
		if err := do(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		wantOwned(t, path)
	}
}
