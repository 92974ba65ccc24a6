package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/durable"
)

// Backup implements quire.BackupStore by VACUUM INTO: as of one commit, and without deleted
// rows. Deleted words may still be in it, as they stay in the full-text indexes until Compact.
// Writers go on meanwhile; the log grows by what they write. The file is whole
// under its name or not there: until then it is .quire-backup-* beside it, which a process
// that is killed leaves; on systems other than Linux as a second name of a whole backup, if
// it is killed just then, which has to be removed before that opens. Where the file system
// has no links either, a kill can leave an empty file.
func (s *Store) Backup(ctx context.Context, path string) error {
	path, err := backupPath(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	part, err := os.CreateTemp(dir, ".quire-backup-*") // for this user alone
	if err != nil {
		return backupError(err)
	}
	defer removeDatabase(part.Name())
	defer part.Close()
	err = s.onConn(ctx, s.read, func(x *session, conn *sql.Conn) error { return x.copyInto(ctx, conn, part.Name()) })
	if err != nil {
		return err
	}
	info, err := part.Stat()
	switch {
	case err != nil:
		return backupError(err)
	case info.Size() == 0: // it went to another file
		return backupError(errors.New("the copy is empty"))
	}
	if err := part.Sync(); err != nil {
		return backupError(err)
	}
	if err := noLog(path); err != nil { // it may have come meanwhile
		return err
	}
	if err := publish(part.Name(), path); err != nil {
		return backupError(err)
	}
	if err := durable.SyncDir(dir); err != nil {
		return backupError(err)
	}
	return nil
}

// backupPath returns the absolute path for a backup, which SQLite takes as it is: one that
// begins with "file:" would be an URI.
func backupPath(path string) (string, error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return "", quire.Errorf(quire.CodeInvalid, "the path of the backup must name a file")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", backupError(err)
	}
	for _, suffix := range []string{"-wal", "-shm", "-journal", ".lock", ".new"} {
		stem := len(path) - len(suffix)
		if !strings.EqualFold(path[max(stem, 0):], suffix) {
			continue
		}
		if _, err := os.Lstat(path[:stem]); err == nil {
			return "", quire.Errorf(quire.CodeInvalid, "a name that ends in %s belongs to the file beside it that is named like it without that; give the backup another name", suffix)
		}
	}
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.IsDir():
		return "", quire.Errorf(quire.CodeConflict, "the path of the backup is a directory; it must name a new file, such as one in it")
	case err == nil:
		return "", backupError(fs.ErrExist)
	case errors.Is(err, fs.ErrNotExist): // as it should be
		return path, noLog(path)
	}
	return "", backupError(err)
}

// noLog refuses a name beside which the log of a former database lies: whoever opens the
// backup would get what that says instead, page by page.
func noLog(path string) error {
	suffix, err := logBeside(path)
	switch {
	case err != nil:
		return backupError(err)
	case suffix != "":
		return quire.Errorf(quire.CodeConflict, "beside this name lies a file that ends in %s, with the last writes of another database, which would be taken for those of the backup: move it away, or give the backup another name", suffix)
	}
	return nil
}

// removeDatabase removes a database file with what SQLite keeps beside it, and leaves when
// it fails.
func removeDatabase(path string) {
	for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
		os.Remove(path + suffix)
	}
}

// copyInto writes the database into an empty file, by a connection that reads: it must be
// allowed to write for that.
func (x *session) copyInto(ctx context.Context, conn *sql.Conn, path string) error {
	if _, err := conn.ExecContext(x.ctx, `PRAGMA query_only = 0`); err != nil {
		return x.failure(ctx, err)
	}
	// Before the connection is given back.
	err := x.hold(func() { conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA query_only = 1`) })
	if err != nil {
		return err
	}
	_, err = conn.ExecContext(x.ctx, `VACUUM INTO ?`, path)
	if resultCode(err)&0xff == sqlite3.SQLITE_FULL { // only the copy is written
		return backupError(errors.Join(syscall.ENOSPC, err))
	}
	return x.failure(ctx, err)
}

// publish gives a file its name, unless that is taken: by the first way that the file system
// has.
func publish(part, path string) (err error) {
	for _, way := range []func(part, path string) error{renameNew, os.Link, renameOverOwn} {
		if err = way(part, path); err == nil || errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return err
}

// renameOverOwn takes the name with an empty file and replaces that, so that what another
// process puts there is not replaced. If it is killed in between, the empty file stays.
func renameOverOwn(part, path string) error {
	own, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = own.Close(); err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		os.Remove(path) // the first error says more
	}
	return err
}

// backupError says why there is no backup, without its path.
func backupError(err error) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		return quire.Errorf(quire.CodeConflict, "there is a file of that name already; a backup replaces none").WithCause(err)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return quire.Errorf(quire.CodeInvalid, "the path of the backup is too long").WithCause(err)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return quire.Errorf(quire.CodeInvalid, "the directory for the backup does not exist").WithCause(err)
	case errors.Is(err, syscall.ENOSPC):
		return quire.Errorf(quire.CodeUnavailable, "the disk that the backup was to be on is full").WithCause(err)
	}
	return quire.Errorf(quire.CodeUnavailable, "the file for the backup cannot be written").WithCause(err)
}
