package sqlite

import (
	"context"
	"fmt"
	"iter"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/quirelib/quire"
)

// members is a set that is passed as one parameter, an array, which any number of
// values fits into.
const members = `(SELECT value FROM json_each(?))`

// scanner is a row: *sql.Row or *sql.Rows.
type scanner interface{ Scan(dest ...any) error }

// value is the scan function of a single column.
func value[T any](row scanner) (v T, err error) {
	err = row.Scan(&v)
	return v, err
}

// one returns the only row of a query, ErrNotFound if it has none.
func one[T any](ctx context.Context, t *tx, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	var zero T
	stmt, err := t.stmt(ctx, query, args)
	if err != nil {
		return zero, err
	}
	v, err := scan(stmt.QueryRowContext(ctx, args...))
	if err != nil {
		return zero, t.failed(ctx, err)
	}
	return v, nil
}

// all returns all rows of a query.
func all[T any](ctx context.Context, t *tx, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	stmt, err := t.stmt(ctx, query, args)
	if err != nil {
		return nil, err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return nil, t.failed(ctx, err)
	}
	defer rows.Close()
	var vs []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, t.failed(ctx, err)
		}
		vs = append(vs, v)
	}
	if err := rows.Err(); err != nil {
		return nil, t.failed(ctx, err)
	}
	return vs, nil
}

// lastID returns the id of the row that was added last.
func (t *tx) lastID(ctx context.Context) (int64, error) {
	return one(ctx, t, value[int64], `SELECT last_insert_rowid()`)
}

// stream iterates over the rows of a query, one in memory at a time. It prepares
// a statement of its own: while its rows are open, the consumer may run the same
// query again. A row that cannot be decoded comes with the error, as far as it could
// be; the others follow it.
func stream[T any](ctx context.Context, t *tx, scan func(scanner) (T, error), query string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		if t.broken != nil {
			yield(zero, t.broken)
			return
		}
		if t.session.cut.Load() {
			yield(zero, quire.ErrClosed)
			return
		}
		if t.trace != nil {
			t.trace(query, args)
		}
		rows, err := t.sql.QueryContext(ctx, query, args...)
		if err != nil {
			yield(zero, t.failed(ctx, refused(err)))
			return
		}
		defer rows.Close()
		for rows.Next() {
			v, err := scan(rows)
			if _, undecodable := columnOf(err); undecodable {
				err = t.session.failure(ctx, undecoded(err)) // SQLite knows nothing of it: the transaction is whole
			} else if err != nil {
				err = t.failed(ctx, err)
			}
			if !yield(v, err) || err != nil && quire.CodeOf(err) != quire.CodeCorrupt {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(zero, t.failed(ctx, err))
		}
	}
}

// byID returns the rows of a query that takes an array of ids, keyed by their id.
func byID[K int64 | string, T any](ctx context.Context, t *tx, scan func(scanner) (T, error), query string, ids []K, id func(T) K) (map[K]T, error) {
	if len(ids) == 0 {
		return map[K]T{}, ctx.Err()
	}
	vs, err := all(ctx, t, scan, query, array(ids))
	if err != nil {
		return nil, err
	}
	m := make(map[K]T, len(vs))
	for _, v := range vs {
		m[id(v)] = v
	}
	return m, nil
}

// undecoded turns what can only come of a file that this package has not written into
// damage: a value that is none of its column, a table, column or index that is missing.
func undecoded(err error) error {
	if _, ok := columnOf(err); ok {
		return damaged("%w", err)
	}
	if resultCode(err) == sqlite3.SQLITE_ERROR && strings.Contains(err.Error(), "no such ") {
		return damaged("%w", err)
	}
	return err
}

// columnOf returns the name of the column that could not be scanned. database/sql has no
// type for that error, only a text.
func columnOf(err error) (name string, ok bool) {
	if err == nil {
		return "", false
	}
	var i int
	n, _ := fmt.Sscanf(err.Error(), "sql: Scan error on column index %d, name %q", &i, &name)
	return name, n == 2
}

// refused turns what SQLite says to a statement of this package that is the same whatever is
// asked for into damage: it fits the schema that this package has made.
func refused(err error) error {
	if resultCode(err)&0xff == sqlite3.SQLITE_ERROR {
		return damaged("%w", err)
	}
	return err
}
