package flat

import (
	"bytes"
	"testing"
)

// saved is what the world's index saves.
func (w *world) saved() []byte {
	w.Helper()
	var b bytes.Buffer
	if err := w.index.Save(w.Context(), &b); err != nil {
		w.Fatal(err)
	}
	return b.Bytes()
}

// reopened is the world with a new index that has the same rows, filled in the order of
// elementals and not of changes, and was given what was saved.
func (w *world) reopened(saved []byte) (*world, error) {
	w.Helper()
	next := *w
	next.index = New(&Options{GraphRows: 1})
	w.Cleanup(func() { next.index.Close() })
	next.index.Hold()
	for e := range w.elementals {
		next.store(e)
	}
	err := next.index.Load(w.Context(), bytes.NewReader(saved))
	return &next, err
}

// linkedAnew is how many rows the builder has linked since the graph was loaded.
func (w *world) linkedAnew() int {
	w.Helper()
	w.built()
	g := w.index.tenants["t"].graph
	n := g.nodes
	for _, ready := range g.ready {
		n -= ready.count()
	}
	return n
}

// A graph that is loaded is the graph that was saved: nothing is linked anew, and recall is
// what it was; and then it is one like any other.
func TestSaved(t *testing.T) {
	elementals, dimension := 1500, 64
	if testing.Short() {
		elementals, dimension = 100, 32
	}
	w := newWorld(t, elementals, dimension)
	w.built()
	again, err := w.reopened(w.saved())
	if err != nil {
		t.Fatal(err)
	}
	if n := again.linkedAnew(); n != 0 {
		t.Errorf("%d rows were linked anew", n)
	}
	again.recall("loaded")
	for _, e := range w.random.Perm(elementals)[:elementals/2] {
		again.replace(e, 1)
	}
	again.recall("beside the builder")
	again.built()
	again.recall("half replaced after loading")
	// Now half as many nodes are removed ones, and rows are in another order.
	more, err := again.reopened(again.saved())
	n := more.linkedAnew()
	t.Logf("%d rows of %d were linked anew after half were replaced: %v", n, elementals*perWorldElemental, err)
	more.recall("half replaced before saving")
	for _, e := range w.random.Perm(elementals) {
		more.replace(e, 2)
	}
	more.built()
	more.recall("all replaced")
	for e := range elementals - 20 {
		more.remove(e)
	}
	if g := more.index.tenants["t"].graph; g != nil {
		t.Error("400 rows have a graph")
	}
}
