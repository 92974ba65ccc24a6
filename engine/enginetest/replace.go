package enginetest

import (
	"context"
	"errors"
	"math"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/quirelib/quire"
)

var replaceCases = []indexCase{
	{"replace/removes what was there", testReplaceRemoves},
	{"replace/no chunks removes", testReplaceNone},
	{"replace/tenants apart", testReplaceTenants},
	{"replace/copies in", testReplaceCopies},
	{"replace/refused vectors", testReplaceRefused},
	{"replace/refused at first", testReplaceRefusedFirst},
	{"replace/no tenant", testReplaceNoTenant},
	{"replace/cancelled", testReplaceCancelled},
}

func testReplaceRemoves(t *testing.T, open opener) {
	x := setup(t, open)
	x.add(chunk(1, "t", "a", away(1)), chunk(2, "t", "a", away(2)), chunk(3, "t", "b", away(3)))
	x.replace("t", "a", chunk(4, "t", "a", away(4)))
	x.agreeOnAll("t")

	// An id that stays gets its new vector.
	x.replace("t", "a", chunk(5, "t", "a", away(5)), chunk(4, "t", "a", away(0)))
	x.agreeOnAll("t")
	x.replace("t", "a", chunk(4, "t", "a", away(6)))
	x.agreeOnAll("t")
}

func testReplaceNone(t *testing.T, open opener) {
	x := setup(t, open)
	x.replace("t", "a")
	x.agreeOnAll("t")
	x.add(chunk(1, "t", "a", away(1)), chunk(2, "t", "b", away(2)))
	x.replace("t", "unknown")
	x.replace("unknown", "a")
	x.agreeOnAll("t", "unknown")
	x.replace("t", "a")
	x.agreeOnAll("t")
	x.replace("t", "b")
	x.agreeOnAll("t")
	if got := x.search(corner(0), quire.Filters{TenantID: "t"}, 5); len(got) != 0 {
		t.Errorf("found %v in an index that was emptied", got)
	}
	x.add(chunk(3, "t", "a", away(3)))
	x.agreeOnAll("t")
}

func testReplaceTenants(t *testing.T, open opener) {
	x := setup(t, open)
	// The same ids in two tenants are two entries.
	x.add(chunk(1, "t", "a", away(1)), chunk(2, "t", "a", away(2)))
	x.add(chunk(1, "u", "a", away(7)), chunk(3, "u", "a", away(6)))
	x.agreeOnAll("t", "u")
	x.replace("u", "a", chunk(4, "u", "a", away(0)))
	x.agreeOnAll("t", "u")
	x.replace("t", "a")
	x.agreeOnAll("t", "u")
}

func testReplaceCopies(t *testing.T, open opener) {
	x := setup(t, open)
	c := chunk(1, "t", "a", []float32{3, 4, 0}) // not of unit length: nobody may normalize it in place
	c.TagIDs, c.TagNames = []string{"7", "8"}, []string{"red", "blue"}
	chunks := []quire.Chunk{c}
	before := cloneChunks(chunks)
	x.replace("t", "a", chunks...)
	if diff := gocmp.Diff(before, chunks); diff != "" {
		t.Errorf("Replace changed the caller's chunks (-before +after):\n%s", diff)
	}

	copy(chunks[0].Vector, []float32{0, 0, 1})
	chunks[0].TagIDs[0], chunks[0].TagNames[0] = "9", "green"
	chunks[0].ID, chunks[0].TypeName = chunkID(2), "other"
	for _, f := range []quire.Filters{
		{TenantID: "t"},
		{TenantID: "t", TagIDs: []string{"7"}},
		{TenantID: "t", TagIDs: []string{"9"}},
		{TenantID: "t", TagNames: []string{"red"}},
		{TenantID: "t", TagNames: []string{"green"}},
		{TenantID: "t", TypeName: "other"},
	} {
		x.agree([]float32{3, 4, 0}, f, 5)
	}
}

// badVectors are vectors that are refused beside ones of the length dim.
func badVectors() map[string][]float32 {
	broken := func(f float64) []float32 {
		v := corner(3)
		v[dim-1] = float32(f)
		return v
	}
	return map[string][]float32{
		"nil":       nil,
		"empty":     {},
		"shorter":   corner(1)[1:],
		"longer":    append(corner(1), 1),
		"zero":      make([]float32, dim),
		"NaN":       broken(math.NaN()),
		"infinite":  broken(math.Inf(1)),
		"-infinite": broken(math.Inf(-1)),
	}
}

func testReplaceRefused(t *testing.T, open opener) {
	x := setup(t, open)
	x.add(chunk(1, "t", "a", away(1)), chunk(2, "t", "a", away(2)), chunk(3, "t", "b", away(3)))
	for name, bad := range badVectors() {
		for at := range 3 {
			chunks := []quire.Chunk{chunk(10, "t", "a", away(4)), chunk(2, "t", "a", away(5)), chunk(12, "t", "a", away(6))}
			chunks[at].Vector = bad
			err := x.index.Replace(t.Context(), "t", "a", chunks)
			wantError(t, "Replace with a vector that is "+name, err, quire.ErrInvalid)
			x.agreeOnAll("t")

			chunks = []quire.Chunk{chunk(10, "new", "n", away(4)), chunk(11, "new", "n", bad)}
			err = x.index.Replace(t.Context(), "new", "n", chunks)
			wantError(t, "Replace in a new tenant with a vector that is "+name, err, quire.ErrInvalid)
			x.agreeOnAll("t", "new")
		}
	}
}

// The first call decides on the length of vectors, but only if it is accepted.
func testReplaceRefusedFirst(t *testing.T, open opener) {
	x := setup(t, open)
	for name, bad := range badVectors() {
		chunks := []quire.Chunk{chunk(1, "t", "a", away(1)), chunk(2, "t", "a", bad)}
		err := x.index.Replace(t.Context(), "t", "a", chunks)
		wantError(t, "first Replace with a vector that is "+name, err, quire.ErrInvalid)
		x.agreeOnAll("t")
	}
	x.replace("t", "a", chunk(1, "t", "a", []float32{1, 0, 0}))
	x.agree([]float32{1, 0, 0}, quire.Filters{TenantID: "t"}, 1)
}

func testReplaceNoTenant(t *testing.T, open opener) {
	x := setup(t, open)
	err := x.index.Replace(t.Context(), "", "a", []quire.Chunk{chunk(1, "", "a", away(1))})
	wantError(t, "Replace without a tenant", err, quire.ErrInvalid)
	x.agreeOnAll()
}

func testReplaceCancelled(t *testing.T, open opener) {
	x := setup(t, open)
	old := []quire.Chunk{chunk(1, "t", "a", away(1)), chunk(2, "t", "a", away(2))}
	x.replace("t", "a", old...)

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	err := x.index.Replace(cancelled, "t", "a", []quire.Chunk{chunk(3, "t", "a", away(3))})
	wantError(t, "Replace with a cancelled context", err, context.Canceled)
	x.agreeOnAll("t")
	wantError(t, "removing with a cancelled context", x.index.Replace(cancelled, "t", "a", nil), context.Canceled)
	x.agreeOnAll("t")

	// Cancelled on the way it either did all or nothing, and says which.
	var fresh []quire.Chunk
	for n := range size(500, 100) {
		fresh = append(fresh, chunk(100+n, "t", "a", away(n%16)))
	}
	for round := range size(40, 10) {
		ctx := cancelAfter(t, round)
		switch err := x.index.Replace(ctx, "t", "a", fresh); {
		case err == nil:
			x.oracle.Replace(t.Context(), "t", "a", fresh)
		case !errors.Is(err, context.Canceled):
			t.Fatalf("Replace cancelled on the way: %v", err)
		}
		x.agreeOnAll("t")
		fresh, old = old, fresh
	}
}
