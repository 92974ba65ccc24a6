package quire

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
)

// panicked is the error that a panic becomes; what was said in it is for the log only.
// Call it while the panic is being recovered from: the cause holds the stack.
func panicked(code Code, message string, p any) error {
	return Errorf(code, "%s", message).WithCause(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
}

// guarded calls fn, which is a method of a part that was plugged in. A panic in it is
// that part's failure: neither the end of the process, nor of whoever happens to call the
// Engine.
func guarded(part string, fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(CodeInternal, "the "+part+" failed unexpectedly", p)
		}
	}()
	return fn()
}

// asked is guarded for a search: what the part says of its failure is not the caller's, see
// modelError. A part that was closed is closed with the Engine.
func asked(ctx context.Context, part string, fn func() error) error {
	err := guarded(part, fn)
	switch {
	case err == nil:
		return nil
	case CodeOf(err) == CodeClosed:
		return ErrClosed.WithCause(err)
	}
	return modelError(ctx, part, err, nil)
}

// guardedIndex is a VectorIndex whose panics are errors, and whose hits are clean.
type guardedIndex struct{ index VectorIndex }

const (
	partIndex = "search index"
	partText  = "text index"
	partStore = "store" // where no caller would hear of its panic
)

func (g guardedIndex) Replace(ctx context.Context, tenantID, elementalID string, chunks []Chunk) error {
	return guarded(partIndex, func() error { return g.index.Replace(ctx, tenantID, elementalID, chunks) })
}

func (g guardedIndex) Search(ctx context.Context, query []float32, filters Filters, limit int) (hits []Hit, err error) {
	err = asked(ctx, partIndex, func() (err error) {
		hits, err = g.index.Search(ctx, query, filters, limit)
		return err
	})
	return cleanHits(hits, limit), err
}

func (g guardedIndex) Reset(ctx context.Context) error {
	return guarded(partIndex, func() error { return g.index.Reset(ctx) })
}

func (g guardedIndex) Stats(ctx context.Context) (stats IndexStats, err error) {
	err = guarded(partIndex, func() (err error) {
		stats, err = g.index.Stats(ctx)
		return err
	})
	return stats, err
}

// Name returns the index's name, "" if it has none or does not get as far as telling.
func (g guardedIndex) Name() (name string) {
	if named, ok := g.index.(NamedIndex); ok {
		_ = guarded(partIndex, func() error {
			name = named.Name()
			return nil
		})
	}
	return name
}

func (g guardedIndex) Close() error { return guarded(partIndex, g.index.Close) }

// guardedText is a TextIndex whose panics are errors, and whose hits are clean.
type guardedText struct{ index TextIndex }

func (g guardedText) Replace(ctx context.Context, tenantID, elementalID string, chunks []Chunk) error {
	return guarded(partText, func() error { return g.index.Replace(ctx, tenantID, elementalID, chunks) })
}

func (g guardedText) Search(ctx context.Context, query string, filters Filters, limit int) (hits []TextHit, err error) {
	err = asked(ctx, partText, func() (err error) {
		hits, err = g.index.Search(ctx, query, filters, limit)
		return err
	})
	return cleanWords(hits, limit), err
}

func (g guardedText) Reset(ctx context.Context) error {
	return guarded(partText, func() error { return g.index.Reset(ctx) })
}

func (g guardedText) Close() error { return guarded(partText, g.index.Close) }

// guardedLLM is an LLM, or one that is a Rewriter, whose panics are errors.
type guardedLLM struct{ llm LLM }

const partLLM = "llm"

// name returns the LLM's Name.
func (g guardedLLM) name() (name string, err error) {
	err = guarded(partLLM, func() error {
		name = g.llm.Name()
		return nil
	})
	return name, err
}

// generate is the LLM's Generate. A panic of the consumer's goes through it.
func (g guardedLLM) generate(ctx context.Context, req *LLMRequest) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		consuming, over := false, false
		defer func() {
			if consuming {
				return
			}
			if p := recover(); p != nil && !over {
				yield("", panicked(CodeInternal, "the "+partLLM+" failed unexpectedly", p))
			}
		}()
		for piece, err := range g.llm.Generate(ctx, req) {
			consuming = true
			more := yield(piece, err)
			consuming = false
			if over = !more || err != nil; over {
				return
			}
		}
	}
}

// rewrite is the Rewriter's Rewrite; ok is false if the LLM is none.
func (g guardedLLM) rewrite(ctx context.Context, question string, history []Message) (rewritten string, ok bool, err error) {
	r, ok := g.llm.(Rewriter)
	if !ok {
		return "", false, nil
	}
	err = guarded("rewriter", func() (err error) {
		rewritten, err = r.Rewrite(ctx, question, history)
		return err
	})
	return rewritten, true, err
}

// cutText is the Chunker's Chunks.
func cutText(by Chunker, text string) (spans []Span, err error) {
	err = guarded("chunker", func() error {
		spans = by.Chunks(text)
		return nil
	})
	return spans, err
}
