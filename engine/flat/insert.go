package flat

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
)

// insertEffort is how many near nodes the links of a new one are chosen from.
const insertEffort = 128

// linker links nodes, one at a time.
type linker struct {
	walker
	own, other []int8               // codes of the node that is linked, and of others
	chosen     [topLevel + 1][]near // its links
	near, rest []near
}

func (g *graph) newLinker() *linker {
	return &linker{walker: walker{graph: g}, own: make([]int8, g.stride), other: make([]int8, g.stride)}
}

// insert links a node with near ones, and these with it, or makes it a twin of one. Its own links are
// complete before anybody can come by it, so that no walk gets stuck in it. A node of a saved graph
// that has lost links can be come by already.
func (l *linker) insert(node uint32) {
	v := l.graph.view()
	l.aim(v, probeOf(v, node, l.own))
	l.self = node + 1
	entry := l.graph.enterAt(node)
	if entry == node {
		return
	}
	level := min(v.level(node), v.level(entry))
	l.descend(l.start(entry), v.level(entry), level)
	for n := level; n >= 0; n-- {
		_ = l.spread(context.Background(), n, insertEffort) // which nobody can cancel
		l.at = append(l.at[:0], l.found...)
		l.chosen[n] = l.choose(l.chosen[n][:0], l.at, len(v.links(node, n)))
	}
	if v.blank(node) {
		if first := l.twinOf(v, node, l.at); first != 0 {
			l.join(v, node, first-1)
			return
		}
	}
	for n := level; n >= 0; n-- {
		l.give(v, node, n)
	}
	for n := level; n >= 0; n-- {
		for _, to := range l.chosen[n] {
			l.link(v, to.node, n, near{to.cosine, node})
		}
	}
	l.graph.enterFrom(node)
}

// give gives a node the chosen links on a level.
func (l *linker) give(v view, node uint32, level int) {
	lock := l.graph.lock(node)
	lock.Lock()
	defer lock.Unlock()
	store(v.links(node, level), l.chosen[level])
}

// enterAt returns the node where walks begin, which is the given one if there is none.
func (g *graph) enterAt(node uint32) uint32 {
	if g.entry.CompareAndSwap(0, node+1) {
		return node
	}
	return g.entry.Load() - 1
}

// enterFrom makes walks begin at a node if it has a higher level than where they do.
func (g *graph) enterFrom(node uint32) {
	g.enter.Lock()
	defer g.enter.Unlock()
	if v := g.view(); v.level(node) > v.level(g.entry.Load()-1) {
		g.entry.Store(node + 1)
	}
}

// store writes a list of links.
func store(list []atomic.Uint32, to []near) {
	for i := range list {
		link := uint32(0)
		if i < len(to) {
			link = to[i].node + 1
		}
		list[i].Store(link)
	}
}

// choose appends to chosen up to most of some nodes: from the nearest on, those that are
// nearer to where they were looked from than to one that was chosen before. So links go in
// all directions, not just into the middle of the nearest cluster. It sorts from.
func (l *linker) choose(chosen, from []near, most int) []near {
	slices.SortFunc(from, func(a, b near) int { return cmp.Compare(b.cosine, a.cosine) })
	for _, n := range from {
		if len(chosen) == most {
			break
		}
		if l.apart(n, chosen) {
			chosen = append(chosen, n)
		}
	}
	return chosen
}

// apart reports whether a node is nearer to where it was looked at from than to all others.
func (l *linker) apart(n near, others []near) bool {
	if len(others) == 0 {
		return true
	}
	p := probeOf(l.view, n.node, l.other)
	b := &l.batch
	b.n = len(others)
	for i, o := range others {
		b.rows[i] = l.view.codes(o.node)
	}
	b.compare(p.codes)
	for i, o := range others {
		if p.cosine(b.dots[i], l.coding(o.node).scale) >= n.cosine {
			return false
		}
	}
	return true
}

// link gives a node a link on a level. If it has as many as it may have, all are chosen anew.
func (l *linker) link(v view, node uint32, level int, to near) {
	lock := l.graph.lock(node)
	lock.Lock()
	defer lock.Unlock()
	list := v.links(node, level)
	for i := range list {
		switch list[i].Load() {
		case 0:
			list[i].Store(to.node + 1)
			return
		case to.node + 1:
			return
		}
	}
	l.near = append(l.near[:0], to)
	l.weigh(v, node, list)
	l.rest = l.choose(l.rest[:0], l.near, len(list))
	store(list, l.rest)
}

// weigh appends to l.near where a full list of links of a node leads.
func (l *linker) weigh(v view, node uint32, list []atomic.Uint32) {
	p := probeOf(v, node, l.other)
	b := &l.batch
	b.n = len(list)
	for i := range list {
		b.nodes[i] = list[i].Load() - 1
		b.rows[i] = v.codes(b.nodes[i])
	}
	b.compare(p.codes)
	for i, n := range b.nodes[:b.n] {
		l.near = append(l.near, near{p.cosine(b.dots[i], v.coding(n).scale), n})
	}
}

// probeOf makes a probe of a node. Its codes, which it writes to codes, are half of the node's,
// because the kernels want 7 bits.
func probeOf(v view, node uint32, codes []int8) probe {
	sum := halve(codes, v.codes(node))
	return probe{codes: codes, bias: sum * codeZero, scale: 2 * v.coding(node).scale}
}
