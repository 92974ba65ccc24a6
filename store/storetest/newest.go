package storetest

import (
	"fmt"
	"math"
	"testing"

	"github.com/quirelib/quire"
)

var newestCases = []testCase{
	{"none", newestNone},
	{"order", newestOrder},
	{"whose, and whatever visibility", newestOwners},
	{"types and tags", newestSelected},
	{"without bodies", newestWithoutBody},
	{"follow changes", newestChanges},
	{"pages", newestPages},
}

// newest returns the ids and the number of what a query selects, of any number.
func newest(s *store, q quire.ElementalQuery) ([]string, int) {
	s.tb.Helper()
	q.Limit = math.MaxInt32
	es, total := find(s, quire.ReadTx.NewestElementals, q)
	return idsOf(es), total
}

func checkNewest(t *testing.T, s *store, q quire.ElementalQuery, want ...string) {
	t.Helper()
	ids, total := newest(s, q)
	equal(t, fmt.Sprintf("%+v", q), ids, want)
	equal(t, fmt.Sprintf("the number of %+v", q), total, len(want))
}

func newestNone(t *testing.T, s *store) {
	checkNewest(t, s, quire.ElementalQuery{OwnerID: "nobody"})
	putElementals(s, bareElemental("e", "u1"))
	for _, q := range []quire.ElementalQuery{
		{OwnerID: "nobody"}, {OwnerID: ""}, {OwnerID: "u1", TypeID: 404}, {OwnerID: "u1", TypeID: -1}, {OwnerID: "u1", TagID: 404},
		{OwnerID: "u1", TagID: -1}, {OwnerID: "nobody", TypeID: quire.TypePrompt, TagID: 404},
	} {
		checkNewest(t, s, q)
	}
}

func newestOrder(t *testing.T, s *store) {
	for _, e := range []struct {
		id  string
		min int
	}{{"five", 2}, {"one", 1}, {"B", 3}, {"a", 3}, {"b", 3}, {"nine", 4}} {
		r := bareElemental(e.id, "u1")
		r.CreatedAt, r.UpdatedAt = at(e.min), new(at(100-e.min)) // which does not count
		putElementals(s, r)
	}
	checkNewest(t, s, quire.ElementalQuery{OwnerID: "u1"}, "nine", "B", "a", "b", "five", "one")
	checkNewest(t, s, quire.ElementalQuery{OwnerID: "u1", TypeID: quire.TypePrompt}, "nine", "B", "a", "b", "five", "one")
}

func newestOwners(t *testing.T, s *store) {
	putLists(s, plainList(1, "u1"))
	for i, id := range []string{"u1 1", "u1 2", "u2 1", "u2 2"} {
		e := bareElemental(id, id[:2])
		e.TenantID, e.Visibility, e.CreatedAt = "one tenant", quire.Visibility(id[3]-'0'), at(i)
		putElementals(s, e)
	}
	put(s, quire.Tx.PutItem, sampleItem(1, "u1 1", 1), sampleItem(1, "u2 1", 2)) // the others are in no list
	for _, typeID := range []int{0, quire.TypePrompt} {
		checkNewest(t, s, quire.ElementalQuery{OwnerID: "u1", TypeID: typeID}, "u1 2", "u1 1")
		checkNewest(t, s, quire.ElementalQuery{OwnerID: "u2", TypeID: typeID}, "u2 2", "u2 1")
	}
}

// newestSelected has elementals of all types, two of which are tagged.
func newestSelected(t *testing.T, s *store) {
	for i, e := range []struct {
		id, tableID string
		typeID      int
		tags        []int64
	}{
		{"prompt", "", quire.TypePrompt, []int64{7}},
		{"document", "", quire.TypeDocument, []int64{8, 7}},
		{"untagged", "", quire.TypeDocument, nil},
		{"table", "", quire.TypeTable, []int64{8}},
		{"cell", "table", quire.TypeCell, []int64{7}},
		{"another cell", "table", quire.TypeCell, []int64{8, 9, 8}}, // twice the same tag
	} {
		r := bareElemental(e.id, "u1")
		r.TypeID, r.TableID, r.TagIDs, r.CreatedAt = e.typeID, e.tableID, e.tags, at(i)
		putElementals(s, r)
	}
	other := bareElemental("of another", "u2")
	other.TypeID, other.TagIDs = quire.TypeDocument, []int64{7}
	putElementals(s, other)
	for _, c := range []struct {
		typeID int
		tagID  int64
		want   []string
	}{
		{0, 0, []string{"table", "untagged", "document", "prompt"}},
		{quire.TypeDocument, 0, []string{"untagged", "document"}},
		{quire.TypeCell, 0, []string{"another cell", "cell"}},
		{quire.TypeTable, 0, []string{"table"}},
		{0, 7, []string{"document", "prompt"}},
		{0, 8, []string{"table", "document"}},
		{0, 9, nil},
		{quire.TypeDocument, 7, []string{"document"}},
		{quire.TypeCell, 8, []string{"another cell"}},
		{quire.TypeSnippet, 7, nil},
	} {
		checkNewest(t, s, quire.ElementalQuery{OwnerID: "u1", TypeID: c.typeID, TagID: c.tagID}, c.want...)
	}
}

func newestWithoutBody(t *testing.T, s *store) {
	e := sampleElemental("e", "u1")
	putElementals(s, e)
	if e.Body == "" {
		t.Fatal("the sample has no body")
	}
	e.Body, e.TutorialSteps = "", nil
	for _, tagID := range []int64{0, e.TagIDs[0]} {
		es, _ := find(s, quire.ReadTx.NewestElementals, quire.ElementalQuery{OwnerID: "u1", TypeID: e.TypeID, TagID: tagID, Limit: 5})
		equal(t, "the elemental without its body", es, []quire.ElementalRecord{e})
		spoilElemental(es[0])
		es, _ = find(s, quire.ReadTx.NewestElementals, quire.ElementalQuery{OwnerID: "u1", TypeID: e.TypeID, TagID: tagID, Limit: 5})
		equal(t, "the elemental after its copy was changed", es, []quire.ElementalRecord{e})
	}
}

// newestChanges checks that what is given away, gets another type or tags, or is deleted
// is found where it belongs then.
func newestChanges(t *testing.T, s *store) {
	e := bareElemental("e", "u1")
	e.TagIDs = []int64{7}
	putElementals(s, e)
	e.TypeID, e.TagIDs = quire.TypeDocument, []int64{8}
	putElementals(s, e)
	checkNewest(t, s, quire.ElementalQuery{OwnerID: "u1"}, "e")
	checkNewest(t, s, quire.ElementalQuery{OwnerID: "u1", TypeID: quire.TypePrompt})
	checkNewest(t, s, quire.ElementalQuery{OwnerID: "u1", TypeID: quire.TypeDocument}, "e")
	checkNewest(t, s, quire.ElementalQuery{OwnerID: "u1", TagID: 7})
	checkNewest(t, s, quire.ElementalQuery{OwnerID: "u1", TagID: 8}, "e")
	e.OwnerID = "u2"
	putElementals(s, e)
	checkNewest(t, s, quire.ElementalQuery{OwnerID: "u1"})
	checkNewest(t, s, quire.ElementalQuery{OwnerID: "u1", TagID: 8})
	checkNewest(t, s, quire.ElementalQuery{OwnerID: "u2", TagID: 8}, "e")
	put(s, quire.Tx.DeleteElemental, "e")
	checkNewest(t, s, quire.ElementalQuery{OwnerID: "u2"})
	checkNewest(t, s, quire.ElementalQuery{OwnerID: "u2", TypeID: quire.TypeDocument, TagID: 8})
}

func newestPages(t *testing.T, s *store) {
	const n = 53
	for i := range n {
		e := bareElemental(fmt.Sprint("e", i), "u1")
		e.CreatedAt, e.TagIDs = at(i/5), []int64{7}
		cell := bareElemental(fmt.Sprint("c", i), "u1")
		cell.CreatedAt, cell.TypeID, cell.TableID, cell.TagIDs = at(i/5), quire.TypeCell, "table", []int64{7}
		putElementals(s, e, cell)
	}
	for _, q := range []quire.ElementalQuery{
		{}, {TypeID: quire.TypePrompt}, {TypeID: quire.TypeCell}, {TagID: 7}, {TypeID: quire.TypeCell, TagID: 7},
	} {
		q.OwnerID = "u1"
		checkPages(t, n, func(offset, limit int) ([]string, int) {
			q.Offset, q.Limit = offset, min(limit, math.MaxInt32)
			es, total := find(s, quire.ReadTx.NewestElementals, q)
			return idsOf(es), total
		})
	}
}
