package store

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A writer that gives up in the middle of collecting its slots gives them back.
func TestLockWriterGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLock()
		if err := l.lockRead(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := l.lockWrite(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("lockWrite beside a reader: got error %v, want context.DeadlineExceeded", err)
		}
		for range maxReaders - 1 {
			if err := l.lockRead(ctxSoon(t)); err != nil {
				t.Fatalf("lockRead after a writer gave up: %v", err)
			}
		}
		if err := l.lockRead(ctxSoon(t)); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("one reader too many: got error %v, want context.DeadlineExceeded", err)
		}
		for range maxReaders {
			l.unlockRead()
		}
		if err := l.lockWrite(ctxSoon(t)); err != nil {
			t.Fatalf("lockWrite of a free lock: %v", err)
		}
		l.unlockWrite()
	})
}

func ctxSoon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	t.Cleanup(cancel)
	return ctx
}

// Readers that follow each other without a gap do not keep a writer out.
func TestLockWriterIsNotStarved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLock()
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for i := range 2 * maxReaders {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * 10 * time.Millisecond)
				for l.lockRead(ctx) == nil {
					time.Sleep(time.Second)
					l.unlockRead()
				}
			})
		}
		time.Sleep(10 * time.Second)
		start := time.Now()
		if err := l.lockWrite(t.Context()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited > 10*time.Second {
			t.Errorf("the writer waited %v", waited)
		}
		l.unlockWrite()
		stop()
		wg.Wait()
	})
}

// A context that is over takes nothing, even if the lock is free.
func TestLockCancelled(t *testing.T) {
	t.Parallel()
	l := newLock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 { // select would pick at random
		if err := errors.Join(l.lockRead(ctx), l.lockWrite(ctx)); !errors.Is(err, context.Canceled) {
			t.Fatalf("got error %v, want context.Canceled", err)
		}
	}
	if n := len(l.slots) + len(l.turnstile); n != 0 {
		t.Errorf("%d tokens are held", n)
	}
}
