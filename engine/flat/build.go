package flat

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// builder is what an Index knows of the goroutine that builds its graphs. The Index's lock
// guards it.
type builder struct {
	least   int             // how many rows a tenant with a graph has, 0 for no graphs
	pending map[string]bool // the tenants to look at
	ended   chan struct{}   // closed when the goroutine has ended, nil while there is none
	stop    atomic.Bool     // set when the Index is closed
	held    bool            // nothing is to be built yet
}

// wake has a tenant looked at that was changed, if its graph must be changed too. The lock is
// held.
func (x *Index) wake(tenantID string, t *tenant) {
	b := &x.builder
	if b.least == 0 {
		return
	}
	if t.count() < b.least/2 {
		t.graph, t.next = nil, nil
	}
	if b.held || t.graph == nil && t.count() < b.least {
		return
	}
	if b.ended == nil {
		b.pending = map[string]bool{}
		b.ended = make(chan struct{})
		go x.build(b.ended)
	}
	b.pending[tenantID] = true
}

// Built waits until all entries are in graphs that are to be. Without graphs, and between
// Hold and Load, it returns at once.
func (x *Index) Built(ctx context.Context) error {
	x.mu.RLock()
	err, ended := x.usable(ctx), x.builder.ended
	x.mu.RUnlock()
	if err != nil || ended == nil {
		return err
	}
	select {
	case <-ended:
		x.mu.RLock()
		defer x.mu.RUnlock()
		return x.usable(ctx) // Close ends it too
	case <-ctx.Done():
		return ctx.Err()
	}
}

// build works on the graphs of pending tenants until there is nothing to do.
func (x *Index) build(ended chan struct{}) {
	defer close(ended)
	for {
		work := x.nextWork()
		if work == nil {
			return
		}
		work.graph.trim(work.gone)
		work.graph.grow(work.spans, &x.builder.stop)
		x.publish(work)
	}
}

// graphWork is rows to link.
type graphWork struct {
	tenant *tenant
	graph  *graph
	spans  []span
	gone   []int // pages whose blocks were given back
}

// nextWork returns the next of what is to be done, nil if there is nothing.
func (x *Index) nextWork() *graphWork {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id := range x.builder.pending {
		if x.builder.held {
			break
		}
		t := x.tenants[id]
		if t != nil {
			if w := t.graphWork(x.builder.least); w != nil {
				return w
			}
		}
		delete(x.builder.pending, id)
	}
	x.builder.ended, x.builder.pending = nil, nil
	return nil
}

// publish lets searches walk to what was linked.
func (x *Index) publish(w *graphWork) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if w.tenant.graph == w.graph {
		w.tenant.publish()
	}
}

// stale is how many nodes a graph has at most before it is built anew, for a tenant with
// a number of rows.
func stale(rows int) int { return rows + rows/2 + blockRows }

// batchRows is after how many new nodes they are published.
const batchRows = 4 * blockRows

// graphWork returns rows to link next, nil if there are none.
func (t *tenant) graphWork(least int) *graphWork {
	switch {
	case t.graph == nil && t.count() < least:
		return nil
	case t.graph == nil:
		t.use(newGraph(stride(t.dimension)))
	case t.next == nil && t.graph.size() > stale(t.count()):
		t.next = newGraph(stride(t.dimension))
	}
	if t.next != nil {
		if w := t.unlinked(t.next); w != nil {
			return w
		}
		t.use(t.next)
		t.next = nil
	}
	return t.unlinked(t.graph)
}

// use makes a graph the tenant's.
func (t *tenant) use(g *graph) {
	t.graph = g
	t.publish()
}

// publish writes into blocks which rows are in the graph.
func (t *tenant) publish() {
	for n, b := range t.blocks {
		if b == nil {
			continue
		}
		page, linked := t.graph.progress(b)
		if page != b.page || linked != b.linked {
			c := b.clone()
			c.page, c.linked = page, linked
			t.blocks[n] = c
		}
	}
}

// span is slots of a block to be linked, from one on to before another.
type span struct {
	block    *block
	from, to int
}

// unlinked returns the work of linking up to batchRows rows that a graph does not have, nil if
// it has all.
func (t *tenant) unlinked(g *graph) *graphWork {
	w := &graphWork{tenant: t, graph: g}
	there := make(map[uint64]bool, len(t.blocks))
	rows := 0
	for _, b := range t.blocks {
		if b == nil {
			continue
		}
		there[b.born] = true
		if _, linked := g.progress(b); linked < b.rows() && rows < batchRows {
			w.spans = append(w.spans, span{b, linked, b.rows()})
			rows += b.rows() - linked
		}
	}
	if w.spans == nil {
		return nil
	}
	for born, page := range g.pageOf {
		if !there[born] {
			w.gone = append(w.gone, page)
			delete(g.pageOf, born)
		}
	}
	return w
}

// progress returns the page that a block has in the graph, and how many slots of it are
// linked.
func (g *graph) progress(b *block) (page, linked int) {
	page, known := g.pageOf[b.born]
	if !known {
		return 0, 0
	}
	return page, g.linked[page]
}

// grow links the live rows of spans, until it is told to stop.
func (g *graph) grow(spans []span, stop *atomic.Bool) {
	nodes := g.extend(spans)
	var next atomic.Int64
	work := func() {
		l := g.newLinker()
		for !stop.Load() {
			i := int(next.Add(1)) - 1
			if i >= len(nodes) {
				return
			}
			l.insert(nodes[i])
		}
	}
	var others sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(nodes)/perWorker) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	for _, s := range spans {
		g.linked[g.pageOf[s.block.born]] = s.to
	}
	g.nodes.Add(int64(len(nodes)))
}

// trim gives back the memory of pages for rows that will not come, because their blocks are gone.
func (g *graph) trim(gone []int) {
	if len(gone) == 0 {
		return
	}
	pages := slices.Clone(*g.pages.Load())
	for _, n := range gone {
		pages[n] = pages[n].trimmed()
	}
	g.pages.Store(&pages)
}

// perWorker is for how many nodes it pays to start a goroutine.
const perWorker = 32

// extend makes pages for spans and returns the nodes that are their live rows.
func (g *graph) extend(spans []span) []uint32 {
	pages := append([]page(nil), *g.pages.Load()...)
	var nodes []uint32
	for _, s := range spans {
		b := s.block
		n, known := g.pageOf[b.born]
		if !known {
			n = len(pages)
			g.pageOf[b.born] = n
			g.linked, g.ready = append(g.linked, 0), append(g.ready, slotSet{})
			pages = append(pages, newPage(levelsOf(n)))
		}
		pages[n].codes, pages[n].codings = b.codes, b.codings
		for slot := s.from; slot < s.to; slot++ {
			if b.live.has(slot) && !g.ready[n].has(slot) {
				nodes = append(nodes, uint32(n*blockRows+slot))
			}
		}
	}
	g.pages.Store(&pages)
	return nodes
}
