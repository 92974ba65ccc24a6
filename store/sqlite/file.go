package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/quirelib/quire"
)

// applicationID marks a database file as one of this package; schema/001_init.sql
// sets it.
const applicationID = 0x51756972

// lockWait is how long Open tries to get the lock: long enough for a process that
// is just ending to let it go.
const lockWait = 500 * time.Millisecond

// locate makes the directory of a database file and returns the file's absolute
// path without links, so that every name of the file leads to the same lock.
func locate(path string) (string, error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return "", quire.Errorf(quire.CodeInvalid, "the path of the database must name a file")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", unusable(err)
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", unusable(err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", unusable(err)
	}
	path = filepath.Join(dir, filepath.Base(path))
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil
	case err != nil:
		return "", unusable(err)
	case info.Mode()&fs.ModeSymlink == 0:
		return path, nil
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", unusable(err)
	}
	return path, nil
}

// unusable is the error for a file that the operating system does not give us.
func unusable(err error) error {
	return quire.Errorf(quire.CodeUnavailable, "the database file cannot be used").WithCause(err)
}

// acquire locks a database file for this Store. The operating system releases the
// lock when the process ends, however it does.
func acquire(ctx context.Context, path string) (*flock.Flock, error) {
	lock := flock.New(path+".lock", flock.SetPermissions(0o600))
	short, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	ok, err := lock.TryLockContext(short, 20*time.Millisecond)
	switch {
	case ok:
		return lock, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, quire.ErrLocked
	}
	return nil, unusable(err)
}

// inspect reports whether there is a database that may be opened. It changes
// nothing: a file that we refuse stays as it is.
func inspect(ctx context.Context, path string) (exists bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, unusable(err)
	case !info.Mode().IsRegular():
		return false, quire.Errorf(quire.CodeInvalid, "the path of the database must name a file")
	case info.Size() == 0:
		return false, nil
	}
	if err := inspectHeader(path); err != nil {
		return false, err
	}
	return true, inspectContent(ctx, path)
}

// inspectHeader checks the first 100 bytes as https://www.sqlite.org/fileformat.html
// describes them. create makes the file complete, so that the application id is
// there even if the rest of the content is in the log still.
func inspectHeader(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return unusable(err)
	}
	defer f.Close()
	var h [100]byte
	if _, err := io.ReadFull(f, h[:]); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return quire.ErrCorrupt.WithCause(errors.New("file shorter than its header"))
	} else if err != nil {
		return unusable(err)
	}
	if string(h[:16]) != "SQLite format 3\x00" {
		return quire.ErrCorrupt.WithCause(errors.New("not an SQLite database"))
	}
	if binary.BigEndian.Uint32(h[68:]) != applicationID {
		return quire.ErrCorrupt.WithCause(errors.New("database of another application"))
	}
	return checkVersion(int(binary.BigEndian.Uint32(h[60:])))
}

// checkVersion refuses the schema versions that migrate cannot start from.
func checkVersion(v int) error {
	switch {
	case v < 1:
		return quire.ErrCorrupt.WithCause(errors.New("schema version below 1"))
	case v > len(migrations):
		return quire.ErrNewerSchema
	}
	return nil
}

// inspectContent has SQLite check the structure of the whole file, and the schema
// version, which a log beside the file may have raised. Without a log the file is
// opened as immutable, which neither locks anything nor makes files beside it.
func inspectContent(ctx context.Context, path string) error {
	log, err := os.Stat(path + "-wal")
	immutable := err != nil || log.Size() == 0
	db, err := sql.Open("sqlite", inspectDSN(path, immutable))
	if err != nil {
		return unusable(err)
	}
	defer db.Close() // has nothing to write
	var version int
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return failure(ctx, err)
	}
	if err := checkVersion(version); err != nil {
		return err
	}
	var verdict string
	if err := db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&verdict); err != nil {
		return failure(ctx, err)
	}
	if verdict != "ok" {
		return quire.ErrCorrupt.WithCause(errors.New(verdict))
	}
	return nil
}

// create makes a new database beside path and moves it there when it is complete:
// a process that is killed meanwhile leaves no half-made file at path.
func create(ctx context.Context, path string, o Options) error {
	// Files beside a database that is gone would be taken for those of the new one.
	for _, old := range []string{path, path + ".new"} {
		if err := removeAside(old); err != nil {
			return err
		}
	}
	draft := path + ".new"
	if err := os.Remove(draft); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unusable(err)
	}
	f, err := os.OpenFile(draft, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // SQLite's would be readable for all
	if err != nil {
		return unusable(err)
	}
	if err := f.Close(); err != nil {
		return unusable(err)
	}
	if err := initialise(ctx, draft, o); err != nil {
		return err
	}
	if err := os.Rename(draft, path); err != nil {
		return unusable(err)
	}
	return syncDir(filepath.Dir(path))
}

// initialise makes an empty file a database of the present schema. All of it is
// in that one file when it returns.
func initialise(ctx context.Context, path string, o Options) error {
	db, err := newPool(path, o.writer(), 1)
	if err != nil {
		return err
	}
	err = migrate(ctx, db)
	if closeErr := db.Close(); err == nil {
		err = failure(ctx, closeErr)
	}
	return err
}

// removeAside removes the files that SQLite keeps beside a database.
func removeAside(path string) error {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unusable(err)
		}
	}
	return nil
}

// syncDir makes a rename in a directory durable.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" { // has no sync of directories
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return unusable(err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return unusable(err)
	}
	return nil
}
