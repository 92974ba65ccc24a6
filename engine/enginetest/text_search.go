package enginetest

import (
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

var textSearchCases = []textCase{
	{"search/words", testTextWords},
	{"search/weights", testTextWeights},
	{"search/share", testTextShare},
	{"search/ties", testTextTies},
	{"search/any text is a query", testTextAnyQuery},
	{"search/refused", testTextSearchRefused},
}

func testTextWords(t *testing.T, open textOpener) {
	x := setupText(t, open)
	x.finds("falk", ofT) // nothing is there
	x.add(textChunk(1, "Falk, murb."), textChunk(2, "ein Café in 北京, mit C++"), textChunk(3, "running"), textChunk(4, ""))
	x.finds("FALK", ofT, 1)
	x.finds("cafe", ofT, 2)
	x.finds("北京", ofT, 2)
	x.finds("京", ofT, 2)
	x.finds("C++", ofT, 2)
	x.finds("run", ofT, 3)
	x.finds("fal", ofT) // a part of a word
	x.finds("zont", ofT)
	x.finds("", ofT)
	x.finds(" .,; ", ofT)
}

func testTextWeights(t *testing.T, open textOpener) {
	x := setupText(t, open)
	for n := range 20 {
		x.add(textChunk(100+n, "falk other words"))
	}
	// Those that are to be first have the greater ids, so that ties do not make it so.
	x.add(textChunk(200, "zont other words"), textChunk(202, "murb drux words"), textChunk(201, "murb other words"))
	best := func(query string, n int) {
		t.Helper()
		if hits := x.search(query, ofT, 1); len(hits) != 1 || hits[0].ID != chunkID(n) {
			t.Errorf("Search(%q) = %v, want %s first", query, hits, chunkID(n))
		}
	}
	best("falk zont", 200) // the rarer of two words, one in each
	best("murb drux", 202) // two words before one
	x.add(textChunk(204, "plim"), textChunk(203, "plim "+strings.Repeat("of a much longer text ", 20)))
	best("plim", 204) // the shorter of two texts
}

func testTextShare(t *testing.T, open textOpener) {
	x := setupText(t, open)
	x.add(textChunk(1, "falk murb zont"), textChunk(2, "falk murb"), textChunk(3, "falk"))
	share := map[string]float64{}
	for _, h := range x.search("falk murb zont", ofT, 10) {
		share[h.ID] = h.Share
	}
	if all, two, one := share[chunkID(1)], share[chunkID(2)], share[chunkID(3)]; all < 0.999 || two >= 0.999 || one >= two {
		t.Errorf("shares of 3, 2 and 1 of 3 words: %v, %v, %v; want 1 and less each time", all, two, one)
	}
	if hits := x.search("falk plim drux gask", ofT, 1); len(hits) != 1 || hits[0].Share > 0.5 {
		t.Errorf("one common word of four, three of which are nowhere: %v; want a small share", hits)
	}
}

func testTextTies(t *testing.T, open textOpener) {
	x := setupText(t, open)
	want := []int{}
	for n := range 40 {
		x.add(textChunk((n*17)%40+1, "falk murb"))
		want = append(want, n+1)
	}
	x.finds("falk", ofT, want...)
	for limit := range 40 {
		if hits := x.search("falk", ofT, limit+1); len(hits) != limit+1 || hits[limit].ID != chunkID(limit+1) {
			t.Errorf("limit %d: %d hits, last %v", limit+1, len(hits), hits[len(hits)-1])
		}
	}
}

func testTextAnyQuery(t *testing.T, open textOpener) {
	x := setupText(t, open)
	x.add(textChunk(1, "falk near murb and not zont"))
	for _, query := range []string{
		`"`, `"falk`, `falk"`, `falk*`, `*`, `falk AND`, `OR`, `NOT falk`, `falk NEAR murb`, `NEAR(falk`, `(`, `falk)`, `text:falk`, `-falk`, `^falk`,
		`falk'); DROP TABLE chunks; --`, "falk\x00", "\xff\xfefalk", strings.Repeat("falk ", 20_000), strings.Repeat("x", 1<<20), "falk\u202emurb", "🤷🏽‍♀️", "%s%n",
	} {
		x.search(query, ofT, 5)
	}
	for _, query := range []string{`falk*`, `NOT falk`, `text:falk`, `-falk`, `"falk`} {
		x.finds(query, ofT, 1)
	}
}

func testTextSearchRefused(t *testing.T, open textOpener) {
	x := setupText(t, open)
	x.add(textChunk(1, "falk"))
	_, err := x.index.Search(t.Context(), "falk", quire.Filters{}, 1)
	wantError(t, "Search without a tenant", err, quire.ErrInvalid)
	_, err = x.index.Search(t.Context(), "falk", quire.Filters{UserID: "u"}, 1)
	wantError(t, "Search with other filters but no tenant", err, quire.ErrInvalid)
}
