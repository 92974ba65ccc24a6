package embedded_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/store"
)

// restored opens a backup as the database of a new directory.
func restored(t *testing.T, backup string) *embedded.Quire {
	t.Helper()
	dir := t.TempDir()
	if err := os.Rename(backup, filepath.Join(dir, "quire.db")); err != nil {
		t.Fatal(err)
	}
	return open(t, dir, nil)
}

// pair creates two documents in one transaction, so that who sees one sees the other.
func pair(ctx context.Context, q *embedded.Quire, a quire.Actor, n int) error {
	in := make([]quire.ElementalInput, 2)
	for i := range in {
		in[i] = quire.ElementalInput{ID: fmt.Sprintf("%s-%d-%d", a.UserID, n, i), Title: fmt.Sprintf("Document %d of writer %s", n, a.UserID),
			TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: fmt.Sprintf("The text number %d of %s.", n, a.UserID)}
	}
	_, err := q.Library.CreateElementals(ctx, a, in)
	return err
}

// TestBackupBesideWriters makes backups under four writers. Each opens, and holds of every
// writer all that was acknowledged before, and a whole beginning of what it wrote.
func TestBackupBesideWriters(t *testing.T) {
	t.Parallel()
	q := open(t, t.TempDir(), nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const writers = 4
	var acknowledged [writers]atomic.Int64
	var actors [writers]quire.Actor
	var wg sync.WaitGroup
	for w := range writers {
		u, err := q.Library.CreateUser(ctx, quire.UserInput{ID: fmt.Sprint("writer", w)})
		if err != nil {
			t.Fatal(err)
		}
		actors[w] = u.Actor()
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				switch err := pair(ctx, q, actors[w], n); {
				case err == nil:
					acknowledged[w].Add(1)
				case ctx.Err() == nil:
					t.Error(err)
					return
				}
			}
		})
	}
	backups := 20
	if testing.Short() {
		backups = 4
	}
	target := t.TempDir()
	type taken struct {
		path  string
		least [writers]int
	}
	var all []taken
	for i := range backups {
		b := taken{path: filepath.Join(target, fmt.Sprint("backup", i))}
		for w := range writers {
			b.least[w] = int(acknowledged[w].Load())
		}
		if i%2 == 0 {
			if err := q.Library.Backup(ctx, b.path); err != nil {
				t.Fatal(err)
			}
		} else {
			var copied bytes.Buffer
			if err := errors.Join(q.Library.BackupTo(ctx, &copied), os.WriteFile(b.path, copied.Bytes(), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, b)
	}
	written := 0
	for w := range writers {
		written += int(acknowledged[w].Load()) - all[0].least[w]
	}
	cancel()
	wg.Wait()
	if written == 0 {
		t.Error("nothing was written while the backups were made")
	}
	elementals := 0
	for _, b := range all {
		copied := restored(t, b.path)
		for w := range writers {
			elementals += checkPairs(t, copied, actors[w], b.least[w])
		}
		if err := copied.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	t.Logf("A12: %d backups under %d writers, which wrote %d pairs meanwhile, all whole; they hold %d elementals", backups, writers, written, elementals)
}

// checkPairs counts what a restored backup holds of a writer.
func checkPairs(t *testing.T, q *embedded.Quire, a quire.Actor, least int) int {
	t.Helper()
	n := 0
	for ; ; n++ {
		_, first := q.Library.Elemental(t.Context(), a, fmt.Sprintf("%s-%d-0", a.UserID, n))
		_, second := q.Library.Elemental(t.Context(), a, fmt.Sprintf("%s-%d-1", a.UserID, n))
		if (first == nil) != (second == nil) {
			t.Errorf("half of transaction %d of %s: %v, %v", n, a.UserID, first, second)
		}
		if first != nil {
			break
		}
	}
	if n < least {
		t.Errorf("%d transactions of %s, but %d were acknowledged before", n, a.UserID, least)
	}
	page, err := q.Library.UserElementals(t.Context(), a, quire.UserElementalsInput{})
	if err != nil || page.Total != 2*n {
		t.Errorf("%d elementals of %s, want %d: %v", page.Total, a.UserID, 2*n, err)
	}
	return 2 * n
}

// A backup holds what exports hold, and answers as the original does.
func TestBackupIsTheSame(t *testing.T) {
	t.Parallel()
	q := open(t, t.TempDir(), nil)
	ada := addDocument(t, q, "The spare keys are in the blue jar.")
	for n := range 20 {
		if err := pair(t.Context(), q, ada, n); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "copy")
	if err := q.Library.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the backup: %v, %v", info.Mode(), err)
	}
	var want, got bytes.Buffer
	copied := restored(t, path)
	if err := errors.Join(q.Engine.Export(t.Context(), ada.TenantID, &want), copied.Engine.Export(t.Context(), ada.TenantID, &got)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want.Bytes(), got.Bytes()) {
		t.Error("the backup exports other bytes")
	}
	findDocument(t, copied, ada, "blue jar")
}

func TestBackupRefusals(t *testing.T) {
	t.Parallel()
	q := open(t, t.TempDir(), nil)
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	if err := os.WriteFile(taken, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	memory := open(t, "", &embedded.Options{Store: store.NewMemory()})
	closed, err := embedded.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		q    *embedded.Quire
		ctx  context.Context
		path string
		want quire.Code
	}{
		"a file that exists":   {q, t.Context(), taken, quire.CodeConflict},
		"a directory":          {q, t.Context(), dir, quire.CodeConflict},
		"no directory":         {q, t.Context(), filepath.Join(dir, "none", "copy"), quire.CodeInvalid},
		"no path":              {q, t.Context(), "", quire.CodeInvalid},
		"a store in memory":    {memory, t.Context(), filepath.Join(dir, "memory"), quire.CodeInvalid},
		"closed":               {closed, t.Context(), filepath.Join(dir, "closed"), quire.CodeClosed},
		"a context that ended": {q, cancelled, filepath.Join(dir, "cancelled"), quire.CodeCanceled},
	} {
		if err := c.q.Library.Backup(c.ctx, c.path); quire.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if data, err := os.ReadFile(taken); err != nil || string(data) != "precious" {
		t.Errorf("the file that was there: %q, %v", data, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("refused backups have left %v, %v", left, err)
	}
	if err := q.Library.BackupTo(t.Context(), brokenWriter{}); !errors.Is(err, errBroken) {
		t.Errorf("a writer that fails: %v", err)
	}
}

var errBroken = errors.New("broken pipe")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }
