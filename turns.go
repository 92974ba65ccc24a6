package quire

import (
	"context"
	"sync"
)

// turns lets some go on at a time, of a user one at a time or wait for that: somebody who asks
// for many keeps nobody waiting for more than one of them.
type turns struct {
	all chan struct{} // holds one for each whose turn it is

	mu    sync.Mutex // guards users, and what they count
	users map[string]*userTurns
}

// userTurns is the queue of a user.
type userTurns struct {
	first chan struct{} // holds one for what waits for all, or has its turn
	count int           // how many wait or have their turn
}

// newTurns makes turns of which so many are at a time.
func newTurns(places int) *turns {
	return &turns{all: make(chan struct{}, places), users: make(map[string]*userTurns)}
}

// wait waits for a turn of the user, which lasts until done is called, or for the end of the
// context.
func (t *turns) wait(ctx context.Context, userID string) (done func(), err error) {
	own := t.join(userID)
	if err := take(ctx, own.first); err != nil {
		t.leave(userID)
		return nil, err
	}
	if err := take(ctx, t.all); err != nil {
		<-own.first
		t.leave(userID)
		return nil, err
	}
	return func() {
		<-t.all
		<-own.first
		t.leave(userID)
	}, nil
}

func (t *turns) join(userID string) *userTurns {
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.users[userID]
	if own == nil {
		own = &userTurns{first: make(chan struct{}, 1)}
		t.users[userID] = own
	}
	own.count++
	return own
}

func (t *turns) leave(userID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own := t.users[userID]; own.count > 1 {
		own.count--
	} else {
		delete(t.users, userID)
	}
}

// take puts one into a channel when that has room, unless the context has ended.
func take(ctx context.Context, ch chan struct{}) error {
	if err := ctx.Err(); err != nil { // also if there is room
		return err
	}
	select {
	case ch <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
