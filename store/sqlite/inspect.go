package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/quirelib/quire"
)

// applicationID marks a database file as one of this package; schema/001_init.sql
// sets it.
const applicationID = 0x51756972

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
		return false, lost(path)
	case links(info) > 1:
		return false, severalNames()
	}
	h, err := readHeader(path)
	if err != nil {
		return false, err
	}
	if err := h.check(); err != nil {
		return false, err
	}
	// After a kill, the log has the last writes, and the file can end within a page.
	log, err := os.Stat(path + "-wal")
	complete := err != nil || log.Size() == 0
	if complete && info.Size()%h.pageSize() != 0 {
		return false, quire.ErrCorrupt.WithCause(errors.New("file ends within a page"))
	}
	if err := checkWritable(path); err != nil {
		return false, err
	}
	err = inspectContent(ctx, path, complete)
	if !complete && errors.Is(err, quire.ErrCorrupt) {
		return false, quire.Errorf(quire.CodeCorrupt, "the data is damaged, or the log beside the file, which ends in -wal, is that of another: where a backup was put in the place of a file, the -wal and -shm that belonged to the former one must be moved away").WithCause(err)
	}
	return true, err
}

// lost is the error for a file that has nothing in it: this package makes none such, so that
// it had something.
func lost(path string) error {
	if err := lastWrites(path); err != nil {
		return err
	}
	return quire.Errorf(quire.CodeCorrupt, "the database file is empty, as after a copy that failed: put a backup in its place, or remove it to begin anew")
}

// openWritable opens a file as it must be possible. SQLite opens one that it may not write
// to read it, makes the files beside it as read-only, and fails with the first write.
func openWritable(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, quire.Errorf(quire.CodeUnavailable, "the database file, or one of those beside it that begin with its name, cannot be read or written: give this user the right to do both").WithCause(err)
	case err != nil:
		return nil, unusable(err)
	}
	return f, nil
}

// checkWritable looks at what there is of the files beside a database.
func checkWritable(path string) error {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if _, err := os.Stat(path + suffix); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		f, err := openWritable(path + suffix)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return unusable(err)
		}
	}
	return nil
}

// severalNames is the error for a file with hard links. After a kill its last writes are in
// the log beside one of its names; under another one it would open without them, and what is
// written then would be destroyed when that log is found again.
func severalNames() error {
	return quire.Errorf(quire.CodeInvalid, "the database file has more than one name (hard links), and its log is found by the name: keep one name, that with a file beside it that ends in -wal if there is one, and remove the others; or copy it together with that file, and open the copy")
}

// header is how a database file begins: https://www.sqlite.org/fileformat.html
// describes it.
type header [100]byte

func readHeader(path string) (h header, err error) {
	f, err := openWritable(path)
	if err != nil {
		return h, err
	}
	defer f.Close()
	_, err = io.ReadFull(f, h[:])
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return h, quire.ErrCorrupt.WithCause(errors.New("file shorter than its header"))
	case err != nil:
		return h, unusable(err)
	}
	return h, nil
}

// check refuses what is not a database of this package and version. create makes
// the file complete, so that the application id is in it from the beginning.
func (h header) check() error {
	switch {
	case string(h[:16]) != "SQLite format 3\x00":
		return quire.ErrCorrupt.WithCause(errors.New("not an SQLite database"))
	case binary.BigEndian.Uint32(h[68:]) != applicationID:
		return quire.ErrCorrupt.WithCause(errors.New("database of another application"))
	}
	return checkVersion(int32(binary.BigEndian.Uint32(h[60:])))
}

// pageSize returns the size of a page in bytes, at least 1.
func (h header) pageSize() int64 {
	n := int64(binary.BigEndian.Uint16(h[16:]))
	if n == 1 { // 65536 does not fit
		return 1 << 16
	}
	return max(n, 1)
}

// checkVersion refuses the schema versions that migrate cannot start from.
func checkVersion(v int32) error {
	switch {
	case v < 1:
		return quire.ErrCorrupt.WithCause(errors.New("schema version below 1"))
	case int(v) > len(migrations):
		return quire.ErrNewerSchema
	}
	return nil
}

// inspectContent has SQLite check the structure of the whole file, and looks at the schema
// and its version, which the log may have raised. A complete file, one without a log, is
// opened as immutable, which neither locks anything nor makes files beside it.
func inspectContent(ctx context.Context, path string, complete bool) error {
	db, err := sql.Open("sqlite", inspectDSN(path, complete))
	if err != nil {
		return unusable(err)
	}
	defer db.Close() // has nothing to write
	var version int32
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return failure(ctx, err)
	}
	if err := checkVersion(version); err != nil {
		return err
	}
	var verdict string
	switch err := db.QueryRowContext(ctx, checkTables).Scan(&verdict); {
	case errors.Is(err, sql.ErrNoRows):
		return checkObjects(ctx, db, int(version))
	case err != nil:
		return failure(ctx, err)
	}
	return quire.ErrCorrupt.WithCause(errors.New(verdict))
}

// checkTables finds the first thing that is wrong with a table or its indexes. It
// leaves out the virtual tables, but not the tables that they consist of: their
// own check compares every word of every text, and took six times as long as all
// the rest.
const checkTables = `
	SELECT c.quick_check
	FROM (SELECT 'sqlite_schema' AS name
		UNION ALL SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0) t
	CROSS JOIN pragma_quick_check(t.name) c
	WHERE c.quick_check <> 'ok' LIMIT 1`
