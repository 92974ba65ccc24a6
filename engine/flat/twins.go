package flat

import "math"

// Twins are rows that are nearly alike: copies of a passage, or ones that differ in a word. If
// each had links, those of a large group would all lead to others of the group, and none into it
// or out of it. So the first that comes is a node with links, and the others hang on it in a
// chain: whoever comes by the first has them all.
//
// The first word of a node on level 0 leads to its twins, if it has any: twinsBit, and the number
// of the first of them plus one. That of a twin leads to the next in the same way, and that of the
// last is twinsBit alone, so that it is not taken for a node that nobody can come by. A twin has no
// links, on no level, and no links lead to it.
const (
	twinsBit = 1 << 31
	twinLink = twinsBit - 1 // what is left of the word without it
)

// leastTwin is the cosine from which on rows may be twins. With .999 groups of 70 whose cosines
// are .9975 were still torn apart. With .97 rows become twins that are not nearer to each other
// than to what else a search for them wants.
const leastTwin = 0.985

// sureTwin is the cosine from which on rows are twins whatever else is there. Codes hardly tell such
// rows apart, so that links among thousands of them lead nowhere.
const sureTwin = 0.995

// twinRatio is how many times as far away as its twin the farthest of the near nodes of a new one
// is at least, if they are not sure to be twins. Where all are as near as that, links lead from one to
// the next, and twins would be found later than their turn.
const twinRatio = 4

// twinRadius is more than how far apart the cosines of two twins with anything can be: the
// distance of vectors in unit length whose cosine is leastTwin, which is .1733, and what codes of
// 8 bits are off.
const twinRadius = 0.18

// twinChoice is how many of the nodes near a new one are compared with whole codes. What
// halved codes are off may put others before the nearest, as where one number is far larger than all others.
const twinChoice = 8

// twinOf returns a link to the node that a new one is to be a twin of, 0 for none. The nodes near it
// are sorted.
func (l *linker) twinOf(v view, node uint32, at []near) uint32 {
	own := v.codes(node)
	rough := v.coding(node).scale * float32(math.Sqrt(float64(len(own)))) // what halving can take off at most
	first, last := at[0], at[len(at)-1]
	if first.cosine < leastTwin-rough {
		return 0
	}
	for _, n := range at[:min(len(at), twinChoice)] {
		if cosineOf(own, v.codes(n.node)) >= sureTwin {
			return n.node + 1
		}
	}
	if twinRatio*(1-first.cosine) > 1-last.cosine || cosineOf(own, v.codes(first.node)) < leastTwin {
		return 0
	}
	return first.node + 1
}

// cosineOf returns the cosine of what the codes of two rows stand for.
func cosineOf(a, b []uint8) float64 {
	dot, aa, bb := 0, 0, 0
	for i := range a {
		x, y := int(a[i])-codeZero, int(b[i])-codeZero
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	return float64(dot) / math.Sqrt(float64(aa)*float64(bb))
}

// join hangs a blank node on one that has links.
func (l *linker) join(v view, node, first uint32) {
	lock := l.graph.lock(first)
	lock.Lock()
	defer lock.Unlock()
	list, own := v.words(first, 0), v.words(node, 0)
	if was := list[0].Load(); was&twinsBit != 0 {
		own[0].Store(was)
	} else {
		own[0].Store(twinsBit)
		l.makeRoom(v, first)
	}
	list[0].Store(twinsBit | (node + 1))
}

// makeRoom moves the links of a node on level 0 out of the first word. If there is no room behind it,
// they are chosen anew. Its lock is held.
func (l *linker) makeRoom(v view, node uint32) {
	list := v.words(node, 0)
	for i := range list {
		if list[i].Load() == 0 {
			list[i].Store(list[0].Load())
			return
		}
	}
	l.near = l.near[:0]
	l.weigh(v, node, list)
	l.rest = l.choose(l.rest[:0], l.near, len(list)-1)
	store(list[1:], l.rest)
}

// blank reports whether a node has neither links on any level nor twins, nor is one, so that nobody
// can come by it.
func (v view) blank(node uint32) bool {
	for level := range v.level(node) + 1 {
		if v.words(node, level)[0].Load() != 0 {
			return false
		}
	}
	return true
}

// twin returns what leads from a node to its first or next twin, 0 without one.
func (v view) twin(node uint32) uint32 {
	word := v.words(node, 0)[0].Load()
	if word&twinsBit == 0 {
		return 0
	}
	return word & twinLink
}

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

// twinLook is how many twins of a node are looked at for one that the quest keeps.
const twinLook = 8

// keepsTwin reports whether the quest keeps one of the first twins of a node, from a link on.
func (w *walker) keepsTwin(link uint32) bool {
	for range twinLook {
		if link == 0 {
			break
		}
		if w.quest.keeps(link - 1) {
			return true
		}
		link = w.passTwin(link - 1)
	}
	return false
}

// nextTwin puts a twin into the batch if the quest wants it, and returns what leads to the next.
func (w *walker) nextTwin(node uint32) uint32 {
	next := w.passTwin(node)
	if w.quest.budget < 0 || w.quest.keeps(node) && !w.add(node) {
		return 0 // the second only in a saved graph that was forged to lead in a circle
	}
	return next
}

// passTwin pays for the look at a twin, and returns what leads to the next.
func (w *walker) passTwin(node uint32) uint32 {
	if int(node/blockRows) >= len(w.pages) {
		w.view = w.graph.view() // it came later than the walk began, and those behind it earlier
	}
	w.quest.budget -= twinRows
	return w.twin(node)
}

// rows returns how many rows a walk has found that found no further nodes, with twins, up to most.
func (w *walker) rows(most int) (count int) {
	keep := func(node uint32) {
		if w.quest.keeps(node) {
			count++
		}
	}
	for _, n := range w.found {
		keep(n.node)
		for link := w.twin(n.node); link != 0 && count < most && w.quest.budget >= 0; link = w.passTwin(link - 1) {
			keep(link - 1)
		}
	}
	return count
}
