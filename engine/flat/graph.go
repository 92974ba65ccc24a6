package flat

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// graph is a hierarchical navigable small world over the rows of a tenant: each row is a
// node with links to near ones, and those of higher levels, of which there are fewer, have
// links to others of that level.
//
// It is the graph of Malkov and Yashunin, Efficient and robust approximate nearest neighbor
// search using Hierarchical Navigable Small World graphs, https://arxiv.org/abs/1603.09320:
// insert.go has algorithms 1 and 4, walk.go 2 and 5, twins.go what the paper does not have. Here
// distances are cosines of 8-bit codes, levels come from a hash of the node's number, or are
// those of a saved graph, and removed rows stay nodes that are walked through, until the graph
// is built anew.
//
// One goroutine adds pages, some link nodes beside each other, and any number walk, which
// take no lock: a list of links is read and written word by word. While it is
// written, it may be seen as a mix of what it was and will be, all of them nodes.
type graph struct {
	stride int // of the codes
	// pages are those of the nodes. What is published is not changed but replaced.
	pages atomic.Pointer[[]page]
	entry atomic.Uint32 // link to the node of the highest level, 0 without nodes
	enter sync.Mutex    // held to change entry

	walkers sync.Pool // of *walker
	locks   [256]sync.Mutex

	// What follows is the builder's alone.
	pageOf map[uint64]int // by when the block was born
	linked []int          // how many slots of each page are nodes, or were removed before
	ready  []slotSet      // nodes of each page that need no links, because a saved graph had them
	nodes  atomic.Int64   // which all may read
}

const (
	// degree is how many links a node has at most on levels above 0.
	degree = 16
	// baseDegree is how many links a node has at most on level 0. The paper gives a new node
	// degree of them; all of them make walks of the same length find more.
	baseDegree = 2 * degree
	// topLevel is the highest level that there is.
	topLevel = 7
)

// page is the nodes of a block: node n is slot n%blockRows of page n/blockRows. It shares the
// memory of the codes with the block, and keeps it when that is gone.
type page struct {
	codes   []uint8  // of the slots that are nodes
	codings []coding // of these
	// links has baseDegree words of each slot: the numbers of nodes plus one, zeros behind
	// them. The first may lead to twins instead.
	links []atomic.Uint32
	// upper has degree words of each slot and level above 0, from word degree*first[slot] on.
	upper []atomic.Uint32
	first *[blockRows + 1]uint16
}

func newGraph(stride int) *graph {
	g := &graph{stride: stride, pageOf: map[uint64]int{}}
	g.pages.Store(&[]page{})
	g.walkers.New = func() any { return &walker{graph: g} }
	return g
}

// pageLevels are the highest levels that the nodes of a page have links on.
type pageLevels [blockRows]uint8

// levelsOf returns those of a page that is built.
func levelsOf(number int) *pageLevels {
	levels := new(pageLevels)
	for slot := range levels {
		levels[slot] = levelOf(uint32(number*blockRows + slot))
	}
	return levels
}

// newPage makes a page with room for the links of all slots.
func newPage(levels *pageLevels) page {
	p := page{links: make([]atomic.Uint32, blockRows*baseDegree), first: new([blockRows + 1]uint16)}
	lists := uint16(0)
	for slot, level := range levels {
		lists += uint16(level)
		p.first[slot+1] = lists
	}
	p.upper = make([]atomic.Uint32, int(lists)*degree)
	return p
}

// trimmed returns a copy of a page with room for its nodes alone. Nobody may link nodes meanwhile; those
// that walk through the page itself find in it what they would have found.
func (p page) trimmed() page {
	nodes := len(p.codings)
	t := page{codes: slices.Clone(p.codes), codings: slices.Clone(p.codings), first: p.first}
	t.links = copied(p.links[:nodes*baseDegree])
	t.upper = copied(p.upper[:int(p.first[nodes])*degree])
	return t
}

func copied(words []atomic.Uint32) []atomic.Uint32 {
	to := make([]atomic.Uint32, len(words))
	for i := range words {
		to[i].Store(words[i].Load())
	}
	return to
}

// levelOf makes a level for a node: one in degree nodes of a level is on the next.
func levelOf(node uint32) uint8 {
	// The finalizer of splitmix64, which mixes consecutive numbers well.
	h := (uint64(node) + 1) * 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	h ^= h >> 31
	const bitsOfDegree = 4
	return uint8(min(bits.LeadingZeros64(h)/bitsOfDegree, topLevel))
}

// view is the nodes of a graph at some moment.
type view struct {
	pages  []page
	stride int
}

// lock returns what is locked to change the links of a node.
func (g *graph) lock(node uint32) *sync.Mutex { return &g.locks[node%uint32(len(g.locks))] }

func (g *graph) view() view { return view{*g.pages.Load(), g.stride} }

// codes returns the codes of a node, nil of one that the view does not have yet.
func (v view) codes(node uint32) []uint8 {
	n, slot := int(node/blockRows), int(node%blockRows)
	if n >= len(v.pages) {
		return nil
	}
	codes, end := v.pages[n].codes, (slot+1)*v.stride
	if end > len(codes) {
		return nil
	}
	return codes[end-v.stride : end : end]
}

// coding returns what the codes of a node stand for.
func (v view) coding(node uint32) coding {
	return v.pages[node/blockRows].codings[node%blockRows]
}

// level returns the highest level that a node has links on.
func (v view) level(node uint32) int {
	first, slot := v.pages[node/blockRows].first, node%blockRows
	return int(first[slot+1] - first[slot])
}

// links returns the links of a node on a level that it has.
func (v view) links(node uint32, level int) []atomic.Uint32 {
	list := v.words(node, level)
	if level == 0 && list[0].Load()&twinsBit != 0 {
		return list[1:]
	}
	return list
}

// words returns the words of a node on a level that it has: the links, and what leads to twins.
func (v view) words(node uint32, level int) []atomic.Uint32 {
	p, slot := &v.pages[node/blockRows], int(node%blockRows)
	if level == 0 {
		return p.links[slot*baseDegree:][:baseDegree]
	}
	return p.upper[(int(p.first[slot])+level-1)*degree:][:degree]
}
