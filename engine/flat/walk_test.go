package flat

import (
	"math"
	"testing"

	"github.com/quirelib/quire"
)

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
