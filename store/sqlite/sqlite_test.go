package sqlite

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store/storetest"
)

// childEnv names what the test binary is to do when a test starts it again; the
// path of the database is its only argument.
const childEnv = "QUIRE_SQLITE_TEST_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childEnv); job != "" {
		children[job](os.Args[1])
		return
	}
	goleak.VerifyTestMain(m)
}

// children are the jobs of child processes. Each reports on its standard output,
// line by line.
var children = map[string]func(path string){
	"hold":    childHold,
	"migrate": childMigrate,
	"try":     childTry,
	"write":   childWrite,
}

// startChild starts this test binary on a job and returns it with the lines that
// it writes. It is killed, at the latest, when the test ends.
func startChild(t *testing.T, job, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, path)
	cmd.Env = append(os.Environ(), childEnv+"="+job)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, opener(nil))
}

func BenchmarkStore(b *testing.B) { storetest.Bench(b, opener(nil)) }

func BenchmarkStoreNormal(b *testing.B) {
	storetest.Bench(b, opener(&Options{Synchronous: Normal}))
}

func opener(opts *Options) storetest.Opener {
	return func(tb testing.TB) func() quire.Store {
		path := filepath.Join(tb.TempDir(), "store.db")
		return func() quire.Store { return mustOpenWith(tb, path, opts) }
	}
}

// mustOpen opens a Store with the default options.
func mustOpen(tb testing.TB, path string) *Store { return mustOpenWith(tb, path, nil) }

func mustOpenWith(tb testing.TB, path string, opts *Options) *Store {
	tb.Helper()
	s, err := Open(context.Background(), path, opts)
	if err != nil {
		tb.Fatalf("Open: %s", quire.Cause(err))
	}
	return s
}

// newStore returns a fresh Store, which is closed when the test ends.
func newStore(t *testing.T) *Store {
	t.Helper()
	return newStoreWith(t, nil)
}

func newStoreWith(t *testing.T, opts *Options) *Store {
	t.Helper()
	s := mustOpenWith(t, filepath.Join(t.TempDir(), "store.db"), opts)
	t.Cleanup(func() { mustClose(t, s) })
	return s
}

func mustClose(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("Close: %s", quire.Cause(err))
	}
}

func mustUpdate(t *testing.T, s *Store, fn func(ctx context.Context, tx quire.Tx) error) {
	t.Helper()
	ctx := t.Context()
	if err := s.Update(ctx, func(tx quire.Tx) error { return fn(ctx, tx) }); err != nil {
		t.Fatalf("Update: %s", quire.Cause(err))
	}
}

func putMetaValue(t *testing.T, s *Store, name, value string) {
	t.Helper()
	mustUpdate(t, s, func(ctx context.Context, tx quire.Tx) error { return tx.PutMeta(ctx, name, []byte(value)) })
}

// metaValue reads a value, "" if there is none.
func metaValue(t *testing.T, s *Store, name string) string {
	t.Helper()
	var value []byte
	err := s.View(t.Context(), func(tx quire.ReadTx) (err error) {
		value, err = tx.Meta(t.Context(), name)
		return err
	})
	if err != nil && !errors.Is(err, quire.ErrNotFound) {
		t.Fatalf("View: %s", quire.Cause(err))
	}
	return string(value)
}

// wantCode checks that an error has a code, and that its text holds nothing that
// it must not show.
func wantCode(t *testing.T, err error, code quire.Code) {
	t.Helper()
	if quire.CodeOf(err) != code {
		t.Errorf("got code %q (%v), want %q", quire.CodeOf(err), err, code)
	}
	wantSafe(t, err)
}
