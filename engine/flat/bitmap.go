package flat

import (
	"iter"
	"math"
	"math/bits"
	"slices"
)

// slotSet is a set of rows of one block: bit i of word i/64 stands for slot i.
type slotSet [blockRows / 64]uint64

// fullSet is all slots.
var fullSet = func() (s slotSet) {
	for i := range s {
		s[i] = math.MaxUint64
	}
	return s
}()

func (s *slotSet) add(slot int)      { s[slot/64] |= 1 << (slot % 64) }
func (s *slotSet) remove(slot int)   { s[slot/64] &^= 1 << (slot % 64) }
func (s *slotSet) has(slot int) bool { return s[slot/64]>>(slot%64)&1 == 1 }
func (s *slotSet) empty() bool       { return *s == slotSet{} }

// count returns how many slots are in the set.
func (s *slotSet) count() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// countBefore returns how many slots before one are in the set.
func (s *slotSet) countBefore(slot int) int {
	n := 0
	for _, word := range s[:slot/64] {
		n += bits.OnesCount64(word)
	}
	if slot%64 > 0 {
		n += bits.OnesCount64(s[slot/64] & (1<<(slot%64) - 1))
	}
	return n
}

// removeBefore removes the slots before one.
func (s *slotSet) removeBefore(slot int) {
	clear(s[:slot/64])
	if slot%64 > 0 {
		s[slot/64] &^= 1<<(slot%64) - 1
	}
}

// unite adds what is in other.
func (s *slotSet) unite(other *slotSet) {
	for i, word := range other {
		s[i] |= word
	}
}

// intersect removes what is not in other.
func (s *slotSet) intersect(other *slotSet) {
	for i, word := range other {
		s[i] &= word
	}
}

// list writes the slots in the set to list in ascending order and returns how many they are.
func (s *slotSet) list(list *[blockRows]uint16) int {
	n := 0
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			list[n%blockRows] = uint16(i*64 + bits.TrailingZeros64(word))
			n++
		}
	}
	return n
}

// rowSet is a set of rows of a tenant: those of each block that has any, by ascending block.
// Row r is slot r%blockRows of block r/blockRows.
type rowSet []blockSlots

type blockSlots struct {
	block int
	slots slotSet
}

// find returns where a block is, or would be.
func (s rowSet) find(block int) (int, bool) {
	// Rows are mostly added at the end.
	if n := len(s); n == 0 || s[n-1].block < block {
		return n, false
	}
	return slices.BinarySearchFunc(s, block, func(b blockSlots, block int) int { return b.block - block })
}

func (s *rowSet) add(row int) {
	block := row / blockRows
	i, found := s.find(block)
	if !found {
		*s = slices.Insert(*s, i, blockSlots{block: block})
	}
	(*s)[i].slots.add(row % blockRows)
}

// remove takes a row out that is in the set.
func (s *rowSet) remove(row int) {
	i, found := s.find(row / blockRows)
	if !found {
		return
	}
	(*s)[i].slots.remove(row % blockRows)
	if (*s)[i].slots.empty() {
		*s = slices.Delete(*s, i, i+1)
	}
}

// all iterates over the rows in ascending order.
func (s rowSet) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range s {
			for w, word := range s[i].slots {
				for ; word != 0; word &= word - 1 {
					if !yield(s[i].block*blockRows + w*64 + bits.TrailingZeros64(word)) {
						return
					}
				}
			}
		}
	}
}

// union returns the rows that are in a or in b.
func union(a, b rowSet) rowSet {
	both := make(rowSet, 0, max(len(a), len(b)))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].block < b[0].block:
			both, a = append(both, a[0]), a[1:]
		case a[0].block > b[0].block:
			both, b = append(both, b[0]), b[1:]
		default:
			both = append(both, a[0])
			both[len(both)-1].slots.unite(&b[0].slots)
			a, b = a[1:], b[1:]
		}
	}
	return append(append(both, a...), b...)
}

// intersection returns the rows that are in all of the sets, of which there is at least one:
// of a single one the set itself.
func intersection(sets []rowSet) rowSet {
	if len(sets) == 1 {
		return sets[0]
	}
	least := slices.MinFunc(sets, func(a, b rowSet) int { return len(a) - len(b) })
	all := make(rowSet, 0, len(least))
next:
	for _, b := range least {
		for _, s := range sets {
			i, found := s.find(b.block)
			if !found {
				continue next
			}
			b.slots.intersect(&s[i].slots)
		}
		if !b.slots.empty() {
			all = append(all, b)
		}
	}
	return all
}
