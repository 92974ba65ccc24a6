package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

var itemCases = []testCase{
	{"missing", itemsMissing},
	{"round trip", itemRoundTrip},
	{"replace", itemReplace},
	{"delete", itemDelete},
	{"without list or elemental", itemRefused},
	{"memberships by index", itemsByIndex},
	{"orders", itemOrders},
	{"order of what was never changed", itemOrderUnchanged},
	{"order of titles by bytes", itemOrderTitles},
	{"visibility", itemVisibility},
	{"visibility that changes", itemVisibilityChanges},
	{"without bodies", itemsWithoutBody},
	{"pages", itemPages},
	{"count many lists", itemCounts},
}

func itemsMissing(t *testing.T, s *store) {
	es, total := find(s, quire.ReadTx.ListItems, quire.ItemQuery{ListID: 404, Viewer: anyone, Order: quire.OrderIndex, Limit: 5})
	equal(t, "elementals of no list", es, nil)
	equal(t, "their number", total, 0)
	equal(t, "memberships of no list", get(s, quire.ReadTx.Items, 404), nil)
	equal(t, "counts of no lists", countItems(s, anyone, 404), nil)
	equal(t, "counts of nothing", countItems(s, anyone), nil)
	deleteItem(s, 404, "nothing")
}

func countItems(s *store, v quire.Viewer, listIDs ...int64) map[int64]int {
	s.tb.Helper()
	return get(s, func(tx quire.ReadTx, ctx context.Context, ids []int64) (map[int64]int, error) {
		return tx.CountItems(ctx, ids, v)
	}, listIDs)
}

func deleteItem(s *store, listID int64, elementalID string) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) error { return tx.DeleteItem(ctx, listID, elementalID) })
}

// listItems returns the ids of a list's first hundred items as anyone sees them.
func listItems(s *store, listID int64, order quire.ItemOrder, desc bool) []string {
	s.tb.Helper()
	es, _ := find(s, quire.ReadTx.ListItems, quire.ItemQuery{ListID: listID, Viewer: anyone, Order: order, Desc: desc, Limit: 100})
	return idsOf(es)
}

func itemRoundTrip(t *testing.T, s *store) {
	e := sampleElemental("a", "u1")
	putElementals(s, e)
	putLists(s, plainList(1<<53-1, "u1"), plainList(2, "u1"))
	it := quire.ListItem{ListID: 2, ElementalID: "a", OrderIndex: math.MinInt64, AddedAt: at(1).Add(999)}
	put(s, quire.Tx.PutItem, it, sampleItem(1<<53-1, "a", math.MaxInt64))
	it.AddedAt = at(1)
	equal(t, "Items", get(s, quire.ReadTx.Items, 2), []quire.ListItem{it})
	equal(t, "Items of another", get(s, quire.ReadTx.Items, 1<<53-1), []quire.ListItem{sampleItem(1<<53-1, "a", math.MaxInt64)})
	es, total := find(s, quire.ReadTx.ListItems, quire.ItemQuery{ListID: 2, Viewer: anyone, Order: quire.OrderIndex, Limit: 5})
	equal(t, "ListItems", es, []quire.ElementalRecord{e})
	equal(t, "their number", total, 1)
	equal(t, "CountItems", countItems(s, anyone, 2, 404, 1<<53-1, 2), map[int64]int{2: 1, 1<<53 - 1: 1})
}

func itemReplace(t *testing.T, s *store) {
	putElementals(s, bareElemental("a", "u1"), bareElemental("b", "u1"))
	putLists(s, plainList(1, "u1"))
	put(s, quire.Tx.PutItem, sampleItem(1, "a", 1), sampleItem(1, "b", 2))
	moved := quire.ListItem{ListID: 1, ElementalID: "a", OrderIndex: 3, AddedAt: at(50)}
	put(s, quire.Tx.PutItem, moved)
	equal(t, "Items", get(s, quire.ReadTx.Items, 1), []quire.ListItem{sampleItem(1, "b", 2), moved})
}

func itemDelete(t *testing.T, s *store) {
	putElementals(s, bareElemental("a", "u1"), bareElemental("b", "u1"))
	putLists(s, plainList(1, "u1"), plainList(2, "u1"))
	put(s, quire.Tx.PutItem, sampleItem(1, "a", 1), sampleItem(1, "b", 2), sampleItem(2, "a", 1))
	deleteItem(s, 1, "a")
	deleteItem(s, 1, "a") // twice is no error
	equal(t, "Items", get(s, quire.ReadTx.Items, 1), []quire.ListItem{sampleItem(1, "b", 2)})
	equal(t, "Items of another", get(s, quire.ReadTx.Items, 2), []quire.ListItem{sampleItem(2, "a", 1)})
	equal(t, "the elemental", get(s, quire.ReadTx.Elemental, "a"), bareElemental("a", "u1"))
}

func itemRefused(t *testing.T, s *store) {
	putElementals(s, bareElemental("a", "u1"))
	putLists(s, plainList(1, "u1"))
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for _, it := range []quire.ListItem{sampleItem(404, "a", 1), sampleItem(1, "nothing", 1), sampleItem(404, "nothing", 1)} {
			if err := tx.PutItem(ctx, it); !errors.Is(err, quire.ErrNotFound) {
				return fmt.Errorf("PutItem of %q into %d: got error %v, want ErrNotFound", it.ElementalID, it.ListID, err)
			}
		}
		return tx.PutItem(ctx, sampleItem(1, "a", 1)) // the transaction goes on
	})
	equal(t, "Items", get(s, quire.ReadTx.Items, 1), []quire.ListItem{sampleItem(1, "a", 1)})
	equal(t, "Items of the unknown list", get(s, quire.ReadTx.Items, 404), nil)
}

func itemsByIndex(t *testing.T, s *store) {
	putLists(s, plainList(1, "u1"))
	var want []quire.ListItem
	for _, it := range []struct {
		id    string
		index int64
	}{{"z", -5}, {"B", 0}, {"a", 0}, {"b", 0}, {"A", 9}, {"c", 10}} {
		e := bareElemental(it.id, "of "+it.id)
		e.Visibility = quire.Unlisted // whoever owns them
		putElementals(s, e)
		want = append(want, sampleItem(1, it.id, it.index))
	}
	for _, i := range []int{3, 5, 1, 0, 4, 2} {
		put(s, quire.Tx.PutItem, want[i])
	}
	equal(t, "Items", get(s, quire.ReadTx.Items, 1), want)
}

func itemOrders(t *testing.T, s *store) {
	putLists(s, plainList(1, "u1"))
	// Each order has a tie between two, and no two orders are the same.
	for _, it := range []struct {
		id               string
		index            int64
		created, updated int
		title            string
	}{
		{"a", 3, 1, 30, "B title"},
		{"b", 2, 2, 10, "D title"},
		{"c", 2, 1, 20, "A title"},
		{"d", 1, 3, 10, "B title"},
	} {
		e := bareElemental(it.id, "u1")
		e.CreatedAt, e.UpdatedAt, e.Title = at(it.created), new(at(it.updated)), it.title
		putElementals(s, e)
		put(s, quire.Tx.PutItem, sampleItem(1, it.id, it.index))
	}
	for _, c := range []struct {
		order     quire.ItemOrder
		asc, desc []string
	}{
		{quire.OrderIndex, []string{"d", "b", "c", "a"}, []string{"a", "b", "c", "d"}},
		{quire.OrderCreatedAt, []string{"a", "c", "b", "d"}, []string{"d", "b", "a", "c"}},
		{quire.OrderUpdatedAt, []string{"b", "d", "c", "a"}, []string{"a", "c", "b", "d"}},
		{quire.OrderTitle, []string{"c", "a", "d", "b"}, []string{"b", "a", "d", "c"}},
	} {
		equal(t, string(c.order), listItems(s, 1, c.order, false), c.asc)
		equal(t, string(c.order)+" descending", listItems(s, 1, c.order, true), c.desc)
	}
}

func itemOrderUnchanged(t *testing.T, s *store) {
	putLists(s, plainList(1, "u1"))
	for _, it := range []struct {
		id      string
		created int
		updated *time.Time
	}{
		{"a", 1, new(at(9))}, {"b", 5, nil}, {"c", 2, new(at(5))}, {"d", 3, nil}, {"e", 4, new(at(4))},
	} {
		e := bareElemental(it.id, "u1")
		e.CreatedAt, e.UpdatedAt = at(it.created), it.updated
		putElementals(s, e)
		put(s, quire.Tx.PutItem, sampleItem(1, it.id, 0))
	}
	equal(t, "ascending", listItems(s, 1, quire.OrderUpdatedAt, false), []string{"d", "e", "b", "c", "a"})
	equal(t, "descending", listItems(s, 1, quire.OrderUpdatedAt, true), []string{"a", "b", "c", "e", "d"})
}

func itemOrderTitles(t *testing.T, s *store) {
	putLists(s, plainList(1, "u1"))
	titles := []string{"", " ", "10", "9", "A", "B", "Zebra", "a", "a ", "a!", "ab", "e\u0301", "z", "Äpfel", "é", "日", "\uffff", "🙂"}
	var want []string
	for i, title := range titles {
		e := bareElemental(fmt.Sprint("e", len(titles)-i), "u1")
		e.Title = title
		putElementals(s, e)
		put(s, quire.Tx.PutItem, sampleItem(1, e.ID, 0))
		want = append(want, title)
	}
	es, _ := find(s, quire.ReadTx.ListItems, quire.ItemQuery{ListID: 1, Viewer: anyone, Order: quire.OrderTitle, Limit: 100})
	var got []string
	for _, e := range es {
		got = append(got, e.Title)
	}
	equal(t, "titles", got, want)
}

// itemVisibility checks that a viewer is shown his own and what is Public. The
// Viewer's other fields do not matter here.
// An elemental that is hidden, shown or given away later is so in the lists it is in
// already.
func itemVisibilityChanges(t *testing.T, s *store) {
	putLists(s, plainList(1, "u1"), plainList(2, "u1"))
	e := bareElemental("e", "u1")
	putElementals(s, e)
	put(s, quire.Tx.PutItem, sampleItem(1, "e", 1))
	put(s, quire.Tx.PutItem, sampleItem(2, "e", 1))
	for _, step := range []struct {
		owner      string
		visibility quire.Visibility
		seenBy     map[string]bool
	}{
		{"u1", quire.Unlisted, map[string]bool{"u1": true}},
		{"u2", quire.Unlisted, map[string]bool{"u2": true}},
		{"u2", quire.Public, map[string]bool{"u1": true, "u2": true, "u3": true}},
		{"u1", quire.Unlisted, map[string]bool{"u1": true}},
	} {
		e.OwnerID, e.Visibility = step.owner, step.visibility
		putElementals(s, e)
		for _, viewer := range []string{"u1", "u2", "u3"} {
			want := map[int64]int{}
			if step.seenBy[viewer] {
				want = map[int64]int{1: 1, 2: 1}
			}
			v := quire.Viewer{OwnerID: viewer, OthersToo: true}
			equal(t, fmt.Sprintf("of %s, %d, seen by %s", step.owner, step.visibility, viewer), countItems(s, v, 1, 2), want)
			es, total := find(s, quire.ReadTx.ListItems, quire.ItemQuery{ListID: 2, Viewer: v, Order: quire.OrderIndex, Limit: 5})
			equal(t, "how many of them are listed", []int{len(es), total}, []int{want[2], want[2]})
		}
	}
}

func itemsWithoutBody(t *testing.T, s *store) {
	putLists(s, plainList(1, "u1"))
	e, other := sampleElemental("a", "u1"), sampleElemental("b", "u1")
	putElementals(s, e, other)
	put(s, quire.Tx.PutItem, sampleItem(1, "a", 1))
	put(s, quire.Tx.PutItem, sampleItem(1, "b", 2))
	if e.Body == "" {
		t.Fatal("the sample has no body")
	}
	e.Body, other.Body, e.TutorialSteps, other.TutorialSteps = "", "", nil, nil
	for _, order := range []quire.ItemOrder{quire.OrderIndex, quire.OrderTitle} {
		es, total := find(s, quire.ReadTx.ListItems, quire.ItemQuery{ListID: 1, Viewer: quire.Viewer{OwnerID: "u1"}, Order: order, WithoutBody: true, Limit: 5})
		equal(t, "elementals without their bodies", es, []quire.ElementalRecord{e, other})
		equal(t, "their number", total, 2)
	}
}

func itemVisibility(t *testing.T, s *store) {
	putLists(s, plainList(1, "u1"), plainList(2, "u9"))
	for i, id := range []string{"u1 1", "u1 2", "u2 1", "u2 2"} {
		e := bareElemental(id, id[:2])
		e.Visibility = quire.Visibility(id[3] - '0')
		putElementals(s, e)
		put(s, quire.Tx.PutItem, sampleItem(1, id, int64(i)))
	}
	put(s, quire.Tx.PutItem, sampleItem(2, "u2 2", 1))
	for owner, want := range map[string][]string{
		"u1": {"u1 1", "u1 2", "u2 1"},
		"u2": {"u1 1", "u2 1", "u2 2"},
		"u3": {"u1 1", "u2 1"},
		"":   {"u1 1", "u2 1"},
	} {
		for _, v := range []quire.Viewer{{OwnerID: owner}, {OwnerID: owner, OthersToo: true}, {OwnerID: owner, OthersToo: true, ListsPlain: true}} {
			es, total := find(s, quire.ReadTx.ListItems, quire.ItemQuery{ListID: 1, Viewer: v, Order: quire.OrderIndex, Limit: 10})
			equal(t, fmt.Sprintf("ListItems of %+v", v), idsOf(es), want)
			equal(t, fmt.Sprintf("total of %+v", v), total, len(want))
			counts := map[int64]int{1: len(want)}
			if owner == "u2" {
				counts[2] = 1 // for the others list 2 is left out
			}
			equal(t, fmt.Sprintf("CountItems of %+v", v), countItems(s, v, 1, 2), counts)
		}
	}
}

func itemPages(t *testing.T, s *store) {
	const n = 61
	putLists(s, plainList(1, "u1"))
	for i := range n {
		e := bareElemental(fmt.Sprint("e", i), "u1")
		e.CreatedAt, e.Title = at(i%7), fmt.Sprint("Title ", i%5)
		if i%2 == 0 {
			e.UpdatedAt = new(at(i % 11))
		}
		putElementals(s, e)
		put(s, quire.Tx.PutItem, sampleItem(1, e.ID, int64(i%10)))
	}
	hidden := bareElemental("hidden", "u2")
	hidden.Visibility = quire.Unlisted
	putElementals(s, hidden)
	put(s, quire.Tx.PutItem, sampleItem(1, "hidden", 5))
	for _, order := range []quire.ItemOrder{quire.OrderIndex, quire.OrderCreatedAt, quire.OrderUpdatedAt, quire.OrderTitle} {
		for _, desc := range []bool{false, true} {
			checkPages(t, n, func(offset, limit int) ([]string, int) {
				es, total := find(s, quire.ReadTx.ListItems, quire.ItemQuery{
					ListID: 1, Viewer: anyone, Order: order, Desc: desc, Offset: offset, Limit: limit,
				})
				return idsOf(es), total
			})
		}
	}
}

func itemCounts(t *testing.T, s *store) {
	putElementals(s, bareElemental("a", "u1"), bareElemental("b", "u1"))
	var ids []int64
	want := map[int64]int{}
	var lists []quire.ListRecord
	var items []quire.ListItem
	for i := int64(1); i <= 40_000; i++ {
		ids = append(ids, i)
		if i%100 != 0 {
			continue
		}
		lists = append(lists, plainList(i, "u1"))
		items = append(items, sampleItem(i, "a", 1))
		want[i] = 1
		if i%200 == 0 {
			items = append(items, sampleItem(i, "b", 1))
			want[i] = 2
		}
	}
	putLists(s, lists...)
	put(s, quire.Tx.PutItem, items...)
	equal(t, "CountItems", countItems(s, anyone, ids...), want)
}
