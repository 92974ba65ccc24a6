package quire

import "context"

// TextIndex finds the chunks that share words with a query. Like a [VectorIndex] it is a
// copy of what the Store keeps: the Engine fills it at start and after every change, and
// can throw it away at any time. It must be safe for concurrent use.
//
// What every implementation must hold (engine/enginetest checks it):
//
//   - Values are copied on the way in and on the way out.
//   - Replace and Reset are atomic: a Search sees all of one or nothing of it.
//   - How rare a word is, and how long a chunk is beside the others, is counted among the
//     chunks of the tenant alone: scores say nothing about what other tenants have.
//   - A cancelled context returns its error; after Close, ErrClosed.
type TextIndex interface {
	// Replace removes all entries of an elemental and adds the given chunks, all of
	// that tenant and elemental, with different ids. No chunks just removes. The index
	// reads the ids, the fields that Filters name, Title, Heading and Text.
	Replace(ctx context.Context, tenantID, elementalID string, chunks []Chunk) error

	// Search returns the limit best of the tenant's entries that match the filters
	// exactly and share a word with the query, by descending score, ties by ascending
	// id; none for an unknown tenant or a query without words. Filters apply before the
	// cut. Any text is a query: there is no syntax. limit is at least 1. A
	// filters.TenantID of "" is ErrInvalid. The Engine holds hits to that as it does those
	// of a VectorIndex.
	Search(ctx context.Context, query string, filters Filters, limit int) ([]TextHit, error)

	// Reset removes all entries of all tenants.
	Reset(ctx context.Context) error

	// Close releases the index. Closing twice is no error.
	Close() error
}

// TextHit is one result of a TextIndex.
type TextHit struct {
	ID string // of the chunk

	// Score orders the hits of one search, such as BM25's: above 0, finite. Scores of two
	// searches are not comparable.
	Score float64

	// Share is how much of the query the chunk holds, 0..1: the sum of the weights of
	// the query's words that are in it beside the sum of all. 1 means every word.
	Share float64
}
