package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirelib/quire"
)

// The tests of this group run random transactions on a Store and on a model of it
// that is as plain as possible, and compare what both show.
var modelCases = []testCase{
	{"lists and items", modelItems},
	{"jobs", modelJobs},
}

// action is one random write, done to the Store and to the model.
type action[M any] func(ctx context.Context, tx quire.Tx, m M) error

// model is what a Store is compared with.
type model[M any] interface {
	clone() M
	check(rt *rapid.T, ctx context.Context, tx quire.ReadTx) error
}

// runModel runs random transactions, every fourth of which is rolled back, and
// compares after each. The draws are made outside of the transactions, because
// rapid may end a test in any of them.
func runModel[M model[M]](t *testing.T, s *store, begin func(rt *rapid.T, ctx context.Context, tx quire.Tx) (M, error), next *rapid.Generator[action[M]]) {
	ctx := t.Context()
	transactions, checks := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		var m M
		must(rt, s.Update(ctx, func(tx quire.Tx) (err error) {
			m, err = begin(rt, ctx, tx)
			return err
		}))
		checks++
		for range rapid.IntRange(1, 8).Draw(rt, "transactions") {
			transactions++
			actions := rapid.SliceOfN(next, 1, 12).Draw(rt, "actions")
			fails := rapid.IntRange(0, 3).Draw(rt, "fails") == 3
			changed := m.clone()
			err := s.Update(ctx, func(tx quire.Tx) error {
				for _, a := range actions {
					if err := a(ctx, tx, changed); err != nil {
						return err
					}
				}
				if fails {
					return errStop
				}
				return nil
			})
			switch {
			case fails && err != errStop:
				rt.Fatalf("Update that was to fail: %v", err)
			case !fails:
				must(rt, err)
				m = changed
			}
			must(rt, s.View(ctx, func(tx quire.ReadTx) error { return m.check(rt, ctx, tx) }))
		}
	})
	t.Logf("%d random histories, %d transactions", checks, transactions)
}

func must(rt *rapid.T, err error) {
	rt.Helper()
	if err != nil {
		rt.Fatal(quire.Cause(err))
	}
}

// differ returns an error with the difference between a Store and its model.
func differ[T any](what string, got, want T) error {
	if diff := cmp.Diff(want, got, same); diff != "" {
		return fmt.Errorf("%s (-model +Store):\n%s", what, diff)
	}
	return nil
}
