// Package bm25 is the default [quire.TextIndex]: full text in memory, ranked by BM25.
//
// Words are folded and stemmed as the library's own search does it; in scripts written
// without spaces, characters and pairs of neighbouring characters are words. Function
// words of English count only in a query that has no others. Neighbours of a query are
// looked for as one word too, such as frontmatter for front matter. An entry takes some 12 bytes
// for each distinct word of its text, and 200 for ids; what filters ask for is shared by
// neighbours of an elemental that have the same, and texts are not kept.
//
// Source: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
// Foundations and Trends in Information Retrieval 3 (2009), with k1 = 1.2 and b = 0.75.
package bm25

import (
	"context"
	"sync"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/internal/given"
)

// Options configure an Index. There is nothing to choose at present.
type Options struct{}

// Index is a [quire.TextIndex] in memory. It is safe for concurrent use: searches run
// side by side; a change takes its texts apart first, and holds up searches only while
// it enters the words.
type Index struct {
	mu      sync.RWMutex
	closed  bool
	tenants map[string]*tenant
}

var _ quire.TextIndex = (*Index)(nil)

// New makes an empty Index. opts may be nil.
func New(opts *Options) *Index {
	return &Index{tenants: map[string]*tenant{}}
}

// Replace removes all entries of an elemental and adds the given chunks. A chunk of
// another tenant or elemental, without an id, or with the id of another chunk of the
// tenant is ErrInvalid, and then nothing of the call took effect.
func (x *Index) Replace(ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
	r := readers.Get().(*reader)
	err := x.replace(ctx, tenantID, elementalID, chunks, r)
	r.release() // not after a panic, which may have left it in the middle of a text
	return err
}

func (x *Index) replace(ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk, r *reader) error {
	entries, err := newEntries(ctx, tenantID, elementalID, chunks, x.known(tenantID, elementalID), r)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.usable(ctx); err != nil {
		return err
	}
	t := x.tenants[tenantID]
	if t == nil {
		t = newTenant()
	}
	if err := t.replace(elementalID, entries, r); err != nil {
		return err
	}
	if t.live == 0 {
		delete(x.tenants, tenantID)
	} else {
		x.tenants[tenantID] = t
	}
	return nil
}

// known returns the digests of an elemental's entries by chunk id.
func (x *Index) known(tenantID, elementalID string) map[string]digest {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if t := x.tenants[tenantID]; t != nil {
		return t.known(elementalID)
	}
	return nil
}

// Search returns the entries of the tenant that match the filters and the query best.
func (x *Index) Search(ctx context.Context, query string, filters quire.Filters, limit int) ([]quire.TextHit, error) {
	if err := given.Search(ctx, filters, limit); err != nil {
		return nil, err
	}
	q := newQuery(query)
	x.mu.RLock()
	defer x.mu.RUnlock()
	if err := x.usable(ctx); err != nil {
		return nil, err
	}
	t := x.tenants[filters.TenantID]
	if t == nil {
		return nil, nil
	}
	return t.search(ctx, q, filters, limit)
}

// Reset removes all entries of all tenants.
func (x *Index) Reset(ctx context.Context) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.usable(ctx); err != nil {
		return err
	}
	clear(x.tenants)
	return nil
}

// Close empties the index and makes every later call return ErrClosed.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed, x.tenants = true, nil
	return nil
}

// usable reports why the index cannot be used. A lock is held.
func (x *Index) usable(ctx context.Context) error {
	if x.closed {
		return quire.ErrClosed
	}
	return ctx.Err()
}
