package quire_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/bm25"
	"github.com/quirelib/quire/store"
)

// longest is a Reranker for which the longest text is the best. It fails as it is told to.
type longest struct {
	given atomic.Int64 // hits of the last call
	fault func(scores []float64) ([]float64, error)
}

func (r *longest) Rerank(ctx context.Context, _ string, hits []quire.SearchHit) ([]float64, error) {
	r.given.Store(int64(len(hits)))
	scores := make([]float64, len(hits))
	for i := range hits {
		scores[i] = min(1, float64(len(hits[i].Chunk.Text))/1000)
		hits[i] = quire.SearchHit{} // what it does to them is of no importance
	}
	if r.fault != nil {
		return r.fault(scores)
	}
	return scores, ctx.Err()
}

// reranked is an Engine with 40 passages about tides, each longer than the one before.
func reranked(t *testing.T, opts quire.EngineOptions) (*engineFixture, *longest) {
	t.Helper()
	r := &longest{}
	opts.Chunker, opts.Reranker, opts.Text = paragraphs{}, r, bm25.New(nil)
	f := newEngineFixture(t, store.NewMemory(), opts)
	var passages []string
	for i := range 40 {
		passages = append(passages, "tides "+strings.Repeat("x", i))
	}
	f.add(f.ann, "All about tides", strings.Join(passages, "\n\n"))
	return f, r
}

func TestRerankedSearch(t *testing.T) {
	t.Parallel()
	f, r := reranked(t, quire.EngineOptions{})
	depth, fewer := 20, 3
	plain := f.passages("tides", quire.SearchText, depth)
	if r.given.Load() != 0 {
		t.Error("a mode that the request chose was reranked")
	}
	for _, mode := range []quire.SearchMode{"", quire.SearchHybrid} {
		got := f.passages("tides", mode, fewer)
		if len(got) != fewer || !slices.IsSortedFunc(got, func(a, b string) int { return len(b) - len(a) }) {
			t.Errorf("mode %q: %q", mode, got)
		}
		if n := r.given.Load(); n != int64(depth) {
			t.Errorf("the reranker was given %d passages, want %d", n, depth)
		}
	}
	// Who asks for more gets the same ones first.
	first, more := f.passages("tides", "", 10), f.passages("tides", "", 30)
	if len(more) != 30 || r.given.Load() != int64(depth) || !slices.Equal(more[:10], first) {
		t.Errorf("%d passages, of %d given, the first ones %q, want %q", len(more), r.given.Load(), more[:10], first)
	}
	if len(plain) != depth {
		t.Errorf("text alone finds %d", len(plain))
	}
	resp, err := f.ask("What about tides?")
	f.check(err)
	if len(resp.Sources) == 0 || len(resp.Sources[0].Chunk.Text) < len(resp.Sources[len(resp.Sources)-1].Chunk.Text) {
		t.Errorf("the sources of an answer are not in the reranker's order: %v", len(resp.Sources))
	}
	// Nothing found is nothing to rerank.
	r.given.Store(-1)
	hits, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "tides", Filters: quire.Filters{TenantID: "nobody"}})
	if f.check(err); len(hits) > 0 || r.given.Load() != -1 {
		t.Errorf("%d hits, the reranker was given %d", len(hits), r.given.Load())
	}
}

// The mode of the Engine is the one that is reranked.
func TestRerankedMode(t *testing.T) {
	t.Parallel()
	f, r := reranked(t, quire.EngineOptions{Mode: quire.SearchText, RerankDepth: 7})
	f.passages("tides", quire.SearchHybrid, 2)
	if r.given.Load() != 0 {
		t.Error("a mode that the request chose was reranked")
	}
	if f.passages("tides", "", 2); r.given.Load() != 7 {
		t.Errorf("the reranker was given %d passages, want 7", r.given.Load())
	}
}

// Equal scores are in the order of ids, so that pages and answers are the same each time.
func TestRerankedTies(t *testing.T) {
	t.Parallel()
	f, r := reranked(t, quire.EngineOptions{})
	r.fault = func(scores []float64) ([]float64, error) { return make([]float64, len(scores)), nil }
	hits, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "tides", Filters: quire.Filters{TenantID: f.ann.TenantID}})
	f.check(err)
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.Chunk.ID)
	}
	if !slices.IsSorted(ids) || len(ids) != 10 {
		t.Errorf("ids %q", ids)
	}
}

// Behind what was reranked, hits keep their own order, below it: the scores of all of them
// go down, ties by id, and whoever asks for fewer gets the same first ones.
func TestBehindTheReranked(t *testing.T) {
	t.Parallel()
	f, r := reranked(t, quire.EngineOptions{})
	for _, least := range []float64{0.5, 1e-3, 0} {
		r.fault = func(scores []float64) ([]float64, error) {
			for i := range scores {
				scores[i] = least + (1-least)*float64(i%3)/3
			}
			return scores, nil
		}
		search := func(limit int) (ids []string) {
			hits, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "tides", Limit: limit, Filters: quire.Filters{TenantID: f.ann.TenantID}})
			f.check(err)
			for i, h := range hits {
				ids = append(ids, h.Chunk.ID)
				if i > 0 && least > 0 && (h.Score > hits[i-1].Score || h.Score == hits[i-1].Score && h.Chunk.ID < hits[i-1].Chunk.ID) {
					t.Errorf("least %v, limit %d: hit %d with %v is behind one with %v", least, limit, i, h.Score, hits[i-1].Score)
				}
			}
			return ids
		}
		all := search(40)
		for limit := 1; limit < len(all); limit++ {
			if ids := search(limit); !slices.Equal(ids, all[:limit]) {
				t.Errorf("least %v: the first %d of %d are others", least, limit, len(all))
			}
		}
	}
}

func TestBrokenRerankers(t *testing.T) {
	t.Parallel()
	f, r := reranked(t, quire.EngineOptions{})
	for name, c := range map[string]struct {
		fault func(scores []float64) ([]float64, error)
		want  quire.Code
	}{
		"too few":          {func(s []float64) ([]float64, error) { return s[1:], nil }, quire.CodeInternal},
		"too many":         {func(s []float64) ([]float64, error) { return append(s, 1), nil }, quire.CodeInternal},
		"none":             {func([]float64) ([]float64, error) { return nil, nil }, quire.CodeInternal},
		"not a number":     {func(s []float64) ([]float64, error) { s[3] = math.NaN(); return s, nil }, quire.CodeInternal},
		"over 1":           {func(s []float64) ([]float64, error) { s[0] = 1.01; return s, nil }, quire.CodeInternal},
		"below 0":          {func(s []float64) ([]float64, error) { s[0] = -1e-9; return s, nil }, quire.CodeInternal},
		"an error":         {func([]float64) ([]float64, error) { return nil, errors.New("secret") }, quire.CodeUnavailable},
		"an error of ours": {func([]float64) ([]float64, error) { return nil, quire.Errorf(quire.CodeTooLarge, "too much") }, quire.CodeTooLarge},
		"its own timeout":  {func([]float64) ([]float64, error) { return nil, context.DeadlineExceeded }, quire.CodeUnavailable},
		"a panic":          {func([]float64) ([]float64, error) { panic("secret") }, quire.CodeInternal},
	} {
		r.fault = c.fault
		hits, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "tides", Filters: quire.Filters{TenantID: f.ann.TenantID}})
		if quire.CodeOf(err) != c.want || hits != nil || strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("%s: %d hits, %v, want %s", name, len(hits), err, c.want)
		}
	}
	r.fault = nil
	if got := f.passages("tides", "", 5); len(got) != 5 {
		t.Errorf("afterwards: %q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.fault = func(s []float64) ([]float64, error) { cancel(); return nil, ctx.Err() }
	_, err := f.eng.Search(ctx, quire.SearchRequest{Query: "tides", Filters: quire.Filters{TenantID: f.ann.TenantID}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a search that is cancelled: %v", err)
	}
}

func TestRerankDepthIsChecked(t *testing.T) {
	t.Parallel()
	f, _ := reranked(t, quire.EngineOptions{})
	f.stop(t.Context())
	for _, depth := range []int{-1, 101} {
		_, err := quire.NewEngine(t.Context(), f.Library, f.index, f.embedder, f.llm, &quire.EngineOptions{RerankDepth: depth})
		if quire.CodeOf(err) != quire.CodeInvalid || !strings.Contains(err.Error(), "RerankDepth") {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}
