package httpapi

import (
	"context"
	"slices"
	"sync"
	"time"
)

// budget is a weighted semaphore that is shared fairly: it admits what fits into size
// together, first come first served, but nobody waits behind somebody who does not fit.
// A user holds half of it at most, or one thing that is larger; what is larger than all
// of it counts as all of it.
type budget struct {
	size int64
	wait time.Duration // how long somebody waits

	mu      sync.Mutex
	used    int64
	held    map[string]int64 // by user; those who hold nothing are left out
	waiting []*waiter        // the first one first
}

type waiter struct {
	user        string
	own         int64         // what the waiter itself has already, which it must not wait for
	cost, limit int64         // limit: how much may be used together with it
	ready       chan struct{} // closed when it is admitted
}

// acquire waits for room for cost, for as long as the budget says or until the context
// ends. Of the budget, limit is for what is acquired here; the rest is for others.
func (b *budget) acquire(ctx context.Context, user string, cost, limit int64) (release func(), err error) {
	return b.acquireMore(ctx, user, 0, cost, limit)
}

// acquireMore is acquire for somebody who has some of the budget already: both together are
// one thing.
func (b *budget) acquireMore(ctx context.Context, user string, own, cost, limit int64) (release func(), err error) {
	w := &waiter{user, own, max(0, min(cost, limit-own)), limit, make(chan struct{})}
	timer := time.NewTimer(b.wait)
	defer timer.Stop()
	b.mu.Lock()
	b.waiting = append(b.waiting, w)
	b.admit()
	b.mu.Unlock()
	select {
	case <-w.ready:
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = errBusy
	}
	if err != nil {
		b.leave(w)
		return nil, err
	}
	return sync.OnceFunc(func() { b.leave(w) }), nil
}

// admit lets in who fits; the lock is held.
func (b *budget) admit() {
	b.waiting = slices.DeleteFunc(b.waiting, func(w *waiter) bool {
		held := b.held[w.user]
		if w.cost > 0 && (b.used+w.cost > w.limit || held > w.own && held+w.cost > b.size/2) {
			return false
		}
		if b.held == nil {
			b.held = map[string]int64{}
		}
		b.used += w.cost
		b.held[w.user] += w.cost
		close(w.ready)
		return true
	})
}

// leave gives back what a waiter has, or its place.
func (b *budget) leave(w *waiter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-w.ready:
		b.used -= w.cost
		if b.held[w.user] -= w.cost; b.held[w.user] == 0 {
			delete(b.held, w.user)
		}
	default:
		b.waiting = slices.DeleteFunc(b.waiting, func(other *waiter) bool { return other == w })
	}
	b.admit()
}
