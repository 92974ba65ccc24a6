package enginetest

import (
	"fmt"
	"testing"

	"github.com/quirelib/quire"
)

var filterCases = []indexCase{
	{"filters/each field", testFilterFields},
	{"filters/fields apart", testFilterFieldsApart},
	{"filters/and between", testFilterAnd},
	{"filters/or inside tags", testFilterOr},
	{"filters/many tags", testFilterManyTags},
	{"filters/odd values", testFilterOddValues},
	{"filters/before the cut", testFilterCut},
	{"filters/follow a replace", testFilterFollow},
}

// fields are the filters beside TenantID: how to give a chunk a value, and how to
// ask for it.
var fields = []struct {
	name string
	set  func(c *quire.Chunk, value string)
	want func(f *quire.Filters, value string)
}{
	{"ElementalID", func(c *quire.Chunk, v string) { c.ElementalID = v }, func(f *quire.Filters, v string) { f.ElementalID = v }},
	{"UserID", func(c *quire.Chunk, v string) { c.UserID = v }, func(f *quire.Filters, v string) { f.UserID = v }},
	{"Source", func(c *quire.Chunk, v string) { c.Source = v }, func(f *quire.Filters, v string) { f.Source = v }},
	{"TypeName", func(c *quire.Chunk, v string) { c.TypeName = v }, func(f *quire.Filters, v string) { f.TypeName = v }},
	{"CategoryName", func(c *quire.Chunk, v string) { c.CategoryName = v }, func(f *quire.Filters, v string) { f.CategoryName = v }},
	{"TagIDs", func(c *quire.Chunk, v string) { c.TagIDs = append(c.TagIDs, v) }, func(f *quire.Filters, v string) { f.TagIDs = append(f.TagIDs, v) }},
	{"TagNames", func(c *quire.Chunk, v string) { c.TagNames = append(c.TagNames, v) }, func(f *quire.Filters, v string) { f.TagNames = append(f.TagNames, v) }},
}

// found reports when the index does not find exactly one chunk, this one.
func (t *indexTest) found(f quire.Filters, c quire.Chunk) {
	t.Helper()
	if got := t.agree(corner(0), f, 10); len(got) != 1 || got[0].ID != c.ID {
		t.Fatalf("the suite itself is wrong: %+v matches %v, not just %s", f, ids(got), c.ID)
	}
}

func testFilterFields(t *testing.T, open opener) {
	x := setup(t, open)
	var chunks []quire.Chunk
	for n, field := range fields {
		for i, value := range []string{"one", "two"} {
			c := chunk(10*n+i, "t", fmt.Sprintf("e%d", 10*n+i), away(n))
			field.set(&c, value+field.name)
			chunks = append(chunks, c)
		}
	}
	x.add(chunk(1000, "t", "plain", away(0)))
	x.add(chunks...)
	for n, field := range fields {
		for i, value := range []string{"one", "two"} {
			f := quire.Filters{TenantID: "t"}
			field.want(&f, value+field.name)
			x.found(f, chunks[2*n+i])
			f.TenantID = "u"
			x.agree(corner(0), f, 10)
		}
		f := quire.Filters{TenantID: "t"}
		field.want(&f, "one")
		if got := x.agree(corner(0), f, 10); len(got) != 0 {
			t.Fatalf("the suite itself is wrong: %+v matches %v", f, ids(got))
		}
	}
}

// The same value in two fields does not mean the same.
func testFilterFieldsApart(t *testing.T, open opener) {
	x := setup(t, open)
	chunks := make([]quire.Chunk, len(fields))
	for n, field := range fields {
		chunks[n] = chunk(n, "t", fmt.Sprintf("e%d", n), away(0))
		field.set(&chunks[n], "same")
	}
	x.add(chunks...)
	for n, field := range fields {
		f := quire.Filters{TenantID: "t"}
		field.want(&f, "same")
		x.found(f, chunks[n])
	}
}

// One chunk has everything, the others lack one thing each.
func testFilterAnd(t *testing.T, open opener) {
	x := setup(t, open)
	whole := chunk(1000, "t", "", away(8))
	for _, field := range fields {
		field.set(&whole, "x")
	}
	chunks := []quire.Chunk{whole}
	for n := range fields {
		c := chunk(n, "t", "other", away(0))
		for m, field := range fields {
			if m != n {
				field.set(&c, "x")
			}
		}
		chunks = append(chunks, c)
	}
	other := whole
	other.ID, other.TenantID = chunkID(2000), "u"
	x.add(append(chunks, other)...)

	all := quire.Filters{TenantID: "t"}
	for _, field := range fields {
		field.want(&all, "x")
	}
	x.found(all, whole)
	for n := range fields {
		for m := range n {
			f := quire.Filters{TenantID: "t"}
			fields[n].want(&f, "x")
			fields[m].want(&f, "x")
			x.agree(corner(0), f, 20)
		}
	}
	all.TenantID = "u"
	x.found(all, other)
}

func testFilterOr(t *testing.T, open opener) {
	x := setup(t, open)
	for n := range 16 {
		c := chunk(n, "t", "a", away(n%5))
		for bit, tag := range []string{"10", "11", "12", "1"} {
			if n>>bit&1 == 1 {
				c.TagIDs = append(c.TagIDs, tag)
				c.TagNames = append(c.TagNames, "name "+tag)
			}
		}
		x.add(c)
	}
	lists := [][]string{nil, {}, {"10"}, {"1"}, {"10", "11"}, {"11", "10", "11"}, {"12", "1", "none"}, {"none"}, {"10", "11", "12", "1"}}
	for _, tagIDs := range lists {
		for _, names := range lists {
			f := quire.Filters{TenantID: "t", TagIDs: tagIDs}
			for _, name := range names {
				f.TagNames = append(f.TagNames, "name "+name)
			}
			for _, limit := range []int{1, 3, 20} {
				x.agree(corner(0), f, limit)
			}
		}
	}
}

// Many tags asked for at once, far more than a chunk has.
func testFilterManyTags(t *testing.T, open opener) {
	x := setup(t, open)
	var chunks []quire.Chunk
	for n := range 100 {
		c := chunk(n, "t", "a", away(n%7))
		c.TypeName = []string{"Prompt", "Snippet"}[n%2]
		c.TagIDs, c.TagNames = []string{fmt.Sprint(n % 30)}, []string{fmt.Sprint("n", n%20)}
		chunks = append(chunks, c)
	}
	x.replace("t", "a", chunks...)
	for _, many := range []struct{ tagIDs, names int }{{1, 17}, {17, 1}, {4, 4}, {5, 4}, {17, 0}, {0, 25}, {30, 10}, {40, 40}, {300, 300}} {
		f := quire.Filters{TenantID: "t"}
		for n := range many.tagIDs {
			f.TagIDs = append(f.TagIDs, fmt.Sprint(n))
		}
		for n := range many.names {
			f.TagNames = append(f.TagNames, fmt.Sprint("n", n))
		}
		for _, typeName := range []string{"", "Prompt", "Table"} {
			f.TypeName = typeName
			for _, limit := range []int{1, 7, 100} {
				x.agree(corner(0), f, limit)
			}
		}
	}
}

// oddValues are told apart byte by byte, whatever they look like to a query
// language, a pattern, a separator or a key.
var oddValues = []string{
	"plain", "Plain", "plain ", " plain", "plai", "plain,other", "other", ":", "::", "i:plain", "n:plain", "i:", "a:b", `"`, `""`, `\"`, `'`, `''`,
	`\`, `\\`, "%", "_", "*", "?", "plain%", "a\nb", "a\tb", "a|b", "a;b", "[1]", `["plain"]`, `{"a":1}`, "null", "true", "0", "1", "01", "1.0",
	"$contains", "tenant_id", "é", "e\u0301", "日本語", "🙂", "👩‍👩‍👧", "' or 1=1 --",
}

func testFilterOddValues(t *testing.T, open opener) {
	x := setup(t, open)
	n := 0
	for _, field := range fields {
		for _, value := range oddValues {
			c := chunk(n, "odd: "+field.name, fmt.Sprintf("e%d", n), away(n%9))
			field.set(&c, value)
			x.replace(c.TenantID, c.ElementalID, c)
			n++
		}
		for i, value := range append(oddValues, "absent") {
			f := quire.Filters{TenantID: "odd: " + field.name}
			field.want(&f, value)
			if got := x.agree(corner(0), f, 10); i < len(oddValues) && len(got) != 1 {
				t.Fatalf("the suite itself is wrong: %+v matches %v", f, ids(got))
			}
		}
	}

	// A tag may be empty where a scalar field cannot be asked for, and a chunk without
	// tags has not even that one.
	c := chunk(n, "empty tag", "tagged", away(3))
	c.TagIDs, c.TagNames = []string{""}, []string{""}
	x.add(c, chunk(n+1, "empty tag", "bare", away(1)))
	x.found(quire.Filters{TenantID: "empty tag", TagIDs: []string{""}}, c)
	x.found(quire.Filters{TenantID: "empty tag", TagNames: []string{"", "other"}}, c)

	for _, value := range oddValues {
		c := chunk(n+2, value, "e", away(2))
		x.replace(value, "e", c)
		x.found(quire.Filters{TenantID: value}, c)
	}
}

// One far match among many nearer entries.
func testFilterCut(t *testing.T, open opener) {
	x := setup(t, open)
	far := chunk(0, "t", "", away(15))
	for _, field := range fields {
		field.set(&far, "far")
	}
	x.replace("t", far.ElementalID, far)
	for e := range 5 {
		var chunks []quire.Chunk
		for n := range size(1000, 200) {
			c := chunk(10000*e+n+1, "t", fmt.Sprintf("near%d", e), away(n%8))
			for _, field := range fields[1:] {
				field.set(&c, "near")
			}
			chunks = append(chunks, c)
		}
		x.replace("t", chunks[0].ElementalID, chunks...)
	}
	for _, field := range fields {
		for _, limit := range []int{1, 10} {
			f := quire.Filters{TenantID: "t"}
			field.want(&f, "far")
			if got := x.agree(corner(0), f, limit); len(got) != 1 {
				t.Fatalf("the suite itself is wrong: %s matches %d", field.name, len(got))
			}
		}
	}
	many := quire.Filters{TenantID: "t"}
	for n := range 20 {
		many.TagIDs = append(many.TagIDs, fmt.Sprint("absent", n))
	}
	many.TagIDs = append(many.TagIDs, "far")
	x.agree(corner(0), many, 1)
}

// New values of an entry are found, old ones are not.
func testFilterFollow(t *testing.T, open opener) {
	x := setup(t, open)
	for n, value := range []string{"old", "new"} {
		c := chunk(1, "t", "a", away(2))
		for _, field := range fields[1:] {
			field.set(&c, value)
		}
		x.replace("t", "a", c, chunk(2+n, "t", "a", away(4)))
		for _, field := range fields[1:] {
			for _, ask := range []string{"old", "new"} {
				f := quire.Filters{TenantID: "t"}
				field.want(&f, ask)
				x.agree(corner(0), f, 3)
			}
		}
	}
}
