package quire

// defaultChunker is the Chunker of an Engine that is given none.
type defaultChunker struct{}

// Chunks splits a text.
func (defaultChunker) Chunks(text string) []Span {
	if text == "" {
		return nil
	}
	return []Span{{Start: 0, End: len(text)}}
}
