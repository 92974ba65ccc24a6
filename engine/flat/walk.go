package flat

import "context"

// walker is what walks through a graph: one walk at a time.
type walker struct {
	graph *graph
	view
	probe
	quest   *quest  // nil for a walk that wants all nodes
	visited []uint8 // by node: epoch if it was seen on this level
	epoch   uint8
	self    uint32   // link to a node that the walk passes over, 0 for none
	at      []near   // where the next walk begins
	ahead   nearHeap // nodes to look at the neighbours of; cosines are negated, so that the nearest is first
	found   nearHeap
	batch   batch
}

// probe is codes to compare with those of rows, and what turns dot products into cosines.
type probe struct {
	codes []int8
	bias  int32
	scale float32
}

// cosine returns about the cosine that a dot product of codes stands for.
func (p *probe) cosine(dot int32, scale float32) float32 {
	return float32(dot-p.bias) * scale * p.scale
}

// batch is nodes that are compared at once.
type batch struct {
	n     int
	nodes [baseDegree]uint32
	rows  [baseDegree][]uint8
	dots  [baseDegree]int32
}

// compare fills dots. There are nodes.
func (b *batch) compare(codes []int8) {
	padded := (b.n + groupRows - 1) / groupRows * groupRows
	for i := b.n; i < padded; i++ {
		b.rows[i] = b.rows[0]
	}
	dotRows(b.rows[:padded], codes, &b.dots)
}

// aim makes the walker walk through what the graph has now, towards a probe.
func (w *walker) aim(v view, p probe) { w.view, w.probe, w.quest = v, p, nil }

// forget makes all nodes unseen.
func (w *walker) forget() {
	if n := len(w.pages) * blockRows; len(w.visited) < n {
		w.visited, w.epoch = make([]uint8, n+n/8), 0
	}
	if w.epoch++; w.epoch == 0 {
		clear(w.visited)
		w.epoch = 1
	}
	if w.self > 0 {
		w.visited[w.self-1] = w.epoch
	}
}

// see puts the neighbours of a node that were not seen yet into the batch, and returns what
// leads to its twins, 0 without any.
func (w *walker) see(node uint32, level int) (twins uint32) {
	w.batch.n = 0
	list := w.words(node, level)
	for i := range list {
		switch link := list[i].Load(); {
		case link == 0:
			return twins
		case link&twinsBit != 0:
			twins = link & twinLink
		default:
			w.add(link - 1)
		}
	}
	return twins
}

// add puts a node into the batch, unless it was seen before or is not in the view.
func (w *walker) add(node uint32) bool {
	if int(node) >= len(w.visited) || w.visited[node] == w.epoch {
		return false
	}
	codes := w.view.codes(node)
	if codes == nil {
		return false
	}
	w.visited[node] = w.epoch
	b := &w.batch
	b.nodes[b.n], b.rows[b.n] = node, codes
	b.n++
	return true
}

// start compares the probe with one node.
func (w *walker) start(node uint32) near {
	w.batch.n, w.batch.nodes[0], w.batch.rows[0] = 1, node, w.view.codes(node)
	w.batch.compare(w.probe.codes)
	return near{w.cosine(w.batch.dots[0], w.coding(node).scale), node}
}

// upperWidth is how many near nodes a walk keeps on levels above those it is to search. With
// one, as in the paper, it gets stuck where rows lie in many narrow groups.
const upperWidth = 8

// descend makes w.at the nodes that are nearest to the probe on the level above one.
func (w *walker) descend(from near, top, level int) {
	w.at = append(w.at[:0], from)
	for ; top > level; top-- {
		_ = w.spread(context.Background(), top, upperWidth) // which nobody can cancel
		w.at = append(w.at[:0], w.found...)
	}
}

// checkSteps is how many steps a walk takes before it looks at its context again.
const checkSteps = 256

// spread finds the most nodes nearest to the probe on a level that its quest wants, from w.at
// on, which must have that level. It leaves them in w.found. It ends early when the budget of the
// quest is used up.
func (w *walker) spread(ctx context.Context, level, most int) error {
	w.forget()
	w.ahead, w.found = w.ahead[:0], w.found[:0]
	for _, n := range w.at {
		w.visited[n.node] = w.epoch
		w.offer(n, w.coding(n.node).residual)
		w.meet(n, level, most)
	}
	for steps := 1; len(w.ahead) > 0; steps++ {
		if steps%checkSteps == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		next := w.ahead.pop()
		if len(w.found) == most && -next.cosine < w.found[0].cosine {
			return nil
		}
		twins := w.see(next.node, level)
		if w.batch.n > 0 {
			w.batch.compare(w.probe.codes)
			w.take(level, most)
		}
		if w.quest != nil && !w.pursue(near{-next.cosine, next.node}, twins, most) {
			return nil
		}
	}
	return nil
}

// take sorts the nodes of the batch.
func (w *walker) take(level, most int) {
	for i, node := range w.batch.nodes[:w.batch.n] {
		c := w.coding(node)
		n := near{w.cosine(w.batch.dots[i], c.scale), node}
		w.offer(n, c.residual)
		if len(w.found) < most || n.cosine > w.found[0].cosine {
			w.meet(n, level, most)
		}
	}
}

// offer gives a node to the quest, if there is one that may want it.
func (w *walker) offer(n near, residual float32) {
	if w.quest != nil && w.quest.mayWant(n.cosine, residual) {
		w.quest.offer(n, residual)
	}
}

// meet puts a node among those ahead and, if it is to be found, those found. Its links are fetched
// meanwhile.
func (w *walker) meet(n near, level, most int) {
	w.ahead.push(near{-n.cosine, n.node})
	fetchLinks(&w.words(n.node, level)[0])
	if w.quest == nil || w.quest.keeps(n.node) {
		w.found.keep(n, most)
	}
}

// pursue looks at the twins of a node that the walk is at, if they may be wanted, and reports whether
// the quest may go on. A node that the quest does not keep is found for its twins.
func (w *walker) pursue(n near, twins uint32, most int) bool {
	if twins != 0 {
		look := w.keepsTwin
		if w.quest.mayWant(n.cosine+twinRadius, w.coding(n.node).residual) {
			look = w.takeTwins
		} else if w.quest.keeps(n.node) {
			look = nil
		}
		if look != nil && look(twins) && !w.quest.keeps(n.node) {
			w.found.keep(n, most)
		}
	}
	w.quest.budget -= walkRows
	return w.quest.budget >= 0
}
