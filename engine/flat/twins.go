package flat

import (
	"bytes"
	"math"
)

// Twins are rows that are nearly alike: copies of a passage, or ones that differ in a word. If
// each had links, those of a large group would all lead to others of the group, and none into it
// or out of it. So the first that comes is a node with links, and the others hang on it in a
// chain: whoever comes by the first has them all.
//
// The first word of a node on level 0 leads to its twins, if it has any: twinsBit, and the number
// of the first of them plus one. That of a twin leads to the next in the same way. A twin has no
// links, on no level, and no links lead to it.
const (
	twinsBit = 1 << 31
	twinLink = twinsBit - 1 // what is left of the word without it
)

// leastTwin is the cosine from which on rows may be twins. With .999 groups of 70 whose cosines
// are .9975 were still torn apart. With .97 rows become twins that are not nearer to each other
// than to what else a search for them wants.
const leastTwin = 0.985

// twinRatio is how many times as far away as its twin the farthest of the near nodes of a new one
// is at least. Where all are as near as that, links lead from one to the next, and twins would be
// found later than their turn.
const twinRatio = 4

// twinRadius is more than how far apart the cosines of two twins with anything can be: the
// distance of vectors in unit length whose cosine is leastTwin, which is .1733, and what codes of
// 8 bits are off.
const twinRadius = 0.18

// twins reports whether a new node is to be a twin of the first of those near it, which are sorted.
func (l *linker) twins(v view, node uint32, at []near) bool {
	first, last := at[0], at[len(at)-1]
	const rough = 0.01 // more than what halved codes are off
	if first.cosine < leastTwin-rough {
		return false
	}
	own, other := v.codes(node), v.codes(first.node)
	return bytes.Equal(own, other) || twinRatio*(1-first.cosine) <= 1-last.cosine && areTwins(own, other)
}

// areTwins reports whether the codes of two rows are those of twins.
func areTwins(a, b []uint8) bool {
	dot, aa, bb := 0, 0, 0
	for i := range a {
		x, y := int(a[i])-codeZero, int(b[i])-codeZero
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	return float64(dot) >= leastTwin*math.Sqrt(float64(aa)*float64(bb))
}

// join hangs a blank node on one that has links.
func (g *graph) join(v view, node, first uint32) {
	lock := g.lock(first)
	lock.Lock()
	defer lock.Unlock()
	list, own := v.words(first, 0), v.words(node, 0)
	was := list[0].Load()
	if was&twinsBit != 0 {
		own[0].Store(was)
	} else {
		own[0].Store(twinsBit)
		// The link that was there goes behind the others, or in the place of the last.
		for i := 1; was != 0 && i < len(list); i++ {
			if list[i].Load() == 0 || i == len(list)-1 {
				list[i].Store(was)
				break
			}
		}
	}
	list[0].Store(twinsBit | (node + 1))
}

// blank reports whether a node has neither links nor twins, nor is one, so that nobody can come by it.
func (v view) blank(node uint32) bool { return v.words(node, 0)[0].Load() == 0 }

// takeTwins offers the twins of a node to the quest, from the first on, and reports whether it wants any.
func (w *walker) takeTwins(link uint32) (wanted bool) {
	for link != 0 {
		w.batch.n = 0
		for link != 0 && w.batch.n < len(w.batch.nodes) {
			link = w.nextTwin(link - 1)
		}
		if w.batch.n == 0 {
			return wanted
		}
		wanted = true
		w.batch.compare(w.probe.codes)
		for i, node := range w.batch.nodes[:w.batch.n] {
			c := w.coding(node)
			w.offer(near{w.cosine(w.batch.dots[i], c.scale), node}, c.residual)
		}
	}
	return wanted
}

// nextTwin puts a twin into the batch if the quest wants it, and returns what leads to the next.
func (w *walker) nextTwin(node uint32) uint32 {
	if int(node/blockRows) >= len(w.pages) {
		w.view = w.graph.view() // it came later than the walk began, and those behind it earlier
	}
	w.quest.budget -= twinRows
	if w.quest.budget < 0 || w.quest.keeps(node) && !w.add(node) {
		return 0 // the second only in a saved graph that was forged to lead in a circle
	}
	return w.words(node, 0)[0].Load() & twinLink
}
