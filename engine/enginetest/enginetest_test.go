package enginetest

import (
	"testing"

	"github.com/quirelib/quire"
)

func TestIndex(t *testing.T) {
	RunIndex(t, func(testing.TB) quire.VectorIndex { return NewIndex() })
}

func BenchmarkIndex(b *testing.B) {
	BenchIndex(b, func(testing.TB) quire.VectorIndex { return NewIndex() })
}

func TestEmbedder(t *testing.T) {
	RunEmbedder(t, func(testing.TB) quire.Embedder { return NewEmbedder() })
}

func TestLLM(t *testing.T) {
	RunLLM(t, func(testing.TB) quire.LLM { return NewLLM() })
}
