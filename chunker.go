package quire

import "github.com/quirelib/quire/internal/chunk"

// defaultChunker is the Chunker of an Engine that is given none. Of a text with more chunks
// than its limit it makes some more than that.
type defaultChunker struct{ limit int }

// Chunks splits a Markdown text at its headings, blocks and sentences.
func (c defaultChunker) Chunks(text string) []Span {
	var spans []Span
	for _, s := range chunk.Split(text, chunk.Options{Limit: c.limit}) {
		spans = append(spans, Span(s))
	}
	return spans
}
