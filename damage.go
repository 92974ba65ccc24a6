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
	// of are tenants by elemental; "" for those of which the index was given nothing.
	of map[string]string
}

// unusable reports whether a stored chunk, which was read with that error, is one that no
// index takes: something of it cannot be decoded, or it does not say what it is and whose. That
// all of them cannot be read, or that the reading failed, is another matter.
func unusable(c *Chunk, err error) bool {
	if err != nil {
		return CodeOf(err) == CodeCorrupt && c.ID != ""
	}
	return c.ID == "" || c.TenantID == "" || c.ElementalID == ""
}

// drop notes the elemental of a chunk, and takes those of its chunks away that are at the end
// of a batch: it is given to the index whole or not at all.
func (d *damage) drop(batch []Chunk, c *Chunk) []Chunk {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of[c.ElementalID] = ""
	for len(batch) > 0 && batch[len(batch)-1].ElementalID == c.ElementalID {
		batch = batch[:len(batch)-1]
	}
	return batch
}

// dropped reports whether a chunk is of an elemental that was noted.
func (d *damage) dropped(c *Chunk) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.of[c.ElementalID]
	return ok
}

// excuse returns what gives an index the chunks of an elemental, and notes those that it refuses
// for being damaged. What it says of others is its own failure.
func (d *damage) excuse(replace func([]Chunk) error) func([]Chunk) error {
	return func(chunks []Chunk) error {
		err := replace(chunks)
		if err == nil || wellMade(chunks) {
			return err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.of[chunks[0].ElementalID] = chunks[0].TenantID
		return nil
	}
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
