package chromem

import (
	"maps"
	"math"

	"github.com/philippgille/chromem-go"
	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/internal/given"
)

// newDocuments makes of each chunk what chromem-go stores: its id, its vector in
// unit length, and the values that filters ask for. It has no content, which
// chromem-go does not need beside a vector. Chunks that must not be stored are
// ErrInvalid.
func newDocuments(tenantID, elementalID string, chunks []quire.Chunk) ([]chromem.Document, error) {
	if err := given.Chunks(tenantID, elementalID, chunks); err != nil {
		return nil, err
	}
	documents := make([]chromem.Document, len(chunks))
	for i := range chunks {
		c := &chunks[i]
		vector, err := normalize(c.Vector)
		if err != nil {
			return nil, err
		}
		documents[i] = chromem.Document{ID: c.ID, Metadata: metadata(c), Embedding: vector}
	}
	return documents, nil
}

// normalize returns a copy of v in unit length. Both matter: chromem-go keeps a
// vector of unit length as it is, the caller's slice included, and computes the
// length of others in 32 bits, where a very long one becomes infinite and a very
// short one zero. A vector without a direction would make its scores NaN and is
// refused with ErrInvalid.
func normalize(v []float32) ([]float32, error) {
	sum := 0.0
	for _, f := range v {
		sum += float64(f) * float64(f)
	}
	// The sum of squares of 32-bit numbers is finite in 64 bits if they are.
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, quire.Errorf(quire.CodeInvalid, "a vector must hold finite numbers that are not all zero")
	}
	length := math.Sqrt(sum)
	unit := make([]float32, len(v))
	for i, f := range v {
		unit[i] = float32(float64(f) / length)
	}
	return unit, nil
}

// present is the value of the metadata key of a tag. It is not empty, because for
// chromem-go a key that is not there has the value "".
const present = "1"

// metadata returns what filters can ask a chunk for: a key for each scalar field
// and one for each tag, because chromem-go knows no other condition than that a
// key has a value. Keys of tags hold a colon, the others do not.
func metadata(c *quire.Chunk) map[string]string {
	m := scalars(c.ElementalID, c.UserID, c.Source, c.TypeName, c.CategoryName)
	for _, key := range append(tagKeys(byTagID, c.TagIDs), tagKeys(byTagName, c.TagNames)...) {
		m[key] = present
	}
	return m
}

// scalars returns the scalar fields that are not empty: nobody can ask for an empty
// one.
func scalars(elementalID, userID, source, typeName, categoryName string) map[string]string {
	m := map[string]string{
		"elemental": elementalID,
		"user":      userID,
		"source":    source,
		"type":      typeName,
		"category":  categoryName,
	}
	maps.DeleteFunc(m, func(_, value string) bool { return value == "" })
	return m
}

// The prefixes of the metadata keys of tags.
const (
	byTagID   = "i:"
	byTagName = "n:"
)

// tagKeys returns the metadata keys of tags.
func tagKeys(prefix string, tags []string) []string {
	keys := make([]string, len(tags))
	for i, tag := range tags {
		keys[i] = prefix + tag
	}
	return keys
}
