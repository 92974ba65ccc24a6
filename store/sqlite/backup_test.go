package sqlite

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// wantBackup checks that a backup opens and holds what it should.
func wantBackup(t *testing.T, path string) {
	t.Helper()
	s := mustOpen(t, path)
	defer mustClose(t, s)
	if got := metaValue(t, s, "name"); got != "value" {
		t.Errorf("the backup has %q", got)
	}
}

// TestBackupToOddPaths makes backups in directories that SQLite would take for URIs.
func TestBackupToOddPaths(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no files of these names")
	}
	s := newStore(t)
	putMetaValue(t, s, "name", "value")
	t.Chdir(t.TempDir())
	for _, dir := range []string{"file:out?x=", "file:?mode=memory", "file::memory:?", ":memory:", "file:out#"} {
		path := filepath.Join(dir, "copy")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := s.Backup(t.Context(), path); err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		wantBackup(t, path)
	}
	lib, err := quire.NewLibrary(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", "file:out?x=")
	var copied bytes.Buffer
	if err := lib.BackupTo(t.Context(), &copied); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, "written", copied.Bytes())
	wantBackup(t, "written")
	wantCode(t, lib.BackupTo(t.Context(), nil), quire.CodeInvalid)
}

// TestBackupRefused has backups made to paths that cannot be one, or that SQLite would take
// for its own.
func TestBackupRefused(t *testing.T) {
	t.Parallel()
	dir, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	path := filepath.Join(dir, "store.db")
	s := mustOpen(t, path)
	putMetaValue(t, s, "name", "value")
	invalid := []string{"", "a\x00b", filepath.Join(dir, strings.Repeat("x", 300)), filepath.Join(dir, strings.Repeat("x/", 5000)),
		filepath.Join(dir, "none", "copy"), filepath.Join(path, "copy")}
	for _, suffix := range []string{"-wal", "-shm", "-journal", "-JOURNAL", ".lock", ".new"} {
		invalid = append(invalid, path+suffix, filepath.Join(dir, "none", "..", ".", "store.db"+suffix), relative(t, path+suffix))
		if runtime.GOOS != "windows" {
			invalid = append(invalid, filepath.Join(link, "store.db"+suffix))
		}
	}
	if err := os.Symlink(dir, link); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	before := listDir(t, dir)
	for _, to := range invalid {
		err := s.Backup(t.Context(), to)
		if wantCode(t, err, quire.CodeInvalid); quire.CodeOf(err) != quire.CodeInvalid {
			t.Errorf("that was for %.80q", to)
		}
	}
	for to, why := range map[string]string{path: "there is a file of that name already", dir: "is a directory"} {
		err := s.Backup(t.Context(), to)
		if wantCode(t, err, quire.CodeConflict); !strings.Contains(err.Error(), why) {
			t.Errorf("a backup to what is there: %v, want that it says: %s", err, why)
		}
	}
	if after := listDir(t, dir); strings.Join(before, " ") != strings.Join(after, " ") {
		t.Errorf("files were %q, are %q", before, after)
	}
	mustClose(t, s)
	wantBackup(t, path)
}

// TestBackupHasDeletedWords holds the words of the documentation against the files: what was
// deleted stays in a backup as words of the full-text index, until Compact.
func TestBackupHasDeletedWords(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, text := range []string{"kept", "quagmire"} {
		mustUpdate(t, s, func(ctx context.Context, tx quire.Tx) error {
			return tx.PutElemental(ctx, quire.ElementalRecord{ID: text, OwnerID: "u", Body: text + " Xylophone"}, quire.IndexedText{Body: text})
		})
	}
	mustUpdate(t, s, func(ctx context.Context, tx quire.Tx) error { return tx.DeleteElemental(ctx, "quagmire") })
	for _, compacted := range []bool{false, true} {
		if compacted {
			if err := s.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(t.TempDir(), "copy")
		if err := s.Backup(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		data := mustRead(t, path)
		if bytes.Contains(data, []byte("quagmire Xylophone")) {
			t.Error("the backup holds a row that was deleted")
		}
		if bytes.Contains(data, []byte("quagmire")) == compacted {
			t.Errorf("compacted: %v, the deleted word is in the backup: %v", compacted, !compacted)
		}
	}
}

// TestBackupBesideLog: the log of a former database is not taken for that of a backup, whether
// it was there at first or has come while the backup was made. An empty one says nothing.
func TestBackupBesideLog(t *testing.T) {
	t.Parallel()
	former := filepath.Join(t.TempDir(), "former.db")
	old := mustOpen(t, former)
	putMetaValue(t, old, "name", "former")
	log := mustRead(t, former+"-wal")
	mustClose(t, old)
	s := newStoreWith(t, &Options{ReadConns: 1})
	putMetaValue(t, s, "name", "value")
	var refused, cases int
	for _, suffix := range []string{"-wal", "-journal"} {
		for when, make := range map[string]func(path string, log []byte) error{
			"before": func(path string, log []byte) error {
				mustWrite(t, path+suffix, log)
				return s.Backup(t.Context(), path)
			},
			"meanwhile": func(path string, log []byte) error {
				return backupMeanwhile(t, s, path, func() { mustWrite(t, path+suffix, log) })
			},
		} {
			cases++
			path := filepath.Join(t.TempDir(), "copy")
			err := make(path, log)
			wantCode(t, err, quire.CodeConflict)
			if got := listDir(t, filepath.Dir(path)); len(got) != 1 || !bytes.Equal(mustRead(t, path+suffix), log) {
				t.Errorf("%s, a log that ends in %s: files are %q", when, suffix, got)
			} else if err != nil {
				refused++
			}
			empty := filepath.Join(t.TempDir(), "copy")
			if err := make(empty, nil); err != nil {
				t.Errorf("%s, an empty log that ends in %s: %v", when, suffix, err)
				continue
			}
			wantBackup(t, empty)
		}
	}
	t.Logf("A12: backups beside the log of a former database: %d of %d refused", refused, cases)
}

// backupMeanwhile makes a backup of a Store with one connection that reads, and does something
// before it gets that.
func backupMeanwhile(t *testing.T, s *Store, path string, do func()) error {
	t.Helper()
	done := make(chan error, 1)
	err := s.View(t.Context(), func(quire.ReadTx) error {
		go func() { done <- s.Backup(t.Context(), path) }()
		for len(listDir(t, filepath.Dir(path))) == 0 {
			time.Sleep(time.Millisecond)
		}
		do()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return <-done
}
