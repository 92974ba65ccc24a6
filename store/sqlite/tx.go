package sqlite

import (
	"context"
	"database/sql"

	"github.com/quirelib/quire"
)

// View implements quire.Store.
func (s *Store) View(ctx context.Context, fn func(tx quire.ReadTx) error) error {
	return s.onConn(ctx, s.read, func(conn *sql.Conn) error {
		// A transaction that only reads waits for nothing when it begins.
		sqlTx, err := conn.BeginTx(context.WithoutCancel(ctx), &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return failure(ctx, err)
		}
		defer sqlTx.Rollback()
		return fn(s.newTx(sqlTx))
	})
}

// Update implements quire.Store.
func (s *Store) Update(ctx context.Context, fn func(tx quire.Tx) error) error {
	return s.transact(ctx, func(t *tx) error {
		if err := fn(t); err != nil {
			return err
		}
		if t.broken != nil { // fn has overlooked it
			return t.broken
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return failure(context.Background(), t.sql.Commit()) // from here on ctx no longer counts
	})
}

// onConn runs fn with a connection of the pool. A cancelled ctx ends the waiting for it.
func (s *Store) onConn(ctx context.Context, pool *sql.DB, fn func(conn *sql.Conn) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.running.Done()
	if err := ctx.Err(); err != nil {
		return err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return failure(ctx, err)
	}
	defer conn.Close() // gives it back to the pool
	return fn(conn)
}

// transact runs fn in a transaction that writes, which is rolled back at the end unless
// fn has committed it. A cancelled ctx ends the waiting for the transaction to begin, and
// every statement that runs with it; the rollback does not depend on it.
func (s *Store) transact(ctx context.Context, fn func(t *tx) error) error {
	return s.onConn(ctx, s.write, func(conn *sql.Conn) error {
		// database/sql would roll back by itself, on a goroutine of its own, as soon as
		// the context of BeginTx ends.
		begin, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		stop := context.AfterFunc(ctx, cancel)
		sqlTx, err := conn.BeginTx(begin, nil)
		begun := stop()
		if err != nil {
			return failure(ctx, err)
		}
		defer sqlTx.Rollback() // does nothing after Commit
		if !begun {
			return ctx.Err()
		}
		return fn(s.newTx(sqlTx))
	})
}

func (s *Store) newTx(sqlTx *sql.Tx) *tx {
	return &tx{sql: sqlTx, stmts: map[string]*sql.Stmt{}, trace: s.trace}
}

// tx implements quire.Tx on a transaction. Its methods are in the files of their
// subjects.
type tx struct {
	sql   *sql.Tx
	stmts map[string]*sql.Stmt // by query; database/sql closes them with the transaction
	trace func(query string, args []any)

	// broken is the first error after which SQLite may have rolled the transaction back by
	// itself, so that whatever ran after that would commit on its own, or after which half
	// of what belongs together is written.
	broken error
}

var _ quire.Tx = (*tx)(nil)

// stmt returns a prepared statement, the same one for the same query.
func (t *tx) stmt(ctx context.Context, query string, args []any) (*sql.Stmt, error) {
	if t.broken != nil {
		return nil, t.broken
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if t.trace != nil {
		t.trace(query, args)
	}
	if s := t.stmts[query]; s != nil {
		return s, nil
	}
	s, err := t.sql.PrepareContext(ctx, query)
	if err != nil {
		return nil, failure(ctx, err)
	}
	t.stmts[query] = s
	return s, nil
}

// exec runs a statement that changes rows and returns how many. A constraint that
// it violates comes back as it is, for the caller to say what that means.
func (t *tx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	stmt, err := t.stmt(ctx, query, args)
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(ctx, args...)
	if isConstraint(err) {
		return 0, err
	}
	if err != nil {
		t.broken = failure(ctx, err)
		return 0, t.broken
	}
	return res.RowsAffected()
}

// run is exec for statements that violate no constraint.
func (t *tx) run(ctx context.Context, query string, args ...any) error {
	_, err := t.exec(ctx, query, args...)
	return failure(ctx, err)
}

// statement is a statement with its arguments.
type statement struct {
	query string
	args  []any
}

// runAll runs statements that belong together one after the other, until one fails. If
// that is not the first, half of them is written, and the transaction must not commit.
func (t *tx) runAll(ctx context.Context, ss []statement) error {
	for i, s := range ss {
		if err := t.run(ctx, s.query, s.args...); err != nil {
			if i > 0 && t.broken == nil {
				t.broken = err
			}
			return err
		}
	}
	return nil
}

// failed is failure for reads. An interrupted read leaves the transaction as it
// was; other errors may not.
func (t *tx) failed(ctx context.Context, err error) error {
	err = failure(ctx, err)
	if err != nil && err != quire.ErrNotFound && ctx.Err() == nil {
		t.broken = err
	}
	return err
}
