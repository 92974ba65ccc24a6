package chunk

import (
	"iter"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quirelib/quire/internal/segment"
)

// unit is a range of the text that packing does not cut.
type unit struct {
	start, end int
	tokens     int

	path  []string // the headings above it
	joins bool     // stays with what follows: a heading, short front matter
	level int      // of a heading
	kind  segment.Kind
}

// cutter cuts a text into units. Every range that it returns begins and ends at
// boundaries of grapheme clusters, except pieces of a single cluster.
type cutter struct {
	text string
	Options
}

// count returns the tokens of a range.
func (c *cutter) count(start, end int) int { return max(0, c.Tokens(c.text[start:end])) }

// trim returns the range without white space around it. low is a cluster boundary
// at or before start.
func (c *cutter) trim(low, start, end int) (int, int) {
	trimmed := strings.TrimLeftFunc(c.text[start:end], unicode.IsSpace)
	if trimmed == "" {
		return start, start
	}
	start = clusterStart(c.text, low, end-len(trimmed))
	end -= len(trimmed) - len(strings.TrimRightFunc(trimmed, unicode.IsSpace))
	return start, clusterEnd(c.text, start, end)
}

// units cuts a block into units that fit under the cap.
func (c *cutter) units(kind segment.Kind, start, end int) []unit {
	limit := c.Target
	if kind == segment.Code || kind == segment.Table || kind == segment.Heading {
		limit = c.Cap
	}
	if n := c.count(start, end); n <= limit {
		return []unit{{start: start, end: end, tokens: n, kind: kind}}
	}
	return c.parts(kind, start, end, c.Cap)
}

// parts cuts a range into its sentences, or its lines if it is not prose, and those
// over limit tokens further.
func (c *cutter) parts(kind segment.Kind, start, end, limit int) []unit {
	ranges := sentences
	if kind == segment.Code || kind == segment.Table || kind == segment.FrontMatter {
		ranges = textLines
	}
	var units []unit
	low := start
	for from, to := range ranges(c.text[start:end]) {
		from, to = c.trim(low, max(low, start+from), max(low, start+to))
		to = min(to, end) // of a piece of a cluster, the rest of it is in other pieces
		if from == to {
			continue
		}
		low = to
		if n := c.count(from, to); n <= limit {
			units = append(units, unit{start: from, end: to, tokens: n, kind: kind})
		} else {
			units = append(units, c.pieces(from, to, min(limit, c.Target), nextWord, nextCluster, nextRune)...)
		}
	}
	return units
}

// sentences yields the ranges of the sentences of text.
func sentences(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for _, s := range segment.Sentences(text) {
			if !yield(s[0], s[1]) {
				return
			}
		}
	}
}

// textLines yields the ranges of the lines of text.
func textLines(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		at := 0
		for line := range strings.Lines(text) {
			if !yield(at, at+len(line)) {
				return
			}
			at += len(line)
		}
	}
}

// pieces cuts a range into pieces of up to limit tokens between the parts whose
// lengths next[0] gives. Of a part that is over the cap it makes pieces with next[1],
// and so on.
func (c *cutter) pieces(start, end, limit int, next ...func(string) int) []unit {
	var units []unit
	for start < end {
		to, n := c.longest(start, end, limit, next[0])
		if n > c.Cap && len(next) > 1 {
			units = append(units, c.pieces(start, to, limit, next[1:]...)...)
		} else if strings.TrimSpace(c.text[start:to]) != "" { // a space cut off from its mark
			units = append(units, unit{start: start, end: to, tokens: n})
		}
		start = c.skipSpace(to, end)
	}
	return units
}

// skipSpace returns where the first cluster of text[low:end] begins that is not
// white space, low being a cluster boundary.
func (c *cutter) skipSpace(low, end int) int {
	start := end - len(strings.TrimLeftFunc(c.text[low:end], unicode.IsSpace))
	return clusterStart(c.text[:end], low, start)
}

// longest returns the end of the longest piece of text[start:end] that begins at
// start and has up to limit tokens, and their number. The piece consists of whole
// parts, at least one.
func (c *cutter) longest(start, end, limit int, next func(string) int) (to, tokens int) {
	var ends []int
	at := start
	// Nobody knows how many parts make limit tokens. Doubling the guess keeps the work
	// linear.
	for size := 1; ; size *= 2 {
		for at < end && len(ends) < size {
			at += next(c.text[at:end])
			ends = append(ends, at)
		}
		if at == end || c.count(start, at) > limit {
			break
		}
	}
	i := sort.Search(len(ends), func(i int) bool { return c.count(start, ends[i]) > limit })
	to = ends[max(i-1, 0)]
	return to, c.count(start, to)
}

// nextWord returns the length of the first word of text and of the white space
// before it.
func nextWord(text string) int {
	space := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	n := strings.IndexFunc(text[space:], unicode.IsSpace)
	if n < 0 {
		return len(text)
	}
	return clusterEnd(text, 0, space+n)
}

// nextRune returns the length of the first character of text.
func nextRune(text string) int {
	_, n := utf8.DecodeRuneInString(text)
	return n
}
