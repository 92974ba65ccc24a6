package store

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
)

// table is the rows of one kind. A row is never changed, only replaced: readers
// may hold on to it, and a write is undone by putting the old row back.
type table[K comparable, V any] struct {
	rows map[K]*V
	// derive, if not nil, keeps in step what is derived from the rows. It is told of
	// every change; a nil row is one that is not there.
	derive func(old, cur *V)
}

func newTable[K comparable, V any](derive func(old, cur *V)) table[K, V] {
	return table[K, V]{rows: map[K]*V{}, derive: derive}
}

// set makes v the row of k, or deletes that row if v is nil.
func (t *table[K, V]) set(undo *undoLog, k K, v *V) {
	old := t.swap(k, v)
	undo.add(func() { t.swap(k, old) })
}

func (t *table[K, V]) swap(k K, v *V) (old *V) {
	old = t.rows[k]
	if v == nil {
		delete(t.rows, k)
	} else {
		t.rows[k] = v
	}
	if t.derive != nil {
		t.derive(old, v)
	}
	return old
}

// undoLog is how to take back the writes of one transaction.
type undoLog []func()

func (u *undoLog) add(f func()) { *u = append(*u, f) }

// rollback takes everything back, the last write first.
func (u undoLog) rollback() {
	for i := len(u) - 1; i >= 0; i-- {
		u[i]()
	}
}

// groups holds values by key and by something that several of them share.
type groups[G, K comparable, V any] map[G]map[K]V

func (g groups[G, K, V]) add(group G, k K, v V) {
	if g[group] == nil {
		g[group] = map[K]V{}
	}
	g[group][k] = v
}

func (g groups[G, K, V]) remove(group G, k K) {
	delete(g[group], k)
	if len(g[group]) == 0 {
		delete(g, group)
	}
}

// inOrder iterates over copies of the rows of one group by ascending key. The rows are
// those there are when the iteration begins: the consumer may write meanwhile.
func inOrder[K cmp.Ordered, V any](ctx context.Context, group map[K]*V, clone func(V) V) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		rows := maps.Clone(group)
		for _, k := range slices.Sorted(maps.Keys(rows)) {
			if err := ctx.Err(); err != nil {
				var none V
				yield(none, err)
				return
			}
			if !yield(clone(*rows[k]), nil) {
				return
			}
		}
	}
}
