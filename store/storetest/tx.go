package storetest

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

var txCases = []testCase{
	{"every writer shows in the contents", txRewrite},
	{"own writes are seen", txOwnWrites},
	{"error rolls back", txError},
	{"panic rolls back", txPanic},
	{"Goexit rolls back", txGoexit},
	{"cancelled before the commit rolls back", txCancelled},
	{"cancelled before the start", txCancelledBefore},
	{"past deadline", txDeadline},
	{"error of View", txViewError},
	{"panic of View", txViewPanic},
	{"empty update", txEmpty},
	{"after Close", txClosed},
}

// errStop is an error of fn that is like no other.
var errStop = errors.New("stop")

func readAll(s *store) contents {
	s.tb.Helper()
	return get(s, readContents, struct{}{})
}

// txRewrite checks that rewrite changes every part of the contents, without which
// the tests of rollback would show nothing.
func txRewrite(t *testing.T, s *store) {
	s.update(seed)
	before := reflect.ValueOf(readAll(s))
	s.update(rewrite)
	after := reflect.ValueOf(readAll(s))
	for i := range before.NumField() {
		if cmp.Equal(before.Field(i).Interface(), after.Field(i).Interface(), same) {
			t.Errorf("%s is unchanged", before.Type().Field(i).Name)
		}
	}
}

func txOwnWrites(t *testing.T, s *store) {
	s.update(seed)
	var inside contents
	s.update(func(ctx context.Context, tx quire.Tx) (err error) {
		if err := rewrite(ctx, tx); err != nil {
			return err
		}
		inside, err = readContents(tx, ctx, struct{}{})
		return err
	})
	equal(t, "before and after the commit", inside, readAll(s))
}

// checkRolledBack runs an Update that rewrites everything and then does what end
// says, and checks that nothing of it stays and that the Store goes on working.
func checkRolledBack(t *testing.T, s *store, update func(fn func(tx quire.Tx) error), end func() error) {
	t.Helper()
	s.update(seed)
	before := readAll(s)
	called := 0
	update(func(tx quire.Tx) error {
		called++
		if err := rewrite(s.tb.Context(), tx); err != nil {
			t.Errorf("rewrite: %v", err)
		}
		return end()
	})
	equal(t, "calls of fn", called, 1)
	equal(t, "contents", readAll(s), before)
	putMeta(s, "later", []byte("value"))
	equal(t, "a later write", get(s, quire.ReadTx.Meta, "later"), []byte("value"))
}

func txError(t *testing.T, s *store) {
	checkRolledBack(t, s, func(fn func(tx quire.Tx) error) {
		if err := s.Update(t.Context(), fn); err != errStop {
			t.Errorf("Update: got error %v, want fn's own", err)
		}
	}, func() error { return errStop })
}

func txPanic(t *testing.T, s *store) {
	checkRolledBack(t, s, func(fn func(tx quire.Tx) error) {
		defer func() {
			if p := recover(); p != errStop {
				t.Errorf("recovered %v, want what fn panicked with", p)
			}
		}()
		err := s.Update(t.Context(), fn)
		t.Errorf("Update returned %v after a panic of fn", err)
	}, func() error { panic(errStop) })
}

// txGoexit ends the goroutine inside of fn, as t.Fatal does.
func txGoexit(t *testing.T, s *store) {
	checkRolledBack(t, s, func(fn func(tx quire.Tx) error) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			err := s.Update(t.Context(), fn)
			t.Errorf("Update returned %v after Goexit", err)
		}()
		<-done
	}, func() error {
		runtime.Goexit()
		return nil
	})
}

func txCancelled(t *testing.T, s *store) {
	ctx, cancel := context.WithCancel(t.Context())
	checkRolledBack(t, s, func(fn func(tx quire.Tx) error) {
		if err := s.Update(ctx, fn); !errors.Is(err, context.Canceled) {
			t.Errorf("Update: got error %v, want context.Canceled", err)
		}
	}, func() error {
		cancel()
		return nil
	})
}

func txCancelledBefore(t *testing.T, s *store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Update(ctx, func(tx quire.Tx) error { return tx.PutMeta(t.Context(), "name", nil) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Update: got error %v, want context.Canceled", err)
	}
	missing(s, quire.ReadTx.Meta, "name")
	err = s.View(ctx, func(tx quire.ReadTx) error {
		_, err := tx.Users(ctx, nil)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("View: got error %v, want context.Canceled", err)
	}
}

func txDeadline(t *testing.T, s *store) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	err := s.Update(ctx, func(tx quire.Tx) error { return tx.PutMeta(t.Context(), "name", nil) })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Update: got error %v, want context.DeadlineExceeded", err)
	}
	missing(s, quire.ReadTx.Meta, "name")
}

func txViewError(t *testing.T, s *store) {
	if err := s.View(t.Context(), func(quire.ReadTx) error { return errStop }); err != errStop {
		t.Errorf("View: got error %v, want fn's own", err)
	}
	s.update(seed)
}

func txViewPanic(t *testing.T, s *store) {
	func() {
		defer func() {
			if p := recover(); p != errStop {
				t.Errorf("recovered %v, want what fn panicked with", p)
			}
		}()
		err := s.View(t.Context(), func(quire.ReadTx) error { panic(errStop) })
		t.Errorf("View returned %v after a panic of fn", err)
	}()
	s.update(seed) // nothing is locked
}

func txEmpty(t *testing.T, s *store) {
	s.update(seed)
	before := readAll(s)
	s.update(func(context.Context, quire.Tx) error { return nil })
	equal(t, "contents", readAll(s), before)
}

func txClosed(t *testing.T, s *store) {
	s.update(seed)
	for range 3 { // closing twice is no error
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	called := false
	err := s.View(t.Context(), func(quire.ReadTx) error { called = true; return nil })
	if !errors.Is(err, quire.ErrClosed) {
		t.Errorf("View: got error %v, want ErrClosed", err)
	}
	err = s.Update(t.Context(), func(quire.Tx) error { called = true; return nil })
	if !errors.Is(err, quire.ErrClosed) {
		t.Errorf("Update: got error %v, want ErrClosed", err)
	}
	if called {
		t.Error("fn was called after Close")
	}
}
