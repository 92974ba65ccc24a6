package flat

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

func openGraph(testing.TB) quire.VectorIndex { return New(&Options{GraphRows: 1}) }

// With a graph an index still holds its contract: tenants of the suite are smaller than one
// with a graph, so that what they find is exact.
func TestGraphConformance(t *testing.T) { enginetest.RunIndex(t, openGraph) }

// world is an index with a graph that is compared with scans of its own.
type world struct {
	*testing.T
	index     *Index
	random    *rand.Rand
	centres   [][]float32
	dimension int
	// elementals are the chunks of each, nil of one that was removed.
	elementals [][]quire.Chunk
	backwards  bool // whether a new index is filled from the last one on
	// compared is how many searches were compared with a scan, scanned those of which no walk was whole.
	compared, scanned int
}

// perWorldElemental is how many rows an elemental has.
const perWorldElemental = 20

// newWorld makes elementals of clustered vectors.
func newWorld(t *testing.T, elementals, dimension int) *world {
	w := &world{T: t, index: New(&Options{GraphRows: 1}), random: rand.New(rand.NewPCG(21, 22)), dimension: dimension}
	t.Cleanup(func() { w.index.Close() })
	for range max(elementals/5, 2) {
		w.centres = append(w.centres, w.around(nil))
	}
	w.elementals = make([][]quire.Chunk, elementals)
	for e := range elementals {
		w.replace(e, 0)
	}
	return w
}

// around makes a vector near a centre, or anywhere.
func (w *world) around(centre []float32) []float32 {
	v := make([]float32, w.dimension)
	for i := range v {
		v[i] = float32(w.random.NormFloat64())
		if centre != nil {
			v[i] = centre[i] + 0.75*v[i]
		}
	}
	return v
}

func (w *world) query() []float32 { return w.around(w.centres[w.random.IntN(len(w.centres))]) }

// replace gives an elemental new rows, whose ids end in the round.
func (w *world) replace(e, round int) {
	w.Helper()
	chunks := make([]quire.Chunk, perWorldElemental)
	for i := range chunks {
		n := e*perWorldElemental + i
		chunks[i] = quire.Chunk{ID: fmt.Sprintf("%d r%d", n, round), TenantID: "t", ElementalID: elementalID(e), Vector: w.query(),
			TagIDs: []string{fmt.Sprint("2:", n%2), fmt.Sprint("10:", n%10), fmt.Sprint("100:", n%100)}}
	}
	w.elementals[e] = chunks
	w.store(e)
}

func elementalID(e int) string { return fmt.Sprint("e", e) }

func (w *world) remove(e int) {
	w.Helper()
	w.elementals[e] = nil
	w.store(e)
}

// store gives the index the chunks of an elemental.
func (w *world) store(e int) {
	w.Helper()
	if err := w.index.Replace(w.Context(), "t", elementalID(e), w.elementals[e]); err != nil {
		w.Fatal(err)
	}
}

func (w *world) built() {
	w.Helper()
	if err := w.index.Built(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// beside is when few rows may be linked yet, so that walks may find too few.
const beside = "beside the builder"

// recall compares walks with scans of the same rows and wants at least 0.99 of what they
// find, in their order and with their scores.
func (w *world) recall(when string) {
	w.Helper()
	for _, tag := range []string{"", "2:1", "10:3", "100:7"} {
		filters := quire.Filters{TenantID: "t"}
		if tag != "" {
			filters.TagIDs = []string{tag}
		}
		for _, limit := range []int{1, 10, 100} {
			found, wanted := 0, 0
			w.compared, w.scanned = 0, 0
			for range max(60, 300/limit) { // so that one miss does not fail it
				f, n := w.compare(filters, limit)
				found, wanted = found+f, wanted+n
			}
			if recall := float64(found) / float64(wanted); recall < 0.99 {
				w.Errorf("%s, tag %q, limit %d: recall is %.4f of %d", when, tag, limit, recall, wanted)
			}
			w.Logf("%s, tag %q, limit %d: %d of %d searches were scans", when, tag, limit, w.scanned, w.compared)
			if tag == "" && limit <= 10 && w.scanned > 0 && when != beside {
				w.Errorf("%s, limit %d: %d searches of all rows were scans", when, limit, w.scanned)
			}
		}
	}
}

// compare searches once, and returns how many of the hits of a scan a walk has found, even
// where a search would scan.
func (w *world) compare(filters quire.Filters, limit int) (found, wanted int) {
	w.Helper()
	ctx, q := w.Context(), mustQuery(w, w.query())
	s := newSearcher()
	defer s.free()
	graph, err := w.index.choose(ctx, s, q.vector, filters)
	if err != nil || graph == nil {
		w.Fatalf("no graph, or %v", err)
	}
	want, err := s.nearest(ctx, q, limit)
	if err != nil {
		w.Fatal(err)
	}
	scores := map[string]float64{}
	for _, h := range want {
		scores[h.ID] = h.Score
	}
	var got []quire.Hit
	linked, nodes := s.rows.linked(), graph.size()
	width := usualWidth(limit, nodes)
	if linked > blockRows && len(filters.TagIDs) == 0 { // a search would scan a small world
		width = max(limit, min(width, linked*linked/(walkRows*nodes)))
	}
	if limit < linked {
		if got, err = graph.find(ctx, s, q, limit, min(width, linked)); err != nil {
			w.Fatal(err)
		}
	}
	w.compared++
	if got == nil { // the walk found less than its width: then a search scans
		w.scanned++
		got = want
	}
	if len(got) != len(want) {
		w.Fatalf("%d hits, want %d", len(got), len(want))
	}
	for i, h := range got {
		if score, known := scores[h.ID]; known {
			found++
			if h.Score != score {
				w.Fatalf("the score of %s is %v, not %v", h.ID, h.Score, score)
			}
		}
		if i > 0 && (got[i-1].Score < h.Score || got[i-1].Score == h.Score && got[i-1].ID >= h.ID) {
			w.Fatalf("hits %+v and %+v are in the wrong order", got[i-1], h)
		}
	}
	return found, len(want)
}

func TestGraphRecall(t *testing.T) {
	elementals, dimension := 1500, 64
	if testing.Short() {
		elementals, dimension = 100, 32
	}
	w := newWorld(t, elementals, dimension)
	w.built()
	w.recall("built")
	for _, e := range w.random.Perm(elementals)[:elementals/2] {
		w.replace(e, 1)
		if w.random.IntN(elementals/5) == 0 {
			w.compare(quire.Filters{TenantID: "t"}, 10)
		}
	}
	w.recall(beside)
	w.built()
	w.recall("half replaced")
	for _, e := range w.random.Perm(elementals) {
		w.replace(e, 2)
	}
	w.built()
	tenant := w.index.tenants["t"]
	if most := stale(tenant.count()); tenant.graph.size() > most {
		t.Errorf("%d rows have a graph of %d nodes, more than %d", tenant.count(), tenant.graph.size(), most)
	}
	w.recall("all replaced")
}

// Nobody finds what was removed before he asked, and all hits are whole, while elementals are
// replaced and the graph is built.
func TestGraphBeside(t *testing.T) {
	const elementals = 120
	w := newWorld(t, elementals, 24)
	queries := make([][]float32, 16)
	for i := range queries {
		queries[i] = w.query()
	}
	done := make(chan struct{})
	var searchers sync.WaitGroup
	var mu sync.Mutex
	rounds := make([]int, elementals) // of what is in the index at least
	for s := range 3 {
		searchers.Go(func() {
			for i := s; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				mu.Lock()
				before := append([]int(nil), rounds...)
				mu.Unlock()
				hits, err := w.index.Search(t.Context(), queries[i%len(queries)], quire.Filters{TenantID: "t"}, 10)
				if err != nil || len(hits) != 10 {
					t.Errorf("%d hits, %v", len(hits), err)
					return
				}
				for _, h := range hits {
					var n, round int
					fmt.Sscanf(h.ID, "%d r%d", &n, &round)
					if round < before[n/perWorldElemental] {
						t.Errorf("%s was removed before the search began", h.ID)
						return
					}
				}
			}
		})
	}
	for i := range 3 * elementals {
		e, round := i%elementals, i/elementals+1
		w.replace(e, round)
		mu.Lock()
		rounds[e] = round
		mu.Unlock()
	}
	close(done)
	searchers.Wait()
	w.built()
	w.recall("after all")
}

// A tenant that shrinks gives its graph back, and one that is reset or closed while it is
// built has none.
func TestGraphEnds(t *testing.T) {
	w := newWorld(t, 100, 16)
	w.built()
	if w.index.tenants["t"].graph == nil {
		t.Fatal("2,000 rows have no graph")
	}
	for e := range 80 {
		w.remove(e)
	}
	w.built()
	if tenant := w.index.tenants["t"]; tenant.graph != nil || tenant.next != nil {
		t.Errorf("%d rows still have a graph", tenant.count())
	}
	for e := range 80 {
		w.replace(e, 1)
	}
	w.built()
	w.recall("grown again")
	for e := range 80 {
		w.replace(e, 2)
	}
	if err := w.index.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.built()
	for e := range 100 {
		w.replace(e, 3)
	}
	if err := w.index.Close(); err != nil {
		t.Fatal(err)
	}
	if w.index.builder.ended != nil {
		t.Error("the builder goes on after Close")
	}
}

// Many rows of the same vector do not cut others off.
func TestGraphDuplicates(t *testing.T) {
	w := newWorld(t, 200, 16)
	same := w.query()
	for e := range 50 {
		id := fmt.Sprint("same", e)
		chunks := make([]quire.Chunk, perWorldElemental)
		for i := range chunks {
			chunks[i] = quire.Chunk{ID: fmt.Sprint("same ", e, " ", i), TenantID: "t", ElementalID: id, Vector: same}
		}
		if err := w.index.Replace(t.Context(), "t", id, chunks); err != nil {
			t.Fatal(err)
		}
	}
	w.built()
	hits, err := w.index.Search(t.Context(), same, quire.Filters{TenantID: "t"}, 30)
	if err != nil || len(hits) != 30 {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	for _, h := range hits {
		if !strings.HasPrefix(h.ID, "same") {
			t.Errorf("%+v is nearer than one of 1,000 that are equal", h)
		}
	}
	found := 0
	for n := range 200 {
		chunk := w.index.tenants["t"].ids[fmt.Sprintf("%d r0", n*perWorldElemental)]
		b, slot := w.index.tenants["t"].at(chunk)
		hits, err := w.index.Search(t.Context(), b.vector(slot), quire.Filters{TenantID: "t"}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if hits[0].ID == b.ids[slot] {
			found++
		}
	}
	if found < 198 {
		t.Errorf("%d of 200 rows find themselves", found)
	}
}
