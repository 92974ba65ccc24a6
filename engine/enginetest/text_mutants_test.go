package enginetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/bm25"
)

// brokenText is a text index with a fault: functions that stand in for its methods.
type brokenText struct {
	*bm25.Index
	replace func(x *bm25.Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error
	search  func(x *bm25.Index, ctx context.Context, query string, f quire.Filters, limit int) ([]quire.TextHit, error)
	reset   func(x *bm25.Index, ctx context.Context) error
}

func (b *brokenText) Replace(ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
	if b.replace == nil {
		return b.Index.Replace(ctx, tenantID, elementalID, chunks)
	}
	return b.replace(b.Index, ctx, tenantID, elementalID, chunks)
}

func (b *brokenText) Search(ctx context.Context, query string, f quire.Filters, limit int) ([]quire.TextHit, error) {
	if b.search == nil {
		return b.Index.Search(ctx, query, f, limit)
	}
	return b.search(b.Index, ctx, query, f, limit)
}

func (b *brokenText) Reset(ctx context.Context) error {
	if b.reset == nil {
		return b.Index.Reset(ctx)
	}
	return b.reset(b.Index, ctx)
}

func brokenTextIndex(b brokenText) textOpener {
	return func(testing.TB) quire.TextIndex {
		broken := b
		broken.Index = bm25.New(nil)
		return &broken
	}
}

// textHitsWith changes what a search finds.
func textHitsWith(change func(hits []quire.TextHit) []quire.TextHit) textOpener {
	return brokenTextIndex(brokenText{search: func(x *bm25.Index, ctx context.Context, query string, f quire.Filters, limit int) ([]quire.TextHit, error) {
		hits, err := x.Search(ctx, query, f, limit)
		return change(hits), err
	}})
}

// textStoredWith changes what is stored.
func textStoredWith(change func(chunks []quire.Chunk) []quire.Chunk) textOpener {
	return brokenTextIndex(brokenText{replace: func(x *bm25.Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
		return x.Replace(ctx, tenantID, elementalID, change(cloneChunks(chunks)))
	}})
}

var textMutants = []mutant[quire.TextIndex]{
	{"nothing is not removed", "replace/removes what was there", brokenTextIndex(brokenText{
		replace: func(x *bm25.Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
			if len(chunks) == 0 {
				return ctx.Err()
			}
			return x.Replace(ctx, tenantID, elementalID, chunks)
		},
	})},
	{"one tenant counts for all", "replace/tenants apart", brokenTextIndex(brokenText{
		replace: func(x *bm25.Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
			chunks = cloneChunks(chunks)
			for i := range chunks {
				chunks[i].UserID, chunks[i].TenantID, chunks[i].ID, chunks[i].ElementalID = tenantID, "all", tenantID+chunks[i].ID, tenantID+elementalID
			}
			return x.Replace(ctx, "all", tenantID+elementalID, chunks)
		},
		search: func(x *bm25.Index, ctx context.Context, query string, f quire.Filters, limit int) ([]quire.TextHit, error) {
			f.UserID, f.TenantID = f.TenantID, "all"
			hits, err := x.Search(ctx, query, f, limit)
			for i := range hits {
				hits[i].ID = hits[i].ID[len(f.UserID):]
			}
			return hits, err
		},
	})},
	{"the first of two ids wins", "replace/refused", textStoredWith(func(chunks []quire.Chunk) []quire.Chunk {
		return slices.CompactFunc(chunks, func(a, b quire.Chunk) bool { return a.ID == b.ID })
	})},
	{"titles are left out", "replace/title and headings", textStoredWith(func(chunks []quire.Chunk) []quire.Chunk {
		for i := range chunks {
			chunks[i].Title = ""
		}
		return chunks
	})},
	{"headings are left out", "replace/title and headings", textStoredWith(func(chunks []quire.Chunk) []quire.Chunk {
		for i := range chunks {
			chunks[i].Heading = nil
		}
		return chunks
	})},
	{"one chunk too few", "replace/leaves no trace", textStoredWith(func(chunks []quire.Chunk) []quire.Chunk { return chunks[:len(chunks)-len(chunks)/8] })},
	{"shares are not bounded", "search/share", textHitsWith(func(hits []quire.TextHit) []quire.TextHit {
		for i := range hits {
			hits[i].Share *= 2
		}
		return hits
	})},
	{"shares are all one", "search/share", textHitsWith(func(hits []quire.TextHit) []quire.TextHit {
		for i := range hits {
			hits[i].Share = 1
		}
		return hits
	})},
	{"all words weigh the same", "search/weights", brokenTextIndex(brokenText{
		search: func(x *bm25.Index, ctx context.Context, query string, f quire.Filters, limit int) ([]quire.TextHit, error) {
			hits, err := x.Search(ctx, query, f, 1000)
			for i := range hits {
				hits[i].Score = 1
			}
			slices.SortFunc(hits, func(a, b quire.TextHit) int { return strings.Compare(a.ID, b.ID) })
			return hits[:min(limit, len(hits))], err
		},
	})},
	{"ties the other way", "search/ties", textHitsWith(func(hits []quire.TextHit) []quire.TextHit {
		slices.Reverse(hits)
		return hits
	})},
	{"quotes are syntax", "search/any text is a query", brokenTextIndex(brokenText{
		search: func(x *bm25.Index, ctx context.Context, query string, f quire.Filters, limit int) ([]quire.TextHit, error) {
			if query == `"` {
				return nil, quire.ErrInvalid
			}
			return x.Search(ctx, query, f, limit)
		},
	})},
	{"filters after the cut", "filter/before the cut", brokenTextIndex(brokenText{
		search: func(x *bm25.Index, ctx context.Context, query string, f quire.Filters, limit int) ([]quire.TextHit, error) {
			hits, err := x.Search(ctx, query, quire.Filters{TenantID: f.TenantID}, limit)
			if f.UserID == "" || err != nil {
				return hits, err
			}
			those, err := x.Search(ctx, query, f, 1000)
			return slices.DeleteFunc(hits, func(h quire.TextHit) bool {
				return !slices.ContainsFunc(those, func(o quire.TextHit) bool { return o.ID == h.ID })
			}), err
		},
	})},
	{"an empty tenant is any", "search/refused", brokenTextIndex(brokenText{
		search: func(x *bm25.Index, ctx context.Context, query string, f quire.Filters, limit int) ([]quire.TextHit, error) {
			if f.TenantID == "" {
				f.TenantID = "t"
			}
			return x.Search(ctx, query, f, limit)
		},
	})},
	{"tag names are not looked at", "filter/each field", brokenTextIndex(brokenText{
		search: func(x *bm25.Index, ctx context.Context, query string, f quire.Filters, limit int) ([]quire.TextHit, error) {
			f.TagNames = nil
			return x.Search(ctx, query, f, limit)
		},
	})},
	{"replaced in two steps", "concurrent/replace and reset are atomic", brokenTextIndex(brokenText{
		replace: func(x *bm25.Index, ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
			if len(chunks) > 1 {
				if err := x.Replace(ctx, tenantID, elementalID, chunks[:len(chunks)/2+1]); err != nil {
					return err
				}
				time.Sleep(time.Millisecond) // so that somebody comes between, on a busy machine too
			}
			return x.Replace(ctx, tenantID, elementalID, chunks)
		},
	})},
	{"Reset does nothing", "life/reset", brokenTextIndex(brokenText{reset: func(_ *bm25.Index, ctx context.Context) error { return ctx.Err() }})},
}
