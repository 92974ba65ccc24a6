package engine

import (
	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/chunk"
)

// ChunkerOptions configure a Chunker. The zero value is good.
type ChunkerOptions struct {
	// Target is how many tokens a chunk should have, at least 1. Default 256.
	Target int
	// Cap is how many tokens a chunk has at most, at least Target. Default 512, or
	// Target if that is more.
	Cap int
	// Overlap is how many tokens at the end of a chunk may be repeated at the start of
	// the next one of the same section, in whole sentences; less than Target. Default 0.
	Overlap int
	// Tokens counts the tokens of a text as the embedding model does. It must be safe
	// for concurrent use, and fast: it sees every part of a text several times. Default:
	// an estimate that needs no model.
	Tokens func(string) int
}

// NewChunker makes the Markdown-aware [quire.Chunker]: headings become the path of
// the chunks below them, code blocks and tables stay whole where they fit, prose is
// cut at paragraphs, then sentences, then words. opts may be nil. Options out of
// range are quire.ErrInvalid.
func NewChunker(opts *ChunkerOptions) (quire.Chunker, error) {
	var o ChunkerOptions
	if opts != nil {
		o = *opts
	}
	if o.Target == 0 {
		o.Target = chunk.DefaultTarget
	}
	if o.Cap == 0 {
		o.Cap = max(chunk.DefaultCap, o.Target)
	}
	switch {
	case o.Target < 1:
		return nil, quire.Errorf(quire.CodeInvalid, "ChunkerOptions.Target must be at least 1, or 0 for the default")
	case o.Cap < o.Target:
		return nil, quire.Errorf(quire.CodeInvalid, "ChunkerOptions.Cap must be at least Target (%d)", o.Target)
	case o.Overlap < 0 || o.Overlap >= o.Target:
		return nil, quire.Errorf(quire.CodeInvalid, "ChunkerOptions.Overlap must be 0 or more and less than Target (%d)", o.Target)
	}
	return chunker{chunk.Options{Target: o.Target, Cap: o.Cap, Overlap: o.Overlap, Tokens: o.Tokens}}, nil
}

type chunker struct{ opts chunk.Options }

// Chunks implements quire.Chunker.
func (c chunker) Chunks(text string) []quire.Span {
	spans := chunk.Split(text, c.opts)
	out := make([]quire.Span, len(spans))
	for i, s := range spans {
		out[i] = quire.Span(s)
	}
	return out
}
