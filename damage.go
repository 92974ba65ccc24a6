package quire

import (
	"math"
	"slices"
	"sync"
)

// damage are elementals with stored chunks that no index takes, because something outside of
// this program changed them.
type damage struct {
	mu sync.Mutex
	of map[string]string // tenants by elemental
}

// excuse returns what gives an index the chunks of an elemental, and notes those that it refuses
// for being damaged. What it says of others is its own failure.
func (d *damage) excuse(replace func([]Chunk) error) func([]Chunk) error {
	return func(chunks []Chunk) error {
		err := replace(chunks)
		if err == nil || wellMade(chunks) {
			return err
		}
		d.note(&chunks[0])
		return nil
	}
}

// note notes the elemental of a chunk.
func (d *damage) note(c *Chunk) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of[c.ElementalID] = c.TenantID
}

// wellMade reports whether chunks of an elemental are as an index may expect: of one tenant,
// with vectors of unit length.
func wellMade(chunks []Chunk) bool {
	return !slices.ContainsFunc(chunks, func(c Chunk) bool { return c.TenantID != chunks[0].TenantID || !isUnit(c.Vector) })
}

// isUnit reports whether a vector has the length 1.
func isUnit(v []float32) bool {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	return math.Abs(squares-1) <= unitTolerance // which NaN is not
}
