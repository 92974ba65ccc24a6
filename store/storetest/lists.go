package storetest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

var listCases = []testCase{
	{"missing", listsMissing},
	{"round trip", listRoundTrip},
	{"sizes", listSizes},
	{"awkward text", listText},
	{"times", listTimes},
	{"copied", listCopied},
	{"replace", listReplace},
	{"replace keeps the items", listReplaceKeepsItems},
	{"delete", listDelete},
	{"search by text", listSearch},
	{"search text replaced", listSearchReplaced},
	{"search weights", listSearchWeights},
	{"search ties by id", listSearchTies},
	{"search for all, newest first", listSearchAll},
	{"search visibility", listSearchVisibility},
	{"search pages", listSearchPages},
}

func listsMissing(t *testing.T, s *store) {
	missing(s, quire.ReadTx.List, 404)
	lists, total := find(s, quire.ReadTx.SearchLists, quire.ListSearch{Viewer: anyone, Limit: 1})
	equal(t, "lists of an empty Store", lists, nil)
	equal(t, "their number", total, 0)
	put(s, quire.Tx.DeleteList, 404)
}

func listRoundTrip(t *testing.T, s *store) {
	full, bare := sampleList(1<<53-1, "u1"), quire.ListRecord{ID: 2, OwnerID: "u1", CreatedAt: epoch}
	row := sampleList(3, "u1")
	row.TableOrientation = "row"
	row.Settings, row.IsPremium = quire.Settings{Template: true}, false
	putLists(s, full, bare, row)
	for _, want := range []quire.ListRecord{full, bare, row} {
		equal(t, fmt.Sprint("list ", want.ID), get(s, quire.ReadTx.List, want.ID), want)
	}
}

func listText(t *testing.T, s *store) {
	id := int64(1)
	for name, text := range awkward {
		l := quire.ListRecord{
			ID: id, OwnerID: text, TenantID: text, Title: text, Description: text, Template: text,
			VideoURL: text, TableID: text, TableOrientation: text, CreatedAt: epoch,
			TutorialSteps: []quire.TutorialStep{{Title: text, Description: text, VideoURL: text}},
		}
		putLists(s, l)
		equal(t, name, get(s, quire.ReadTx.List, id), l)
		id++
	}
}

func listTimes(t *testing.T, s *store) {
	l := plainList(1, "u1")
	l.CreatedAt = time.Date(2025, 7, 1, 0, 30, 0, 1999, time.FixedZone("west", -7*3600))
	l.UpdatedAt = new(l.CreatedAt.Add(1234567))
	putLists(s, l)
	got := get(s, quire.ReadTx.List, 1)
	checkTime(t, "CreatedAt", got.CreatedAt, l.CreatedAt)
	checkTime(t, "UpdatedAt", *got.UpdatedAt, *l.UpdatedAt)
}

// spoilList changes everything that a record points to.
func spoilList(l quire.ListRecord) {
	l.TagIDs[0], l.TutorialSteps[0].Title = -1, "spoilt"
	*l.Price, *l.PriceOriginal, *l.UpdatedAt = -1, -1, at(1000)
}

func listCopied(t *testing.T, s *store) {
	l, want := plainList(1, "u1"), plainList(1, "u1")
	putLists(s, l)
	spoilList(l)
	got := get(s, quire.ReadTx.List, 1)
	equal(t, "after a change on the way in", got, want)
	spoilList(got)
	for _, text := range []*quire.TextQuery{nil, new(words("list"))} {
		lists, _ := find(s, quire.ReadTx.SearchLists, quire.ListSearch{Text: text, Viewer: anyone, Limit: 1})
		equal(t, "found after a change on the way out", lists, []quire.ListRecord{want})
		spoilList(lists[0])
	}
	equal(t, "at the end", get(s, quire.ReadTx.List, 1), want)
}

func listReplace(t *testing.T, s *store) {
	putLists(s, sampleList(1, "u1"), sampleList(2, "u1"))
	changed := quire.ListRecord{ID: 1, OwnerID: "u2", Title: "New", CreatedAt: at(70)}
	putLists(s, changed)
	equal(t, "the replaced", get(s, quire.ReadTx.List, 1), changed)
	equal(t, "the other", get(s, quire.ReadTx.List, 2), sampleList(2, "u1"))
}

func listReplaceKeepsItems(t *testing.T, s *store) {
	putElementals(s, bareElemental("a", "u1"))
	putLists(s, plainList(1, "u1"))
	put(s, quire.Tx.PutItem, sampleItem(1, "a", 7))
	putLists(s, sampleList(1, "u2"))
	equal(t, "items", get(s, quire.ReadTx.Items, 1), []quire.ListItem{sampleItem(1, "a", 7)})
}

func listDelete(t *testing.T, s *store) {
	a := bareElemental("a", "u1")
	putElementals(s, a)
	putLists(s, plainList(1, "u1"), plainList(2, "u1"))
	put(s, quire.Tx.PutItem, sampleItem(1, "a", 0), sampleItem(2, "a", 0))
	put(s, quire.Tx.DeleteList, 1)
	put(s, quire.Tx.DeleteList, 1) // twice is no error

	missing(s, quire.ReadTx.List, 1)
	equal(t, "the elemental", get(s, quire.ReadTx.Elemental, "a"), a)
	equal(t, "items of the other", get(s, quire.ReadTx.Items, 2), []quire.ListItem{sampleItem(2, "a", 0)})
	checkListSearch(t, s, new(words("list")), 2)
	checkListSearch(t, s, nil, 2)

	putLists(s, plainList(1, "u1")) // a new one of the same id begins afresh
	equal(t, "items after a new one", get(s, quire.ReadTx.Items, 1), nil)
}

func listIDs(ls []quire.ListRecord) []int64 {
	var ids []int64
	for _, l := range ls {
		ids = append(ids, l.ID)
	}
	return ids
}

// checkListSearch checks what anyone finds, in order; nil is a query for all.
func checkListSearch(t *testing.T, s *store, q *quire.TextQuery, want ...int64) {
	t.Helper()
	ls, total := searchLists(t, s, quire.ListSearch{Text: q, Viewer: anyone, Limit: 100})
	equal(t, fmt.Sprintf("query %v", q), listIDs(ls), want)
	equal(t, fmt.Sprintf("total of query %v", q), total, len(want))
}

// putListTexts writes one public list for each text.
func putListTexts(s *store, texts map[int64]quire.IndexedText) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for id, text := range texts {
			if err := tx.PutList(ctx, plainList(id, "u1"), text); err != nil {
				return err
			}
		}
		return nil
	})
}

func listSearch(t *testing.T, s *store) {
	putElementals(s, bareElemental("york", "u1")) // never among lists
	putListTexts(s, map[int64]quire.IndexedText{
		3: {Title: "new york", Description: "a long description without it all"},
		1: {Description: "new york", Title: "some other words here", Tags: "travel"},
		2: {Title: "york new"},
	})
	checkListSearch(t, s, new(words("new york")), 3, 1)
	checkListSearch(t, s, new(words("new york", "travel")), 1)
	checkListSearch(t, s, new(begins("new yo")), 3, 1)
	checkListSearch(t, s, new(begins("trav")), 1)
	checkListSearch(t, s, new(words("ork")))
	checkListSearch(t, s, &quire.TextQuery{})
	checkSearch(t, s, words("york"), "york")
}

func listSearchReplaced(t *testing.T, s *store) {
	putListTexts(s, map[int64]quire.IndexedText{1: {Title: "first", Tags: "kept"}})
	putListTexts(s, map[int64]quire.IndexedText{1: {Title: "second", Tags: "kept"}})
	checkListSearch(t, s, new(words("first")))
	checkListSearch(t, s, new(words("second", "kept")), 1)
	put(s, quire.Tx.DeleteList, 1)
	checkListSearch(t, s, new(words("kept")))
}

func listSearchWeights(t *testing.T, s *store) {
	texts := map[int64]quire.IndexedText{
		3: {Title: "a wanted b", Tags: "a c b", Description: "a c b"},
		2: {Title: "a c b", Tags: "a wanted b", Description: "a c b"},
		1: {Title: "a c b", Tags: "a c b", Description: "a wanted b"},
	}
	for i := range int64(20) {
		texts[100+i] = quire.IndexedText{Title: "a c b", Tags: "a c b", Description: "a c b"}
	}
	putListTexts(s, texts)
	checkListSearch(t, s, new(words("wanted")), 3, 2, 1)
}

func listSearchTies(t *testing.T, s *store) {
	texts := map[int64]quire.IndexedText{}
	for _, id := range []int64{1 << 52, 100, 3, 20} {
		texts[id] = quire.IndexedText{Title: "equal text"}
	}
	putListTexts(s, texts)
	checkListSearch(t, s, new(words("equal")), 3, 20, 100, 1<<52)
}

func listSearchAll(t *testing.T, s *store) {
	for _, l := range []struct {
		id  int64
		min int
	}{{5, 2}, {1, 1}, {300, 3}, {20, 3}, {4, 3}, {9, 4}} {
		r := plainList(l.id, "u1")
		r.CreatedAt = at(l.min)
		putLists(s, r)
	}
	checkListSearch(t, s, nil, 9, 4, 20, 300, 5, 1)
}

func listSearchVisibility(t *testing.T, s *store) {
	// The id says what it is: owner, visibility, and a last digit of 1 for a column.
	for _, id := range []int64{110, 111, 120, 121, 210, 211, 220, 221} {
		l := plainList(id, fmt.Sprint("u", id/100))
		l.Visibility = quire.Visibility(id / 10 % 10)
		if id%10 == 1 {
			l.TableID, l.TableOrientation = "a table", []string{"column", "row"}[id/100-1]
		}
		putLists(s, l)
	}
	for _, c := range []struct {
		viewer quire.Viewer
		want   []int64
	}{
		{quire.Viewer{OwnerID: "u1"}, []int64{110, 111, 120, 121}},
		{quire.Viewer{OwnerID: "u1", ListsPlain: true}, []int64{110, 120}},
		{quire.Viewer{OwnerID: "u1", OthersToo: true}, []int64{110, 111, 120, 121, 210, 211}},
		{quire.Viewer{OwnerID: "u2", OthersToo: true, ListsPlain: true}, []int64{110, 210, 220}},
		{quire.Viewer{OwnerID: "u3", OthersToo: true, ListsPlain: true}, []int64{110, 210}},
		{quire.Viewer{OwnerID: "u3"}, nil},
	} {
		for _, text := range []*quire.TextQuery{nil, new(words("list"))} {
			ls, total := searchLists(t, s, quire.ListSearch{Text: text, Viewer: c.viewer, Limit: 10})
			got := listIDs(ls)
			slices.Sort(got)
			equal(t, fmt.Sprintf("%+v, query %v", c.viewer, text), got, c.want)
			equal(t, fmt.Sprintf("total of %+v, query %v", c.viewer, text), total, len(c.want))
		}
	}
}

func listSearchPages(t *testing.T, s *store) {
	const n = 53
	var ls []quire.ListRecord
	for i := range int64(n) {
		l := plainList(i+1, "u1")
		l.CreatedAt = at(int(i) / 5)
		l.Description = "some words " + fmt.Sprint(i%4)
		ls = append(ls, l)
	}
	putLists(s, ls...)
	for _, text := range []*quire.TextQuery{nil, new(words("words")), new(begins("li"))} {
		checkPages(t, n, func(offset, limit int) ([]int64, int) {
			ls, total := searchLists(t, s, quire.ListSearch{Text: text, Viewer: anyone, Offset: offset, Limit: min(limit, math.MaxInt32)})
			return listIDs(ls), total
		})
	}
}

// searchLists looks for lists, and for their ids.
func searchLists(t *testing.T, s *store, q quire.ListSearch) ([]quire.ListRecord, int) {
	t.Helper()
	ls, total := find(s, quire.ReadTx.SearchLists, q)
	ids, n := find(s, quire.ReadTx.FindLists, q)
	var want []int64
	for _, l := range ls {
		want = append(want, l.ID)
	}
	equal(t, "ids that are found", ids, want)
	equal(t, "how many are found", n, total)
	return ls, total
}

func listSizes(t *testing.T, s *store) {
	putTag(s, 1, "é\x00€ four")
	l, bare := plainList(1, "u1"), quire.ListRecord{ID: 2, OwnerID: "u1", TypeID: 1, Title: "List", Visibility: quire.Public, Version: 1, CreatedAt: epoch}
	l.Description, l.Template, l.TutorialSteps, l.TagIDs = "öne", "{{items}}", nil, []int64{1, 77}
	putLists(s, l, bare)
	ids := []int64{2, 1, 3, 1}
	equal(t, "ListSizes", get(s, quire.ReadTx.ListSizes, ids), map[int64]quire.ListSize{1: {Description: 4, Notes: 4 + 9 + 11}, 2: {}})
	equal(t, "Lists", get(s, quire.ReadTx.Lists, ids), map[int64]quire.ListRecord{1: l, 2: bare})
	equal(t, "sizes of no ids", get(s, quire.ReadTx.ListSizes, nil), nil)
	equal(t, "no ids", get(s, quire.ReadTx.Lists, nil), nil)
	l.TutorialSteps = []quire.TutorialStep{{Title: "First", Description: "Do \"it\""}}
	putLists(s, l)
	wantNotes(t, get(s, quire.ReadTx.ListSizes, ids)[1].Notes, 4+9+11, l.TutorialSteps)
}
