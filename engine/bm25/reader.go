package bm25

import (
	"strings"
	"sync"

	"github.com/quirelib/quire/internal/feature"
	"github.com/quirelib/quire/internal/segment"
)

// reader takes texts apart for one call at a time. It remembers words from one call to the
// next, and which numbers they have in the tenant of the last one: finding the words of a
// text among those of 100,000 others is most of the work.
type reader struct {
	counter *feature.Counter
	tenant  uint64   // when it was built
	numbers []uint32 // the tenant's number of a word plus one, by that of the counter; 0: not looked up
}

var readers = sync.Pool{New: func() any { return &reader{counter: feature.NewCounter()} }}

// maxKnown is how many words a reader remembers for the next call: some ten megabytes.
const maxKnown = 1 << 16

// release lets another call have the reader.
func (r *reader) release() {
	if r.counter.Known() <= maxKnown {
		readers.Put(r)
	}
}

// read takes the texts of an entry apart.
func (r *reader) read(e *entry) {
	// As for its vector, what the text says itself is not counted once more.
	add := func(head string) {
		if !strings.Contains(e.chunk.Text, head) {
			r.counter.Add(head)
		}
	}
	add(e.chunk.Title)
	for _, head := range e.chunk.Heading {
		add(head)
	}
	r.counter.Add(segment.WithoutTargets(e.chunk.Text))
	e.counts, e.length = r.counter.Counts(), 0
	for _, w := range e.counts {
		e.length += w.Count
	}
}

// number returns the tenant's number of a word.
func (r *reader) number(t *tenant, word feature.Count) uint32 {
	if r.tenant != t.built {
		r.tenant, r.numbers = t.built, r.numbers[:0]
	}
	for len(r.numbers) <= word.Number {
		r.numbers = append(r.numbers, 0)
	}
	if r.numbers[word.Number] == 0 {
		r.numbers[word.Number] = t.number(word.Text) + 1
	}
	return r.numbers[word.Number] - 1
}
