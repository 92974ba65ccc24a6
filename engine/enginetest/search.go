package enginetest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quirelib/quire"
)

var searchCases = []indexCase{
	{"search/empty index", testSearchEmpty},
	{"search/order and limit", testSearchOrder},
	{"search/ties by id", testSearchTies},
	{"search/ties below zero", testSearchClampedTies},
	{"search/ties under a filter", testSearchFilteredTies},
	{"search/cosine of any length", testSearchLengths},
	{"search/scores", testSearchScores},
	{"search/random vectors", testSearchRandom},
	{"search/refused queries", testSearchRefused},
	{"search/copies out", testSearchCopies},
	{"search/cancelled", testSearchCancelled},
}

func testSearchEmpty(t *testing.T, open opener) {
	x := setup(t, open)
	x.agree(corner(0), quire.Filters{TenantID: "t"}, 1)
	x.agree([]float32{1}, quire.Filters{TenantID: "t", TagIDs: []string{"1", "2"}}, 100)
	x.add(chunk(1, "t", "a", away(1)))
	x.agree(corner(0), quire.Filters{TenantID: "unknown"}, 1)
	x.agree(corner(0), quire.Filters{TenantID: "T"}, 1)
}

func testSearchOrder(t *testing.T, open opener) {
	x := setup(t, open)
	for n := range 9 {
		// Scores and ids run in different orders.
		x.add(chunk(n, "t", []string{"a", "b", "c"}[n%3], away((n*5)%9)))
	}
	for _, limit := range []int{1, 2, 8, 9, 10, 100, 1 << 20, math.MaxInt} {
		if got, want := len(x.agree(corner(0), quire.Filters{TenantID: "t"}, limit)), min(limit, 9); got != want {
			t.Fatalf("limit %d found %d, want %d", limit, got, want)
		}
	}
}

func testSearchTies(t *testing.T, open opener) {
	x := setup(t, open)
	var chunks []quire.Chunk
	for n := range 40 {
		chunks = append(chunks, chunk(n, "t", "a", away(n%3)))
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
	x.replace("t", "a", chunks...)
	// Several times, because what leaves ties to chance is often right by chance.
	for range 5 {
		for limit := 1; limit <= 41; limit++ {
			x.agree(corner(0), quire.Filters{TenantID: "t"}, limit)
		}
	}
}

// Entries on the far side have different cosines and the same score.
func testSearchClampedTies(t *testing.T, open opener) {
	x := setup(t, open)
	for n := range 20 {
		x.add(chunk(n, "t", "a", away(16-n%9))) // from -1 to 0
	}
	x.add(chunk(20, "t", "b", away(7)))
	for range 5 {
		for limit := 1; limit <= 22; limit++ {
			x.agree(corner(0), quire.Filters{TenantID: "t"}, limit)
		}
	}
}

// Ties that come out of different tags of an OR are ties all the same.
func testSearchFilteredTies(t *testing.T, open opener) {
	x := setup(t, open)
	var chunks []quire.Chunk
	for n := range 60 {
		c := chunk(n, "t", "a", away(n%2))
		c.TagIDs, c.TagNames = []string{string('1' + rune(n%5))}, []string{"n", string('1' + rune(n%7))}
		chunks = append(chunks, c)
	}
	x.replace("t", "a", chunks...)
	for range 5 {
		for limit := 1; limit <= 20; limit++ {
			x.agree(corner(0), quire.Filters{TenantID: "t", TagIDs: []string{"1", "3"}, TagNames: []string{"2", "3", "5"}}, limit)
			x.agree(corner(0), quire.Filters{TenantID: "t", TagIDs: []string{"5", "4", "3", "2"}, TagNames: []string{"n", "1", "2", "4", "6"}}, limit)
		}
	}
}

// The score is the cosine, so the length of vectors does not count.
func testSearchLengths(t *testing.T, open opener) {
	x := setup(t, open)
	for n, length := range []float32{0.001, 0.5, 1, 3, 1000} {
		v := away(n + 1)
		for i := range v {
			v[i] *= length
		}
		x.add(chunk(n, "t", "a", v))
	}
	for _, length := range []float32{0.01, 1, 77} {
		q := corner(0)
		for i := range q {
			q[i] *= length
		}
		x.agree(q, quire.Filters{TenantID: "t"}, 5)
	}
}

func testSearchScores(t *testing.T, open opener) {
	x := setup(t, open)
	random := rand.New(rand.NewPCG(3, 4))
	var chunks []quire.Chunk
	for n := range size(200, 50) {
		chunks = append(chunks, chunk(n, "t", "a", randomVector(random, 384)))
	}
	x.replace("t", "a", chunks...)
	for _, c := range chunks {
		hits := x.search(c.Vector, quire.Filters{TenantID: "t"}, len(chunks))
		if len(hits) != len(chunks) || hits[0].ID != c.ID || hits[0].Score < 1-1e-5 {
			t.Fatalf("the query equal to chunk %s found %d, the first is %+v", c.ID, len(hits), hits[0])
		}
		for i, h := range hits {
			if !(h.Score >= 0 && h.Score <= 1) {
				t.Fatalf("score %v is outside of 0..1", h.Score)
			}
			if i > 0 && (h.Score > hits[i-1].Score || h.Score == hits[i-1].Score && h.ID <= hits[i-1].ID) {
				t.Fatalf("hits %+v and %+v are in the wrong order", hits[i-1], h)
			}
		}
	}
}

// randomVector makes a unit vector of a random direction.
func randomVector(random *rand.Rand, length int) []float32 {
	v := make([]float32, length)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	n := norm(v)
	for i := range v {
		v[i] = float32(float64(v[i]) / n)
	}
	return v
}

// Random directions have no ties, so only rounding can exchange neighbours.
func testSearchRandom(t *testing.T, open opener) {
	x := setup(t, open)
	random := rand.New(rand.NewPCG(5, 6))
	var chunks []quire.Chunk
	for n := range size(1000, 200) {
		c := chunk(n, "t", "a", randomVector(random, 48))
		c.TagIDs = []string{string('0' + rune(n%4))}
		chunks = append(chunks, c)
	}
	x.replace("t", "a", chunks...)
	for range 20 {
		query := randomVector(random, 48)
		for _, f := range []quire.Filters{{TenantID: "t"}, {TenantID: "t", TagIDs: []string{"1", "2"}}} {
			want, err := x.oracle.Search(t.Context(), query, f, 25)
			if err != nil {
				t.Fatal(err)
			}
			diffNeighbours(t, want, x.search(query, f, 25))
		}
	}
}

// diffNeighbours compares hits whose order may differ where scores are within
// rounding of each other.
func diffNeighbours(t *testing.T, want, got []quire.Hit) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("found %d, want %d", len(got), len(want))
	}
	scores := map[string]float64{}
	for _, h := range want {
		scores[h.ID] = h.Score
	}
	for i, h := range got {
		exact, known := scores[h.ID]
		atCut := math.Abs(h.Score-want[len(want)-1].Score) < 2e-6
		if math.Abs(h.Score-want[i].Score) > 1e-6 || known && math.Abs(h.Score-exact) > 1e-6 || !known && !atCut {
			t.Fatalf("hit %d is %+v, want %+v", i, h, want[i])
		}
	}
}

func testSearchRefused(t *testing.T, open opener) {
	x := setup(t, open)
	x.add(chunk(1, "t", "a", away(1)))
	for name, bad := range badVectors() {
		for _, tenant := range []string{"t", "unknown"} {
			_, err := x.index.Search(t.Context(), bad, quire.Filters{TenantID: tenant}, 1)
			wantError(t, "Search in tenant "+tenant+" for a vector that is "+name, err, quire.ErrInvalid)
		}
	}
	_, err := x.index.Search(t.Context(), corner(0), quire.Filters{ElementalID: "a"}, 1)
	wantError(t, "Search without a tenant", err, quire.ErrInvalid)
	x.agreeOnAll("t")
}

func testSearchCopies(t *testing.T, open opener) {
	x := setup(t, open)
	c := chunk(1, "t", "a", away(1))
	c.TagIDs, c.TagNames = []string{"3", "1", "2"}, []string{"c", "a", "b"}
	x.add(c, chunk(2, "t", "a", away(2)))

	query := []float32{9, 3, 2, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}
	f := quire.Filters{TenantID: "t", TagIDs: []string{"3", "1", "3"}, TagNames: []string{"c", "a", "b"}}
	q, tagIDs, tagNames := slices.Clone(query), slices.Clone(f.TagIDs), slices.Clone(f.TagNames)
	x.agree(query, f, 2)
	if !slices.Equal(q, query) || !slices.Equal(tagIDs, f.TagIDs) || !slices.Equal(tagNames, f.TagNames) {
		t.Error("Search changed the caller's query or filters")
	}

	hits := x.search(query, quire.Filters{TenantID: "t"}, 2)
	clear(hits)
	clear(query)
	x.agree(corner(0), quire.Filters{TenantID: "t"}, 2)
}

func testSearchCancelled(t *testing.T, open opener) {
	x := setup(t, open)
	var chunks []quire.Chunk
	for n := range size(3000, 500) {
		c := chunk(n, "t", "a", away(n%8))
		c.TagIDs = []string{"1"}
		chunks = append(chunks, c)
	}
	x.replace("t", "a", chunks...)

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, done := context.WithTimeout(t.Context(), 0)
	defer done()
	for _, tenant := range []string{"t", "unknown"} {
		_, err := x.index.Search(cancelled, corner(0), quire.Filters{TenantID: tenant}, 1)
		wantError(t, "Search with a cancelled context", err, context.Canceled)
		_, err = x.index.Search(late, corner(0), quire.Filters{TenantID: tenant}, 1)
		wantError(t, "Search after the deadline", err, context.DeadlineExceeded)
	}

	// Cancelled on the way it returns the error, never a part of the hits.
	for round := range size(100, 30) {
		hits, err := x.index.Search(cancelAfter(t, round), corner(0), quire.Filters{TenantID: "t", TagIDs: []string{"1", "2"}}, len(chunks))
		if err != nil {
			wantError(t, "Search cancelled on the way", err, context.Canceled)
		} else if len(hits) != len(chunks) {
			t.Fatalf("Search cancelled on the way returned %d of %d hits and no error", len(hits), len(chunks))
		}
	}
}
