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

// hits scores the candidates and returns the k best. A score that k have at least excludes
// more than lower bounds did, so that many candidates need not be scored.
func (f *finalists) hits(ctx context.Context, q *query) ([]quire.Hit, error) {
	f.prune()
	room := min(2*f.k+64, len(f.candidates))
	hits := make([]quire.Hit, 0, room)
	least := 0.0
	for i, c := range f.candidates {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if max(float64(c.upper), 0) < least {
			continue
		}
		hit := quire.Hit{ID: c.block.ids[c.slot]}
		if c.upper > 0 { // else it is known
			hit.Score = q.score(c.block.vector(c.slot), c.block.norms[c.slot])
		}
		if hits = append(hits, hit); len(hits) == room {
			hits = best(hits, f.k)
			least = hits[len(hits)-1].Score
		}
	}
	return best(hits, f.k), nil
}
