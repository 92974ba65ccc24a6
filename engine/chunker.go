package engine

import (
	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/chunk"
)

// maxChunkTokens is the most that ChunkerOptions.Cap may be.
const maxChunkTokens = 1 << 20

// ChunkerOptions configure a chunker. The zero value is good.
type ChunkerOptions struct {
	// Target is how many tokens a chunk should have: 1..Cap. Default 256, or Cap if
	// that is less.
	Target int
	// Cap is how many tokens a chunk has at most: 1..1048576. Default 512, or Target if
	// that is more.
	Cap int
	// Overlap is how many tokens at the end of a chunk may be repeated at the start of
	// the next one of the same section, in whole sentences: 0..Target-1. Default 0.
	Overlap int
	// Tokens counts the tokens of a text. It is called several times for every part of
	// a text, from many goroutines. Default: an estimate that errs on the high side for
	// English, with one token for each Chinese, Japanese or Korean character.
	Tokens func(string) int
}

// NewChunker returns a Chunker for Markdown and plain prose. Every heading begins a
// chunk and stays with the text below it. Code blocks and tables stay whole up to Cap;
// prose is packed to Target and cut between paragraphs, then sentences, words and
// grapheme clusters. Cap always holds, unless Tokens counts more for one character.
// Front matter is a chunk of its own if it has a quarter of Target or more. Time is
// linear in the text, whatever the text.
//
// opts may be nil. ErrInvalid if an option is out of its range.
func NewChunker(opts *ChunkerOptions) (quire.Chunker, error) {
	var o ChunkerOptions
	if opts != nil {
		o = *opts
	}
	o.fillDefaults()
	switch {
	case o.Cap < 1 || o.Cap > maxChunkTokens:
		return nil, quire.Errorf(quire.CodeInvalid, "Cap is %d, but must be 1..%d tokens", o.Cap, maxChunkTokens)
	case o.Target < 1 || o.Target > o.Cap:
		return nil, quire.Errorf(quire.CodeInvalid, "Target is %d, but must be 1..Cap, which is %d tokens", o.Target, o.Cap)
	case o.Overlap < 0 || o.Overlap >= o.Target:
		return nil, quire.Errorf(quire.CodeInvalid, "Overlap is %d, but must be at least 0 and less than Target, which is %d tokens", o.Overlap, o.Target)
	}
	return chunker{chunk.Options{Target: o.Target, Cap: o.Cap, Overlap: o.Overlap, Tokens: o.Tokens}}, nil
}

// fillDefaults sets the sizes that were left 0.
func (o *ChunkerOptions) fillDefaults() {
	switch {
	case o.Target == 0 && o.Cap == 0:
		o.Target, o.Cap = chunk.DefaultTarget, chunk.DefaultCap
	case o.Target == 0:
		o.Target = min(chunk.DefaultTarget, o.Cap)
	case o.Cap == 0:
		o.Cap = max(chunk.DefaultCap, o.Target)
	}
}

// chunker is package chunk behind quire.Chunker.
type chunker struct{ options chunk.Options }

// Chunks implements quire.Chunker.
func (c chunker) Chunks(text string) []quire.Span {
	spans := chunk.Split(text, c.options)
	out := make([]quire.Span, len(spans))
	for i, s := range spans {
		out[i] = quire.Span(s)
	}
	return out
}
