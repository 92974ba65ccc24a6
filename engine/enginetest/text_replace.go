package enginetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/quirelib/quire"
	"pgregory.net/rapid"
)

var textReplaceCases = []textCase{
	{"replace/removes what was there", testTextRemoves},
	{"replace/tenants apart", testTextTenants},
	{"replace/copies in", testTextCopies},
	{"replace/refused", testTextRefused},
	{"replace/title and headings", testTextHeads},
	{"replace/leaves no trace", testTextTrace},
}

func testTextRemoves(t *testing.T, open textOpener) {
	x := setupText(t, open)
	one, two := textChunk(1, "falk murb"), textChunk(2, "falk zont")
	two.ElementalID = one.ElementalID
	x.replace("t", "e1", one, two)
	x.add(textChunk(3, "falk"))
	x.finds("murb", ofT, 1)
	one.Text = "plim"
	x.replace("t", "e1", one)
	x.finds("murb zont", ofT)
	x.finds("plim", ofT, 1)
	x.finds("falk", ofT, 3)
	x.replace("t", "e1")
	x.finds("plim", ofT)
	x.replace("t", "e1") // removing nothing
	x.replace("t", "unknown")
	x.finds("falk", ofT, 3)
}

func testTextTenants(t *testing.T, open textOpener) {
	x := setupText(t, open)
	mine, theirs := textChunk(1, "falk murb"), textChunk(1, "falk zont")
	theirs.TenantID = "u" // with the same id and elemental
	x.add(mine, textChunk(2, "falk plim drux"))
	before := x.search("falk murb", ofT, 10)
	x.add(theirs)
	for n := range 30 { // which make its words common, and its texts short
		c := textChunk(100+n, "murb "+fmt.Sprint("word ", n, " of a long text "))
		c.TenantID = "u"
		x.add(c)
	}
	x.finds("zont", ofT)
	x.finds("zont", quire.Filters{TenantID: "u"}, 1)
	if diff := gocmp.Diff(before, x.search("falk murb", ofT, 10)); diff != "" {
		t.Errorf("what another tenant has changed the scores (-before +after):\n%s", diff)
	}
	x.replace("u", theirs.ElementalID)
	x.finds("murb", ofT, 1)
	x.finds("falk", quire.Filters{TenantID: "unknown"})
}

func testTextCopies(t *testing.T, open textOpener) {
	x := setupText(t, open)
	c := textChunk(1, "falk")
	c.TagIDs, c.TagNames, c.Heading = []string{"1"}, []string{"one"}, []string{"murb"}
	chunks := []quire.Chunk{c}
	x.replace("t", "e1", chunks...)
	c.TagIDs[0], c.TagNames[0], c.Heading[0] = "2", "two", "zont"
	chunks[0].Text, chunks[0].TenantID = "drux", "u"
	x.finds("falk murb", quire.Filters{TenantID: "t", TagIDs: []string{"1"}, TagNames: []string{"one"}}, 1)
	hits := x.search("falk", ofT, 10)
	hits[0] = quire.TextHit{}
	x.finds("falk", ofT, 1)
}

func testTextRefused(t *testing.T, open textOpener) {
	x := setupText(t, open)
	x.add(textChunk(1, "falk"), textChunk(2, "murb"))
	bad := map[string][]quire.Chunk{
		"no id":                {{TenantID: "t", ElementalID: "e3", Text: "zont"}},
		"another tenant":       {textChunk(3, "zont"), func() quire.Chunk { c := textChunk(4, "zont"); c.TenantID = "u"; return c }()},
		"another elemental":    {textChunk(3, "zont"), textChunk(4, "zont")},
		"an id twice":          {textChunk(3, "zont"), textChunk(3, "drux")},
		"an id of another one": {textChunk(3, "zont"), func() quire.Chunk { c := textChunk(1, "zont"); c.ElementalID = "e3"; return c }()},
	}
	for name, chunks := range bad {
		if err := x.index.Replace(t.Context(), "t", "e3", chunks); quire.CodeOf(err) != quire.CodeInvalid {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
		x.finds("zont drux", ofT)
	}
	x.finds("falk", ofT, 1)
}

func testTextHeads(t *testing.T, open textOpener) {
	x := setupText(t, open)
	c := textChunk(1, "falk")
	c.Title, c.Heading = "Murb", []string{"Zont", "Drux"}
	x.add(c)
	for _, query := range []string{"falk", "murb", "zont", "drux"} {
		x.finds(query, ofT, 1)
	}
}

// testTextTrace does random things to an index. Afterwards it must answer as one that
// was filled with what is left, to the last bit: counts of words and lengths of what was
// removed count no more.
func testTextTrace(t *testing.T, open textOpener) {
	words := rapid.SampledFrom([]string{"falk", "murb", "zont", "drux", "plim", "北京", "c++"})
	rapid.Check(t, func(rt *rapid.T) {
		index := open(t)
		defer index.Close()
		content := map[string][]quire.Chunk{}
		fill := func(index quire.TextIndex, elemental string) {
			if err := index.Replace(t.Context(), elemental[:1], elemental, content[elemental]); err != nil {
				rt.Fatalf("Replace: %v", err)
			}
		}
		same := func(rt *rapid.T) {
			fresh := open(t)
			defer fresh.Close()
			for _, elemental := range []string{"t1", "t2", "t3", "u1"} {
				fill(fresh, elemental)
			}
			query := fmt.Sprint(rapid.SliceOfN(words, 1, 4).Draw(rt, "query"))
			f := drawFilters(rt)
			limit := rapid.IntRange(1, 12).Draw(rt, "limit")
			want, err := fresh.Search(t.Context(), query, f, limit)
			got, gotErr := index.Search(t.Context(), query, f, limit)
			if diff := gocmp.Diff(want, got); err != nil || gotErr != nil || diff != "" {
				rt.Fatalf("Search(%q, %+v, %d): %v, %v (-fresh +got):\n%s", query, f, limit, err, gotErr, diff)
			}
			all, err := index.Search(t.Context(), query, f, 1000)
			if err != nil || !slices.Equal(all[:min(limit, len(all))], got) {
				rt.Fatalf("Search(%q, %+v, %d) = %v is not the beginning of %v", query, f, limit, got, all)
			}
			word, count := words.Draw(rt, "word"), 0
			for _, chunks := range content {
				for i := range chunks {
					if f.Match(&chunks[i]) && strings.Contains(chunks[i].Text, word) {
						count++
					}
				}
			}
			if found, err := index.Search(t.Context(), word, f, 1000); err != nil || len(found) != count {
				rt.Fatalf("Search(%q, %+v): %d hits, %v; want %d", word, f, len(found), err, count)
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"replace": func(rt *rapid.T) {
				elemental := rapid.SampledFrom([]string{"t1", "t2", "t3", "u1"}).Draw(rt, "elemental")
				var chunks []quire.Chunk
				for n := range rapid.IntRange(0, 8).Draw(rt, "count") {
					c := chunk(int(elemental[1])<<8|n, elemental[:1], elemental, nil)
					c.Text = fmt.Sprint(rapid.SliceOfN(words, 0, 6).Draw(rt, "text"))
					c.UserID = modelValues.Draw(rt, "user")
					c.TagIDs = modelTags.Draw(rt, "tag ids")
					chunks = append(chunks, c)
				}
				content[elemental] = chunks
				fill(index, elemental)
			},
			"": same,
		})
	})
}
