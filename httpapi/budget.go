package httpapi

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// budget is a weighted semaphore that is shared fairly: it admits what fits into size
// together, first come first served, but nobody waits behind somebody who does not fit.
// A user holds half of what is for such as them at most, or one thing that is larger; what is larger than all
// of it counts as all of it.
type budget struct {
	size int64
	wait time.Duration // how long somebody waits
	busy *problem      // for who has waited for so long; nil: errBusy

	start, whole time.Duration // the pace that what is read must keep while others wait: see fairStart

	mu      sync.Mutex
	used    int64
	held    map[string]int64 // by user; those who hold nothing are left out
	waiting []*waiter        // the first one first
	reading []*reading       // the first one first
}

// reading is a body that is being read into what its user holds for it.
type reading struct {
	user string
	cost int64
	body *slowBody
}

type waiter struct {
	user        string
	own         int64         // what the waiter itself has already, which it must not wait for
	cost, limit int64         // limit: how much may be used together with it
	first       bool          // others made room for it, so that nobody else gets that
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
	w := &waiter{user: user, own: own, cost: max(0, min(cost, limit-own)), limit: limit, ready: make(chan struct{})}
	if !b.enter(w) {
		if err := b.waitTurn(ctx, w); err != nil {
			b.leave(w)
			return nil, err
		}
	}
	return sync.OnceFunc(func() { b.leave(w) }), nil
}

// enter lets a waiter in at once, or puts it behind the others.
func (b *budget) enter(w *waiter) (admitted bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, w)
	b.admit()
	select {
	case <-w.ready:
		return true
	default:
		return false
	}
}

// waitTurn waits until a waiter is let in.
func (b *budget) waitTurn(ctx context.Context, w *waiter) (err error) {
	timer, look := time.NewTimer(b.wait), time.NewTicker(max(b.wait/10, time.Millisecond))
	defer timer.Stop()
	defer look.Stop()
	for waiting := true; waiting; {
		select {
		case <-look.C:
			b.overtake(w)
			continue
		case <-w.ready:
		case <-ctx.Done():
			err = ctx.Err()
		case <-timer.C:
			err = cmp.Or(b.busy, errBusy)
		}
		waiting = false
	}
	return err
}

// take counts what is there already, whether it fits or not: those who come later wait for it.
func (b *budget) take(user string, cost int64) (release func()) {
	w := &waiter{user: user, cost: cost, ready: make(chan struct{})}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.let(w)
	return sync.OnceFunc(func() { b.leave(w) })
}

// let counts what a waiter has from now on; the lock is held.
func (b *budget) let(w *waiter) {
	if b.held == nil {
		b.held = map[string]int64{}
	}
	b.used += w.cost
	b.held[w.user] += w.cost
	close(w.ready)
}

// admit lets in who fits; the lock is held.
func (b *budget) admit() {
	kept := false
	b.waiting = slices.DeleteFunc(b.waiting, func(w *waiter) bool {
		if w.cost > 0 && (kept || b.used+w.cost > w.limit || b.hasEnough(w)) {
			kept = kept || w.first
			return false
		}
		b.let(w)
		return true
	})
}

// hasEnough reports whether it is its own user who keeps a waiter out; the lock is held.
func (b *budget) hasEnough(w *waiter) bool {
	held := b.held[w.user]
	return held > w.own && held+w.cost > min(b.size, w.limit)/2
}

// overtake ends bodies of others that come too slowly, if the waiter has room then. It is the
// next one to be admitted: those whose bodies were ended are told so and leave at once.
func (b *budget) overtake(w *waiter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.waiting, w)
	if i < 0 || b.waiting[0].first || b.hasEnough(w) {
		return
	}
	var late []*reading
	room := w.limit - b.used
	for _, r := range b.reading {
		if room < w.cost && r.user != w.user && r.body.late(b.start, b.whole) {
			late, room = append(late, r), room+r.cost
		}
	}
	if len(late) == 0 || room < w.cost {
		return
	}
	for _, r := range late {
		r.body.end()
	}
	b.reading = slices.DeleteFunc(b.reading, func(r *reading) bool { return slices.Contains(late, r) })
	w.first = true
	b.waiting = slices.Insert(slices.Delete(b.waiting, i, i+1), 0, w)
}

// read says that a body of a length is being read from now on, for which a user has cost. It
// returns what says that it is no more, and whether the body was ended before.
func (b *budget) read(user string, body *slowBody, length, cost int64) (stop func() (ended bool)) {
	r := &reading{user, min(cost, b.size), body}
	body.begin(length)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading = append(b.reading, r)
	return func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.reading = slices.DeleteFunc(b.reading, func(other *reading) bool { return other == r })
		return body.wasEnded()
	}
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
