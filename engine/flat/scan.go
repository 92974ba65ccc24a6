package flat

import (
	"context"

	"github.com/quirelib/quire"
)

// nearest returns the limit rows nearest to the query.
func (s selection) nearest(ctx context.Context, q *query, limit int) ([]quire.Hit, error) {
	limit = min(limit, s.count())
	if limit == 0 {
		return nil, nil
	}
	f := newFinalists(limit)
	var w work
	for i := range s {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.scan(&s[i], q, f)
	}
	return f.hits(ctx, q)
}

// work is the memory of a scan.
type work struct {
	slots [blockRows]uint16
	dots  [blockRows]int32
}

// allSlots are the slots of a full block.
var allSlots = func() (all [blockRows]uint16) {
	for i := range all {
		all[i] = uint16(i)
	}
	return all
}()

// scan compares the codes of the chosen rows of a block with those of the query.
func (w *work) scan(c *chosen, q *query, f *finalists) {
	slots, n := allSlots[:], c.slots.count()
	if n < blockRows {
		slots = w.slots[:c.slots.list(&w.slots)]
		for len(slots)%groupRows != 0 {
			slots = append(slots, slots[0])
		}
	}
	dotCodes(c.codes, q.codes, slots, &w.dots)
	least, bounds, codings := f.least(), q.bounds, c.codings
	for i, slot := range slots[:n] {
		if upper, width := bounds.upper(w.dots[i], codings[slot]); upper >= least {
			f.add(candidate{c.block, int(slot), upper}, upper-width)
			least = f.least()
		}
	}
}

// checkEvery is how many candidates are scored before the context is looked at again.
const checkEvery = 1024

// hits scores the candidates and returns the k best.
func (f *finalists) hits(ctx context.Context, q *query) ([]quire.Hit, error) {
	f.prune()
	hits := make([]quire.Hit, len(f.candidates))
	for i, c := range f.candidates {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		hits[i].ID = c.block.ids[c.slot]
		if c.upper > 0 { // else it is known
			hits[i].Score = q.score(c.block.vector(c.slot), c.block.norms[c.slot])
		}
	}
	return best(hits, f.k), nil
}
