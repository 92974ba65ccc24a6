package quire

import (
	"strings"

	"github.com/quirelib/quire/internal/segment"
)

// maxOccurrences is how often a word of a text is indexed. Full-text search ranks a row by all
// places where it has what is looked for, which it collects: of a word that stands there millions
// of times, in a gigabyte. In a book of 300,000 words none is left out.
const maxOccurrences = 50_000

// words is text as full-text search sees it.
//
// It takes no list of them: one of five million short words is ten times as large as their
// text.
func words(text string) string {
	var b strings.Builder
	var seen *occurrences
	if len(text) >= 2*maxOccurrences { // else no word stands there so often
		seen = new(occurrences)
	}
	segment.Each(text, func(word []byte) {
		if seen != nil && seen.add(word) > maxOccurrences {
			return
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.Write(word)
	})
	return b.String()
}

// occurrences counts words, in the same memory however many different ones there are: in two
// places by halves of a hash, of which the smaller count is hardly ever that of another word too
// (Cormode, Muthukrishnan, "An Improved Data Stream Summary: The Count-Min Sketch", 2005).
type occurrences [2][1 << 16]uint32

// add counts a word once more, and returns how often it has been counted.
func (o *occurrences) add(word []byte) uint32 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	hash := uint64(offset)
	for _, c := range word {
		hash = (hash ^ uint64(c)) * prime
	}
	// Of short words it has the same bits in most places; these steps, the last ones of MurmurHash3,
	// make each bit depend on all.
	hash = (hash ^ hash>>33) * 0xff51afd7ed558ccd
	hash = (hash ^ hash>>33) * 0xc4ceb9fe1a85ec53
	hash ^= hash >> 33
	first, second := &o[0][uint16(hash>>48)], &o[1][uint16(hash>>16)]
	*first++
	*second++
	return min(*first, *second)
}
