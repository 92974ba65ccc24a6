package enginetest

import (
	"context"
	"testing"

	"github.com/quirelib/quire"
)

// brokenIndex is an index whose methods can be replaced one by one.
type brokenIndex struct {
	*Index
	replace replaceFunc
	search  searchFunc
	reset   func(x *Index, ctx context.Context) error
	stats   func(x *Index, ctx context.Context) (quire.IndexStats, error)
	close   func(x *Index) error
}

type (
	replaceFunc = func(x *Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error
	searchFunc  = func(x *Index, ctx context.Context, query []float32, f quire.Filters, limit int) ([]quire.Hit, error)
)

func (b *brokenIndex) Replace(ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
	if b.replace != nil {
		return b.replace(b.Index, ctx, tenantID, elementalID, chunks)
	}
	return b.Index.Replace(ctx, tenantID, elementalID, chunks)
}

func (b *brokenIndex) Search(ctx context.Context, query []float32, f quire.Filters, limit int) ([]quire.Hit, error) {
	if b.search != nil {
		return b.search(b.Index, ctx, query, f, limit)
	}
	return b.Index.Search(ctx, query, f, limit)
}

func (b *brokenIndex) Reset(ctx context.Context) error {
	if b.reset != nil {
		return b.reset(b.Index, ctx)
	}
	return b.Index.Reset(ctx)
}

func (b *brokenIndex) Stats(ctx context.Context) (quire.IndexStats, error) {
	if b.stats != nil {
		return b.stats(b.Index, ctx)
	}
	return b.Index.Stats(ctx)
}

func (b *brokenIndex) Close() error {
	if b.close != nil {
		return b.close(b.Index)
	}
	return b.Index.Close()
}

// broken makes an opener of indexes that are broken in the same way.
func broken(b brokenIndex) opener {
	return func(testing.TB) quire.VectorIndex {
		b := b
		b.Index = NewIndex()
		return &b
	}
}

func replaceWith(f replaceFunc) opener { return broken(brokenIndex{replace: f}) }

func searchWith(f searchFunc) opener { return broken(brokenIndex{search: f}) }

// filtersWith searches with changed filters.
func filtersWith(change func(f *quire.Filters)) opener {
	return searchWith(func(x *Index, ctx context.Context, query []float32, f quire.Filters, limit int) ([]quire.Hit, error) {
		change(&f)
		return x.Search(ctx, query, f, limit)
	})
}

// hitsWith changes what a search found.
func hitsWith(change func(hits []quire.Hit) []quire.Hit) opener {
	return searchWith(func(x *Index, ctx context.Context, query []float32, f quire.Filters, limit int) ([]quire.Hit, error) {
		hits, err := x.Search(ctx, query, f, limit)
		return change(hits), err
	})
}

// scoresWith changes scores.
func scoresWith(change func(score float64) float64) opener {
	return hitsWith(func(hits []quire.Hit) []quire.Hit {
		for i := range hits {
			hits[i].Score = change(hits[i].Score)
		}
		return hits
	})
}

// storedWith changes chunks before they are stored.
func storedWith(change func(c *quire.Chunk)) opener {
	return replaceWith(func(x *Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
		chunks = cloneChunks(chunks)
		for i := range chunks {
			change(&chunks[i])
		}
		return x.Replace(ctx, tenantID, elementalID, chunks)
	})
}

// scale changes the length of a vector in place.
func scale(v []float32, factor float32) {
	for i := range v {
		v[i] *= factor
	}
}
