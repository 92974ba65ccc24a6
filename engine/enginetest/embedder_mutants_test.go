package enginetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// brokenEmbedder changes what the fake does.
type brokenEmbedder struct {
	*Embedder
	embed       func(e *Embedder, ctx context.Context, texts []string) ([][]float32, error)
	fingerprint func() string
}

func (b *brokenEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if b.embed == nil {
		return b.Embedder.Embed(ctx, texts)
	}
	return b.embed(b.Embedder, ctx, texts)
}

func (b *brokenEmbedder) Fingerprint() string {
	if b.fingerprint == nil {
		return b.Embedder.Fingerprint()
	}
	return b.fingerprint()
}

func embedWith(f func(e *Embedder, ctx context.Context, texts []string) ([][]float32, error)) func(testing.TB) quire.Embedder {
	return func(testing.TB) quire.Embedder { return &brokenEmbedder{Embedder: NewEmbedder(), embed: f} }
}

// vectorsWith changes the vectors of a call.
func vectorsWith(change func(texts []string, vectors [][]float32) [][]float32) func(testing.TB) quire.Embedder {
	return embedWith(func(e *Embedder, ctx context.Context, texts []string) ([][]float32, error) {
		vectors, err := e.Embed(ctx, texts)
		return change(texts, vectors), err
	})
}

// spoiled makes an embedder that always breaks its result.
func spoiled(s Spoil) func(testing.TB) quire.Embedder {
	return func(testing.TB) quire.Embedder {
		e := NewEmbedder()
		e.Spoil(1000, s)
		return e
	}
}

// opened counts, so that each embedder can have another name.
var opened atomic.Int64

var embedderMutants = []mutant[quire.Embedder]{
	{"another fingerprint each time", "identity", func(testing.TB) quire.Embedder {
		name := fmt.Sprint(opened.Add(1))
		return &brokenEmbedder{Embedder: NewEmbedder(), fingerprint: func() string { return name }}
	}},
	{"no fingerprint", "identity", func(testing.TB) quire.Embedder {
		return &brokenEmbedder{Embedder: NewEmbedder(), fingerprint: func() string { return "" }}
	}},
	{"shorter than it says", "identity", spoiled(SpoilDimension)},
	{"too few", "order", spoiled(SpoilMissing)},
	{"too many", "order", spoiled(SpoilExtra)},
	{"NaN", "order", spoiled(SpoilNaN)},
	{"infinite", "order", spoiled(SpoilInf)},
	{"zero", "order", spoiled(SpoilZero)},
	{"not of unit length", "order", vectorsWith(func(_ []string, vectors [][]float32) [][]float32 {
		for _, v := range vectors {
			scale(v, 1.01)
		}
		return vectors
	})},
	{"out of order", "order", vectorsWith(func(_ []string, vectors [][]float32) [][]float32 {
		slices.Reverse(vectors)
		return vectors
	})},
	{"other vectors after a while", "same again", func(testing.TB) quire.Embedder {
		calls := 0
		return &brokenEmbedder{Embedder: NewEmbedder(), embed: func(e *Embedder, ctx context.Context, texts []string) ([][]float32, error) {
			calls++
			return e.Embed(ctx, append([]string{strings.Repeat("more ", calls) + texts[0]}, texts[1:]...))
		}}
	}},
	{"no texts are an error", "no texts", embedWith(func(e *Embedder, ctx context.Context, texts []string) ([][]float32, error) {
		if len(texts) == 0 {
			return nil, quire.ErrInvalid
		}
		return e.Embed(ctx, texts)
	})},
	{"no vector without words", "no words", vectorsWith(func(texts []string, vectors [][]float32) [][]float32 {
		for i, text := range texts {
			if len(words(text)) == 0 {
				clear(vectors[i])
			}
		}
		return vectors
	})},
	{"strips newlines in place", "caller's slice", embedWith(func(e *Embedder, ctx context.Context, texts []string) ([][]float32, error) {
		for i, text := range texts {
			texts[i] = strings.ReplaceAll(text, "\n", " ")
		}
		return e.Embed(ctx, texts)
	})},
	{"equal texts share memory", "results apart", vectorsWith(func(texts []string, vectors [][]float32) [][]float32 {
		for i, text := range texts {
			vectors[i] = vectors[slices.Index(texts, text)]
		}
		return vectors
	})},
	{"a cache is handed out", "results apart", func(testing.TB) quire.Embedder {
		cache := map[string][]float32{}
		return &brokenEmbedder{Embedder: NewEmbedder(), embed: func(e *Embedder, ctx context.Context, texts []string) ([][]float32, error) {
			var vectors [][]float32
			for _, text := range texts {
				if cache[text] == nil {
					cache[text] = e.Vector(text)
				}
				vectors = append(vectors, cache[text])
			}
			return vectors, nil
		}}
	}},
	{"no more than 64 texts", "many texts", vectorsWith(func(_ []string, vectors [][]float32) [][]float32 {
		return vectors[:min(64, len(vectors))]
	})},
	{"one buffer for all calls", "concurrent", func(testing.TB) quire.Embedder {
		var last atomic.Pointer[[]string]
		return &brokenEmbedder{Embedder: NewEmbedder(), embed: func(e *Embedder, ctx context.Context, texts []string) ([][]float32, error) {
			last.Store(&texts)
			time.Sleep(50 * time.Microsecond)
			return e.Embed(ctx, *last.Load())
		}}
	}},
	{"does not look at the context", "cancelled", embedWith(func(e *Embedder, ctx context.Context, texts []string) ([][]float32, error) {
		return e.Embed(context.WithoutCancel(ctx), texts)
	})},
	{"hides the context's error", "cancelled", embedWith(func(e *Embedder, ctx context.Context, texts []string) ([][]float32, error) {
		vectors, err := e.Embed(ctx, texts)
		if err != nil {
			err = quire.ErrUnavailable
		}
		return vectors, err
	})},
	{"invalid UTF-8 is unavailable", "hostile texts", embedWith(func(e *Embedder, ctx context.Context, texts []string) ([][]float32, error) {
		if strings.ToValidUTF8(texts[0], "") != texts[0] {
			return nil, quire.ErrUnavailable
		}
		return e.Embed(ctx, texts)
	})},
	{"only ASCII", "naughty strings", embedWith(func(e *Embedder, ctx context.Context, texts []string) ([][]float32, error) {
		if strings.ContainsFunc(texts[0], func(r rune) bool { return r > 127 }) {
			return nil, quire.ErrUnavailable
		}
		return e.Embed(ctx, texts)
	})},
}
