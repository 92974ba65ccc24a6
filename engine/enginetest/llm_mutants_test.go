package enginetest

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// brokenLLM changes what the fake does.
type brokenLLM struct {
	*LLM
	generate func(m *LLM, ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error]
}

func (b *brokenLLM) Generate(ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
	return b.generate(b.LLM, ctx, req)
}

type (
	openLLM      = func(testing.TB) quire.LLM
	generateFunc = func(m *LLM, ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error]
)

func generateWith(f generateFunc) openLLM {
	return func(testing.TB) quire.LLM { return &brokenLLM{LLM: NewLLM(), generate: f} }
}

// scripted always yields the same pieces.
func scripted(pieces ...string) openLLM {
	return func(testing.TB) quire.LLM { return NewLLM(pieces...) }
}

// ending yields pieces and errors whatever the context says.
func ending(after []string, errs ...error) openLLM {
	return generateWith(func(*LLM, context.Context, *quire.LLMRequest) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for _, piece := range after {
				if !yield(piece, nil) {
					return
				}
			}
			for _, err := range errs {
				if !yield("", err) {
					return
				}
			}
		}
	})
}

var llmMutants = []mutant[quire.LLM]{
	{"says nothing", "answer", scripted("")},
	{"no pieces", "answer", ending(nil)},
	{"cites what is not there", "markers", scripted("As said in [4].")},
	{"cites by position", "markers", scripted("It is 41 metres tall [1].")},
	{"cites a huge number", "markers", scripted("It is 41 metres tall [99999999999999999999].")},
	{"broken UTF-8", "answer", scripted("caf\xc3", " is 41 metres")},
	{"no answer after pieces", "no answer", ending([]string{"It is"}, quire.ErrNoAnswer)},
	{"no answer is an internal error", "no answer", ending(nil, errors.New("nothing found"))},
	{"two errors", "no answer", ending(nil, quire.ErrNoAnswer, quire.ErrNoAnswer)},
	{"piece and error together", "no answer", generateWith(func(*LLM, context.Context, *quire.LLMRequest) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) { yield("piece", quire.ErrNoAnswer) }
	})},
	{"bytes outside ASCII are cut", "text of all scripts", generateWith(func(m *LLM, ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for _, s := range req.Sources {
				if !yield(s.Text[:min(6, len(s.Text))], ctx.Err()) {
					return
				}
			}
		}
	})},
	{"long questions fail", "hostile requests", generateWith(func(m *LLM, ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
		if len(req.Question) > 10000 {
			return func(yield func(string, error) bool) { yield("", quire.ErrTooLarge) }
		}
		return m.Generate(ctx, req)
	})},
	{"changes the request", "request unchanged", generateWith(func(m *LLM, ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
		req.Sources[0].Heading[0] = "changed"
		return m.Generate(ctx, req)
	})},
	{"begins before it is consumed", "not consumed", generateWith(func(m *LLM, ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
		pieces := make(chan string)
		go func() { pieces <- "It is 41 metres tall." }()
		return func(yield func(string, error) bool) { yield(<-pieces, nil) }
	})},
	{"a writer stays", "stopped", generateWith(func(m *LLM, ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			pieces := make(chan string)
			go func() {
				defer close(pieces)
				for piece := range m.Generate(ctx, req) {
					pieces <- piece
				}
			}()
			for piece := range pieces {
				if !yield(piece, nil) {
					return
				}
			}
		}
	})},
	{"does not look at the context", "cancelled before", generateWith(func(m *LLM, ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
		return m.Generate(context.WithoutCancel(ctx), req)
	})},
	{"stops without the context's error", "cancelled between", generateWith(func(m *LLM, ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for piece, err := range m.Generate(ctx, req) {
				if err != nil || !yield(piece, nil) {
					return
				}
			}
		}
	})},
	{"looks at the context only once", "cancelled between", generateWith(func(m *LLM, ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
		if ctx.Err() != nil {
			return m.Generate(ctx, req)
		}
		return m.Generate(context.WithoutCancel(ctx), req)
	})},
	{"hides the context's error", "cancelled on the way", generateWith(func(m *LLM, ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for piece, err := range m.Generate(ctx, req) {
				if err != nil {
					err = quire.ErrUnavailable
				}
				if !yield(piece, err) {
					return
				}
			}
		}
	})},
	{"one request for all", "concurrent", func(testing.TB) quire.LLM {
		var last atomic.Pointer[quire.LLMRequest]
		return &brokenLLM{LLM: NewLLM(), generate: func(m *LLM, ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
			last.Store(req)
			return func(yield func(string, error) bool) {
				time.Sleep(50 * time.Microsecond)
				m.Generate(ctx, last.Load())(yield)
			}
		}}
	}},
}
