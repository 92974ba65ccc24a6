package quire_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/bm25"
	"github.com/quirelib/quire/engine/enginetest"
)

// dirtyIndex and dirtyText are indexes that return, beside what they should, all that
// they should not, out of order.
type (
	dirtyIndex struct{ quire.VectorIndex }
	dirtyText  struct{ quire.TextIndex }
)

func (x dirtyIndex) Search(ctx context.Context, query []float32, f quire.Filters, limit int) ([]quire.Hit, error) {
	hits, err := x.VectorIndex.Search(ctx, query, f, limit+1)
	if len(hits) > 0 {
		hits = append(hits, quire.Hit{ID: hits[0].ID, Score: math.NaN()}, quire.Hit{ID: hits[0].ID, Score: -3}, quire.Hit{ID: "nobody", Score: math.Inf(-1)})
		hits[0].Score = 7
	}
	slices.Reverse(hits)
	return hits, err
}

func (x dirtyText) Search(ctx context.Context, query string, f quire.Filters, limit int) ([]quire.TextHit, error) {
	hits, err := x.TextIndex.Search(ctx, query, f, limit+1)
	if len(hits) > 0 {
		first := hits[0]
		hits = append(hits, quire.TextHit{ID: first.ID, Score: math.NaN(), Share: 1}, quire.TextHit{ID: first.ID, Score: math.Inf(1)},
			quire.TextHit{ID: first.ID, Score: first.Score / 2}, quire.TextHit{ID: first.ID}, quire.TextHit{ID: "nobody", Score: 1e-9, Share: -3})
		hits[0].Share = 7
	}
	slices.Reverse(hits)
	return hits, err
}

// TestBrokenIndexes searches with indexes that break their contract: what is found is
// what sound ones find, with scores in bounds, each passage once.
func TestBrokenIndexes(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, stores[0].open(t), quire.EngineOptions{Chunker: paragraphs{}, Text: bm25.New(nil)})
	f.add(f.ann, "Of a lighthouse", "the lamp burns\n\nthe lamp is out\n\nthe keeper sleeps\n\nwaves and a lamp")
	search := func(mode quire.SearchMode, limit int) []quire.SearchHit {
		hits, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "lamp burns", Mode: mode, Limit: limit, Filters: quire.Filters{TenantID: f.ann.TenantID}})
		f.check(err)
		return hits
	}
	type key struct {
		mode  quire.SearchMode
		limit int
	}
	want := map[key][]quire.SearchHit{}
	modes := []quire.SearchMode{quire.SearchVector, quire.SearchText, quire.SearchHybrid}
	for _, mode := range modes {
		for _, limit := range []int{1, 3, 10} {
			want[key{mode, limit}] = search(mode, limit)
		}
	}
	f.stop(t.Context())
	f.opts.Text = dirtyText{bm25.New(nil)}
	eng, err := quire.NewEngine(t.Context(), f.Library, dirtyIndex{enginetest.NewIndex()}, f.embedder, f.llm, &f.opts)
	f.check(err)
	f.eng = eng
	for k, sound := range want {
		hits := search(k.mode, k.limit)
		ids := map[string]bool{}
		for i, h := range hits {
			if !(h.Score >= 0 && h.Score <= 1) || i > 0 && h.Score > hits[i-1].Score || ids[h.Chunk.ID] {
				t.Errorf("%v: hit %d is %q with the score %v", k, i, h.Chunk.Text, h.Score)
			}
			ids[h.Chunk.ID] = true
		}
		if len(hits) > k.limit || len(hits) == 0 || hits[0].Chunk.ID != sound[0].Chunk.ID {
			t.Errorf("%v: %d hits, %d of sound indexes", k, len(hits), len(sound))
		}
		if k.mode != quire.SearchHybrid && len(hits) != len(sound) {
			t.Errorf("%v: %d hits, %d of sound indexes", k, len(hits), len(sound))
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("G8: %d searches with indexes that break their contract find what %d with sound ones find first, 0 scores outside of 0 to 1", len(want), len(want))
}

// Vectors that were kept for a change when the new Embedder made others under the same
// fingerprint are made again, and the change comes to its end.
func TestKeptVectorsOfAnotherLength(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			f := newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}})
			f.add(f.ann, "Embedded anew", "one\n\ntwo")
			to := newEmbedder()
			chunks := f.chunks(f.embedder)
			f.stop(t.Context())
			f.check(f.store.Update(t.Context(), func(tx quire.Tx) error {
				return tx.PutVectors(t.Context(), to.Fingerprint(), map[string][]float32{chunks[0].Hash: {1, 2, 3}})
			}))
			f.opts.Former, f.embedder = f.embedder, to
			f.start()
			f.waitChanged()
			if got := f.chunks(to); len(got) != 3 { // which compares each vector
				t.Errorf("%d chunks", len(got))
			}
			f.wantNothingKept(to)
		})
	}
}
