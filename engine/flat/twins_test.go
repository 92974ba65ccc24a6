package flat

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/quirelib/quire"
)

// groups gives an index groups of vectors that differ by noise, one group after the other, and
// returns a query near each of them.
func groups(w *world, number, size int, noise float32) (queries [][]float32) {
	w.Helper()
	for g := range number {
		centre := w.around(nil)
		near := func() []float32 {
			v := w.around(nil)
			for i := range v {
				v[i] = centre[i] + noise*v[i]
			}
			return v
		}
		chunks := make([]quire.Chunk, size)
		for i := range chunks {
			chunks[i] = quire.Chunk{ID: fmt.Sprint(g, " ", i), TenantID: "t", ElementalID: elementalID(g), Vector: near()}
		}
		w.elementals = append(w.elementals, chunks)
		w.store(g)
		queries = append(queries, near())
	}
	return queries
}

// found returns how many of the 10 scores of a scan a walk finds for each query, and wants none to
// miss its group wholly.
func (w *world) found(queries [][]float32) (share float64) {
	w.Helper()
	good := 0
	for n, query := range queries {
		q, s := mustQuery(w, query), newSearcher()
		graph, err := w.index.choose(w.Context(), s, query, quire.Filters{TenantID: "t"})
		if err != nil || graph == nil {
			w.Fatalf("no graph, or %v", err)
		}
		want, err := s.nearest(w.Context(), q, 10)
		if err != nil {
			w.Fatal(err)
		}
		got, err := graph.find(w.Context(), s, q, 10, usualWidth(10, graph.size()))
		if err != nil || len(got) != 10 {
			w.Fatalf("query %d: %d hits, %v", n, len(got), err)
		}
		s.free()
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

// A walk is given up where a filter leaves nothing near the query, and where nothing leads to more rows.
func TestWalkIsGivenUp(t *testing.T) {
	w := newWorld(t, 0, 32)
	queries := groups(w, 2, 2000, 1)
	w.built()
	for n, query := range queries {
		for e := range queries {
			s := newSearcher()
			graph, err := w.index.choose(t.Context(), s, query, quire.Filters{TenantID: "t", ElementalID: elementalID(e)})
			if err != nil {
				t.Fatal(err)
			}
			hits, err := graph.find(t.Context(), s, mustQuery(w, query), 10, 40)
			if err != nil || n == e && len(hits) != 10 {
				t.Errorf("%d hits near the query, %v", len(hits), err)
			}
			if n != e && hits != nil {
				t.Errorf("a walk went on until it had found %d hits far from the query", len(hits))
			}
			if hits, err = graph.find(t.Context(), s, mustQuery(w, query), 10, 2001); hits != nil || err != nil {
				t.Errorf("a walk says that it has found 2,001 of 2,000 rows: %d hits, %v", len(hits), err)
			}
			s.free()
		}
	}
}

// One entry that is changed over and over leaves no more behind than its links and codes.
func TestGraphOfManyChanges(t *testing.T) {
	w := newWorld(t, 100, 32)
	w.built()
	for round := range 20 * perWorldElemental {
		w.replace(0, round+1)
		w.built()
	}
	graph, links := w.index.tenants["t"].graph, 0
	pages := *graph.pages.Load()
	for i := range pages {
		links += len(pages[i].links)
	}
	blocks := len(w.index.tenants["t"].blocks)
	if most := (graph.size() + (blocks+2)*blockRows) * baseDegree; links > most {
		t.Errorf("%d nodes of %d pages have room for %d links, more than %d", graph.size(), len(pages), links, most)
	}
	w.recall("after many changes")
}

func TestPays(t *testing.T) {
	for _, c := range []struct {
		rows, nodes, width int
		want               bool
	}{
		{100_000, 100_000, 290, true},
		{10_000, 10_000, 290, false},
		{10_000, 100_000, 290, false},
		{1 << 40, 1 << 40, 290, true},
		{100_000, 100_000, math.MaxInt, false},
	} {
		if got := pays(c.rows, c.nodes, c.width); got != c.want {
			t.Errorf("pays(%d, %d, %d) is %v", c.rows, c.nodes, c.width, got)
		}
	}
}
