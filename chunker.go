package quire

import "github.com/quirelib/quire/internal/chunk"

// defaultChunker is the Chunker of an Engine that is given none.
type defaultChunker struct{}

// Chunks splits a Markdown text at its headings, blocks and sentences.
func (defaultChunker) Chunks(text string) []Span {
	var spans []Span
	for _, s := range chunk.Split(text, chunk.Options{}) {
		spans = append(spans, Span(s))
	}
	return spans
}
