//go:build unix

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/quirelib/quire"
)

func init() { children["unprivileged"] = childUnprivileged }

// nobody is the user and group of a child process that is started by root, for whom every
// file can be written.
const nobody = 65534

// childUnprivileged opens a database, writes a value and says how that went.
func childUnprivileged(path string) {
	if os.Getuid() == 0 {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			fmt.Println("skip", err)
			return
		}
	}
	if _, err := os.Stat(path); err != nil {
		fmt.Println("skip", err)
		return
	}
	ctx := context.Background()
	s, err := Open(ctx, path, nil)
	if err == nil {
		err = errors.Join(s.Update(ctx, func(tx quire.Tx) error { return tx.PutMeta(ctx, "name", []byte("other")) }), s.Close())
		fmt.Println("opened", err)
		return
	}
	fmt.Println(quire.CodeOf(err), err)
}

// unprivileged has the child try.
func unprivileged(t *testing.T, path string) string {
	t.Helper()
	cmd, lines := startChild(t, "unprivileged", path)
	lines.Scan()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if reason, ok := strings.CutPrefix(lines.Text(), "skip "); ok {
		t.Skip("no process without rights can try: ", reason)
	}
	return lines.Text()
}

// TestReadOnlyFile opens files that may be read but not written: they are refused, and
// nothing is left beside them that stands in the way later.
func TestReadOnlyFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	s := mustOpen(t, path)
	putMetaValue(t, s, "name", "value")
	mustClose(t, s)
	mustWrite(t, path+"-shm", nil)
	if os.Getuid() == 0 {
		if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{dir, path, path + ".lock", path + "-shm"} {
			if err := os.Chown(name, nobody, nobody); err != nil {
				t.Skip("no file can be given to another user: ", err)
			}
		}
	}
	for _, name := range []string{path + "-shm", path} {
		before := listDir(t, dir)
		if err := os.Chmod(name, 0o400); err != nil {
			t.Fatal(err)
		}
		if got := unprivileged(t, path); !strings.HasPrefix(got, "unavailable ") {
			t.Errorf("with %s read-only: %s", filepath.Base(name), got)
		}
		if after := listDir(t, dir); !slices.Equal(before, after) {
			t.Errorf("files were %q, are %q", before, after)
		}
		if err := os.Chmod(name, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := unprivileged(t, path); got != "opened <nil>" {
			t.Errorf("with %s writable again: %s", filepath.Base(name), got)
		}
	}
}
