package quire

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Reranker looks at what a search has found more closely than an index can, and says how
// well each passage fits the query. engine/rerank has one without a model; one over a
// cross-encoder is a few lines. It must be safe for concurrent use.
//
// What every implementation must hold (engine/enginetest checks it):
//
//   - It returns a score for each hit, in their order: 0..1, 1 fits best. Scores are not
//     compared with those of other queries, but shown to users.
//   - The order of hits says nothing but how good the search found them; so do their
//     scores, which it may use. The same hits and query give the same scores.
//   - hits and what they point to stay as they are.
//   - No hits are no error. A cancelled context returns its error.
type Reranker interface {
	Rerank(ctx context.Context, query string, hits []SearchHit) ([]float64, error)
}

const (
	partReranker       = "reranker"
	defaultRerankDepth = 20
)

// reranks reports whether a search in a mode is reranked: in the Engine's own mode. A
// request that chooses another one wants to hear an index.
func (e *Engine) reranks(mode SearchMode) bool {
	return e.opts.Reranker != nil && mode == e.opts.Mode
}

// textsOf are the texts that a Reranker is given.
func textsOf(query string, hits []SearchHit) []string {
	texts := []string{query}
	for _, h := range hits {
		texts = append(texts, h.Chunk.Text)
	}
	return texts
}

// rerank puts the first hits in the order of the Reranker, ties by id. It is given as many
// whatever the limit is, so that who asks for more gets the same ones first; those behind
// them score below the last of them, or 0 if that does.
func (e *Engine) rerank(ctx context.Context, query string, all []SearchHit) error {
	hits := all[:min(len(all), e.opts.RerankDepth)]
	var scores []float64
	err := guarded(partReranker, func() (err error) {
		scores, err = e.opts.Reranker.Rerank(ctx, query, slices.Clone(hits))
		return err
	})
	switch {
	case err != nil:
		return modelError(ctx, partReranker, err, textsOf(query, hits))
	case len(scores) != len(hits):
		return Errorf(CodeInternal, "the reranker returned %d scores for %d passages", len(scores), len(hits))
	}
	for i, score := range scores {
		if !(score >= 0 && score <= 1) {
			return Errorf(CodeInternal, "the reranker returned a score of %v, which must be 0..1", score)
		}
		hits[i].Score = score
	}
	slices.SortFunc(hits, byScore)
	if len(hits) > 0 {
		keepBelow(all[len(hits):], hits[len(hits)-1].Score)
	}
	return nil
}

// byScore orders hits by descending score, ties by id.
func byScore(a, b SearchHit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Chunk.ID, b.Chunk.ID))
}

// keepBelow scales the scores of hits, the best of which is first, so that all are below a
// score, and keep their distances as far as that goes.
func keepBelow(hits []SearchHit, score float64) {
	if len(hits) == 0 || hits[0].Score < score || hits[0].Score == 0 {
		return
	}
	scale := score / hits[0].Score * (1 - 1e-9)
	for i := range hits {
		hits[i].Score *= scale
	}
	slices.SortStableFunc(hits, byScore) // what has become equal
}
