package enginetest

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

// rerankerFunc is a Reranker.
type rerankerFunc func(ctx context.Context, query string, hits []quire.SearchHit) ([]float64, error)

func (f rerankerFunc) Rerank(ctx context.Context, query string, hits []quire.SearchHit) ([]float64, error) {
	return f(ctx, query, hits)
}

// countWords scores by the words of the query that a text holds.
func countWords(ctx context.Context, query string, hits []quire.SearchHit) ([]float64, error) {
	scores := make([]float64, len(hits))
	words := strings.Fields(query)
	for i, h := range hits {
		for _, w := range words {
			if strings.Contains(h.Chunk.Text, w) {
				scores[i] += 1 / float64(len(words))
			}
		}
		scores[i] = min(1, scores[i])
	}
	return scores, ctx.Err()
}

// rerankedWith changes the scores of countWords.
func rerankedWith(change func(hits []quire.SearchHit, scores []float64) []float64) func(testing.TB) quire.Reranker {
	return func(testing.TB) quire.Reranker {
		return rerankerFunc(func(ctx context.Context, query string, hits []quire.SearchHit) ([]float64, error) {
			scores, err := countWords(ctx, query, hits)
			return change(hits, scores), err
		})
	}
}

var rerankerMutants = []mutant[quire.Reranker]{
	{"a score too few", "scores", rerankedWith(func(_ []quire.SearchHit, s []float64) []float64 { return s[:max(0, len(s)-1)] })},
	{"over 1", "scores", rerankedWith(func(_ []quire.SearchHit, s []float64) []float64 {
		for i := range s {
			s[i] *= 1.5
		}
		return s
	})},
	{"not a number", "scores", rerankedWith(func(hits []quire.SearchHit, s []float64) []float64 {
		for i := range s {
			if hits[i].Score == 0 {
				s[i] = math.NaN()
			}
		}
		return s
	})},
	{"all the same", "judges", rerankedWith(func(_ []quire.SearchHit, s []float64) []float64 { return make([]float64, len(s)) })},
	{"by place", "place by place", rerankedWith(func(_ []quire.SearchHit, s []float64) []float64 {
		for i := range s {
			s[i] /= float64(i + 1)
		}
		return s
	})},
	{"learns", "same again", func(testing.TB) quire.Reranker {
		calls := 0
		return rerankerFunc(func(ctx context.Context, query string, hits []quire.SearchHit) ([]float64, error) {
			scores, err := countWords(ctx, query, hits)
			calls++
			for i := range scores {
				scores[i] /= float64(calls)
			}
			return scores, err
		})
	}},
	{"writes into the hits", "hits stay", rerankedWith(func(hits []quire.SearchHit, s []float64) []float64 {
		for i := range hits {
			hits[i].Score = s[i]
		}
		return s
	})},
	{"one query for all calls", "concurrent", func(testing.TB) quire.Reranker {
		var mu sync.Mutex
		var last string
		return rerankerFunc(func(ctx context.Context, query string, hits []quire.SearchHit) ([]float64, error) {
			mu.Lock()
			last = query
			mu.Unlock()
			time.Sleep(time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			return countWords(ctx, last, hits)
		})
	}},
	{"goes on when cancelled", "cancelled", func(testing.TB) quire.Reranker {
		return rerankerFunc(func(ctx context.Context, query string, hits []quire.SearchHit) ([]float64, error) {
			return countWords(context.WithoutCancel(ctx), query, hits)
		})
	}},
}

func TestReranker(t *testing.T) {
	RunReranker(t, func(testing.TB) quire.Reranker { return rerankerFunc(countWords) })
}
