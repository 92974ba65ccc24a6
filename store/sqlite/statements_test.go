package sqlite

import (
	"context"
	"testing"
)

// A connection compiles a query once, and once more for a use that comes before the
// rows of the first one are closed.
func TestStatementsAreKept(t *testing.T) {
	t.Parallel()
	pool, err := newPool(makeEmpty(t, t.TempDir()+"/x.db"), (&Options{Synchronous: Normal}).writer(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	ctx := context.Background()
	const query = `SELECT value FROM json_each('[1, 2, 3]')`
	kept := func() (n int) {
		conn, err := pool.Conn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.Raw(func(c any) error {
			for _, s := range c.(*cachingConn).stmts {
				if s.taken {
					t.Error("a statement was not given back")
				}
				n++
			}
			return nil
		})
		return n
	}
	for round := range 3 {
		tx, err := pool.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		outer, err := tx.PrepareContext(ctx, query)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := outer.QueryContext(ctx)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for rows.Next() {
			var a, b int
			inner, err := tx.PrepareContext(ctx, query) // the rows of outer are open
			if err != nil {
				t.Fatal(err)
			}
			if err := rows.Scan(&a); err != nil {
				t.Fatal(err)
			}
			if err := inner.QueryRowContext(ctx).Scan(&b); err != nil {
				t.Fatal(err)
			}
			sum += 10*a + b
		}
		if err := rows.Err(); err != nil || sum != 63 {
			t.Errorf("round %d: %d, error %v", round, sum, err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if n := kept(); n != 1 {
			t.Errorf("round %d: %d statements are kept", round, n)
		}
	}
}
