package sqlite

import (
	"context"
	"database/sql/driver"
)

// sqliteConn is what the driver's connections can do.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// sqliteStmt is what the driver's statements can do.
type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// maxStatements is how many statements a connection keeps compiled: more than this
// package has.
const maxStatements = 512

// cachingConn keeps the statements of a connection compiled from one transaction to the
// next. database/sql closes them with each transaction, and compiling takes longer than
// running most of them. Like every driver.Conn it is for one goroutine at a time.
type cachingConn struct {
	sqliteConn
	stmts map[string]*cachedStmt
}

// cachedStmt is a statement that Close only gives back.
type cachedStmt struct {
	sqliteStmt
	taken bool
}

// Close implements driver.Stmt.
func (s *cachedStmt) Close() error {
	s.taken = false
	return nil
}

// PrepareContext implements driver.ConnPrepareContext. A statement that is taken is
// compiled once more, for that use only: its rows may still be open.
func (c *cachingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if s := c.stmts[query]; s != nil && !s.taken {
		s.taken = true
		return s, nil
	}
	stmt, err := c.sqliteConn.PrepareContext(ctx, query)
	if err != nil || c.stmts[query] != nil || len(c.stmts) == maxStatements {
		return stmt, err
	}
	kept, ok := stmt.(sqliteStmt)
	if !ok {
		return stmt, nil
	}
	s := &cachedStmt{kept, true}
	c.stmts[query] = s
	return s, nil
}

// BeginTx implements driver.ConnBeginTx. The driver would compile BEGIN and ROLLBACK
// anew for each transaction that reads.
func (c *cachingConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if !opts.ReadOnly {
		return c.sqliteConn.BeginTx(ctx, opts)
	}
	return readingTx{c}, c.run("BEGIN")
}

// run runs a statement without parameters that does not wait.
func (c *cachingConn) run(query string) error {
	stmt, err := c.PrepareContext(context.Background(), query)
	if err != nil {
		return err
	}
	defer stmt.Close()
	_, err = stmt.(driver.StmtExecContext).ExecContext(context.Background(), nil)
	return err
}

// readingTx is a transaction that has read only, which both of its ends leave as it was.
type readingTx struct{ conn *cachingConn }

// Commit implements driver.Tx.
func (t readingTx) Commit() error { return t.conn.run("ROLLBACK") }

// Rollback implements driver.Tx.
func (t readingTx) Rollback() error { return t.conn.run("ROLLBACK") }

// Close implements driver.Conn.
func (c *cachingConn) Close() error {
	for _, s := range c.stmts {
		s.sqliteStmt.Close() // closing the connection reports what is wrong with it
	}
	clear(c.stmts)
	return c.sqliteConn.Close()
}
