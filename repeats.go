package quire

import (
	"context"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/quirelib/quire/internal/segment"
)

const (
	shingleWords = 4   // words of a shingle
	minShingles  = 8   // texts with fewer are only compared as they are
	nearShare    = 0.8 // of the shingles of the shorter text that a repeat shares
)

// passage is a text to be compared with others.
type passage struct {
	line     string   // but for white space
	shingles []uint64 // hashes of all runs of shingleWords words, ascending, each once
}

var shingleSeed = maphash.MakeSeed()

// newPassage prepares a text. Shingles are those of Broder, "On the resemblance and
// containment of documents" (SEQUENCES 1997).
func newPassage(text string) passage {
	p := passage{line: oneLine(text)}
	words := segment.Words(text)
	for i := range len(words) - shingleWords + 1 {
		p.shingles = append(p.shingles, maphash.String(shingleSeed, strings.Join(words[i:i+shingleWords], " ")))
	}
	slices.Sort(p.shingles)
	p.shingles = slices.Compact(p.shingles)
	return p
}

// repeats reports whether p says hardly anything that better does not: all of its text is
// in it, or nearly all of its shingles are.
func (p passage) repeats(better passage) bool {
	if strings.Contains(better.line, p.line) {
		return true
	}
	if len(p.shingles) < minShingles || len(p.shingles) > len(better.shingles)*2 {
		return false
	}
	return float64(shared(p.shingles, better.shingles)) >= nearShare*float64(len(p.shingles))
}

// shared counts the values that two ascending slices have in common.
func shared(a, b []uint64) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}

// withoutRepeats leaves out every chunk that repeats a better one.
func withoutRepeats(ctx context.Context, hits []SearchHit) (kept []SearchHit, err error) {
	var passages []passage
	for _, h := range hits {
		if err := ctx.Err(); err != nil { // of an import they may have 1 MiB each
			return nil, err
		}
		p := newPassage(h.Chunk.Text)
		if !slices.ContainsFunc(passages, p.repeats) {
			kept, passages = append(kept, h), append(passages, p)
		}
	}
	return kept, nil
}

// withoutParts is the same the other way round: it leaves out every chunk that a worse
// one repeats and goes on from. It comes after the choice of what the LLM is given, lest
// a chunk be left out for the sake of one that is not given.
func withoutParts(ctx context.Context, hits []SearchHit) ([]SearchHit, error) {
	slices.Reverse(hits)
	hits, err := withoutRepeats(ctx, hits)
	slices.Reverse(hits)
	return hits, err
}
