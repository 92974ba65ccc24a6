package storetest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

var concurrencyCases = []testCase{
	{"updates run one at a time", countUp},
	{"jobs are claimed once", claimOnce},
	{"a view sees one state", viewIsolation},
	{"a view sees what was written before", viewFresh},
	{"readers never see half an update", viewWhole},
	{"waiting ends with the context", waitingEnds},
	{"Close waits", closeWaits},
	{"calls during Close", closeRaces},
}

// counter reads a number that putCounter wrote, 0 before.
func counter(ctx context.Context, tx quire.ReadTx, name string) (uint64, error) {
	value, err := tx.Meta(ctx, name)
	if errors.Is(err, quire.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(value), nil
}

func putCounter(ctx context.Context, tx quire.Tx, name string, n uint64) error {
	return tx.PutMeta(ctx, name, binary.BigEndian.AppendUint64(nil, n))
}

// addTo adds n to a counter, in an Update of its own.
func addTo(ctx context.Context, s quire.Store, name string, n uint64) error {
	return s.Update(ctx, func(tx quire.Tx) error {
		old, err := counter(ctx, tx, name)
		if err != nil {
			return err
		}
		return putCounter(ctx, tx, name, old+n)
	})
}

func readCounter(s *store, name string) uint64 {
	s.tb.Helper()
	var n uint64
	s.view(func(ctx context.Context, tx quire.ReadTx) (err error) {
		n, err = counter(ctx, tx, name)
		return err
	})
	return n
}

func countUp(t *testing.T, s *store) {
	const workers = 16
	each := scale(40)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range each {
				if err := addTo(t.Context(), s, "n", 1); err != nil {
					t.Errorf("Update: %s", quire.Cause(err))
				}
			}
		})
	}
	wg.Wait()
	equal(t, "counter", readCounter(s, "n"), uint64(workers*each))
}

func claimOnce(t *testing.T, s *store) {
	n := scale(120)
	var jobs []quire.Job
	for i := range n {
		jobs = append(jobs, queuedJob(fmt.Sprint("t", i%3), fmt.Sprint("j", i), fmt.Sprint("e", i), epoch))
	}
	put(s, quire.Tx.PutJob, jobs...)
	var mu sync.Mutex
	claims := map[string]int{}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for {
				j, err := claim(s, at(1), fmt.Sprint("worker ", i), at(2))
				if errors.Is(err, quire.ErrNotFound) {
					return
				}
				if err != nil {
					t.Errorf("ClaimJob: %s", quire.Cause(err))
					return
				}
				mu.Lock()
				claims[j.ID]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for id, times := range claims {
		if times != 1 {
			t.Errorf("job %s was claimed %d times", id, times)
		}
	}
	equal(t, "jobs claimed", len(claims), n)
}

// viewIsolation starts an Update while a View runs. A Store may let the Update
// wait for the View, so that the View must not wait for the Update.
func viewIsolation(t *testing.T, s *store) {
	s.update(seed)
	updated := make(chan error, 1)
	var before, after contents
	s.view(func(ctx context.Context, tx quire.ReadTx) (err error) {
		if before, err = readContents(tx, ctx, struct{}{}); err != nil {
			return err
		}
		go func() { updated <- s.Update(ctx, func(tx quire.Tx) error { return rewrite(ctx, tx) }) }()
		select {
		case err := <-updated:
			updated <- err
		case <-time.After(50 * time.Millisecond):
		}
		after, err = readContents(tx, ctx, struct{}{})
		return err
	})
	if err := <-updated; err != nil {
		t.Fatalf("Update: %s", quire.Cause(err))
	}
	equal(t, "contents during the View", after, before)
	equal(t, "a key after it", get(s, quire.ReadTx.KeyByHash, "changed").ID, "k1")
}

// viewFresh checks that a View shows every Update that has returned, in whichever
// goroutine it ran.
func viewFresh(t *testing.T, s *store) {
	for i := range uint64(scale(100)) {
		done := make(chan error)
		go func() { done <- addTo(t.Context(), s, "n", 1) }()
		if err := <-done; err != nil {
			t.Fatalf("Update: %s", quire.Cause(err))
		}
		if n := readCounter(s, "n"); n != i+1 {
			t.Fatalf("after %d updates a View sees %d", i+1, n)
		}
	}
}

// viewWhole moves amounts between two counters while readers add them up.
func viewWhole(t *testing.T, s *store) {
	const sum = 1000
	ctx := t.Context()
	s.update(func(ctx context.Context, tx quire.Tx) error { return putCounter(ctx, tx, "a", sum) })
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				err := s.View(ctx, func(tx quire.ReadTx) error {
					a, errA := counter(ctx, tx, "a")
					b, errB := counter(ctx, tx, "b")
					if a+b != sum {
						return fmt.Errorf("%d and %d make %d, want %d", a, b, a+b, sum)
					}
					return errors.Join(errA, errB)
				})
				if err != nil {
					t.Errorf("View: %s", quire.Cause(err))
					return
				}
			}
		})
	}
	for range scale(100) {
		s.update(func(ctx context.Context, tx quire.Tx) error {
			a, errA := counter(ctx, tx, "a")
			b, errB := counter(ctx, tx, "b")
			return errors.Join(errA, errB, putCounter(ctx, tx, "a", a-1), putCounter(ctx, tx, "b", b+1))
		})
	}
	close(stop)
	wg.Wait()
}

// waitingEnds checks that an Update which waits for another stops when its context
// ends. A View may wait too or run beside the Update.
func waitingEnds(t *testing.T, s *store) {
	entered, leave, left := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	release := sync.OnceFunc(func() { close(leave) })
	time.AfterFunc(10*time.Second, release) // a Store that waits on is to fail, not to hang
	go func() {
		left <- s.Update(t.Context(), func(quire.Tx) error {
			close(entered)
			<-leave
			return nil
		})
	}()
	<-entered
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	err := s.Update(ctx, func(quire.Tx) error {
		t.Error("an Update ran beside another or after its context had ended")
		return nil
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Update: got error %v, want context.DeadlineExceeded", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	err = s.View(ctx, func(quire.ReadTx) error { return nil })
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("View: got error %v, want none or context.DeadlineExceeded", err)
	}
	release()
	if err := <-left; err != nil {
		t.Errorf("the first Update: %s", quire.Cause(err))
	}
	putMeta(s, "later", nil) // those that gave up hold nothing
}

// closeWaits closes the Store while a View and then while an Update runs.
func closeWaits(t *testing.T, s *store) {
	run := map[string]func(fn func(tx quire.ReadTx) error) error{
		"View": func(fn func(tx quire.ReadTx) error) error { return s.View(t.Context(), fn) },
		"Update": func(fn func(tx quire.ReadTx) error) error {
			return s.Update(t.Context(), func(tx quire.Tx) error { return fn(tx) })
		},
	}
	s.update(seed)
	for name, transact := range run {
		entered, leave, left := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			left <- transact(func(tx quire.ReadTx) error {
				close(entered)
				<-leave
				_, err := tx.User(t.Context(), "u1")
				return err
			})
		}()
		<-entered
		closed := make(chan error, 1)
		go func() { closed <- s.Close() }()
		select {
		case <-closed:
			t.Errorf("Close returned while a %s ran", name)
			closed <- nil
		case <-time.After(50 * time.Millisecond):
		}
		close(leave)
		if err := <-left; err != nil {
			t.Errorf("%s that Close waited for: %s", name, quire.Cause(err))
		}
		if err := <-closed; err != nil {
			t.Errorf("Close: %v", err)
		}
		s.reopen()
	}
}

// closeRaces closes the Store several times while others use it: each call either
// works or says that the Store is closed, and what it acknowledged is there later.
func closeRaces(t *testing.T, s *store) {
	var closed atomic.Bool
	var acknowledged atomic.Uint64
	write := func() error {
		err := addTo(t.Context(), s.Store, "n", 1)
		if err == nil {
			acknowledged.Add(1)
		}
		return err
	}
	read := func() error {
		return s.View(t.Context(), func(tx quire.ReadTx) error {
			_, err := counter(t.Context(), tx, "n")
			return err
		})
	}
	started := make(chan struct{}, 8)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { callUntilClosed(t, write, started, &closed) })
		wg.Go(func() { callUntilClosed(t, read, started, &closed) })
	}
	for range 8 {
		<-started
	}
	var closing sync.WaitGroup
	for range 3 {
		closing.Go(func() {
			if err := s.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			closed.Store(true)
		})
	}
	closing.Wait()
	wg.Wait()
	s.reopen()
	equal(t, "acknowledged updates", readCounter(s, "n"), acknowledged.Load())
}

// callUntilClosed repeats a call until it returns ErrClosed, and says after the
// first one that it has started.
func callUntilClosed(t *testing.T, call func() error, started chan<- struct{}, closed *atomic.Bool) {
	for first := true; ; first = false {
		late := closed.Load()
		err := call()
		if first {
			started <- struct{}{}
		}
		switch {
		case errors.Is(err, quire.ErrClosed):
			return
		case err != nil:
			t.Errorf("call during Close: %s", quire.Cause(err))
			return
		case late:
			t.Error("a call worked after Close had returned")
			return
		}
	}
}
