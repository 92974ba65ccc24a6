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
