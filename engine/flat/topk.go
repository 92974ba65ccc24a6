package flat

import (
	"cmp"
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

func newFinalists(k int) *finalists { return &finalists{k: k, room: 8*k + 1024} }

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
