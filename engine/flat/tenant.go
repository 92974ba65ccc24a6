package flat

import (
	"maps"
	"slices"

	"github.com/quirelib/quire"
)

// tenant is the entries of one tenant. The Index's lock guards it.
type tenant struct {
	dimension int
	// blocks are never changed but replaced, because searches go on in those that they
	// found. One that was given back is nil.
	blocks []*block
	unused []int // the numbers of those
	open   int   // the number of the block that takes rows, or noBlock
	ids    map[string]int
	terms  map[term]*posting

	born  uint64 // how many blocks there have been
	graph *graph // nil while there is none
	next  *graph // the graph that will replace it, nil while none is built
}

const noBlock = -1

// posting is the rows that have a term. It is not empty.
type posting struct {
	term term
	rows rowSet
}

func newTenant(dimension int) *tenant {
	return &tenant{dimension: dimension, open: noBlock, ids: map[string]int{}, terms: map[term]*posting{}}
}

func (t *tenant) count() int { return len(t.ids) }

// at returns the block and slot of a row.
func (t *tenant) at(row int) (*block, int) { return t.blocks[row/blockRows], row % blockRows }

// free refuses rows with an id that another elemental has. A nil tenant has none.
func (t *tenant) free(elementalID string, rows []row) error {
	if t == nil {
		return nil
	}
	for i := range rows {
		if n, taken := t.ids[rows[i].id]; taken {
			if b, slot := t.at(n); b.owners[slot].elementalID != elementalID {
				return quire.Errorf(quire.CodeInvalid, "chunk %d has the id of a chunk of another elemental", i)
			}
		}
	}
	return nil
}

// replace removes the rows of an elemental and adds rows.
func (t *tenant) replace(elementalID string, rows []row) {
	c := &change{tenant: t, own: map[int]bool{}}
	if p := t.terms[term{fieldElemental, elementalID}]; p != nil {
		for _, n := range slices.Collect(p.rows.all()) {
			c.remove(n)
		}
	}
	var o *owner
	for i := range rows {
		r := &rows[i]
		if i == 0 || &r.terms[0] != &rows[i-1].terms[0] {
			o = &owner{elementalID, t.postings(r.terms)}
		}
		c.add(r, o)
	}
	c.compact()
}

// postings returns those of terms, which it makes if there are none. Rows have to be added
// to each.
func (t *tenant) postings(terms []term) []*posting {
	list := make([]*posting, 0, len(terms))
	for _, term := range terms {
		p := t.terms[term]
		if p == nil {
			p = &posting{term: term}
			t.terms[term] = p
		}
		if !slices.Contains(list, p) { // a tag may be given twice
			list = append(list, p)
		}
	}
	return list
}

// change is a change of a tenant that is being made.
type change struct {
	*tenant
	own map[int]bool // the numbers of blocks that nobody else has seen yet
}

// block returns a block to change.
func (c *change) block(n int) *block {
	if !c.own[n] {
		c.own[n] = true
		c.blocks[n] = c.blocks[n].clone()
	}
	return c.blocks[n]
}

// openBlock returns the number of a block that is not full.
func (c *change) openBlock() int {
	if c.open != noBlock && c.blocks[c.open].rows() < blockRows {
		return c.open
	}
	if last := len(c.unused) - 1; last >= 0 {
		c.open, c.unused = c.unused[last], c.unused[:last]
	} else {
		c.open = len(c.blocks)
		c.blocks = append(c.blocks, nil)
	}
	c.blocks[c.open] = newBlock(c.count(), c.born)
	c.born++
	c.own[c.open] = true
	return c.open
}

func (c *change) add(r *row, o *owner) {
	number := c.openBlock()
	n := number*blockRows + c.block(number).add(r, o)
	c.ids[r.id] = n
	for _, p := range o.postings {
		p.rows.add(n)
	}
}

func (c *change) remove(n int) {
	b, slot := c.block(n/blockRows), n%blockRows
	b.live.remove(slot)
	b.count--
	delete(c.ids, b.ids[slot])
	for _, p := range b.owners[slot].postings {
		if p.rows.remove(n); len(p.rows) == 0 {
			delete(c.terms, p.term)
		}
	}
}

// compact gives back the memory of removed rows: sparse blocks are emptied into the open one,
// and empty ones given back. So at most about half of all memory is that of removed rows, and
// each removal pays for moving no more than one row.
func (c *change) compact() {
	for _, n := range slices.Sorted(maps.Keys(c.own)) {
		b := c.blocks[n]
		if !b.sparse() && b.count > 0 {
			continue
		}
		if n == c.open {
			c.open = noBlock
		}
		c.moveAll(n, b)
		c.blocks[n] = nil
		c.unused = append(c.unused, n)
	}
}

// moveAll moves the rows of block number n into the open one. Each is there before it is
// gone, so that no posting is empty in between.
func (c *change) moveAll(n int, b *block) {
	for slot := range b.rows() {
		if !b.live.has(slot) {
			continue
		}
		r, o := b.row(slot), b.owners[slot]
		c.add(&r, o)
		for _, p := range o.postings {
			p.rows.remove(n*blockRows + slot)
		}
	}
}
