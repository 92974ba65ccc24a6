package chromem

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/philippgille/chromem-go"
	"github.com/quirelib/quire"
)

// maxQueries is how many queries a search with an OR is split into. Above that, one
// query for everything that has the scalar fields, and looking at the tags here, is
// cheaper: with 10,000 entries in one part that took 30 ms, and each query of a split at least 7,
// because chromem-go hands every document to another goroutine to compare its
// metadata.
const maxQueries = 4

// part is one of the collections of a tenant.
type part struct{ *chromem.Collection }

// search returns the limit nearest entries that the condition selects.
func (p part) search(ctx context.Context, query []float32, c condition, limit int) ([]quire.Hit, error) {
	if p.Count() == 0 {
		return nil, nil // chromem-go would be asked for none, which is an error
	}
	if c.combinations() > maxQueries {
		return p.searchAll(ctx, query, c, limit)
	}
	// The first n of a union are among the first n of each part.
	var hits []quire.Hit
	for _, where := range c.queries() {
		part, err := p.nearest(ctx, query, where, limit)
		if err != nil {
			return nil, err
		}
		hits = append(hits, part...)
	}
	return first(hits, limit), nil
}

// searchAll asks for everything that has the scalar fields and looks at the tags
// itself.
func (p part) searchAll(ctx context.Context, query []float32, c condition, limit int) ([]quire.Hit, error) {
	results, err := p.query(ctx, query, c.scalars, p.Count())
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	results = slices.DeleteFunc(results, func(r chromem.Result) bool { return !c.hasTags(r.Metadata) })
	return first(hits(results), limit), nil
}

// nearest returns the limit nearest entries whose metadata has all of where.
// chromem-go cuts at random between equal scores, so one more is asked for; if
// the cut went through equals, more and more, until all of them are there.
func (p part) nearest(ctx context.Context, query []float32, where map[string]string, limit int) ([]quire.Hit, error) {
	limit = min(limit, p.Count())
	for n := limit + 1; ; n *= 8 {
		results, err := p.query(ctx, query, where, n)
		if err != nil {
			return nil, err
		}
		// The scores are compared as they are returned: entries on the far side all
		// have score 0.
		found := hits(results)
		if len(found) < n || found[n-1].Score < found[limit-1].Score {
			return first(found, limit), nil
		}
	}
}

// query returns the n nearest documents, or as many as there are, best first and
// equals in any order. What it returns belongs to chromem-go and is only to be read.
func (p part) query(ctx context.Context, query []float32, where map[string]string, n int) ([]chromem.Result, error) {
	// More than there are would be an error.
	results, err := p.QueryEmbedding(ctx, query, min(n, p.Count()), where, nil)
	// A cancelled query returns what it has so far and no error.
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, internal(err)
	}
	return results, nil
}

// hits returns results with their scores in 0..1: a cosine may be negative, and in
// 32 bits a little above 1.
func hits(results []chromem.Result) []quire.Hit {
	list := make([]quire.Hit, len(results))
	for i, r := range results {
		list[i] = quire.Hit{ID: r.ID, Score: min(max(float64(r.Similarity), 0), 1)}
	}
	return list
}

// first sorts hits, drops those that are in it twice, and returns the first limit.
func first(hits []quire.Hit, limit int) []quire.Hit {
	slices.SortFunc(hits, func(a, b quire.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
	// An entry has the same score in every query, so that its hits are neighbours.
	hits = slices.Compact(hits)
	return hits[:min(limit, len(hits))]
}
