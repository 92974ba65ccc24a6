package quire

import (
	"context"
	"io"
	"os"
	"path/filepath"
)

// BackupStore is an optional ability of a Store: to copy all that it holds while it is in
// use.
type BackupStore interface {
	Store
	// Backup writes the state of one commit to a new file, which a Store of the same kind
	// can open. It is durable, whole, and for this user alone when Backup returns nil; else
	// there is no such file. It cannot be called inside a transaction. ErrConflict if there
	// is a file of that name, or one beside it that would change what the copy holds.
	Backup(ctx context.Context, path string) error
}

// errNoBackup: the Store has no files.
var errNoBackup = Errorf(CodeInvalid, "this store makes no backups of itself: copy it by its own means, or use Engine.Export tenant by tenant")

// Backup writes a copy of everything, keys and jobs included, as of one moment: every
// write that returned before the call is in it. Reading and writing go on meanwhile. path
// is a new file in a directory that exists; the SQLite Store opens it like its own, so
// that a backup is restored by putting it, with nothing open, where that one's file was, and
// taking away those beside it whose names begin like its and end in -wal, -shm and -journal:
// they belong to the former file. Keys are restored too, with those that were revoked since.
// Deleted words may be in it: call Compact before, for a backup without them.
//
// ErrConflict if the file exists or is a directory, or if one beside it holds the last writes
// of a former database of that name (-wal, -journal), which would be taken for the backup's;
// ErrInvalid if the directory does not exist, if the name is one that belongs to another file
// there (such as those above), or if the Store is no [BackupStore], as the one in memory. When it fails, no file is left; when the process is
// killed, files may be whose names begin with ".quire-backup-", and can be deleted.
func (l *Library) Backup(ctx context.Context, path string) error {
	if l.closed.Load() {
		return ErrClosed
	}
	if err := l.apart(ctx); err != nil {
		return err
	}
	s, ok := l.store.(BackupStore)
	if !ok {
		return errNoBackup
	}
	if path == "" {
		return Errorf(CodeInvalid, "a path for the backup is required")
	}
	return s.Backup(ctx, path)
}

// BackupTo is Backup to a writer. It takes a temporary file as large as the backup, in the
// directory for such (TMPDIR), which is gone when it returns; a process that is killed
// while the file is made leaves it, in quire-backup-*. When it fails, w may have got a part.
func (l *Library) BackupTo(ctx context.Context, w io.Writer) error {
	if w == nil {
		return Errorf(CodeInvalid, "a writer for the backup is required")
	}
	dir, err := os.MkdirTemp("", "quire-backup-*")
	if err != nil {
		return Errorf(CodeUnavailable, "no temporary file can be made").WithCause(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "backup")
	if err := l.Backup(ctx, path); err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return Errorf(CodeUnavailable, "the temporary file cannot be read").WithCause(err)
	}
	defer file.Close()
	os.RemoveAll(dir) // so that nothing is left however this process ends; not everywhere possible
	_, err = io.Copy(w, contextReader{ctx, file})
	return err
}
