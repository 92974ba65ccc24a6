package flat

// blockRows is how many rows a block holds at most: enough that going from one to the next
// costs nothing, few enough that a set of its rows is small (128 bytes).
const blockRows = 1024

// block holds rows in slots. Once it is published, nothing of it changes any more: a change
// is made to a copy. The copy shares the memory of the rows, to which rows are only
// added, in slots that nobody who has the older block looks at.
type block struct {
	live    slotSet // without the rows that were removed
	count   int     // of live rows
	ids     []string
	owners  []*owner
	codes   []uint8 // stride of each row
	codings []coding
	vectors []float32 // dimension of each row
	norms   []float64
	room    int // for how many rows memory is taken with the first

	born   uint64 // how many blocks the tenant had had before; copies are born with the first
	page   int    // the number of its page in the tenant's graph, if linked is not 0
	linked int    // the first so many slots are nodes of the graph
}

// newBlock makes an empty block of a tenant that has a number of rows: a small tenant has a
// small block, and at most doubles its memory at once.
func newBlock(count int, born uint64) *block {
	return &block{room: min(max(8, count), blockRows), born: born}
}

// owner is what rows with the same terms share.
type owner struct {
	elementalID string
	postings    []*posting
}

// clone returns a block to change.
func (b *block) clone() *block {
	c := *b
	return &c
}

// rows returns how many slots are in use, by removed rows too.
func (b *block) rows() int { return len(b.ids) }

// sparse reports whether so many rows were removed that the rest is worth moving.
func (b *block) sparse() bool { return b.rows() > 2*b.count+32 }

// vector returns the vector of a slot.
func (b *block) vector(slot int) []float32 {
	dimension := len(b.vectors) / len(b.ids)
	return b.vectors[slot*dimension:][:dimension:dimension]
}

// row returns what is in a slot, without terms.
func (b *block) row(slot int) row {
	stride := len(b.codes) / len(b.ids)
	return row{id: b.ids[slot], vector: b.vector(slot), norm: b.norms[slot],
		codes: b.codes[slot*stride:][:stride], coding: b.codings[slot]}
}

// add puts a row into the next slot, which it returns. The block is not full.
func (b *block) add(r *row, o *owner) int {
	if b.rows() == cap(b.codings) {
		b.grow(min(max(b.room, 2*b.rows()), blockRows), len(r.vector), len(r.codes))
	}
	slot := b.rows()
	b.ids = append(b.ids, r.id)
	b.owners = append(b.owners, o)
	b.codes = append(b.codes, r.codes...)
	b.codings = append(b.codings, r.coding)
	b.vectors = append(b.vectors, r.vector...)
	b.norms = append(b.norms, r.norm)
	b.live.add(slot)
	b.count++
	return slot
}

// grow makes room for a number of rows.
func (b *block) grow(rows, dimension, stride int) {
	b.ids = append(make([]string, 0, rows), b.ids...)
	b.owners = append(make([]*owner, 0, rows), b.owners...)
	b.codes = append(make([]uint8, 0, rows*stride), b.codes...)
	b.codings = append(make([]coding, 0, rows), b.codings...)
	b.vectors = append(make([]float32, 0, rows*dimension), b.vectors...)
	b.norms = append(make([]float64, 0, rows), b.norms...)
}
