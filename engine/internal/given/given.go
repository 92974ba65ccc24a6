// Package given checks what indexes are given, as their contracts in package quire want it.
package given

import (
	"context"

	"github.com/quirelib/quire"
)

// Chunks checks the chunks that Replace of a VectorIndex is given: all of the tenant and
// elemental of the call, with ids of their own and vectors of one length. What is in the
// vectors is for the index to check.
func Chunks(tenantID, elementalID string, chunks []quire.Chunk) error {
	if tenantID == "" || elementalID == "" {
		return quire.Errorf(quire.CodeInvalid, "chunks need a tenant and an elemental")
	}
	ids := make(map[string]bool, len(chunks))
	for i := range chunks {
		c := &chunks[i]
		if c.TenantID != tenantID || c.ElementalID != elementalID {
			return quire.Errorf(quire.CodeInvalid, "chunk %d is of another tenant or elemental than the call", i)
		}
		if c.ID == "" || ids[c.ID] {
			return quire.Errorf(quire.CodeInvalid, "chunk %d has no id, or that of another chunk", i)
		}
		if len(c.Vector) != len(chunks[0].Vector) {
			return quire.Errorf(quire.CodeInvalid, "the vector of chunk %d has %d numbers, that of chunk 0 has %d", i, len(c.Vector), len(chunks[0].Vector))
		}
		ids[c.ID] = true
	}
	return nil
}

// Search checks what Search of an index is given beside the query.
func Search(ctx context.Context, filters quire.Filters, limit int) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case filters.TenantID == "":
		return quire.Errorf(quire.CodeInvalid, "a search needs a tenant")
	case limit < 1:
		return quire.Errorf(quire.CodeInvalid, "the limit of a search is at least 1, not %d", limit)
	}
	return nil
}
