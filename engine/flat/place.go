package flat

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// placement puts a saved graph over the rows of a tenant: pages are made as the builder
// makes them, and links are written to where the rows are now.
type placement struct {
	target target
	graph  *graph
	view   view
	rows   int      // live ones of the tenant
	kept   int      // of these, those that have their node with most of its links
	levels []uint8  // by saved number
	nodes  []uint32 // by saved number: link to the node that it is now, 0 for none
	placed []slotSet
	lost   []slotSet // nodes that have lost too many links
	twin   []uint32  // by saved number: the number of its next twin plus one, 0 for none
	twins  []bool    // by saved number: whether it is a twin
}

// newPlacement finds the rows of saved nodes, and gives them their levels.
func newPlacement(ctx context.Context, t target, digests []uint64, levels []uint8) (*placement, error) {
	p := &placement{target: t, graph: newGraph(stride(t.tenant.dimension)), levels: levels,
		nodes: make([]uint32, len(digests)), placed: make([]slotSet, len(t.blocks)), lost: make([]slotSet, len(t.blocks)),
		twin: make([]uint32, len(digests)), twins: make([]bool, len(digests))}
	saved := make(map[uint64]uint32, len(digests))
	for i, d := range digests {
		saved[d] = uint32(i)
	}
	delete(saved, 0) // those without a row
	rows := digestsOf(ctx, t.blocks)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	pages := make([]page, len(t.blocks))
	for n, b := range t.blocks {
		p.rows += b.count
		pages[n] = newPage(p.place(n, rows[n], saved))
		pages[n].codes, pages[n].codings = b.codes, b.codings
		p.graph.pageOf[b.born] = n
	}
	p.graph.pages.Store(&pages)
	p.view = p.graph.view()
	return p, nil
}

// digestsOf returns the digests of the rows of blocks, found by all processors, unless the context
// ends.
func digestsOf(ctx context.Context, blocks []*block) []*[blockRows]uint64 {
	all := make([]*[blockRows]uint64, len(blocks))
	var next atomic.Int64
	var done sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(blocks)) {
		done.Go(func() {
			var d digester
			for i := int(next.Add(1)) - 1; i < len(blocks) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				all[i] = d.rows(blocks[i], blocks[i].rows())
			}
		})
	}
	done.Wait()
	return all
}

// place finds the saved nodes of the rows of a page, and returns the levels of all its slots.
func (p *placement) place(number int, digests *[blockRows]uint64, saved map[uint64]uint32) *pageLevels {
	levels := levelsOf(number)
	for slot, digest := range digests {
		if digest == 0 {
			continue
		}
		if i, known := saved[digest]; known && p.nodes[i] == 0 {
			p.nodes[i] = uint32(number*blockRows+slot) + 1
			p.placed[number].add(slot)
			levels[slot] = p.levels[i]
		}
	}
	return levels
}

// leastKept is how many links a node must have kept of some that it has lost: so that it
// does not fade away when it loses less than half again and again.
const leastKept = degree / 2

// link writes the links of a node on a level, as far as they lead to nodes that have rows. The
// first leads to its twins, if it has any: that is written when all chains are known.
func (p *placement) link(saved, level int, links []uint32, twins bool) {
	if twins && !p.twins[links[0]] { // else it was forged
		p.twin[saved], p.twins[links[0]] = links[0]+1, true
	}
	if p.nodes[saved] == 0 {
		return
	}
	node, kept := p.nodes[saved]-1, 0
	list := p.view.words(node, level)
	if twins {
		list[0].Store(twinsBit)
		list, links = list[1:], links[1:]
	}
	for _, to := range links {
		if now := p.nodes[to]; now != 0 {
			list[kept].Store(now)
			kept++
		}
	}
	if kept < len(links) && kept < max((len(links)+1)/2, leastKept) {
		p.lost[node/blockRows].add(int(node % blockRows))
	}
}

// settle says which nodes need nothing more: those that have kept most of their links and
// that walks get to. Of a million a thousand may be those that no walk got to before either. Twins
// whose first was removed since are among the others, which begin anew.
func (p *placement) settle() {
	p.chain()
	reached := p.reach(p.enter())
	g := p.graph
	g.linked = make([]int, len(reached))
	g.ready = make([]slotSet, len(reached))
	for n, b := range p.target.blocks {
		for slot := range blockRows {
			if p.placed[n].has(slot) {
				p.mark(uint32(n*blockRows+slot), reached[n].has(slot))
			}
		}
		ready := p.placed[n]
		for i, word := range p.lost[n] {
			ready[i] &^= word
		}
		ready.intersect(&reached[n])
		p.kept += ready.count()
		g.ready[n] = ready
		g.nodes.Add(int64(ready.count()))
		for g.linked[n] < b.rows() && (ready.has(g.linked[n]) || !b.live.has(g.linked[n])) {
			g.linked[n]++
		}
	}
}

// chain leads from each node to the next of its twins that has a row, past others.
func (p *placement) chain() {
	for saved, link := range p.nodes {
		if link == 0 {
			continue
		}
		// Each is the twin of one at most: so none without a row is passed twice, and a circle leads back here.
		to := p.twin[saved]
		for to != 0 && p.nodes[to-1] == 0 {
			to = p.twin[to-1]
		}
		if to != 0 && p.nodes[to-1] != link {
			p.view.words(link-1, 0)[0].Store(twinsBit | p.nodes[to-1])
		}
	}
}

// mark makes a node that walks get to no blank one, and one that they do not get to one.
func (p *placement) mark(node uint32, reached bool) {
	list := p.view.words(node, 0)
	if !reached {
		store(list, nil)
	} else if list[0].Load() == 0 {
		list[0].Store(twinsBit)
	}
}

// enter makes walks begin at the first of the placed nodes of the highest level, of those
// that have kept most of their links, and any; or, where there are none because all rows are alike,
// at one with twins. It returns a link to that, 0 if there is none.
func (p *placement) enter() uint32 {
	highest, entry := -1, uint32(0)
	for saved, link := range p.nodes {
		if link == 0 || p.lost[(link-1)/blockRows].has(int((link-1)%blockRows)) {
			continue
		}
		level := 0
		if p.view.links(link-1, 0)[0].Load() != 0 {
			level = 1 + p.view.level(link-1)
		} else if p.twin[saved] == 0 || p.twins[saved] {
			continue
		}
		if level > highest {
			highest, entry = level, link
		}
	}
	p.graph.entry.Store(entry)
	return entry
}

// reach returns the nodes that can be come by from one on, on level 0 or as a twin.
func (p *placement) reach(entry uint32) []slotSet {
	reached := make([]slotSet, len(p.placed))
	var ahead []uint32
	come := func(link uint32) {
		n, slot := (link-1)/blockRows, int((link-1)%blockRows)
		if !reached[n].has(slot) {
			reached[n].add(slot)
			ahead = append(ahead, link-1)
		}
	}
	if entry != 0 {
		come(entry)
	}
	for len(ahead) > 0 {
		node := ahead[len(ahead)-1]
		ahead = ahead[:len(ahead)-1]
		list := p.view.words(node, 0)
		for i := range list {
			word := list[i].Load()
			if word == 0 {
				break
			}
			if link := word & twinLink; link != 0 {
				come(link)
			}
		}
	}
	return reached
}
