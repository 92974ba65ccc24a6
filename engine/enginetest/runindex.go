package enginetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/quirelib/quire"
)

// RunIndex checks that an implementation of [quire.VectorIndex] holds its
// contract. open returns an empty index for each call; the suite closes it. The
// test that calls RunIndex must not run in parallel with others, because each case
// ends with a look for goroutines that were left behind.
func RunIndex(t *testing.T, open func(tb testing.TB) quire.VectorIndex) {
	runCases(t, indexCases, open)
}

// indexCases are the parts of RunIndex.
var indexCases = slices.Concat(replaceCases, searchCases, filterCases, lifeCases, concurrentCases, modelCases)

// opener makes an empty index.
type opener = func(tb testing.TB) quire.VectorIndex

// indexCase is one named part of the suite for indexes.
type indexCase = suiteCase[quire.VectorIndex]

// indexTest is an index under test beside the oracle.
type indexTest struct {
	*testing.T
	index  quire.VectorIndex
	oracle *Index
}

func setup(t *testing.T, open opener) *indexTest {
	x := &indexTest{T: t, index: open(t), oracle: NewIndex()}
	t.Cleanup(func() {
		if err := x.index.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return x
}

// replace changes index and oracle.
func (t *indexTest) replace(tenantID, elementalID string, chunks ...quire.Chunk) {
	t.Helper()
	if err := t.index.Replace(t.Context(), tenantID, elementalID, chunks); err != nil {
		t.Fatalf("Replace(%q, %q, %d chunks): %v", tenantID, elementalID, len(chunks), err)
	}
	if err := t.oracle.Replace(t.Context(), tenantID, elementalID, chunks); err != nil {
		t.Fatalf("the suite itself uses chunks that are not valid: %v", err)
	}
}

// add stores each chunk, after what its elemental has.
func (t *indexTest) add(chunks ...quire.Chunk) {
	t.Helper()
	type key struct{ tenantID, elementalID string }
	groups := map[key][]quire.Chunk{}
	for _, c := range slices.Concat(t.oracle.Chunks(), chunks) {
		k := key{c.TenantID, c.ElementalID}
		groups[k] = append(groups[k], c)
	}
	for _, c := range chunks {
		k := key{c.TenantID, c.ElementalID}
		if group := groups[k]; group != nil {
			t.replace(k.tenantID, k.elementalID, group...)
			delete(groups, k)
		}
	}
}

// search asks the index.
func (t *indexTest) search(query []float32, filters quire.Filters, limit int) []quire.Hit {
	t.Helper()
	hits, err := t.index.Search(t.Context(), query, filters, limit)
	if err != nil {
		t.Fatalf("Search(%+v, limit %d): %v", filters, limit, err)
	}
	return hits
}

// agree asks index and oracle the same and reports a difference in ids, order or
// scores. It returns what the oracle found.
func (t *indexTest) agree(query []float32, filters quire.Filters, limit int) []quire.Hit {
	t.Helper()
	want, err := t.oracle.Search(t.Context(), query, filters, limit)
	if err != nil {
		t.Fatalf("the suite itself searches for what is not valid: %v", err)
	}
	if diff := diffHits(want, t.search(query, filters, limit)); diff != "" {
		t.Errorf("Search(%+v, limit %d) differs from comparing with everything (-want +got):\n%s", filters, limit, diff)
	}
	return want
}

// agreeOnAll compares the whole content of a tenant, and Stats.
func (t *indexTest) agreeOnAll(tenantIDs ...string) {
	t.Helper()
	want, _ := t.oracle.Stats(t.Context())
	got, err := t.index.Stats(t.Context())
	if err != nil || got != want {
		t.Errorf("Stats() = %+v, %v; want %+v", got, err, want)
	}
	for _, id := range tenantIDs {
		if want.Vectors > 0 {
			t.agree(corner(0), quire.Filters{TenantID: id}, want.Vectors+1)
		}
	}
}

// diffHits compares ids and order exactly and scores to 1e-5; nil and empty are
// the same.
func diffHits(want, got []quire.Hit) string {
	return gocmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-5), cmpopts.EquateEmpty())
}

// wantError reports an error that is not the wanted one.
func wantError(t testing.TB, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: error %v, want %v", what, got, want)
	}
}

// dim is the length of the vectors that corner makes.
const dim = 16

// corner returns the unit vector whose numbers are a quarter, with a minus where
// a bit of n is set. The cosine of two corners is 1 - d/8 for d different bits:
// exact in float32 in whatever order it is summed, so that results can be
// compared exactly and ties are ties everywhere.
func corner(n uint16) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = 0.25
		if n>>i&1 == 1 {
			v[i] = -0.25
		}
	}
	return v
}

// away returns a corner whose cosine with corner(0) is 1 - d/8.
func away(d int) []float32 { return corner(uint16(1<<d - 1)) }

// chunkID makes a UUID that sorts by n.
func chunkID(n int) string { return fmt.Sprintf("00000000-0000-5000-8000-%012x", n) }

// chunk makes a chunk number n of an elemental, with nothing to filter by but that.
func chunk(n int, tenantID, elementalID string, vector []float32) quire.Chunk {
	return quire.Chunk{ID: chunkID(n), TenantID: tenantID, ElementalID: elementalID, Ordinal: n, Vector: vector}
}

// ids returns the ids of hits.
func ids(hits []quire.Hit) []string {
	var list []string
	for _, h := range hits {
		list = append(list, h.ID)
	}
	return list
}

// size returns n, or short with -short.
func size(n, short int) int {
	if testing.Short() {
		return short
	}
	return n
}
