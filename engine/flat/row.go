package flat

import (
	"context"
	"math"
	"slices"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/internal/given"
)

// row is an entry on its way into a block.
type row struct {
	id     string
	terms  []term // shared by rows of the same terms
	vector []float32
	norm   float64 // of vector
	codes  []uint8
	coding coding
}

// newRows makes a row of each chunk. Chunks that must not be stored are ErrInvalid.
func newRows(ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) ([]row, error) {
	if err := given.Chunks(tenantID, elementalID, chunks); err != nil {
		return nil, err
	}
	rows := make([]row, len(chunks))
	var terms []term
	for i := range chunks {
		c := &chunks[i]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		norm, err := length(c.Vector)
		if err != nil {
			return nil, err
		}
		if own := termsOf(c); !slices.Equal(own, terms) {
			terms = own
		}
		rows[i] = newRow(c, terms, norm)
	}
	return rows, nil
}

func newRow(c *quire.Chunk, terms []term, norm float64) row {
	codes, coding := encode(c.Vector, norm)
	return row{id: c.ID, terms: terms, vector: c.Vector, norm: norm, codes: codes, coding: coding}
}

// length returns the Euclidean length of a vector. One without a direction, or too long, is
// ErrInvalid.
func length(v []float32) (float64, error) {
	if len(v) > maxDimension {
		return 0, quire.Errorf(quire.CodeInvalid, "a vector has %d numbers, more than %d", len(v), maxDimension)
	}
	sum := dotFloats(v, v)
	// The sum of squares of 32-bit numbers is finite in 64 bits if they are.
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, quire.Errorf(quire.CodeInvalid, "a vector must hold finite numbers that are not all zero")
	}
	return math.Sqrt(sum), nil
}
