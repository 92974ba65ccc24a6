package flat

import (
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

func open(testing.TB) quire.VectorIndex { return New(nil) }

func TestConformance(t *testing.T) { enginetest.RunIndex(t, open) }

func BenchmarkIndex(b *testing.B) { enginetest.BenchIndex(b, open) }
