package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/quirelib/quire"
)

// failure turns an error of database/sql, of the driver or of SQLite into one of
// this module. A context that has ended explains every error of its call. It is
// the one place that knows what "no rows" means.
func failure(ctx context.Context, err error) error {
	var ours *quire.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return quire.ErrNotFound
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &ours): // database/sql has wrapped it with a text of its own
		return ours
	}
	switch resultCode(err) & 0xff { // the low byte is the kind, the rest says more about it
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return quire.ErrCorrupt.WithCause(err)
	case sqlite3.SQLITE_FULL:
		return quire.Errorf(quire.CodeUnavailable, "the storage is full").WithCause(err)
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		return quire.Errorf(quire.CodeUnavailable, "the storage cannot be read or written").WithCause(err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return quire.Errorf(quire.CodeUnavailable, "the storage cannot be written").WithCause(err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return quire.Errorf(quire.CodeUnavailable, "the storage is busy").WithCause(err)
	case sqlite3.SQLITE_TOOBIG:
		return quire.Errorf(quire.CodeTooLarge, "a value is too large to be stored").WithCause(err)
	}
	return quire.Errorf(quire.CodeInternal, "the storage failed").WithCause(err)
}

// resultCode returns SQLite's extended result code of an error, 0 if it has none.
func resultCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// isConstraint reports whether a statement was refused because of what it wrote.
// Such a statement has changed nothing, and its transaction goes on.
func isConstraint(err error) bool {
	return resultCode(err)&0xff == sqlite3.SQLITE_CONSTRAINT
}

func isUniqueViolation(err error) bool {
	c := resultCode(err)
	return c == sqlite3.SQLITE_CONSTRAINT_UNIQUE || c == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
}

func isCheckViolation(err error) bool {
	return resultCode(err) == sqlite3.SQLITE_CONSTRAINT_CHECK
}

func isNullViolation(err error) bool {
	return resultCode(err) == sqlite3.SQLITE_CONSTRAINT_NOTNULL
}

func isForeignKeyViolation(err error) bool {
	return resultCode(err) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
}
