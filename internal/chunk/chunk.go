// Package chunk splits Markdown texts and plain prose into spans to embed.
//
// Block boundaries come from the line scanner of package segment rather than from
// a Markdown parser: a splitter needs only ranges, and a scanner takes linear time
// and constant stack on any input.
package chunk

import (
	"slices"

	"github.com/quirelib/quire/internal/segment"
)

// The defaults of Options, in tokens.
const (
	DefaultTarget = 256
	DefaultCap    = 512
)

// Options configure Split. The zero value is good.
type Options struct {
	// Target is how many tokens a span should have. Default 256, at most Cap.
	Target int
	// Cap is how many tokens a span has at most. Default 512, at least Target.
	Cap int
	// Overlap is how many tokens at the end of a span may be repeated at the start of
	// the next one of the same section, in whole sentences. Default 0, less than Target.
	Overlap int
	// Tokens counts the tokens of a text. It is called with every part of the text
	// several times, so it should be fast, and from as many goroutines as Split is.
	// Default: segment.Tokens.
	Tokens func(string) int
	// Limit is after how many spans Split gives up, and returns those and some more: whoever
	// takes no more need not hold all of a hostile text's. Default: never.
	Limit int
}

// withDefaults returns the options with every field set and in its range.
func (o Options) withDefaults() Options {
	if o.Tokens == nil {
		o.Tokens = segment.Tokens
	}
	switch {
	case o.Target <= 0 && o.Cap <= 0:
		o.Target, o.Cap = DefaultTarget, DefaultCap
	case o.Target <= 0:
		o.Target = min(DefaultTarget, o.Cap)
	case o.Cap <= 0:
		o.Cap = max(DefaultCap, o.Target)
	}
	o.Target = min(o.Target, o.Cap)
	o.Overlap = min(max(o.Overlap, 0), o.Target-1)
	return o
}

// Span is one chunk of a text.
type Span struct {
	Start, End int      // byte offsets, Start inclusive, End exclusive
	Heading    []string // the headings above it and its own, outermost first, as plain text
}

// Split returns the spans of text in ascending order. Together they cover all that
// is not white space, and each holds something that is not.
//
// Every heading begins a span and stays with the text below it; headings that
// follow one another with nothing in between stay together as long as each is
// deeper than the one before. Paragraphs, list items, code, tables and the other
// blocks of a section are packed into spans of up to Target tokens. Code and tables
// stay whole up to Cap. What is too long is cut between sentences or lines, then
// between words, then between grapheme clusters (UAX #29); only a single cluster over
// the cap is cut further, between characters. A little text at the beginning or end
// of a section, such as "For example:", may make a span longer than Target. Cap always
// holds, unless Tokens counts more than that for one character.
//
// Front matter, and what text there is before the first heading, is a span of its
// own if it has a quarter of Target or more, else it stays with what follows.
func Split(text string, o Options) []Span {
	p := packer{cutter: cutter{text: text, Options: o.withDefaults()}}
	var outline outline
	for _, b := range segment.Blocks(text) {
		if o.Limit > 0 && len(p.spans) > o.Limit {
			return p.spans
		}
		start, end := p.trim(b.Start, b.Start, b.End)
		if start == end {
			continue
		}
		if b.Kind == segment.Heading {
			p.endSection(b.Level)
			outline.push(b.Level, headingText(text[start:end]))
		}
		for _, u := range p.units(b.Kind, start, end) {
			u.level, u.path = b.Level, outline.path
			u.joins = b.Kind == segment.Heading || b.Kind == segment.FrontMatter && u.tokens < p.smallest()
			p.add(u)
		}
		if b.Kind == segment.FrontMatter {
			p.endSection(1)
		}
	}
	p.endSection(0)
	return p.spans
}

// outline is the headings above the current line.
type outline struct {
	levels []int
	path   []string // never changed once it was given to a unit
}

// push adds a heading below the last one of a lower level. An empty one ends
// what it is not below and has no place in the path.
func (o *outline) push(level int, title string) {
	n := len(o.levels)
	for n > 0 && o.levels[n-1] >= level {
		n--
	}
	o.levels, o.path = o.levels[:n], slices.Clone(o.path[:n])
	if title != "" {
		o.levels = append(o.levels, level)
		o.path = append(o.path, title)
	}
}
