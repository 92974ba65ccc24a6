package chromem

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/quirelib/quire"
)

// Each test here shows the right behaviour at an edge where chromem-go v0.7.0, used
// without care, does something else. The conformance suite covers most of it
// too; these name the edge.

// Trap: the persistence of chromem-go names a file by the first 4 bytes of the
// SHA-256 of an id, so that two ids share one. In memory there are no files.
func TestTrapIDsOfTheSameFileName(t *testing.T) {
	t.Chdir(t.TempDir())
	a, b := sameHash()
	x := New(nil)
	replace(t, x, "e", chunk("e", a, 1, 0), chunk("e", b, 0, 1))
	replace(t, x, a, chunk(a, "first", 1, 1))
	replace(t, x, b, chunk(b, "second", 1, 2))
	wantIDs(t, "both ids", search(t, x, []float32{1, 0}, quire.Filters{ElementalID: "e"}, 9), a, b)
	wantIDs(t, "one elemental", search(t, x, []float32{1, 0}, quire.Filters{ElementalID: a}, 9), "first")
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) > 0 {
		t.Errorf("an index in memory left %v, %v", entries, err)
	}
}

// sameHash finds two ids whose SHA-256 begins with the same 4 bytes: among some
// 80,000 there are two.
func sameHash() (a, b string) {
	seen := map[[4]byte]string{}
	for n := 0; ; n++ {
		id := fmt.Sprint("id ", n)
		sum := sha256.Sum256([]byte(id))
		key := [4]byte(sum[:4])
		if other, ok := seen[key]; ok {
			return other, id
		}
		seen[key] = id
	}
}

// Trap: Delete with an empty filter that is not nil deletes everything, and
// without ids it is an error.
func TestTrapDeleteWithoutCondition(t *testing.T) {
	x := New(nil)
	replace(t, x, "a", chunk("a", "a1", 1, 0))
	replace(t, x, "b", chunk("b", "b1", 0, 1))
	for _, chunks := range [][]quire.Chunk{nil, {}} {
		if err := x.Replace(t.Context(), "t", "unknown", chunks); err != nil {
			t.Fatalf("removing an elemental that is not there: %v", err)
		}
	}
	wantIDs(t, "after removing nothing", search(t, x, []float32{1, 0}, quire.Filters{}, 9), "a1", "b1")
	replace(t, x, "a")
	wantIDs(t, "after removing a", search(t, x, []float32{1, 0}, quire.Filters{}, 9), "b1")
	replace(t, x, "a")
	wantIDs(t, "after removing a again", search(t, x, []float32{1, 0}, quire.Filters{}, 9), "b1")
}

// Trap: a filter on "" selects documents that do not have the key at all.
func TestTrapEmptyFilterValue(t *testing.T) {
	x := New(nil)
	bare, tagged := chunk("e", "bare", 1, 0), chunk("e", "tagged", 0, 1)
	tagged.TagIDs, tagged.TagNames = []string{""}, []string{""}
	replace(t, x, "e", bare, tagged)
	query := []float32{1, 0}
	wantIDs(t, "the empty tag name", search(t, x, query, quire.Filters{TagNames: []string{""}}, 9), "tagged")
	wantIDs(t, "the empty tag id", search(t, x, query, quire.Filters{TagIDs: []string{""}}, 9), "tagged")
	many := []string{"", "1", "2", "3", "4", "5", "6"} // too many for a query each
	wantIDs(t, "many tag names", search(t, x, query, quire.Filters{TagNames: many}, 9), "tagged")
	wantIDs(t, "a tag nobody has", search(t, x, query, quire.Filters{TagNames: []string{"none"}}, 9))
	wantIDs(t, "no filter", search(t, x, query, quire.Filters{TypeName: "", TagNames: []string{}}, 9), "bare", "tagged")
}

// Trap: a vector of unit length is stored as it is, not as a copy, and metadata
// maps come out as they are.
func TestTrapSharedMemory(t *testing.T) {
	x := New(nil)
	c := chunk("e", "c", 1, 0)
	c.TagIDs = []string{"1"}
	chunks := []quire.Chunk{c, chunk("e", "d", 0.6, 0.8)}
	replace(t, x, "e", chunks...)
	chunks[0].Vector[0], chunks[0].Vector[1] = 0, 1
	chunks[1].Vector[0] = float32(math.NaN())
	chunks[0].TagIDs[0] = "2"
	query := []float32{1, 0}
	wantIDs(t, "the vectors as they were", search(t, x, query, quire.Filters{}, 9), "c", "d")
	wantIDs(t, "the tag as it was", search(t, x, query, quire.Filters{TagIDs: []string{"1"}}, 9), "c")
	wantIDs(t, "the tag as it became", search(t, x, query, quire.Filters{TagIDs: []string{"2"}}, 9))
}

// Trap: the score of a stored zero vector is NaN and spoils the order of all others.
func TestTrapZeroVector(t *testing.T) {
	x := New(nil)
	replace(t, x, "a", chunk("a", "a", 1, 0))
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, v := range [][]float32{{0, 0}, {nan, 1}, {1, inf}} {
		wantInvalid(t, fmt.Sprint("storing ", v), x.Replace(t.Context(), "t", "b", []quire.Chunk{chunk("b", "b", v...)}))
		_, err := x.Search(t.Context(), v, quire.Filters{TenantID: "t"}, 1)
		wantInvalid(t, fmt.Sprint("searching ", v), err)
	}
	wantIDs(t, "after refusals", search(t, x, []float32{1, 0}, quire.Filters{}, 9), "a")
}

// Trap: a stored vector of another length makes every later query fail.
func TestTrapVectorLength(t *testing.T) {
	x := New(nil)
	replace(t, x, "a", chunk("a", "a", 1, 0))
	wantInvalid(t, "a longer one", x.Replace(t.Context(), "t", "b", []quire.Chunk{chunk("b", "b", 1, 0, 0)}))
	wantInvalid(t, "in another tenant", x.Replace(t.Context(), "u", "b", []quire.Chunk{{ID: "b", TenantID: "u", ElementalID: "b", Vector: []float32{1}}}))
	_, err := x.Search(t.Context(), []float32{1}, quire.Filters{TenantID: "u"}, 1)
	wantInvalid(t, "a shorter query", err)
	wantIDs(t, "after refusals", search(t, x, []float32{1, 0}, quire.Filters{}, 9), "a")
}

// Trap: the length of a vector is computed in 32 bits, so that 1e30 becomes infinite
// and 1e-30 zero.
func TestTrapExtremeLengths(t *testing.T) {
	x := New(nil)
	replace(t, x, "e", chunk("e", "huge", 3e30, 4e30), chunk("e", "tiny", 4e-30, 3e-30), chunk("e", "denormal", 0, 1e-45))
	for _, query := range [][]float32{{0, 1e30}, {0, 1e-30}} {
		hits, err := x.Search(t.Context(), query, quire.Filters{TenantID: "t"}, 9)
		want := []quire.Hit{{ID: "denormal", Score: 1}, {ID: "huge", Score: 0.8}, {ID: "tiny", Score: 0.6}}
		if diff := cmp.Diff(want, hits, cmp.Comparer(near)); err != nil || diff != "" {
			t.Errorf("query %v: %v (-want +got):\n%s", query, err, diff)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// Trap: asking for more results than there are documents is an error.
func TestTrapMoreThanThereAre(t *testing.T) {
	x := New(nil)
	replace(t, x, "e", chunk("e", "a", 1, 0), chunk("e", "b", 0, 1))
	for _, limit := range []int{2, 3, math.MaxInt} {
		wantIDs(t, fmt.Sprint("limit ", limit), search(t, x, []float32{1, 0}, quire.Filters{}, limit), "a", "b")
	}
	for _, limit := range []int{0, -1, math.MinInt} {
		_, err := x.Search(t.Context(), []float32{1, 0}, quire.Filters{TenantID: "t"}, limit)
		wantInvalid(t, fmt.Sprint("limit ", limit), err)
	}
}

// lateContext is cancelled, but says so only when it was asked some times: it is
// cancelled on the way.
type lateContext struct {
	context.Context
	asked atomic.Int64
	from  int64
}

func (c *lateContext) Err() error {
	if c.asked.Add(1) > c.from {
		return context.Canceled
	}
	return nil
}

// Trap: a cancelled query returns a part of the results and no error, and adding
// under a cancelled context leaves documents out and returns no error.
func TestTrapCancelled(t *testing.T) {
	x := New(nil)
	var chunks []quire.Chunk
	for n := range 100 {
		chunks = append(chunks, chunk("e", fmt.Sprintf("%03d", n), 1, float32(n)))
	}
	for from := range int64(6) {
		// However late it is cancelled, either all is there or nothing.
		err := x.Replace(&lateContext{Context: t.Context(), from: from}, "t", "e", chunks)
		stats, _ := x.Stats(t.Context())
		if all := err == nil && stats.Vectors == 100; !all && !(errors.Is(err, context.Canceled) && stats.Vectors == 0) {
			t.Fatalf("Replace cancelled after %d looks: %v with %d of 100", from, err, stats.Vectors)
		}
		if err == nil {
			break
		}
	}
	replace(t, x, "e", chunks...)
	for from := range int64(2 + parts) { // one look of each part, and two before
		hits, err := x.Search(&lateContext{Context: t.Context(), from: from}, []float32{1, 0}, quire.Filters{TenantID: "t"}, 100)
		if hits != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("Search cancelled after %d looks: %d hits, %v", from, len(hits), err)
		}
	}
}

// Trap: which of several equal scores are returned, and in which order, is left
// to the order of a map.
func TestTrapTies(t *testing.T) {
	x := New(nil)
	var chunks []quire.Chunk
	for n := range 200 {
		chunks = append(chunks, chunk("e", fmt.Sprintf("%03d", n), 1, 0))
	}
	chunks[150].Vector = []float32{0, 1}
	replace(t, x, "e", chunks...)
	for range 10 {
		wantIDs(t, "a cut through equals", search(t, x, []float32{1, 0}, quire.Filters{}, 3), "000", "001", "002")
		wantIDs(t, "one before equals", search(t, x, []float32{0, 1}, quire.Filters{}, 3), "150", "000", "001")
		wantIDs(t, "all on the far side", search(t, x, []float32{-1, -1}, quire.Filters{}, 2), "000", "001")
	}
}

// Trap: without a function that embeds texts, chromem-go calls a service on the
// network when it meets a text.
func TestTrapEmbeddingOverTheNetwork(t *testing.T) {
	x := New(nil)
	replace(t, x, "e", chunk("e", "a", 1, 0))
	_, err := x.tenants["t"].partOf("a").Query(t.Context(), "a text", 1, nil, nil)
	if _, want := embedNothing(t.Context(), ""); err == nil || errors.Unwrap(err).Error() != want.Error() {
		t.Errorf("a collection embeds texts: %v", err)
	}
}

// Trap: a filter compares one string with one string, so there is no OR.
func TestTrapEqualityOnly(t *testing.T) {
	x := New(nil)
	var chunks []quire.Chunk
	for n := range 8 {
		c := chunk("e", fmt.Sprint("c", n), 1, float32(n))
		c.TagIDs, c.TagNames = []string{fmt.Sprint(n), "all"}, []string{fmt.Sprint("name ", n%2)}
		chunks = append(chunks, c)
	}
	replace(t, x, "e", chunks...)
	query := []float32{1, 0}
	wantIDs(t, "two ids", search(t, x, query, quire.Filters{TagIDs: []string{"5", "2"}}, 9), "c2", "c5")
	wantIDs(t, "overlapping ids", search(t, x, query, quire.Filters{TagIDs: []string{"all", "2", "all"}}, 3), "c0", "c1", "c2")
	wantIDs(t, "ids and names", search(t, x, query, quire.Filters{TagIDs: []string{"all", "2"}, TagNames: []string{"name 1", "none"}}, 2), "c1", "c3")
	wantIDs(t, "many ids and names", search(t, x, query, quire.Filters{TagIDs: []string{"1", "2", "3", "4", "5"}, TagNames: []string{"name 1", "none"}}, 2), "c1", "c3")
}

// Trap: everything that filters ask for is in one map, where a tag could be taken
// for a field or for a tag of the other kind.
func TestTrapKeysApart(t *testing.T) {
	x := New(nil)
	c, d := chunk("e", "c", 1, 0), chunk("e", "d", 0, 1)
	c.TypeName, c.TagNames = "Prompt", []string{"type", "category", "elemental", "i:5", "5"}
	d.TypeName, d.TagIDs = present, []string{"5", "n:5"}
	replace(t, x, "e", c, d)
	query := []float32{1, 1}
	wantIDs(t, "the type", search(t, x, query, quire.Filters{TypeName: "Prompt"}, 9), "c")
	wantIDs(t, "the elemental", search(t, x, query, quire.Filters{ElementalID: "e"}, 9), "c", "d")
	wantIDs(t, "a type like a mark", search(t, x, query, quire.Filters{TypeName: present}, 9), "d")
	wantIDs(t, "a category like a mark", search(t, x, query, quire.Filters{CategoryName: present}, 9))
	wantIDs(t, "a name like a field", search(t, x, query, quire.Filters{TagNames: []string{"type"}}, 9), "c")
	wantIDs(t, "a name like an id's key", search(t, x, query, quire.Filters{TagNames: []string{"i:5"}}, 9), "c")
	wantIDs(t, "an id", search(t, x, query, quire.Filters{TagIDs: []string{"5"}}, 9), "d")
	wantIDs(t, "a name", search(t, x, query, quire.Filters{TagNames: []string{"5"}}, 9), "c")
}

// Trap: adding a document with an id that is taken overwrites the other one.
func TestTrapTakenID(t *testing.T) {
	x := New(nil)
	replace(t, x, "a", chunk("a", "1", 1, 0))
	for what, chunks := range map[string][]quire.Chunk{
		"the id of another elemental's chunk": {chunk("b", "2", 1, 0), chunk("b", "1", 1, 0)},
		"an id twice":                         {chunk("b", "2", 1, 0), chunk("b", "2", 0, 1)},
		"no id":                               {chunk("b", "2", 1, 0), chunk("b", "", 0, 1)},
		"another elemental":                   {chunk("c", "2", 1, 0)},
	} {
		wantInvalid(t, what, x.Replace(t.Context(), "t", "b", chunks))
	}
	wantInvalid(t, "another tenant", x.Replace(t.Context(), "u", "b", []quire.Chunk{chunk("b", "2", 1, 0)}))
	wantInvalid(t, "no elemental", x.Replace(t.Context(), "t", "", []quire.Chunk{chunk("", "2", 1, 0)}))
	wantIDs(t, "after refusals", search(t, x, []float32{1, 0}, quire.Filters{}, 9), "1")

	// An id that was given up may be taken, and then it is not the first one's any more.
	replace(t, x, "a", chunk("a", "2", 1, 0))
	replace(t, x, "b", chunk("b", "1", 1, 0))
	replace(t, x, "a", chunk("a", "3", 1, 0))
	wantIDs(t, "after the id moved", search(t, x, []float32{1, 0}, quire.Filters{}, 9), "1", "3")
}

// Trap: creating a collection under a name that is taken drops the other one, and
// a collection without documents stays for ever.
func TestTrapCollections(t *testing.T) {
	x := New(nil)
	replace(t, x, "a", chunk("a", "1", 1, 0))
	replace(t, x, "b", chunk("b", "2", 0, 1))
	wantIDs(t, "two elementals of a tenant", search(t, x, []float32{1, 0}, quire.Filters{}, 9), "1", "2")
	replace(t, x, "a")
	replace(t, x, "b")
	if n := len(x.db.ListCollections()); n != 0 || len(x.tenants) != 0 {
		t.Errorf("%d collections and %d tenants are left of an emptied index", n, len(x.tenants))
	}
}
