package enginetest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

var indexMutants = []mutant[quire.VectorIndex]{
	{"old entries stay", "replace/removes what was there", replaceWith(func(x *Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
		for _, old := range x.Chunks() {
			same := func(c quire.Chunk) bool { return c.ID == old.ID }
			if len(chunks) > 0 && old.ElementalID == elementalID && !slices.ContainsFunc(chunks, same) {
				chunks = append(slices.Clone(chunks), old)
			}
		}
		return x.Replace(ctx, tenantID, elementalID, chunks)
	})},
	{"nothing is not removed", "replace/no chunks removes", replaceWith(func(x *Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
		if len(chunks) == 0 {
			return ctx.Err()
		}
		return x.Replace(ctx, tenantID, elementalID, chunks)
	})},
	{"one tenant for all", "replace/tenants apart", broken(brokenIndex{
		replace: func(x *Index, ctx context.Context, _, elementalID string, chunks []quire.Chunk) error {
			chunks = cloneChunks(chunks)
			for i := range chunks {
				chunks[i].TenantID = "all"
			}
			return x.Replace(ctx, "all", elementalID, chunks)
		},
		search: func(x *Index, ctx context.Context, query []float32, f quire.Filters, limit int) ([]quire.Hit, error) {
			f.TenantID = "all"
			return x.Search(ctx, query, f, limit)
		},
	})},
	{"caller's memory is kept", "replace/copies in", func(tb testing.TB) quire.VectorIndex {
		var kept []quire.Chunk
		return broken(brokenIndex{
			replace: func(x *Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
				kept = slices.Clone(chunks)
				return x.Replace(ctx, tenantID, elementalID, chunks)
			},
			search: func(x *Index, ctx context.Context, query []float32, f quire.Filters, limit int) ([]quire.Hit, error) {
				x.Replace(ctx, kept[0].TenantID, kept[0].ElementalID, kept)
				return x.Search(ctx, query, f, limit)
			},
		})(tb)
	}},
	{"normalizes in place", "replace/copies in", replaceWith(func(x *Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
		err := x.Replace(ctx, tenantID, elementalID, chunks)
		for _, c := range chunks {
			scale(c.Vector, 1/float32(norm(c.Vector)))
		}
		return err
	})},
	{"half of a refused call stays", "replace/refused vectors", replaceWith(func(x *Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
		err := x.Replace(ctx, tenantID, elementalID, chunks)
		if err != nil && len(chunks) > 1 {
			x.Replace(ctx, tenantID, elementalID, chunks[:1])
		}
		return err
	})},
	{"a zero vector is repaired", "replace/refused vectors", storedWith(func(c *quire.Chunk) {
		if len(c.Vector) > 0 && norm(c.Vector) == 0 {
			c.Vector[0] = 1
		}
	})},
	{"the first length is not checked", "replace/refused at first", replaceWith(func(x *Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
		if stats, _ := x.Stats(context.Background()); stats.Vectors == 0 && len(chunks) > 1 {
			chunks = chunks[:1]
		}
		return x.Replace(ctx, tenantID, elementalID, chunks)
	})},
	{"no tenant is one", "replace/no tenant", replaceWith(func(x *Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
		if tenantID == "" {
			chunks = nil
			tenantID = "default"
		}
		return x.Replace(ctx, tenantID, elementalID, chunks)
	})},
	{"replace does not look at the context", "replace/cancelled", replaceWith(func(x *Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
		return x.Replace(context.WithoutCancel(ctx), tenantID, elementalID, chunks)
	})},
	{"cancelled after half", "replace/cancelled", replaceWith(func(x *Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
		if ctx.Err() != nil {
			x.Replace(context.WithoutCancel(ctx), tenantID, elementalID, nil)
		}
		return x.Replace(ctx, tenantID, elementalID, chunks)
	})},
	{"one too few", "search/order and limit", hitsWith(func(hits []quire.Hit) []quire.Hit { return hits[:max(0, len(hits)-1)] })},
	{"worst first", "search/order and limit", hitsWith(func(hits []quire.Hit) []quire.Hit { slices.Reverse(hits); return hits })},
	{"ties backwards", "search/ties by id", hitsWith(func(hits []quire.Hit) []quire.Hit {
		slices.Reverse(hits)
		slices.SortStableFunc(hits, func(a, b quire.Hit) int { return cmp.Compare(b.Score, a.Score) })
		return hits
	})},
	{"scores are the distance", "search/scores", scoresWith(func(score float64) float64 { return 1 - score })},
	{"scores above 1", "search/scores", scoresWith(func(score float64) float64 { return score * 1.000001 })},
	{"dot product", "search/cosine of any length", searchWith(func(x *Index, ctx context.Context, query []float32, f quire.Filters, limit int) ([]quire.Hit, error) {
		hits, err := x.Search(ctx, query, f, limit)
		for i := range hits {
			hits[i].Score = min(1, hits[i].Score*norm(query))
		}
		return hits, err
	})},
	{"a bad query finds nothing", "search/refused queries", searchWith(func(x *Index, ctx context.Context, query []float32, f quire.Filters, limit int) ([]quire.Hit, error) {
		hits, err := x.Search(ctx, query, f, limit)
		if quire.CodeOf(err) == quire.CodeInvalid {
			err = nil
		}
		return hits, err
	})},
	{"sorts the caller's filters", "search/copies out", filtersWith(func(f *quire.Filters) { slices.Sort(f.TagIDs) })},
	{"normalizes the caller's query", "search/copies out", searchWith(func(x *Index, ctx context.Context, query []float32, f quire.Filters, limit int) ([]quire.Hit, error) {
		scale(query, 1/float32(norm(query)))
		return x.Search(ctx, query, f, limit)
	})},
	{"cancelled with a part", "search/cancelled", searchWith(func(x *Index, ctx context.Context, query []float32, f quire.Filters, limit int) ([]quire.Hit, error) {
		return x.Search(context.WithoutCancel(ctx), query, f, limit)
	})},
	{"type is not asked for", "filters/each field", filtersWith(func(f *quire.Filters) { f.TypeName = "" })},
	{"source and type are one", "filters/fields apart", storedWith(func(c *quire.Chunk) { c.Source += c.TypeName; c.TypeName = c.Source })},
	{"ids and names of tags are one", "filters/fields apart", storedWith(func(c *quire.Chunk) {
		c.TagIDs = slices.Concat(c.TagIDs, c.TagNames)
		c.TagNames = c.TagIDs
	})},
	{"only the first tag counts", "filters/or inside tags", filtersWith(func(f *quire.Filters) { f.TagIDs = f.TagIDs[:min(1, len(f.TagIDs))] })},
	{"no more than ten tags", "filters/many tags", filtersWith(func(f *quire.Filters) { f.TagIDs = f.TagIDs[:min(10, len(f.TagIDs))] })},
	{"letter case does not count", "filters/odd values", storedWith(func(c *quire.Chunk) { c.TypeName = strings.ToLower(c.TypeName) })},
	{"space does not count", "filters/odd values", storedWith(func(c *quire.Chunk) {
		for i, name := range c.TagNames {
			c.TagNames[i] = strings.TrimSpace(name)
		}
	})},
	{"tags are a list with commas", "filters/odd values", storedWith(func(c *quire.Chunk) { c.TagNames = strings.Split(strings.Join(c.TagNames, ","), ",") })},
	{"filters after the cut", "filters/before the cut", searchWith(func(x *Index, ctx context.Context, query []float32, f quire.Filters, limit int) ([]quire.Hit, error) {
		hits, err := x.Search(ctx, query, quire.Filters{TenantID: f.TenantID}, limit)
		for _, c := range x.Chunks() {
			if !f.Match(&c) {
				hits = slices.DeleteFunc(hits, func(h quire.Hit) bool { return h.ID == c.ID })
			}
		}
		return hits, err
	})},
	{"dimension outlives its vectors", "life/stats", broken(brokenIndex{stats: func(x *Index, ctx context.Context) (quire.IndexStats, error) {
		s, err := x.Stats(ctx)
		return quire.IndexStats{Vectors: s.Vectors, Dimension: dim}, err
	}})},
	{"reset leaves one", "life/reset", broken(brokenIndex{reset: func(x *Index, ctx context.Context) error {
		kept := x.Chunks()
		err := x.Reset(ctx)
		if len(kept) > 0 {
			x.Replace(ctx, kept[0].TenantID, kept[0].ElementalID, kept[:1])
		}
		return err
	}})},
	{"reset does not look at the context", "life/cancelled", broken(brokenIndex{reset: func(x *Index, ctx context.Context) error {
		return x.Reset(context.WithoutCancel(ctx))
	}})},
	{"close does nothing", "life/close", broken(brokenIndex{close: func(*Index) error { return nil }})},
	{"a goroutine stays", "life/close", broken(brokenIndex{close: func(x *Index) error {
		go func() { select {} }()
		return x.Close()
	}})},
	{"replace in two steps", "concurrent/replace is atomic", replaceWith(func(x *Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
		if err := x.Replace(ctx, tenantID, elementalID, nil); err != nil {
			return err
		}
		time.Sleep(50 * time.Microsecond)
		return x.Replace(ctx, tenantID, elementalID, chunks)
	})},
	{"reset in two steps", "concurrent/reset is atomic", broken(brokenIndex{reset: func(x *Index, ctx context.Context) error {
		if kept := x.Chunks(); len(kept) > 0 {
			x.Replace(ctx, kept[0].TenantID, kept[0].ElementalID, kept[:len(kept)/2])
		}
		time.Sleep(50 * time.Microsecond)
		return x.Reset(ctx)
	}})},
	{"limit is never over 3", "model", searchWith(func(x *Index, ctx context.Context, query []float32, f quire.Filters, limit int) ([]quire.Hit, error) {
		return x.Search(ctx, query, f, min(limit, 3))
	})},
}
