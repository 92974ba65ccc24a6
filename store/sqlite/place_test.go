package sqlite

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/quirelib/quire"
)

// TestFileGone deletes, moves and replaces the file while it is open: nothing is read from
// it or written to it any more, until it is back.
func TestFileGone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("A10: Windows does not let an open file go")
	}
	away := func(path string) error { return os.Rename(path, path+".away") }
	ways := []func(path string) error{
		os.Remove,
		away,
		func(path string) error { return errors.Join(away(path), os.WriteFile(path, nil, 0o600)) },
		func(path string) error {
			data, err := os.ReadFile(path)
			return errors.Join(err, away(path), os.WriteFile(path, data, 0o600))
		},
	}
	const times = 20
	noticed, back := 0, 0
	for i := range times {
		path := filepath.Join(t.TempDir(), "store.db")
		s := mustOpen(t, path)
		putMetaValue(t, s, "name", "value")
		if err := ways[i%len(ways)](path); err != nil {
			t.Fatal(err)
		}
		written := s.Update(t.Context(), func(tx quire.Tx) error { return tx.PutMeta(t.Context(), "name", []byte("lost")) })
		read := s.View(t.Context(), func(quire.ReadTx) error { return nil })
		if wantCode(t, written, quire.CodeUnavailable); written != nil && read != nil {
			noticed++
		}
		// Neither a file that is missing nor one in its place is touched.
		there, missing := os.ReadFile(path)
		wantCode(t, s.Verify(t.Context(), new(quire.Verification)), quire.CodeUnavailable)
		if after, err := os.ReadFile(path); !bytes.Equal(there, after) || (err == nil) != (missing == nil) {
			t.Errorf("Verify has changed what is in place of the file: %d bytes, %v; then %d, %v", len(there), missing, len(after), err)
		}
		if i%len(ways) > 0 {
			if err := os.Rename(path+".away", path); err != nil {
				t.Fatal(err)
			}
			if got := metaValue(t, s, "name"); got != "value" {
				t.Errorf("read %q", got)
			}
			putMetaValue(t, s, "name", "other")
			back++
		}
		mustClose(t, s)
	}
	if noticed < times {
		t.Errorf("noticed %d of %d times", noticed, times)
	}
	t.Logf("A10: the file deleted, moved away or replaced %d times: noticed %d times by the next call; went on when it was back %d times", times, noticed, back)
}

// TestFileGoneWhileWaiting: a write that waited for another one looks for the file when its
// turn has come.
func TestFileGoneWhileWaiting(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let an open file go")
	}
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "store.db")
		s := mustOpen(t, path)
		defer mustClose(t, s)
		leave, waited := make(chan struct{}), make(chan error)
		first := make(chan error)
		go func() { first <- s.Update(t.Context(), func(quire.Tx) error { <-leave; return nil }) }()
		synctest.Wait()
		go func() {
			waited <- s.Update(t.Context(), func(tx quire.Tx) error { return tx.PutMeta(t.Context(), "name", []byte("lost")) })
		}()
		synctest.Wait()
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		close(leave)
		if err := <-first; err != nil {
			t.Error(err)
		}
		wantCode(t, <-waited, quire.CodeUnavailable)
	})
}
