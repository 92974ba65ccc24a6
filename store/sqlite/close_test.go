package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quirelib/quire"
)

// TestCloseCutsOff closes a Store while transactions stand still: it ends with its
// context, the file is free, and what stood still is told that the Store is closed.
func TestCloseCutsOff(t *testing.T) {
	leaks := goleak.IgnoreCurrent()
	path := filepath.Join(t.TempDir(), "store.db")
	s := mustOpen(t, path)
	mustUpdate(t, s, func(ctx context.Context, tx quire.Tx) error {
		for i := range 100 {
			if err := tx.PutUser(ctx, quire.User{ID: fmt.Sprint("u", i), TenantID: "t"}); err != nil {
				return err
			}
		}
		return nil
	})
	entered, leave := make(chan struct{}), make(chan struct{})
	stand := func() {
		entered <- struct{}{}
		<-leave
	}
	results := map[string]chan error{}
	start := func(name string, run func() error) {
		result := make(chan error, 1)
		results[name] = result
		go func() { result <- run() }()
	}
	start("a View", func() error {
		return s.View(t.Context(), func(tx quire.ReadTx) error {
			stand()
			_, err := tx.User(t.Context(), "u1")
			return err
		})
	})
	start("a View in the middle of rows", func() error {
		return s.View(t.Context(), func(tx quire.ReadTx) error {
			n := 0
			for _, err := range tx.TenantUsers(t.Context(), "t") {
				if err != nil {
					return err
				}
				if n++; n == 3 {
					stand()
				}
			}
			return fmt.Errorf("all %d rows came", n)
		})
	})
	start("an Update", func() error {
		return s.Update(t.Context(), func(tx quire.Tx) error {
			if err := tx.PutUser(t.Context(), quire.User{ID: "half", TenantID: "t"}); err != nil {
				return err
			}
			stand()
			return nil
		})
	})
	for range results {
		<-entered
	}
	start("an Update that waits for its turn", func() error {
		return s.Update(t.Context(), func(quire.Tx) error { return nil })
	})
	for { // until that one waits
		s.mu.Lock()
		n := len(s.sessions)
		s.mu.Unlock()
		if n == len(results) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if err := s.CloseContext(ctx); err != context.DeadlineExceeded {
		t.Errorf("CloseContext: %v", err)
	}
	took := time.Since(begin)
	again := mustOpen(t, path) // before the functions have returned
	if err := again.View(t.Context(), func(tx quire.ReadTx) error {
		_, err := tx.User(t.Context(), "half")
		return err
	}); !errors.Is(err, quire.ErrNotFound) {
		t.Errorf("what an Update had not committed: %v", err)
	}
	wantIntact(t, again)
	mustClose(t, again)
	close(leave)
	for name, result := range results {
		if err := <-result; !errors.Is(err, quire.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close after it: %v", err)
	}
	t.Logf("closed %v after it was asked to, with %d transactions open", took.Round(time.Millisecond), len(results))
	goleak.VerifyNone(t, leaks)
}

// With nothing open, a context that has ended already does not stop a Store from closing.
func TestCloseWithEndedContext(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := mustOpen(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.CloseContext(ctx); err != nil {
		t.Errorf("CloseContext: %v", err)
	}
	mustClose(t, mustOpen(t, path))
}
