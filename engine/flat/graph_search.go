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
		if width = max(width, limit); pays(linked, nodes, width) {
			hits, err := g.find(ctx, s, q, limit, width)
			if hits != nil || err != nil {
				return hits, err
			}
		}
	}
	return s.nearest(ctx, q, limit)
}

// size is for how many nodes there is room.
func (g *graph) size() int { return len(*g.pages.Load()) * blockRows }

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
func pays(rows, nodes, width int) bool { return width*walkRows*nodes/rows < rows }

const walkRows = 48

// find returns the limit best rows of those that a walk finds and those that are not linked,
// or nil if a walk finds less than the limit.
func (g *graph) find(ctx context.Context, s *searcher, q *query, limit, width int) ([]quire.Hit, error) {
	w := g.walkers.Get().(*walker)
	defer g.walkers.Put(w)
	s.finalists.begin(limit)
	if err := w.walk(ctx, g, s, q, width); err != nil || len(w.found) < limit {
		return nil, err
	}
	if err := s.scanUnlinked(ctx, q); err != nil {
		return nil, err
	}
	return s.finalists.hits(ctx, q)
}

// walk adds the selected rows that it finds to the finalists.
func (w *walker) walk(ctx context.Context, g *graph, s *searcher, q *query, width int) error {
	entry := g.entry.Load() - 1 // before the view, which then has it
	w.aim(g.view(), probe{q.codes, q.bounds.bias, q.bounds.scale})
	at := w.start(entry)
	for level := w.level(entry); level > 0; level-- {
		at = w.descend(at, level)
	}
	f, keep := &s.finalists, &s.selected
	keep.choose(s.rows, len(w.pages))
	if err := w.spread(ctx, []near{at}, 0, width, keep); err != nil {
		return err
	}
	for _, n := range w.found {
		b, slot := keep.at(n.node)
		margin := q.bounds.about(b.codings[slot].residual)
		if upper := n.cosine + margin; upper >= f.least() {
			f.add(candidate{b, slot, upper}, upper-2*margin)
		}
	}
	return nil
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
	i := k.of[node/blockRows]
	if i == 0 {
		return false
	}
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
