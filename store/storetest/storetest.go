// Package storetest checks that an implementation of [quire.Store] holds the
// contract, and measures it.
//
// A Store's own test needs a few lines:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(tb testing.TB) func() quire.Store {
//			dir := tb.TempDir()
//			return func() quire.Store { return mustOpen(tb, dir) }
//		})
//	}
//
// The suite is split into files by subject. A change of the contract starts
// here: first the test, then the implementations.
package storetest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirelib/quire"
)

// Opener prepares a fresh, empty place for a Store, such as a directory, and
// returns a function that opens the Store in it. The suite calls Opener once for
// every subtest, from several goroutines at a time. It calls open once more only
// after the Store that open returned before was closed, and then expects to find
// in it what was there. Whatever fails is for tb.Fatal.
type Opener func(tb testing.TB) (open func() quire.Store)

// Run checks the whole contract of quire.Store. Every subtest has a Store of its
// own and runs in parallel with the others. With -short the larger cases shrink.
func Run(t *testing.T, opener Opener) {
	var ran atomic.Int64
	t.Cleanup(func() { t.Logf("storetest: %d subtests ran", ran.Load()) })
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range g.cases {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					ran.Add(1)
					c.run(t, openStore(t, opener))
				})
			}
		})
	}
}

// group is the subtests of one subject.
type group struct {
	name  string
	cases []testCase
}

type testCase struct {
	name string
	run  func(t *testing.T, s *store)
}

var groups = []group{
	{"meta", metaCases},
	{"users", userCases},
	{"tags", tagCases},
	{"elementals", elementalCases},
	{"newest elementals", newestCases},
	{"search", searchCases},
	{"lists", listCases},
	{"items", itemCases},
	{"tables", tableCases},
	{"tenants", tenantCases},
	{"media", mediaCases},
	{"counters", counterCases},
	{"marks", markCases},
	{"comments", commentCases},
	{"rates", rateCases},
	{"receipts", receiptCases},
	{"jobs", jobCases},
	{"claims", claimCases},
	{"chunks", chunkCases},
	{"vectors", vectorCases},
	{"drafts", draftCases},
	{"transactions", txCases},
	{"cancelled contexts", cancelCases},
	{"concurrency", concurrencyCases},
	{"reopen", reopenCases},
	{"model", modelCases},
}

// store is a Store under test with helpers that fail the test. None of them
// fails inside of a transaction, so that a test that fails leaves none open.
type store struct {
	quire.Store
	tb   testing.TB
	open func() quire.Store
}

// openStore opens a fresh Store and closes it when the test ends.
func openStore(tb testing.TB, opener Opener) *store {
	tb.Helper()
	open := opener(tb)
	s := &store{Store: open(), tb: tb, open: open}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("Close: %v", err)
		}
	})
	return s
}

// reopen closes the Store and opens it again in the same place.
func (s *store) reopen() {
	s.tb.Helper()
	if err := s.Close(); err != nil {
		s.tb.Fatalf("Close: %v", err)
	}
	s.Store = s.open()
}

// view runs fn in a View that must succeed.
func (s *store) view(fn func(ctx context.Context, tx quire.ReadTx) error) {
	s.tb.Helper()
	ctx := s.tb.Context()
	if err := s.View(ctx, func(tx quire.ReadTx) error { return fn(ctx, tx) }); err != nil {
		s.tb.Fatalf("View: %s", quire.Cause(err))
	}
}

// update runs fn in an Update that must succeed.
func (s *store) update(fn func(ctx context.Context, tx quire.Tx) error) {
	s.tb.Helper()
	ctx := s.tb.Context()
	if err := s.Update(ctx, func(tx quire.Tx) error { return fn(ctx, tx) }); err != nil {
		s.tb.Fatalf("Update: %s", quire.Cause(err))
	}
}

// get reads with a method of one argument, such as quire.ReadTx.User.
func get[A, R any](s *store, method func(quire.ReadTx, context.Context, A) (R, error), arg A) R {
	s.tb.Helper()
	var r R
	s.view(func(ctx context.Context, tx quire.ReadTx) (err error) {
		r, err = method(tx, ctx, arg)
		return err
	})
	return r
}

// find reads a page and its total, such as with quire.ReadTx.ListItems.
func find[Q, R any](s *store, method func(quire.ReadTx, context.Context, Q) ([]R, int, error), q Q) ([]R, int) {
	s.tb.Helper()
	var rs []R
	var total int
	s.view(func(ctx context.Context, tx quire.ReadTx) (err error) {
		rs, total, err = method(tx, ctx, q)
		return err
	})
	return rs, total
}

// missing checks that a method finds nothing.
func missing[A, R any](s *store, method func(quire.ReadTx, context.Context, A) (R, error), arg A) {
	s.tb.Helper()
	err := s.View(s.tb.Context(), func(tx quire.ReadTx) error {
		_, err := method(tx, s.tb.Context(), arg)
		return err
	})
	if !errors.Is(err, quire.ErrNotFound) {
		s.tb.Errorf("read of %v: got error %v, want ErrNotFound", arg, err)
	}
}

// put writes with a method of one argument, such as quire.Tx.PutUser, all in one
// Update.
func put[A any](s *store, method func(quire.Tx, context.Context, A) error, args ...A) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for _, a := range args {
			if err := method(tx, ctx, a); err != nil {
				return err
			}
		}
		return nil
	})
}

// same holds for values that the contract calls the same: an empty slice is nil,
// and a time is one moment, in UTC on both sides.
var same = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.AllowUnexported(titled{}),
	cmp.Comparer(func(a, b time.Time) bool {
		return a.Equal(b) && a.Location() == time.UTC && b.Location() == time.UTC
	}),
}

// equal reports the difference between what was read and what it should be.
func equal[T any](tb testing.TB, what string, got, want T) {
	tb.Helper()
	if diff := cmp.Diff(want, got, same); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// scale shrinks a size under -short.
func scale(n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}
