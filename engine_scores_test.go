package quire_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

// floodText is floodIndex for words.
type floodText struct {
	quire.TextIndex
	hits *[]quire.TextHit
}

func (x floodText) Search(context.Context, string, quire.Filters, int) ([]quire.TextHit, error) {
	return slices.Clone(*x.hits), nil
}

// wildScore is a number that an index might give a passage, right or wrong, and often one
// that others have too.
func wildScore(r *rand.Rand) float64 {
	wild := []float64{0, 1, 0.5, 0.5, 0.25, math.NaN(), math.Inf(1), math.Inf(-1), -1, -1e300, 242, 1e300, 5e-324, math.Nextafter(1, 2), math.Copysign(0, -1)}
	if n := r.IntN(2 * len(wild)); n < len(wild) {
		return wild[n]
	}
	return r.Float64()
}

// TestScores lets indexes return scores of any kind: those that a search shows are numbers
// from 0 to 1 in order, equal ones by id, each passage once.
func TestScores(t *testing.T) {
	t.Parallel()
	searches := 1500
	if testing.Short() {
		searches = 100
	}
	r := rand.New(rand.NewPCG(1, 8))
	f, ids := flood(t, r)
	f.stop(t.Context())
	var near []quire.Hit
	var words []quire.TextHit
	f.opts.Text = floodText{newTextCopy(), &words}
	eng, err := quire.NewEngine(t.Context(), f.Library, floodIndex{f.index, &near}, f.embedder, f.llm, &f.opts)
	f.check(err)
	f.eng = eng
	modes := []quire.SearchMode{quire.SearchVector, quire.SearchText, quire.SearchHybrid}
	hits, ties, wild := 0, 0, 0
	for i := range searches {
		near, words = near[:0], words[:0]
		for range 60 + r.IntN(90) { // all of them are shown, or not all
			near = append(near, quire.Hit{ID: ids[r.IntN(len(ids))], Score: wildScore(r)})
			words = append(words, quire.TextHit{ID: ids[r.IntN(len(ids))], Score: wildScore(r), Share: wildScore(r)})
			if s := near[len(near)-1].Score; !(s >= 0 && s <= 1) {
				wild++
			}
		}
		found, err := eng.Search(t.Context(), quire.SearchRequest{Query: "flood", Mode: modes[i%3], Limit: 100, Filters: quire.Filters{TenantID: f.ann.TenantID}})
		f.check(err)
		ties += wantOrder(t, modes[i%3], found)
		hits += len(found)
	}
	if hits < 60*searches || ties < searches || wild < searches {
		t.Errorf("%d hits, %d ties, %d scores out of bounds: the test is too weak", hits, ties, wild)
	}
	if t.Failed() {
		return
	}
	t.Logf("G8: %d hits of %d searches in %d modes of indexes that returned %d scores out of bounds: 0 outside of 0 to 1, 0 out of order, %d ties by id", hits, searches, len(modes), wild, ties)
}

// wantOrder checks the scores of a search and returns how many are those of the hit before.
func wantOrder(t *testing.T, mode quire.SearchMode, hits []quire.SearchHit) (ties int) {
	t.Helper()
	seen := map[string]bool{}
	for i, h := range hits {
		if !(h.Score >= 0 && h.Score <= 1) || seen[h.Chunk.ID] {
			t.Fatalf("%s: hit %d, %s, has the score %v", mode, i, h.Chunk.ID, h.Score)
		}
		seen[h.Chunk.ID] = true
		if i == 0 {
			continue
		}
		last := hits[i-1]
		if h.Score > last.Score || h.Score == last.Score && strings.Compare(h.Chunk.ID, last.Chunk.ID) < 0 {
			t.Fatalf("%s: hit %d with the score %v is behind one with %v, the ids are %s and %s", mode, i, h.Score, last.Score, h.Chunk.ID, last.Chunk.ID)
		}
		if h.Score == last.Score {
			ties++
		}
	}
	return ties
}
