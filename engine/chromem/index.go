// Package chromem is the default [quire.VectorIndex]: exact search in memory on
// chromem-go (https://github.com/philippgille/chromem-go), compared by cosine.
//
// Nothing of it reaches a disk or the network; the Engine fills it from the Store.
// Each vector takes four bytes a number, and each entry about a kilobyte for ids and
// what filters ask for. A search looks at every entry of its tenant.
//
// chromem-go has edges that would break the contract of an index. What is done
// about each is said where it is done, and each has a test in traps_test.go.
package chromem

import (
	"context"
	"errors"
	"sync"

	"github.com/philippgille/chromem-go"
	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/internal/given"
)

// Options configure an Index. There is nothing to choose at present.
type Options struct{}

// Index is a [quire.VectorIndex] in memory. It is safe for concurrent use:
// searches run side by side, a change waits for them and they for it.
type Index struct {
	// The lock makes what chromem-go does in several steps one step to everybody
	// else: removing and adding, counting and querying.
	mu        sync.RWMutex
	closed    bool
	db        *chromem.DB // in memory: its files are named by 4 bytes of a hash, so that two ids can share one
	tenants   map[string]*tenant
	vectors   int
	dimension int // 0 while there are no vectors
}

var _ quire.NamedIndex = (*Index)(nil)

// New makes an empty Index. opts may be nil.
func New(opts *Options) *Index {
	return &Index{db: chromem.NewDB(), tenants: map[string]*tenant{}}
}

// Name names the index for health reports.
func (x *Index) Name() string { return "chromem-go" }

// Replace removes all entries of an elemental and adds the given chunks. Beside
// what every index refuses, a chunk of another tenant or elemental, without an id,
// or with the id of another chunk of the tenant is ErrInvalid.
func (x *Index) Replace(ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	documents, err := newDocuments(tenantID, elementalID, chunks)
	if err != nil {
		return err
	}

	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.usable(ctx); err != nil {
		return err
	}
	t := x.tenants[tenantID]
	if len(documents) > 0 {
		if err := x.sameDimension(documents[0].Embedding); err != nil {
			return err
		}
		if err := t.free(elementalID, documents); err != nil {
			return err
		}
	}
	// Nothing is refused or cancelled from here on.
	return x.apply(t, tenantID, elementalID, documents)
}

// apply changes a tenant, which is nil if it has no entries, and keeps the counts.
func (x *Index) apply(t *tenant, tenantID, elementalID string, documents []chromem.Document) error {
	if t == nil {
		if len(documents) == 0 {
			return nil
		}
		var err error
		if t, err = newTenant(x.db, tenantID); err != nil {
			return err
		}
		x.tenants[tenantID] = t
		x.dimension = len(documents[0].Embedding)
	}
	before := t.count()
	err := t.replace(elementalID, documents)
	x.vectors += t.count() - before
	if t.count() == 0 {
		delete(x.tenants, tenantID)
		err = errors.Join(err, drop(x.db, tenantID))
	}
	if x.vectors == 0 {
		x.dimension = 0
	}
	if err != nil {
		return internal(err)
	}
	return nil
}

// Search returns the nearest entries of the tenant that match the filters.
func (x *Index) Search(ctx context.Context, query []float32, filters quire.Filters, limit int) ([]quire.Hit, error) {
	if err := given.Search(ctx, filters, limit); err != nil {
		return nil, err
	}
	unit, err := normalize(query)
	if err != nil {
		return nil, err
	}

	x.mu.RLock()
	defer x.mu.RUnlock()
	if err := x.usable(ctx); err != nil {
		return nil, err
	}
	if err := x.sameDimension(unit); err != nil {
		return nil, err
	}
	t := x.tenants[filters.TenantID]
	if t == nil {
		return nil, nil
	}
	return t.search(ctx, unit, newCondition(filters), limit)
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

// Close gives the memory back, when running calls have ended.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	x.clear()
	return nil
}

func (x *Index) clear() {
	x.db, x.tenants = chromem.NewDB(), map[string]*tenant{}
	x.vectors, x.dimension = 0, 0
}

// usable returns why a call must not go on, with the lock held: it may have been
// waited for.
func (x *Index) usable(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if x.closed {
		return quire.Errorf(quire.CodeClosed, "the vector index is closed")
	}
	return nil
}

// sameDimension refuses a vector that cannot be compared with the stored ones:
// chromem-go would take it in and fail at every later query.
func (x *Index) sameDimension(v []float32) error {
	if x.dimension != 0 && len(v) != x.dimension {
		return quire.Errorf(quire.CodeInvalid, "a vector has %d numbers, those in the index have %d", len(v), x.dimension)
	}
	return nil
}

// embedNothing takes the place of a function that embeds texts: every document and
// query brings its vector.
func embedNothing(context.Context, string) ([]float32, error) {
	return nil, errors.New("chromem: the index embeds no texts")
}

// internal hides an error of chromem-go, which quotes ids.
func internal(err error) error {
	return quire.Errorf(quire.CodeInternal, "the vector index failed").WithCause(err)
}
