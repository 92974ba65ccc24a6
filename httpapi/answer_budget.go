package httpapi

import (
	"context"
	"sync"

	"github.com/quirelib/quire"
)

// What an answer takes, in bytes for each byte of the texts that it is about: the texts
// themselves, one rendering at a time, and what the database copies. Markdown up to
// parsedBody is parsed, and a syntax tree is many times its source; longer bodies are not.
const (
	textCost   = 5
	parsedCost = 48
	parsedBody = 2 << 20
	cellCost   = 4 << 10 // of each cell of a table, besides its text
)

// freeAnswer is what an answer may take without being counted.
const freeAnswer = 1 << 20

// answerCost estimates the memory that answering with an elemental takes.
func answerCost(size quire.ElementalSize) int64 {
	cost := size.Body * textCost
	if size.Body <= parsedBody {
		cost = size.Body * parsedCost
	}
	return cost + size.CellBody*textCost + int64(size.Cells)*cellCost
}

// admit waits until the memory is free that a request takes: for a body that it has sent,
// and for the elemental that its path names. The caller calls release when the answer
// has been sent. It is called outside of transactions, so that nobody who waits holds one.
func (c *call) admit() (release func(), err error) {
	cost := answerCost(quire.ElementalSize{Body: int64(len(c.body))})
	if c.route.large {
		size, err := c.s.lib.ElementalSize(c.r.Context(), c.actor(), c.params["id"])
		switch {
		case err == nil:
			cost += answerCost(size)
		case quire.CodeOf(err) != quire.CodeNotFound: // which the handler answers
			return nil, err
		}
	}
	if cost <= freeAnswer {
		return func() {}, nil
	}
	return c.s.memory.acquire(c.r.Context(), cost)
}

// budget is a weighted semaphore: it admits what fits into size together, in the order of
// arrival, and what is larger than that alone.
type budget struct {
	size int64

	mu      sync.Mutex
	used    int64
	waiting []*waiter // the first one first
}

type waiter struct {
	cost  int64
	ready chan struct{} // closed when it is admitted
}

// acquire waits for its turn, or until the context ends.
func (b *budget) acquire(ctx context.Context, cost int64) (release func(), err error) {
	w := &waiter{min(cost, b.size), make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, w)
	b.admit()
	b.mu.Unlock()
	select {
	case <-w.ready:
		return func() { b.leave(w) }, nil
	case <-ctx.Done():
		b.leave(w)
		return nil, ctx.Err()
	}
}

// admit lets in who is next for as long as there is room; the lock is held.
func (b *budget) admit() {
	for len(b.waiting) > 0 && b.used+b.waiting[0].cost <= b.size {
		b.used += b.waiting[0].cost
		close(b.waiting[0].ready)
		b.waiting = b.waiting[1:]
	}
}

// leave gives back what a waiter has, or its place.
func (b *budget) leave(w *waiter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-w.ready:
		b.used -= w.cost
	default:
		b.forget(w)
	}
	b.admit()
}

func (b *budget) forget(w *waiter) {
	for i, other := range b.waiting {
		if other == w {
			b.waiting = append(b.waiting[:i:i], b.waiting[i+1:]...)
			return
		}
	}
}
