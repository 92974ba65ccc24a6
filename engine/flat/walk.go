package flat

import "context"

// walker is what walks through a graph: one walk at a time.
type walker struct {
	view
	probe
	visited []uint8 // by node: epoch if it was seen on this level
	epoch   uint8
	self    uint32   // link to a node that the walk passes over, 0 for none
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
func (w *walker) aim(v view, p probe) { w.view, w.probe = v, p }

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

// see puts the neighbours of a node that were not seen yet into the batch.
func (w *walker) see(node uint32, level int) {
	w.batch.n = 0
	list := w.links(node, level)
	for i := range list {
		link := list[i].Load()
		if link == 0 {
			break
		}
		w.add(link - 1)
	}
}

// add puts a node into the batch that was not seen yet.
func (w *walker) add(node uint32) {
	if int(node) >= len(w.visited) || w.visited[node] == w.epoch {
		return
	}
	codes := w.view.codes(node)
	if codes == nil {
		return
	}
	w.visited[node] = w.epoch
	b := &w.batch
	b.nodes[b.n], b.rows[b.n] = node, codes
	b.n++
}

// start compares the probe with one node.
func (w *walker) start(node uint32) near {
	w.batch.n, w.batch.nodes[0], w.batch.rows[0] = 1, node, w.view.codes(node)
	w.batch.compare(w.probe.codes)
	return near{w.cosine(w.batch.dots[0], w.coding(node).scale), node}
}

// descend goes from a node to nearer ones on a level, as long as there is one.
func (w *walker) descend(from near, level int) near {
	w.forget()
	for {
		w.see(from.node, level)
		if w.batch.n == 0 {
			return from
		}
		w.batch.compare(w.probe.codes)
		best := from
		for i, node := range w.batch.nodes[:w.batch.n] {
			if c := w.cosine(w.batch.dots[i], w.coding(node).scale); c > best.cosine {
				best = near{c, node}
			}
		}
		if best == from {
			return from
		}
		from = best
	}
}

// keeper says which nodes a walk is to find; nil means all.
type keeper interface{ keeps(node uint32) bool }

// checkSteps is how many steps a walk takes before it looks at its context again.
const checkSteps = 256

// spread finds the most nodes nearest to the probe on a level that a keeper keeps, from some
// nodes on, which must have that level. It leaves them in w.found.
func (w *walker) spread(ctx context.Context, from []near, level, most int, keep keeper) error {
	w.forget()
	w.ahead, w.found = w.ahead[:0], w.found[:0]
	for _, n := range from {
		w.visited[n.node] = w.epoch
		w.ahead.push(near{-n.cosine, n.node})
		if keep == nil || keep.keeps(n.node) {
			w.found.keep(n, most)
		}
	}
	for steps := 1; len(w.ahead) > 0; steps++ {
		if steps%checkSteps == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		next := w.ahead.pop()
		if len(w.found) == most && -next.cosine < w.found[0].cosine {
			return nil
		}
		if w.see(next.node, level); w.batch.n > 0 {
			w.batch.compare(w.probe.codes)
			w.take(level, most, keep)
		}
	}
	return nil
}

// take sorts the nodes of the batch into those ahead and those found. The links of those ahead
// are fetched meanwhile.
func (w *walker) take(level, most int, keep keeper) {
	for i, node := range w.batch.nodes[:w.batch.n] {
		n := near{w.cosine(w.batch.dots[i], w.coding(node).scale), node}
		if len(w.found) == most && n.cosine <= w.found[0].cosine {
			continue
		}
		w.ahead.push(near{-n.cosine, node})
		fetchLinks(&w.links(node, level)[0])
		if keep == nil || keep.keeps(node) {
			w.found.keep(n, most)
		}
	}
}
