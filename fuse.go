package quire

import "context"

// candidates is how many hits of each index a hybrid search fuses, at least.
const candidates = 100

// search asks the indexes that the mode of the request is about.
func (x indexes) search(ctx context.Context, req SearchRequest, vector []float32, textWeight float64) ([]Hit, error) {
	switch req.Mode {
	case SearchVector:
		return x.vectors.Search(ctx, vector, req.Filters, req.Limit)
	case SearchText:
		words, err := x.text.Search(ctx, req.Query, req.Filters, max(candidates, req.Limit))
		return fuse(nil, words, 1, req.Limit), err
	}
	var near []Hit
	var words []TextHit
	wide := max(candidates, req.Limit)
	err := x.both(func() (err error) {
		near, err = x.vectors.Search(ctx, vector, req.Filters, wide)
		return err
	}, func() (err error) {
		words, err = x.text.Search(ctx, req.Query, req.Filters, wide)
		return err
	})
	if err != nil {
		return nil, err
	}
	return fuse(near, words, textWeight, req.Limit), nil
}

// fused is a chunk that one index has found, or both.
type fused struct {
	rank  float64 // what orders it: both scores, each spread over 0..1
	worth float64 // how well it fits by itself, 0..1
}

// fuse joins what two indexes have found, best first, ties by id. The scores of each are
// spread over 0..1 by the least and the greatest of its list, and added by their weights:
// Fox, Shaw, "Combination of Multiple Searches" (TREC-2, 1994); Bruch, Gai, Ingber, "An
// Analysis of Fusion Functions for Hybrid Retrieval" (ACM TOIS 42, 2023).
//
// That puts chunks in order, but says nothing about how good the best one is: it would
// have 1 even where nothing fits. So all are scaled by the greatest worth among them: the
// cosine and the share of the query's words that a chunk has, added by their weights.
func fuse(near []Hit, words []TextHit, textWeight float64, limit int) []Hit {
	found := make(map[string]*fused, len(near)+len(words))
	of := func(id string) *fused {
		if found[id] == nil {
			found[id] = &fused{}
		}
		return found[id]
	}
	if n := len(near); n > 0 {
		spread := spreading(near[n-1].Score, near[0].Score)
		for _, h := range near {
			f := of(h.ID)
			f.rank += (1 - textWeight) * spread(h.Score)
			f.worth += (1 - textWeight) * h.Score
		}
	}
	if n := len(words); n > 0 {
		spread := spreading(words[n-1].Score, words[0].Score)
		for _, h := range words {
			f := of(h.ID)
			f.rank += textWeight * spread(h.Score)
			f.worth += textWeight * h.Share
		}
	}
	top, worth := 0.0, 0.0
	for _, f := range found {
		top, worth = max(top, f.rank), max(worth, f.worth)
	}
	// All are scored before they are cut: ranks that differ by less than a score can tell are a tie too.
	hits := make([]Hit, 0, len(found))
	for id, f := range found {
		hits = append(hits, Hit{ID: id, Score: min(1, worth*share(f.rank, top))})
	}
	return best(hits, limit, func(h Hit) (string, float64) { return h.ID, h.Score })
}

// spreading spreads scores between the least and the greatest over 0..1. A score that is
// the only one is 1.
func spreading(least, greatest float64) func(float64) float64 {
	return func(score float64) float64 {
		if greatest <= least {
			return 1
		}
		return (score - least) / (greatest - least)
	}
}

// share is part of whole, 0 of nothing.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}
