package flat

import (
	"context"
	"math/bits"

	"github.com/quirelib/quire"
)

// nearest returns about the limit rows nearest to the query: of those that are linked, what a
// walk finds, of all others exactly. Where comparing all is faster, or a walk does not find
// enough, all are compared.
func (g *graph) nearest(ctx context.Context, s *searcher, q *query, limit, width int) ([]quire.Hit, error) {
	if linked, nodes := s.rows.linked(), g.size(); limit < linked {
		if width == 0 {
			width = usualWidth(limit, nodes)
		}
		if width = min(max(width, limit), linked); pays(linked, nodes, width) {
			hits, err := g.find(ctx, s, q, limit, width)
			if hits != nil || err != nil {
				return hits, err
			}
		}
	}
	return s.nearest(ctx, q, limit)
}

// size is how many nodes there are, those of removed rows too.
func (g *graph) size() int { return int(g.nodes.Load()) }

// usualWidth is how many near nodes a search looks for. With so many, recall is 0.99 for
// passages that engine/static has embedded, as docs/decisions/0033-graph.md has it, and more
// where vectors are in clusters; of 1,000,000 of these too, which takes more for each doubling
// beyond 131,071.
func usualWidth(limit, nodes int) int {
	doublings := bits.Len(uint(nodes))
	return 5*limit + 14*doublings + 40*max(0, doublings-17)
}

// pays reports whether a walk takes less time than comparing rows, of so many nodes. A walk
// compares the more nodes for each that it keeps the more there are which it does not keep;
// for each it takes the time in which a scan reads walkRows rows: measured from 10,000 to
// 100,000 rows of 384 numbers, with filters that keep one in 2 to 100.
func pays(rows, nodes, width int) bool {
	return float64(width)*walkRows*float64(nodes) < float64(rows)*float64(rows)
}

const (
	walkRows = 48 // rows that a scan reads in the time of a step
	twinRows = 4  // and of a look at a twin
)

// quest is what a search wants of a walk on level 0.
type quest struct {
	*searcher
	bounds bounds
	least  float32 // upper bound that a row has at least which may be among the best
	// budget is how many rows a scan may still read in the time that the walk takes. Filters that
	// leave nothing near the query would make it walk through all nodes.
	budget int
}

// mayWant reports whether a row of this residual may be among the best, if its codes give this
// cosine.
func (q *quest) mayWant(cosine, residual float32) bool {
	return cosine+q.bounds.about(residual) >= q.least
}

func (q *quest) keeps(node uint32) bool { return q.selected.keeps(node) }

// offer adds the row of a node to the finalists, which may want it: as a scan would, so that none
// is passed over whose codes are like those of others.
func (q *quest) offer(n near, residual float32) {
	if !q.keeps(n.node) {
		return
	}
	b, slot := q.selected.at(n.node)
	margin := q.bounds.about(residual)
	q.finalists.add(candidate{b, slot, n.cosine + margin}, n.cosine-margin)
	q.least = q.finalists.least()
}

// find returns the limit best rows of those that a walk finds and those that are not linked,
// or nil if a walk ends before it has found as many as it is to look for: because its budget
// is used up, or because nothing leads to the others.
func (g *graph) find(ctx context.Context, s *searcher, q *query, limit, width int) ([]quire.Hit, error) {
	w := g.walkers.Get().(*walker)
	defer g.walkers.Put(w)
	s.finalists.begin(limit)
	if whole, err := w.walk(ctx, s, q, width); err != nil || !whole {
		return nil, err
	}
	if err := s.scanUnlinked(ctx, q); err != nil {
		return nil, err
	}
	return s.finalists.hits(ctx, q)
}

// mostScans is how many times as long as a scan of the same rows a walk may take before it is given up.
const mostScans = 2

// walk adds the selected rows that it finds to the finalists, and reports whether it came to its end.
func (w *walker) walk(ctx context.Context, s *searcher, q *query, width int) (whole bool, err error) {
	entry := w.graph.entry.Load() - 1 // before the view, which then has it
	w.aim(w.graph.view(), probe{q.codes, q.bounds.bias, q.bounds.scale})
	w.descend(w.start(entry), w.level(entry), 0)
	s.selected.choose(s.rows, len(w.pages))
	w.quest = &quest{searcher: s, bounds: q.bounds, least: s.finalists.least(), budget: mostScans * s.rows.linked()}
	defer func() { w.quest = nil }() // what was searched is not kept in memory
	err = w.spread(ctx, 0, width)
	return err == nil && w.quest.budget >= 0 && (len(w.found) == width || w.rows(width) >= width), err
}

// linked returns how many of the selected rows are in the graph.
func (s selection) linked() int {
	n := 0
	for i := range s {
		n += s[i].slots.countBefore(s[i].block.linked)
	}
	return n
}

// selected is the nodes of the selected rows.
type selected struct {
	rows selection
	of   []int32 // by page, the number of the block in rows, plus one
}

// choose makes the selected ones those of some rows.
func (k *selected) choose(rows selection, pages int) {
	k.rows, k.of = rows, append(k.of[:0], make([]int32, pages)...)
	for i := range rows {
		if rows[i].block.linked > 0 {
			k.of[rows[i].page] = int32(i + 1)
		}
	}
}

func (k *selected) keeps(node uint32) bool {
	page := int(node / blockRows)
	if page >= len(k.of) || k.of[page] == 0 {
		return false // a twin that came later, or a page without any
	}
	i := k.of[page]
	c, slot := &k.rows[i-1], int(node%blockRows)
	return slot < c.block.linked && c.slots.has(slot)
}

// at returns the row of a node that it keeps.
func (k *selected) at(node uint32) (*block, int) {
	return k.rows[k.of[node/blockRows]-1].block, int(node % blockRows)
}

// scanUnlinked compares the rows that are not in the graph.
func (s *searcher) scanUnlinked(ctx context.Context, q *query) error {
	for i := range s.rows {
		b := s.rows[i].block
		if b.linked == b.rows() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		rest := s.rows[i].slots
		if rest.removeBefore(b.linked); !rest.empty() {
			s.scan(b, &rest, q)
		}
	}
	return nil
}
