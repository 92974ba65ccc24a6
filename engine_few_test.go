package quire_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/bm25"
	"github.com/quirelib/quire/engine/chromem"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/engine/flat"
	"github.com/quirelib/quire/store"
)

// onEachIndex runs a test with an Engine over each VectorIndex that there is.
func onEachIndex(t *testing.T, test func(t *testing.T, f *engineFixture)) {
	for name, index := range map[string]func() quire.VectorIndex{
		"fake":    func() quire.VectorIndex { return enginetest.NewIndex() },
		"chromem": func() quire.VectorIndex { return chromem.New(nil) },
		"flat":    func() quire.VectorIndex { return flat.New(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Chunker: paragraphs{}, Text: bm25.New(nil)})
			f.stop(t.Context())
			f.opts.Text = bm25.New(nil)
			eng, err := quire.NewEngine(t.Context(), f.Library, index(), f.embedder, f.llm, &f.opts)
			f.check(err)
			f.eng = eng
			test(t, f)
		})
	}
}

// TestFewPassages searches and asks where there is less than what is asked for: nothing,
// one, some, and only some that match.
func TestFewPassages(t *testing.T) {
	t.Parallel()
	searches, cases, indexes := make(chan int, 10_000), make(chan string, 1000), 0
	onEachIndex(t, func(t *testing.T, f *engineFixture) {
		all := quire.Filters{TenantID: f.ann.TenantID}
		want := func(name string, filters quire.Filters, there int) {
			t.Helper()
			for _, mode := range []quire.SearchMode{quire.SearchVector, quire.SearchText, quire.SearchHybrid} {
				for _, limit := range []int{1, 2, 99, 100} {
					f.wantFew(name, quire.SearchRequest{Query: "lighthouse", Mode: mode, Limit: limit, Filters: filters}, there)
					searches <- 1
				}
			}
			cases <- name
		}
		want("an empty store", all, 0)
		want("a filter in an empty store", quire.Filters{TenantID: f.ann.TenantID, ElementalID: "none"}, 0)
		one := f.add(f.ann, "A lighthouse far away", "the only lighthouse")
		want("one elemental", all, 2)
		f.add(f.ann, "Another lighthouse", "a second lighthouse\n\na third lighthouse")
		want("fewer than asked for", all, 5)
		want("a filter that leaves one elemental", quire.Filters{TenantID: f.ann.TenantID, ElementalID: one.ID}, 2)
		want("a filter that leaves nothing", quire.Filters{TenantID: f.ann.TenantID, TagNames: []string{"none"}}, 0)
		want("a tenant without content", quire.Filters{TenantID: f.bob.TenantID}, 0)
		_, err := f.eng.Delete(t.Context(), all)
		f.check(err)
		want("all was deleted", all, 0)
	})
	t.Cleanup(func() {
		kinds := map[string]int{}
		for len(cases) > 0 {
			kinds[<-cases]++
		}
		for name, n := range kinds {
			indexes = max(indexes, n)
			if n < indexes {
				t.Errorf("%s: %d of %d indexes", name, n, indexes)
			}
		}
		if !t.Failed() {
			t.Logf("G7: %d of %d cases of less than is asked for, on %d vector indexes, in 3 modes: %d searches and as many questions, 0 errors", len(kinds), len(kinds), indexes, len(searches))
		}
	})
}

// wantFew searches and asks for passages of which there are so many that match.
func (f *engineFixture) wantFew(name string, req quire.SearchRequest, there int) {
	f.t.Helper()
	what := fmt.Sprintf("%s: %s, limit %d", name, req.Mode, req.Limit)
	hits, err := f.eng.Search(f.t.Context(), req)
	if err != nil || len(hits) != min(there, req.Limit) {
		f.t.Errorf("%s: %d hits of %d: %v", what, len(hits), there, err)
	}
	var ids []string
	for _, h := range hits {
		if !req.Filters.Match(&h.Chunk) || slices.Contains(ids, h.Chunk.ID) {
			f.t.Errorf("%s: %+v", what, h)
		}
		ids = append(ids, h.Chunk.ID)
	}
	res, err := f.eng.Chat(f.t.Context(), quire.ChatRequest{Query: req.Query, Mode: req.Mode, Limit: req.Limit, Filters: req.Filters})
	if err != nil || len(res.Sources) > min(there, req.Limit) || (there == 0) != (res.Answer == noAnswer) {
		f.t.Errorf("%s: the answer %q has %d sources of %d: %v", what, res.Answer, len(res.Sources), there, err)
	}
}
