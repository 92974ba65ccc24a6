package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/durable"
)

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

// present returns an error unless there is something of that name.
func present(path string) error {
	switch _, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return missing()
	case err != nil:
		return unusable(err)
	}
	return nil
}

func missing() error {
	return quire.Errorf(quire.CodeNotFound, "there is no database file at this path, and none was to be made")
}

// unusable is the error for a file that the operating system does not give us.
func unusable(err error) error {
	switch {
	case errors.Is(err, syscall.EROFS):
		return quire.Errorf(quire.CodeUnavailable, "the database file is on a file system that is mounted to be read only").WithCause(err)
	case errors.Is(err, fs.ErrPermission):
		return quire.Errorf(quire.CodeUnavailable, "the directory of the database file, or a file in it, may not be read or written: give this user the right to do both").WithCause(err)
	}
	return quire.Errorf(quire.CodeUnavailable, "the database file cannot be used").WithCause(err)
}

// acquire locks a database file for this Store, by the file beside it. The operating system
// releases the lock when the process ends, however it does.
func acquire(ctx context.Context, path string) (*flock.Flock, error) {
	return lock(ctx, path+".lock")
}

// acquireItself locks the database file too, for those who come to it by another name, such
// as a hard link, or have removed the file beside it. Only on Linux: elsewhere such a lock
// may keep SQLite from locking parts of the file, as it does. nil if there is none.
func acquireItself(ctx context.Context, path string) (*flock.Flock, error) {
	if runtime.GOOS != "linux" {
		return nil, nil
	}
	return lock(ctx, path)
}

func lock(ctx context.Context, path string) (*flock.Flock, error) {
	lock := flock.New(path, flock.SetPermissions(0o600))
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

// create makes a new database beside path and moves it there when it is complete:
// a process that is killed meanwhile leaves no half-made file at path.
func create(ctx context.Context, path string, o Options) error {
	if err := lastWrites(path); err != nil {
		return err
	}
	draft := path + ".new"
	claimed, err := claimFile(ctx, draft) // which may be a database that is open
	if err != nil {
		return err
	}
	defer claimed.release()
	// Files beside a database that is gone would be taken for those of the new one.
	for _, old := range []string{path, draft} {
		if err := removeAside(old); err != nil {
			return err
		}
	}
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
	if err := durable.SyncDir(filepath.Dir(path)); err != nil {
		return unusable(err)
	}
	return nil
}

// pageSize is how many bytes the pages of a new file have. A passage with its vector takes
// some 3 KB: pages of SQLite's 4,096 would hold one each, and reading all would take twice as
// many calls (docs/decisions/0038). A file keeps the size that it was made with.
const pageSize = 8192

// initialise makes an empty file a database of the present schema. All of it is
// in that one file when it returns.
func initialise(ctx context.Context, path string, o Options) error {
	if err := layOut(ctx, path); err != nil {
		return err
	}
	db, err := newPool(path, o.writer(), 1)
	if err != nil {
		return err
	}
	if err = migrate(ctx, db, len(migrations)); err == nil {
		_, err = checkpoint(ctx, db) // nobody else has it open; closing would not tell of a disk that fails
		err = failure(ctx, err)
	}
	if closeErr := db.Close(); err == nil {
		err = failure(ctx, closeErr)
	}
	return err
}

// layOut writes the first page of a database, which fixes the size of all. The driver would
// set the kind of the log before the size: it goes by the alphabet.
func layOut(ctx context.Context, path string) error {
	size := fmt.Sprint(pageSize)
	db, err := newPool(path, []pragma{{"page_size", size, size}}, 1)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `PRAGMA journal_mode = WAL`)
	if closeErr := db.Close(); err == nil {
		err = closeErr
	}
	return failure(ctx, err)
}

// lastWrites returns an error if the files beside a database that is gone hold what was
// written to it last: with the database somewhere else, they are needed there.
func lastWrites(path string) error {
	suffix, err := logBeside(path)
	switch {
	case err != nil:
		return unusable(err)
	case suffix != "":
		return quire.Errorf(quire.CodeCorrupt, "the database file is missing or empty, but the file beside it that ends in %s holds what was written last: put the database file back, or move that one away to begin anew", suffix)
	}
	return nil
}

// logBeside returns how the name of a log ends that SQLite would write into the database of
// that name when it opens it; "" if there is none. From an empty one it takes nothing, and
// what ends in -shm it makes anew.
func logBeside(path string) (suffix string, err error) {
	for _, suffix := range []string{"-wal", "-journal"} {
		info, err := os.Stat(path + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", err
		case info.Size() > 0:
			return suffix, nil
		}
	}
	return "", nil
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
