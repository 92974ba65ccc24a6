package flat

import (
	"context"
	"io"
	"slices"

	"github.com/quirelib/quire"
)

var _ quire.SavedIndex = (*Index)(nil)

// Hold implements [quire.SavedIndex]: no graphs are built until Load is called, and searches
// compare what is not in one already.
func (x *Index) Hold() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.builder.held = true
}

// Load implements [quire.SavedIndex]: it takes the graphs of tenants that have none yet and
// should have one. What it reads it checks: a graph of which anything is not as it must be is
// left out as a whole; rows that the graph does not have as they are now, those that have
// lost many of their links with removed ones, and those that no walk would get to, are linked
// anew.
func (x *Index) Load(ctx context.Context, r io.Reader) error {
	defer x.release()
	wanted, err := x.wanted(ctx)
	if err != nil || len(wanted) == 0 {
		return err
	}
	in := newSavedReader(r)
	sections, err := in.begin()
	if err != nil {
		return err
	}
	rows, kept := 0, 0
	for range sections {
		p, err := in.section(ctx, wanted)
		if err != nil {
			return err
		}
		if p != nil {
			p.settle()
			rows, kept = rows+p.rows, kept+p.kept
			x.take(p)
		}
	}
	if err := in.end(); err != nil || kept == rows {
		return err
	}
	return quire.Errorf(quire.CodeConflict, "%d of %d entries are not in the saved graph as they are now, and are linked anew", rows-kept, rows)
}

// release ends what Hold began.
func (x *Index) release() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.builder.held = false
	for id, t := range x.tenants {
		x.wake(id, t)
	}
}

// target is a tenant that wants a saved graph, as it was when Load was called.
type target struct {
	id     string
	tenant *tenant
	blocks []*block
}

// wanted returns the tenants that want a saved graph.
func (x *Index) wanted(ctx context.Context) (map[[16]byte]target, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if err := x.usable(ctx); err != nil {
		return nil, err
	}
	wanted := map[[16]byte]target{}
	for id, t := range x.tenants {
		if least := x.builder.least; least > 0 && t.graph == nil && t.count() >= least {
			blocks := slices.DeleteFunc(slices.Clone(t.blocks), func(b *block) bool { return b == nil })
			wanted[tenantDigest(id)] = target{id, t, blocks}
		}
	}
	return wanted, nil
}

// take makes a graph its tenant's, unless that has got or lost one meanwhile.
func (x *Index) take(p *placement) {
	x.mu.Lock()
	defer x.mu.Unlock()
	t := p.target.tenant
	if x.tenants[p.target.id] == t && t.graph == nil && t.count() >= x.builder.least/2 && p.graph.size() > 0 {
		t.use(p.graph)
	}
}
