package enginetest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/quirelib/quire"
)

// Index is a [quire.VectorIndex] that compares the query with everything and asks
// Filters.Match: slow and easy to believe, so that others are compared with it.
// The zero value is ready.
type Index struct {
	mu       sync.Mutex
	closed   bool
	chunks   []quire.Chunk
	gate     *Gate
	faults   []error
	searches []error
	replaces int
}

var _ quire.VectorIndex = (*Index)(nil)

// NewIndex makes an empty Index.
func NewIndex() *Index { return &Index{} }

// Hold makes every Replace that begins from now on wait at the gate before it
// changes anything; nil ends that.
func (x *Index) Hold(g *Gate) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.gate = g
}

// FailReplace makes the next n calls to Replace return err and change nothing.
func (x *Index) FailReplace(n int, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.faults = append(x.faults, slices.Repeat([]error{err}, n)...)
}

// FailSearch makes the next n calls to Search return err.
func (x *Index) FailSearch(n int, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.searches = append(x.searches, slices.Repeat([]error{err}, n)...)
}

// Replaces returns how often Replace was called, failed and waiting calls included.
func (x *Index) Replaces() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.replaces
}

// Chunks returns everything in the index, by ascending id.
func (x *Index) Chunks() []quire.Chunk {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := cloneChunks(x.chunks)
	slices.SortFunc(all, func(a, b quire.Chunk) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// Replace removes the entries of an elemental and adds the chunks.
func (x *Index) Replace(ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
	x.mu.Lock()
	x.replaces++
	gate := x.gate
	x.mu.Unlock()
	if err := gate.wait(ctx); err != nil {
		return err
	}

	x.mu.Lock()
	defer x.mu.Unlock()
	if err, ok := next(&x.faults); ok {
		return err
	}
	if x.closed {
		return quire.ErrClosed
	}
	kept := slices.DeleteFunc(slices.Clone(x.chunks), func(c quire.Chunk) bool {
		return c.TenantID == tenantID && c.ElementalID == elementalID
	})
	if err := x.check(tenantID, elementalID, chunks, kept); err != nil {
		return err
	}
	x.chunks = append(kept, cloneChunks(chunks)...)
	return nil
}

// check refuses what a caller of Replace must not do. It is strict, so that a
// mistake of the caller does not go by unseen.
func (x *Index) check(tenantID, elementalID string, chunks, kept []quire.Chunk) error {
	if tenantID == "" || elementalID == "" {
		return quire.Errorf(quire.CodeInvalid, "a tenant and an elemental are needed")
	}
	ids := map[string]bool{}
	for _, c := range kept {
		if c.TenantID == tenantID {
			ids[c.ID] = true
		}
	}
	dim := x.dimension()
	for _, c := range chunks {
		if dim == 0 {
			dim = len(c.Vector)
		}
		switch {
		case c.TenantID != tenantID || c.ElementalID != elementalID:
			return quire.Errorf(quire.CodeInvalid, "chunk %q is of another tenant or elemental", c.ID)
		case c.ID == "" || ids[c.ID]:
			return quire.Errorf(quire.CodeInvalid, "chunk id %q is empty or taken", c.ID)
		case norm(c.Vector) == 0 || len(c.Vector) != dim:
			return quire.Errorf(quire.CodeInvalid, "the vector of chunk %q is not usable", c.ID)
		}
		ids[c.ID] = true
	}
	return nil
}

// Search compares the query with every entry.
func (x *Index) Search(ctx context.Context, query []float32, filters quire.Filters, limit int) ([]quire.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err, ok := next(&x.searches); ok {
		return nil, err
	}
	if x.closed {
		return nil, quire.ErrClosed
	}
	dim := x.dimension()
	if filters.TenantID == "" || limit < 1 || norm(query) == 0 || dim != 0 && dim != len(query) {
		return nil, quire.Errorf(quire.CodeInvalid, "tenant, limit or query vector is not usable")
	}
	var hits []quire.Hit
	for i := range x.chunks {
		if c := &x.chunks[i]; filters.Match(c) {
			hits = append(hits, quire.Hit{ID: c.ID, Score: cosine(query, c.Vector)})
		}
	}
	slices.SortFunc(hits, func(a, b quire.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
	return hits[:min(limit, len(hits))], nil
}

// Reset removes everything.
func (x *Index) Reset(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return quire.ErrClosed
	}
	x.chunks = nil
	return nil
}

// Stats counts the entries.
func (x *Index) Stats(ctx context.Context) (quire.IndexStats, error) {
	if err := ctx.Err(); err != nil {
		return quire.IndexStats{}, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return quire.IndexStats{}, quire.ErrClosed
	}
	return quire.IndexStats{Vectors: len(x.chunks), Dimension: x.dimension()}, nil
}

// Close empties the index and makes every later call return ErrClosed.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed, x.chunks = true, nil
	return nil
}

func (x *Index) dimension() int {
	if len(x.chunks) == 0 {
		return 0
	}
	return len(x.chunks[0].Vector)
}

func cloneChunks(chunks []quire.Chunk) []quire.Chunk {
	c := slices.Clone(chunks)
	for i := range c {
		c[i].TagIDs = slices.Clone(c[i].TagIDs)
		c[i].TagNames = slices.Clone(c[i].TagNames)
		c[i].Heading = slices.Clone(c[i].Heading)
		c[i].Vector = slices.Clone(c[i].Vector)
	}
	return c
}

// norm returns the length of a vector, 0 if it is none to compare with: empty,
// zero, or with a number that is not finite.
func norm(v []float32) float64 {
	sum := 0.0
	for _, f := range v {
		sum += float64(f) * float64(f)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0
	}
	return math.Sqrt(sum)
}

// cosine returns the cosine of two usable vectors of equal length, in 0..1.
func cosine(a, b []float32) float64 {
	dot := 0.0
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
	}
	return min(max(dot/(norm(a)*norm(b)), 0), 1)
}
