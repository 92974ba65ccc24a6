package bm25

import (
	"math"
	"sync/atomic"

	"github.com/quirelib/quire"
)

// BM25's parameters: how soon more of the same word stops to count, and how much a long
// text is put at a disadvantage.
const (
	saturation  = 1.2
	lengthShare = 0.75
)

// tenant is the inverted index of one tenant.
type tenant struct {
	built       uint64 // how many tenants were built before: words have other numbers in each
	entries     []stored
	ids         map[string]uint32   // of live entries
	elementals  map[string][]uint32 // numbers of the live entries of each
	words       map[string]uint32
	postings    [][]posting // by word; those of dead entries too
	frequencies []int       // by word: how many live entries hold it
	live        int
	length      int // of all live entries together
}

// stored is an entry with its number.
type stored struct {
	id     string       // of the chunk; "" once the entry is dead
	facts  *quire.Chunk // see entry
	digest digest       // of the texts
	words  []uint32     // distinct
	length uint32
}

// posting says that an entry holds a word.
type posting struct{ entry, count uint32 }

var builtTenants atomic.Uint64

func newTenant() *tenant {
	return &tenant{built: builtTenants.Add(1), ids: map[string]uint32{}, elementals: map[string][]uint32{}, words: map[string]uint32{}}
}

// replace changes the entries of an elemental, or nothing.
func (t *tenant) replace(elementalID string, entries []entry, r *reader) error {
	taken := make(map[string]bool, len(entries))
	for _, e := range entries {
		n, known := t.ids[e.chunk.ID]
		if taken[e.chunk.ID] || known && t.entries[n].facts.ElementalID != elementalID {
			return quire.Errorf(quire.CodeInvalid, "chunk id %q is taken", e.chunk.ID)
		}
		taken[e.chunk.ID] = true
	}
	old := t.elementals[elementalID]
	delete(t.elementals, elementalID)
	kept := make(map[uint32]bool, len(old))
	for i := range entries {
		e := &entries[i]
		if n, known := t.ids[e.chunk.ID]; known && t.entries[n].digest == e.digest {
			t.entries[n].facts = e.facts // the texts are the same
			t.elementals[elementalID] = append(t.elementals[elementalID], n)
			kept[n] = true
			e.counts = nil
		} else if e.counts == nil { // it was known, and has changed since
			r.read(e)
		}
	}
	for _, n := range old {
		if !kept[n] {
			t.bury(n)
		}
	}
	for _, e := range entries {
		if e.counts != nil {
			t.add(e, r)
		}
	}
	if len(t.entries) > 2*t.live+1000 {
		t.compact()
	}
	return nil
}

// known returns the digests of an elemental's entries by chunk id.
func (t *tenant) known(elementalID string) map[string]digest {
	digests := make(map[string]digest, len(t.elementals[elementalID]))
	for _, n := range t.elementals[elementalID] {
		digests[t.entries[n].id] = t.entries[n].digest
	}
	return digests
}

// bury takes an entry out of the counts; its postings stay until the tenant is compacted.
func (t *tenant) bury(n uint32) {
	e := &t.entries[n]
	for _, w := range e.words {
		t.frequencies[w]--
	}
	delete(t.ids, e.id)
	t.live--
	t.length -= int(e.length)
	*e = stored{}
}

func (t *tenant) add(e entry, r *reader) {
	n := uint32(len(t.entries))
	s := stored{id: e.chunk.ID, facts: e.facts, digest: e.digest, words: make([]uint32, 0, len(e.counts)), length: uint32(e.length)}
	for _, word := range e.counts {
		w := r.number(t, word)
		t.postings[w] = append(t.postings[w], posting{n, uint32(word.Count)})
		t.frequencies[w]++
		s.words = append(s.words, w)
	}
	t.enter(s)
}

// number returns the number of a word, which it gets if it has none.
func (t *tenant) number(word string) uint32 {
	w, known := t.words[word]
	if !known {
		w = uint32(len(t.postings))
		t.words[word] = w
		t.postings = append(t.postings, nil)
		t.frequencies = append(t.frequencies, 0)
	}
	return w
}

// enter adds an entry whose postings are there.
func (t *tenant) enter(s stored) {
	n := uint32(len(t.entries))
	t.entries = append(t.entries, s)
	t.ids[s.id] = n
	t.elementals[s.facts.ElementalID] = append(t.elementals[s.facts.ElementalID], n)
	t.live++
	t.length += int(s.length)
}

// compact builds the tenant anew without what is dead.
func (t *tenant) compact() {
	fresh := newTenant()
	number := make([]uint32, len(t.entries)) // the new one of each live entry
	for n, s := range t.entries {
		if s.id != "" {
			number[n] = uint32(len(fresh.entries))
			s.words = s.words[:0] // filled again below, which gives as many
			fresh.enter(s)
		}
	}
	for word, w := range t.words {
		if t.frequencies[w] == 0 {
			continue
		}
		kept := make([]posting, 0, t.frequencies[w])
		for _, p := range t.postings[w] {
			if t.entries[p.entry].id == "" {
				continue
			}
			n := number[p.entry]
			kept = append(kept, posting{n, p.count})
			fresh.entries[n].words = append(fresh.entries[n].words, uint32(len(fresh.postings)))
		}
		fresh.words[word] = uint32(len(fresh.postings))
		fresh.postings = append(fresh.postings, kept)
		fresh.frequencies = append(fresh.frequencies, len(kept))
	}
	*t = *fresh
}

// weight is how much a word that is in so many live entries says.
func (t *tenant) weight(frequency int) float64 {
	n, f := float64(t.live), float64(frequency)
	return math.Log(1 + (n-f+0.5)/(f+0.5))
}
