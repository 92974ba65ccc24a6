package flat

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/quirelib/quire"
)

// near makes a vector that differs from a centre by noise.
func (w *world) near(centre []float32, noise float32) []float32 {
	v := w.around(nil)
	for i := range v {
		v[i] = centre[i] + noise*v[i]
	}
	return v
}

// group adds an elemental of vectors that differ from a centre by noise.
func (w *world) group(centre []float32, size int, noise float32) {
	w.Helper()
	g := len(w.elementals)
	chunks := make([]quire.Chunk, size)
	for i := range chunks {
		chunks[i] = quire.Chunk{ID: fmt.Sprint(g, " ", i), TenantID: "t", ElementalID: elementalID(g), Vector: w.near(centre, noise),
			TagIDs: []string{fmt.Sprint("2:", i%2)}}
	}
	w.elementals = append(w.elementals, chunks)
	w.store(g)
}

// groups gives an index groups of vectors that differ by noise, one group after the other, and
// returns a query near each of them.
func groups(w *world, number, size int, noise float32) (queries [][]float32) {
	w.Helper()
	for range number {
		centre := w.around(nil)
		w.group(centre, size, noise)
		queries = append(queries, w.near(centre, noise))
	}
	return queries
}

// found returns how many of the 10 scores of a scan a walk of the usual width finds for each query. It
// wants all walks to be whole, so that no search scans, and none to miss its group.
func (w *world) found(queries [][]float32, tags ...string) (share float64) {
	w.Helper()
	good := 0
	for n, query := range queries {
		want, got := w.both(query, 0, tags...)
		if len(got) != 10 {
			w.Fatalf("query %d: %d hits", n, len(got))
		}
		if got[0].Score < want[0].Score-0.1 {
			w.Errorf("query %d: the best hit has the score %.3f, not %.3f", n, got[0].Score, want[0].Score)
		}
		for _, h := range got {
			if h.Score >= want[9].Score {
				good++
			}
		}
	}
	return float64(good) / float64(10*len(queries))
}

// both returns the 10 hits of a scan, and those of a walk of a width, 0 for the usual one.
func (w *world) both(query []float32, width int, tags ...string) (scan, walk []quire.Hit) {
	w.Helper()
	q, s := mustQuery(w, query), newSearcher()
	defer s.free()
	graph, err := w.index.choose(w.Context(), s, query, quire.Filters{TenantID: "t", TagIDs: tags})
	if err != nil || graph == nil {
		w.Fatalf("no graph, or %v", err)
	}
	if scan, err = s.nearest(w.Context(), q, 10); err != nil {
		w.Fatal(err)
	}
	if width == 0 {
		width = usualWidth(10, graph.size())
	}
	if walk, err = graph.find(w.Context(), s, q, 10, width); err != nil {
		w.Fatal(err)
	}
	return scan, walk
}

// Groups of copies, and of what is nearly alike, are each found, however large: with links alone
// those of one group lead to no other. So they are in a graph that was loaded, also after
// half of the rows, and with them twins and those that they hang on, were replaced.
func TestTwins(t *testing.T) {
	noises := []float32{0, 0.02, 0.05, 0.1}
	if testing.Short() {
		noises = noises[:1]
	}
	for _, noise := range noises {
		t.Run(fmt.Sprint("noise ", noise), func(t *testing.T) {
			w := newWorld(t, 0, 64)
			queries := groups(w, 400, 40, noise)
			w.built()
			if share := w.found(queries); share < 0.97 {
				t.Errorf("recall is %.3f", share)
			}
			loaded, err := w.reopened(w.saved())
			if err != nil && noise == 0 { // else some may not have been come by
				t.Error(err)
			}
			loaded.built()
			if share := loaded.found(queries); share < 0.97 {
				t.Errorf("recall of what was loaded is %.3f", share)
			}
			saved := loaded.saved()
			for e, chunks := range loaded.elementals {
				for i := range chunks {
					if i%2 == 0 {
						chunks[i].ID += " anew"
						chunks[i].Vector = slices.Clone(chunks[i].Vector)
						chunks[i].Vector[0] += noise
					}
				}
				loaded.store(e)
			}
			stale, err := loaded.reopened(saved)
			if !errors.Is(err, quire.ErrConflict) {
				t.Errorf("half of the rows are others, and Load says %v", err)
			}
			stale.built()
			if share := stale.found(queries); share < 0.97 {
				t.Errorf("recall of what was loaded after changes is %.3f", share)
			}
		})
	}
}

// A forged chain of twins that leads in a circle ends.
func TestTwinsInACircle(t *testing.T) {
	w := newWorld(t, 0, 64)
	queries := groups(w, 400, 40, 0)
	w.built()
	v := w.index.tenants["t"].graph.view()
	circles := 0
	for node := range uint32(w.index.tenants["t"].graph.size()) {
		if word := v.words(node, 0)[0].Load(); word == twinsBit { // the last of a chain
			v.words(node, 0)[0].Store(twinsBit | (node + 1))
			circles++
		}
	}
	if circles == 0 {
		t.Fatal("there are no twins")
	}
	w.found(queries)
	for n := range queries[:10] { // none of a circle is wanted
		filters := quire.Filters{TenantID: "t", ElementalID: elementalID(n + 1)}
		if hits, err := w.index.Search(t.Context(), queries[n], filters, 10); err != nil || len(hits) != 10 {
			t.Errorf("%d hits of another group, %v", len(hits), err)
		}
		s := newSearcher()
		graph, err := w.index.choose(t.Context(), s, queries[n], filters)
		if err != nil {
			t.Fatal(err)
		}
		if hits, err := graph.find(t.Context(), s, mustQuery(w, queries[n]), 10, 20); hits != nil || err != nil {
			t.Errorf("a walk in circles found %d hits, %v", len(hits), err)
		}
		s.free()
	}
}
