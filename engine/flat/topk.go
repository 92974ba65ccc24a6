package flat

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/quirelib/quire"
)

// candidate is a row that may be among the best.
type candidate struct {
	block *block
	slot  int
	upper float32 // bound of its cosine
}

// finalists are the rows that may be among the k best, by bounds of their cosines.
//
// The k-th greatest lower bound is a cosine that k rows have at least; a row whose upper
// bound is below that is not among the best k. But all cosines below 0 are the same score.
type finalists struct {
	k          int
	lowers     nearHeap // the k greatest lower bounds so far, of whatever nodes
	candidates []candidate
	room       int // with so many candidates, those are dropped that are none any more
}

// begin begins anew, in the memory that there is.
func (f *finalists) begin(k int) {
	clear(f.candidates)
	f.k, f.lowers, f.candidates, f.room = k, f.lowers[:0], f.candidates[:0], 8*k+1024
}

// least returns the least upper bound of a row that may be among the best.
func (f *finalists) least() float32 {
	if len(f.lowers) < f.k || f.lowers[0].cosine <= 0 {
		return everyCosine
	}
	return f.lowers[0].cosine
}

// everyCosine is below all upper bounds.
const everyCosine = -math.MaxFloat32

// add takes a row whose upper bound is not below least.
func (f *finalists) add(c candidate, lower float32) {
	f.lowers.keep(near{cosine: lower}, f.k)
	f.candidates = append(f.candidates, c)
	if len(f.candidates) >= f.room {
		f.prune()
		f.room = max(f.room, 2*len(f.candidates))
	}
}

// prune drops the candidates that are none any more.
func (f *finalists) prune() {
	least := f.least()
	f.candidates = slices.DeleteFunc(f.candidates, func(c candidate) bool { return c.upper < least })
}

// checkEvery is how many candidates are scored before the context is looked at again.
const checkEvery = 1024

// hits scores the candidates and returns the k best. Those of the greatest bounds come first:
// a score that k have at least excludes more than lower bounds did, so that the rest need
// not be scored.
func (f *finalists) hits(ctx context.Context, q *query) ([]quire.Hit, error) {
	f.prune()
	slices.SortFunc(f.candidates, func(a, b candidate) int { return cmp.Compare(b.upper, a.upper) })
	more := f.k/4 + 8 // hits beyond the k best, before these are looked for again
	hits := make([]quire.Hit, 0, min(f.k+more, len(f.candidates)))
	least, full := 0.0, f.k
	for i, c := range f.candidates {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if max(float64(c.upper), 0) < least {
			break
		}
		hit := quire.Hit{ID: c.block.ids[c.slot]}
		if c.upper > 0 { // else it is known
			hit.Score = q.score(c.block.vector(c.slot), c.block.norms[c.slot])
		}
		if hits = append(hits, hit); len(hits) == full {
			hits = best(hits, f.k)
			least, full = hits[f.k-1].Score, f.k+more
		}
	}
	return best(hits, f.k), nil
}

// best sorts hits by descending score, ties by id, and returns the first k.
func best(hits []quire.Hit, k int) []quire.Hit {
	slices.SortFunc(hits, func(a, b quire.Hit) int {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return hits[:min(k, len(hits))]
}
