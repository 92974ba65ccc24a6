package rwlock

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// Who waits for a lock that is held for ever is let go with the context, and keeps nobody else out.
func TestWaitsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.RLock(t.Context()); err != nil {
			t.Fatal(err)
		}
		waited := make(chan error)
		go func() { waited <- l.Lock(short) }()
		synctest.Wait()
		if l.TryRLock() {
			t.Error("somebody reads while a writer waits")
		}
		if err := <-waited; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a writer beside a reader: %v", err)
		}
		if !l.TryRLock() {
			t.Fatal("a writer that has given up keeps readers out")
		}
		l.RUnlock()
		l.RUnlock()

		if err := l.Lock(t.Context()); err != nil {
			t.Fatal(err)
		}
		short, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.RLock(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a reader beside a writer: %v", err)
		}
		l.Unlock()
		if err := l.RLock(t.Context()); err != nil {
			t.Errorf("after the writer: %v", err)
		}
	})
}
