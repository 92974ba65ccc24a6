package enginetest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/quirelib/quire"
)

// RunTextIndex checks that an implementation of [quire.TextIndex] holds its contract.
// open returns an empty index for each call; the suite closes it. How an index weighs
// words is its own affair; the suite only wants what any sensible weights give. The test
// that calls RunTextIndex must not run in parallel with others.
func RunTextIndex(t *testing.T, open func(tb testing.TB) quire.TextIndex) {
	runCases(t, textCases, open)
}

// textCases are the parts of RunTextIndex.
var textCases = slices.Concat(textReplaceCases, textSearchCases, textFilterCases, textLifeCases)

type (
	textOpener = func(tb testing.TB) quire.TextIndex
	textCase   = suiteCase[quire.TextIndex]
)

// textTest is a text index under test.
type textTest struct {
	*testing.T
	index quire.TextIndex
}

func setupText(t *testing.T, open textOpener) *textTest {
	x := &textTest{T: t, index: open(t)}
	t.Cleanup(func() {
		if err := x.index.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return x
}

func (t *textTest) replace(tenantID, elementalID string, chunks ...quire.Chunk) {
	t.Helper()
	if err := t.index.Replace(t.Context(), tenantID, elementalID, chunks); err != nil {
		t.Fatalf("Replace(%q, %q, %d chunks): %v", tenantID, elementalID, len(chunks), err)
	}
}

// add stores each chunk as the only one of its elemental.
func (t *textTest) add(chunks ...quire.Chunk) {
	t.Helper()
	for _, c := range chunks {
		t.replace(c.TenantID, c.ElementalID, c)
	}
}

// search returns the hits, which must be in order and have scores and shares in bounds.
func (t *textTest) search(query string, f quire.Filters, limit int) []quire.TextHit {
	t.Helper()
	hits, err := t.index.Search(t.Context(), query, f, limit)
	if err != nil {
		t.Fatalf("Search(%q, %+v, %d): %v", query, f, limit, err)
	}
	if len(hits) > limit {
		t.Errorf("Search(%q, limit %d): %d hits", query, limit, len(hits))
	}
	if !slices.IsSortedFunc(hits, func(a, b quire.TextHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	}) {
		t.Errorf("Search(%q): the hits are not in order: %+v", query, hits)
	}
	for _, h := range hits {
		if !(h.Score > 0) || math.IsInf(h.Score, 0) || !(h.Share > 0) || h.Share > 1 {
			t.Errorf("Search(%q): score %v, share %v; want above 0, finite, and a share of at most 1", query, h.Score, h.Share)
		}
	}
	return hits
}

// finds reports when a search does not find exactly these entries, best first.
func (t *textTest) finds(query string, f quire.Filters, want ...int) {
	t.Helper()
	got := []string{}
	for _, h := range t.search(query, f, 100) {
		got = append(got, h.ID)
	}
	wantIDs := []string{}
	for _, n := range want {
		wantIDs = append(wantIDs, chunkID(n))
	}
	if diff := gocmp.Diff(wantIDs, got); diff != "" {
		t.Errorf("Search(%q, %+v) (-want +got):\n%s", query, f, diff)
	}
}

// textChunk makes a chunk number n, the only one of elemental "e<n>" of tenant "t".
func textChunk(n int, text string) quire.Chunk {
	c := chunk(n, "t", fmt.Sprint("e", n), nil)
	c.Text = text
	return c
}

// ofT are the filters that let everything of tenant "t" through.
var ofT = quire.Filters{TenantID: "t"}
