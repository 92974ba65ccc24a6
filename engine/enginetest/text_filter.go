package enginetest

import (
	"fmt"
	"testing"

	"github.com/quirelib/quire"
)

var textFilterCases = []textCase{
	{"filter/each field", testTextFields},
	{"filter/and, or", testTextAndOr},
	{"filter/before the cut", testTextCut},
}

func testTextFields(t *testing.T, open textOpener) {
	x := setupText(t, open)
	for n, field := range fields {
		for i, value := range []string{"one", "two"} {
			c := textChunk(10*n+i, "falk")
			field.set(&c, value+field.name)
			x.add(c)
		}
	}
	for n, field := range fields {
		for i, value := range []string{"one", "two"} {
			f := ofT
			field.want(&f, value+field.name)
			x.finds("falk", f, 10*n+i)
			x.finds("murb", f)
		}
		f := ofT
		field.want(&f, "on")
		x.finds("falk", f)
	}
}

func testTextAndOr(t *testing.T, open textOpener) {
	x := setupText(t, open)
	for n := range 8 {
		c := textChunk(n, "falk")
		c.UserID = fmt.Sprint("u", n%2)
		c.TagIDs = []string{fmt.Sprint(n / 2)}
		x.add(c)
	}
	x.finds("falk", quire.Filters{TenantID: "t", TagIDs: []string{"1", "3", "unknown"}}, 2, 3, 6, 7)
	x.finds("falk", quire.Filters{TenantID: "t", TagIDs: []string{"1", "3"}, UserID: "u1"}, 3, 7)
	x.finds("falk", quire.Filters{TenantID: "t", TagIDs: []string{"1"}, TagNames: []string{"1"}})
}

// testTextCut has one match behind many better ones that the filters leave out.
func testTextCut(t *testing.T, open textOpener) {
	x := setupText(t, open)
	for n := range 500 {
		x.add(textChunk(1000+n, "falk"))
	}
	c := textChunk(1, "falk in a text that is a good deal longer than all the others and so comes last")
	c.UserID = "u"
	x.add(c)
	if hits := x.search("falk", ofT, 500); len(hits) != 500 || hits[499].ID == c.ID {
		t.Fatalf("the suite itself is wrong: the long text is not last")
	}
	x.finds("falk", quire.Filters{TenantID: "t", UserID: "u"}, 1)
}
