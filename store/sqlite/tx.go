package sqlite

import (
	"context"
	"database/sql"

	"github.com/quirelib/quire"
)

// View implements quire.Store.
func (s *Store) View(ctx context.Context, fn func(tx quire.ReadTx) error) error {
	return s.onConn(ctx, s.read, func(x *session, conn *sql.Conn) error {
		// A transaction that only reads waits for nothing when it begins.
		sqlTx, err := conn.BeginTx(context.WithoutCancel(ctx), &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return x.failure(ctx, err)
		}
		if err := x.hold(func() { sqlTx.Rollback() }); err != nil {
			return err
		}
		t := s.newTx(x, sqlTx)
		t.reads = true
		return fn(t)
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
		return t.session.failure(context.Background(), t.sql.Commit()) // from here on ctx no longer counts
	})
}

// onConn runs fn with a connection of the pool, in a session. A cancelled ctx ends the
// waiting for it.
func (s *Store) onConn(ctx context.Context, p *pool, fn func(x *session, conn *sql.Conn) error) error {
	x, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer x.end()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := p.turns.Acquire(x.ctx, 1); err != nil {
		return x.failure(ctx, err)
	}
	if err := x.hold(func() { p.turns.Release(1) }); err != nil {
		return err
	}
	if err := s.inPlace(); err != nil { // now, however long it waited
		return err
	}
	conn, err := p.Conn(x.ctx)
	if err != nil {
		return x.failure(ctx, err)
	}
	if err := x.hold(func() { conn.Close() }); err != nil { // gives it back to the pool
		return err
	}
	return fn(x, conn)
}

// transact runs fn in a transaction that writes, which is rolled back at the end unless
// fn has committed it. A cancelled ctx ends the waiting for the transaction to begin, and
// every statement that runs with it; the rollback does not depend on it.
func (s *Store) transact(ctx context.Context, fn func(t *tx) error) error {
	return s.onConn(ctx, s.write, func(x *session, conn *sql.Conn) error {
		// database/sql would roll back by itself, on a goroutine of its own, as soon as
		// the context of BeginTx ends.
		begin, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		stop := context.AfterFunc(x.ctx, cancel)
		sqlTx, err := conn.BeginTx(begin, nil)
		begun := stop()
		if err != nil {
			return x.failure(ctx, err)
		}
		if err := x.hold(func() { sqlTx.Rollback() }); err != nil { // does nothing after Commit
			return err
		}
		if !begun {
			return x.failure(ctx, x.ctx.Err())
		}
		return fn(s.newTx(x, sqlTx))
	})
}

func (s *Store) newTx(x *session, sqlTx *sql.Tx) *tx {
	return &tx{session: x, sql: sqlTx, stmts: map[string]*sql.Stmt{}, trace: s.trace}
}

// tx implements quire.Tx on a transaction. Its methods are in the files of their
// subjects.
type tx struct {
	session *session
	sql     *sql.Tx
	stmts   map[string]*sql.Stmt // by query; database/sql closes them with the transaction
	trace   func(query string, args []any)
	reads   bool // and writes nothing

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
	if t.session.cut.Load() {
		return nil, quire.ErrClosed
	}
	if t.trace != nil {
		t.trace(query, args)
	}
	if s := t.stmts[query]; s != nil {
		return s, nil
	}
	s, err := t.sql.PrepareContext(ctx, query)
	if err != nil {
		return nil, t.session.failure(ctx, undecoded(err))
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
		t.broken = t.session.failure(ctx, undecoded(err))
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
// was, and so does one of damaged content, of which there may be more that is whole;
// other errors may not.
func (t *tx) failed(ctx context.Context, err error) error {
	err = t.session.failure(ctx, undecoded(err))
	whole := err == quire.ErrNotFound || t.reads && quire.CodeOf(err) == quire.CodeCorrupt
	if err != nil && !whole && ctx.Err() == nil {
		t.broken = err
	}
	return err
}
