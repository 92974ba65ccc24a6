// Package rerank holds a Reranker without a model: it reads the passages that a search
// has found for what an index over single words cannot see.
package rerank

import (
	"context"

	"github.com/quirelib/quire"
)

// How much each sign counts beside the score of the search, which is 1 for the best of
// the hits. Measured on SciFact, Cranfield and SQuAD, where half or twice as much makes
// little difference: docs/decisions/0024-reranker.md.
const (
	sentenceWeight = 0.2
	pairWeight     = 0.6
	headWeight     = 0.6
)

// Reranker is a quire.Reranker that adds to the score of each hit
//
//   - how much of the query a single sentence holds, where that is most,
//   - how many of the words that are neighbours in the query are so in the passage (the
//     sequential dependence of Metzler and Croft, "A Markov Random Field Model for Term
//     Dependencies", SIGIR 2005),
//   - how much of the query its title and headings hold,
//
// words counting more the fewer sentences of all hits hold them. Function words count
// only in a query of nothing else. The scores that it returns are spread so that the best
// hit has the best score that it was given: that says how good it is by itself.
//
// It is safe for concurrent use and makes some 50 µs a passage of 1,500 characters.
type Reranker struct{}

// New returns a Reranker.
func New() *Reranker { return &Reranker{} }

// Rerank implements quire.Reranker. Its only error is that of a cancelled context.
func (*Reranker) Rerank(ctx context.Context, query string, hits []quire.SearchHit) ([]float64, error) {
	scores := make([]float64, len(hits))
	top := 0.0
	for i, h := range hits {
		scores[i] = h.Score
		top = max(top, h.Score)
	}
	q := newQuery(query)
	if len(q.words) == 0 || top == 0 {
		return scores, ctx.Err()
	}
	passages := make([]passage, len(hits))
	for i, h := range hits {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		passages[i] = q.passage(h.Chunk)
	}
	q.weigh(passages)
	best := 0.0
	for i, p := range passages {
		scores[i] = scores[i]/top + sentenceWeight*q.sentence(p) + pairWeight*q.pairsOf(p) + headWeight*q.share(p.heads)
		best = max(best, scores[i])
	}
	for i := range scores {
		scores[i] *= top / best
	}
	return scores, ctx.Err()
}
