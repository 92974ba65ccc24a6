package quire_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/bm25"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

// TestRetrievalFails: when sources cannot be looked for, there is no answer from the model
// alone: the question fails, and the model is not asked.
func TestRetrievalFails(t *testing.T) {
	t.Parallel()
	secret, fault := errors.New("secret of the provider"), errors.New("out of order")
	failing := func(scores []float64) ([]float64, error) { return nil, secret }
	short := func(scores []float64) ([]float64, error) { return scores[1:], nil }
	tests := []struct {
		name  string
		fault func(p *retrievalParts)
	}{
		{"the embedder", func(p *retrievalParts) { p.embedder.Fail(2, secret) }},
		{"the embedder's vector is none", func(p *retrievalParts) { p.embedder.Spoil(2, enginetest.SpoilNaN) }},
		{"the embedder returns nothing", func(p *retrievalParts) { p.embedder.Spoil(2, enginetest.SpoilMissing) }},
		{"the vector index", func(p *retrievalParts) { p.index.FailSearch(100, fault) }}, // it is tried again, after a repair
		{"the text index", func(p *retrievalParts) { p.text.failing.Store(true) }},
		{"the text index panics", func(p *retrievalParts) { p.text.panics.Store(true) }},
		{"the reranker", func(p *retrievalParts) { p.reranker.fault = failing }},
		{"the reranker leaves one out", func(p *retrievalParts) { p.reranker.fault = short }},
		{"the store", func(p *retrievalParts) { p.store.down.Store(true) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newRetrieval(t)
			tt.fault(p)
			f := p.engineFixture
			f.llm.Script("an answer of the model alone")
			res, err := f.ask("the only text")
			if err == nil || res.Answer != "" || len(res.Sources) > 0 || strings.Contains(err.Error(), "secret") {
				t.Errorf("%+v, %v", res, err)
			}
			contents, last, err := f.stream("the only text")
			if err == nil || len(contents) > 0 || last.Last || strings.Contains(err.Error(), "secret") {
				t.Errorf("%q, %+v, %v", contents, last, err)
			}
			if n := len(f.llm.Generations()); n != 0 {
				t.Errorf("the model was asked %d times", n)
			}
			p.heal()
			if res, err = f.ask("the only text"); err != nil || res.Answer == "" || len(res.Sources) == 0 {
				t.Errorf("afterwards: %+v, %v", res, err)
			}
		})
	}
	t.Cleanup(func() {
		if !t.Failed() {
			t.Logf("G5: retrieval fails in %d ways, streamed and whole: %d errors, 0 answers, the model was not asked once", len(tests), 2*len(tests))
		}
	})
}

// retrievalParts is an Engine whose parts can all be made to fail.
type retrievalParts struct {
	*engineFixture
	text     *faultyText
	reranker *longest
	store    *failingStore
}

func newRetrieval(t *testing.T) *retrievalParts {
	t.Helper()
	p := &retrievalParts{
		text: &faultyText{TextIndex: bm25.New(nil)}, reranker: &longest{},
		store: &failingStore{Store: store.NewMemory()},
	}
	p.engineFixture = newEngineFixture(t, p.store, quire.EngineOptions{Chunker: paragraphs{}, Text: p.text, Reranker: p.reranker})
	p.add(p.ann, "The only title there is", "the only text\n\nand another text")
	p.inStep()
	return p
}

// heal ends all faults, with a new index.
func (p *retrievalParts) heal() {
	p.text.failing.Store(false)
	p.text.panics.Store(false)
	p.store.down.Store(false)
	p.reranker.fault = nil
	p.restart()
}
