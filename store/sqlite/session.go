package sqlite

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/quirelib/quire"
)

// session is one use of the file: a transaction from the waiting for its turn to its end,
// or a step of Compact. CloseContext may end it while its function still runs.
type session struct {
	ctx    context.Context // ends with the caller's and when the session is cut off
	cancel context.CancelFunc
	store  *Store
	cut    atomic.Bool

	mu    sync.Mutex
	over  bool
	after []func() // gives back what the session holds; the last one first
}

// enter begins a session, unless the Store is closed.
func (s *Store) enter(ctx context.Context) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, quire.ErrClosed
	}
	x := &session{store: s}
	x.ctx, x.cancel = context.WithCancel(ctx)
	s.sessions[x] = struct{}{}
	s.running.Add(1)
	return x, nil
}

// hold has f called at the end of the session; at once, with ErrClosed, if that has been.
func (x *session) hold(f func()) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		f()
		return quire.ErrClosed
	}
	x.after = append(x.after, f)
	return nil
}

// end ends the session, if it has not been cut off.
func (x *session) end() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return
	}
	x.over = true
	for i := len(x.after) - 1; i >= 0; i-- {
		x.after[i]()
	}
	x.cancel()
	x.store.mu.Lock()
	delete(x.store.sessions, x)
	x.store.mu.Unlock()
	x.store.running.Done()
}

// cutOff ends all sessions whatever their functions are doing: what these still ask for is
// ErrClosed. A statement that runs just now, and is not the session's to interrupt, ends
// first, on a goroutine. It returns how many sessions there were.
func (s *Store) cutOff() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for x := range s.sessions { // all of them before one makes room for another
		x.cut.Store(true)
		x.cancel()
	}
	for x := range s.sessions {
		go x.end()
	}
	return len(s.sessions)
}

// failure is failure, but ErrClosed for every error of a session that was cut off.
func (x *session) failure(ctx context.Context, err error) error {
	if err != nil && x.cut.Load() {
		return quire.ErrClosed
	}
	return failure(ctx, err)
}
