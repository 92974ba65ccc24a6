package flat

import (
	"context"
	"sync"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/internal/given"
)

// maxDimension bounds the length of vectors, so that every dot product of codes fits 32 bits.
const maxDimension = 1 << 16

// Options configure an Index.
type Options struct {
	// GraphRows is from how many entries of a tenant on searches walk through a graph instead
	// of comparing the query with all of them: 0 is never, and less than 1,024 is taken as
	// that. What they find is then no longer exact. Of the 10 nearest some 99 in 100 are
	// found, if the vectors are of texts, and the others are replaced by the next nearest; scores
	// are exact. It pays from some 30,000 entries on, where comparing takes a millisecond and
	// more. Where comparing is faster, as with a filter that leaves few entries, it is done.
	//
	// The graph is built by goroutines of the index, on all processors, beside searches and
	// changes: entries that are not in it yet are compared as without it. It takes 150 bytes
	// for each entry, and the codes of removed ones until it is built anew. embedded.Open keeps
	// it in the directory, some 120 bytes for each entry, and takes it from there when the
	// directory is opened again; without, see [Index.Save].
	GraphRows int

	// GraphWidth is how many near entries a walk looks for, of which the best are its hits;
	// fewer than these is taken as that many. The greater it is, the more of the nearest a
	// search finds, and the longer it takes. 0 is five times the hits and fourteen times the
	// binary logarithm of the entries, with 40 more for each doubling from 131,072 on: some 280 for
	// 10 hits among 100,000, 450 among 1,000,000. That is enough for passages that engine/static has
	// embedded. Vectors that lie in clusters need a quarter of that up to 100,000.
	GraphWidth int
}

// Index is a [quire.VectorIndex] in memory. It is safe for concurrent use: searches run
// beside each other and beside changes, changes one after the other.
type Index struct {
	width int // Options.GraphWidth

	// The lock guards everything below. A Search gives it back before it scans, because the
	// blocks that a tenant has published never change.
	mu        sync.RWMutex
	closed    bool
	tenants   map[string]*tenant
	vectors   int
	dimension int // 0 while there are no vectors
	builder   builder
}

var _ quire.NamedIndex = (*Index)(nil)

// New makes an empty Index. opts may be nil.
func New(opts *Options) *Index {
	x := &Index{tenants: map[string]*tenant{}}
	if opts != nil && opts.GraphRows > 0 {
		x.builder.least = max(opts.GraphRows, blockRows)
		x.width = max(opts.GraphWidth, 0)
	}
	return x
}

// Name names the index for health reports.
func (x *Index) Name() string { return "flat" }

// Replace removes all entries of an elemental and adds the given chunks. Beside what every
// index refuses, a chunk of another tenant or elemental, without an id, or with the id of
// another chunk of the tenant, and a vector of more than 65,536 numbers are ErrInvalid.
func (x *Index) Replace(ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
	rows, err := newRows(ctx, tenantID, elementalID, chunks)
	if err != nil {
		return err
	}

	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.usable(ctx); err != nil {
		return err
	}
	t := x.tenants[tenantID]
	if len(rows) > 0 {
		if err := x.sameDimension(rows[0].vector); err != nil {
			return err
		}
		if err := t.free(elementalID, rows); err != nil {
			return err
		}
	}
	// Nothing is refused or cancelled from here on.
	x.apply(t, tenantID, elementalID, rows)
	return nil
}

// apply changes a tenant, which is nil if it has no entries, and keeps the counts.
func (x *Index) apply(t *tenant, tenantID, elementalID string, rows []row) {
	if t == nil {
		if len(rows) == 0 {
			return
		}
		x.dimension = len(rows[0].vector)
		t = newTenant(x.dimension)
		x.tenants[tenantID] = t
	}
	before := t.count()
	t.replace(elementalID, rows)
	x.vectors += t.count() - before
	x.wake(tenantID, t)
	if t.count() == 0 {
		delete(x.tenants, tenantID)
	}
	if x.vectors == 0 {
		x.dimension = 0
	}
}

// Search returns the nearest entries of the tenant that match the filters.
func (x *Index) Search(ctx context.Context, query []float32, filters quire.Filters, limit int) ([]quire.Hit, error) {
	if err := given.Search(ctx, filters, limit); err != nil {
		return nil, err
	}
	q, err := newQuery(query)
	if err != nil {
		return nil, err
	}
	s := newSearcher()
	defer s.free()
	graph, err := x.choose(ctx, s, query, filters)
	if err != nil {
		return nil, err
	}
	if graph != nil {
		return graph.nearest(ctx, s, q, limit, x.width)
	}
	return s.nearest(ctx, q, limit)
}

// choose gives a searcher the rows that match the filters, as they are now, and returns the
// graph that leads to those that are linked, nil if there is none.
func (x *Index) choose(ctx context.Context, s *searcher, query []float32, filters quire.Filters) (*graph, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if err := x.usable(ctx); err != nil {
		return nil, err
	}
	if err := x.sameDimension(query); err != nil {
		return nil, err
	}
	t := x.tenants[filters.TenantID]
	if t == nil {
		return nil, nil
	}
	s.rows = t.choose(s.rows[:0], filters)
	return t.graph, nil
}

// Reset removes all entries of all tenants.
func (x *Index) Reset(ctx context.Context) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.usable(ctx); err != nil {
		return err
	}
	x.clear()
	return nil
}

// Stats returns how many vectors there are, and their length.
func (x *Index) Stats(ctx context.Context) (quire.IndexStats, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if err := x.usable(ctx); err != nil {
		return quire.IndexStats{}, err
	}
	return quire.IndexStats{Vectors: x.vectors, Dimension: x.dimension}, nil
}

// Close gives the memory back as soon as running searches have ended, for which it does not
// wait. It waits until no graph is built any more, which is soon.
func (x *Index) Close() error {
	x.mu.Lock()
	x.closed = true
	x.clear()
	ended := x.builder.ended
	x.builder.stop.Store(true)
	x.mu.Unlock()
	if ended != nil {
		<-ended
	}
	return nil
}

func (x *Index) clear() {
	x.tenants = map[string]*tenant{}
	x.vectors, x.dimension = 0, 0
}

// usable returns why a call must not go on, with the lock held: it may have been waited for.
func (x *Index) usable(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if x.closed {
		return quire.Errorf(quire.CodeClosed, "the vector index is closed")
	}
	return nil
}

// sameDimension refuses a vector that cannot be compared with the stored ones.
func (x *Index) sameDimension(v []float32) error {
	if x.dimension != 0 && len(v) != x.dimension {
		return quire.Errorf(quire.CodeInvalid, "a vector has %d numbers, those in the index have %d", len(v), x.dimension)
	}
	return nil
}
