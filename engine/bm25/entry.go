package bm25

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/feature"
)

// entry is a chunk that is to be entered.
type entry struct {
	chunk  *quire.Chunk    // the caller's
	facts  *quire.Chunk    // what filters ask for, shared by entries that have the same
	digest digest          // of its texts
	counts []feature.Count // of its words; nil if they have not been read
	length int             // in words
}

// digest stands for the texts of a chunk: two that have the same one have the same words.
type digest [16]byte

// digestOf hashes texts, each after its length.
func digestOf(c *quire.Chunk) digest {
	b := make([]byte, 0, 2048)
	add := func(text string) {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	add(c.Text)
	add(c.Title)
	for _, text := range c.Heading {
		add(text)
	}
	sum := sha256.Sum256(b)
	return digest(sum[:len(digest{})])
}

// newEntries checks chunks and takes those of their texts apart that are not known, by
// chunk id.
func newEntries(ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk, known map[string]digest, r *reader) ([]entry, error) {
	entries := make([]entry, len(chunks))
	var facts *quire.Chunk
	for i := range chunks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := &chunks[i]
		switch {
		case tenantID == "" || elementalID == "" || c.ID == "":
			return nil, quire.Errorf(quire.CodeInvalid, "a tenant, an elemental and an id are needed")
		case c.TenantID != tenantID || c.ElementalID != elementalID:
			return nil, quire.Errorf(quire.CodeInvalid, "chunk %q is of another tenant or elemental", c.ID)
		}
		if facts == nil || !sameFacts(facts, c) {
			facts = factsOf(c)
		}
		entries[i] = entry{chunk: c, facts: facts, digest: digestOf(c)}
		if known[c.ID] != entries[i].digest {
			r.read(&entries[i])
		}
	}
	return entries, ctx.Err()
}

// factsOf is what filters ask a chunk for, but for its tenant.
func factsOf(c *quire.Chunk) *quire.Chunk {
	return &quire.Chunk{
		TenantID: c.TenantID, UserID: c.UserID, ElementalID: c.ElementalID, Source: c.Source, TypeName: c.TypeName,
		CategoryName: c.CategoryName, TagIDs: slices.Clone(c.TagIDs), TagNames: slices.Clone(c.TagNames),
	}
}

// sameFacts reports whether two chunks of an elemental have the same facts.
func sameFacts(a, b *quire.Chunk) bool {
	return a.UserID == b.UserID && a.Source == b.Source && a.TypeName == b.TypeName && a.CategoryName == b.CategoryName &&
		slices.Equal(a.TagIDs, b.TagIDs) && slices.Equal(a.TagNames, b.TagNames)
}
