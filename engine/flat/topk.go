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
	lowers     []float32 // the k greatest lower bounds so far: a heap, the least first
	candidates []candidate
	room       int // with so many candidates, those are dropped that are none any more
}

func newFinalists(k int) *finalists { return &finalists{k: k, room: 8*k + 1024} }

// least returns the least upper bound of a row that may be among the best.
func (f *finalists) least() float32 {
	if len(f.lowers) < f.k || f.lowers[0] <= 0 {
		return everyCosine
	}
	return f.lowers[0]
}

// everyCosine is below all upper bounds.
const everyCosine = -math.MaxFloat32

// add takes a row whose upper bound is not below least.
func (f *finalists) add(c candidate, lower float32) {
	f.push(lower)
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

// push keeps the k greatest lower bounds.
func (f *finalists) push(lower float32) {
	if len(f.lowers) < f.k {
		f.lowers = append(f.lowers, lower)
		f.up(len(f.lowers) - 1)
	} else if lower > f.lowers[0] {
		f.lowers[0] = lower
		f.down(0)
	}
}

func (f *finalists) up(i int) {
	h := f.lowers
	for i > 0 && h[i] < h[(i-1)/2] {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		i = (i - 1) / 2
	}
}

func (f *finalists) down(i int) {
	h := f.lowers
	for {
		child := 2*i + 1
		if child+1 < len(h) && h[child+1] < h[child] {
			child++
		}
		if child >= len(h) || h[i] <= h[child] {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
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
