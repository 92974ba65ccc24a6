package quire_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/quirelib/quire"
)

// libraryModel is what a Library is to hold, as plainly as it can be said.
type libraryModel struct {
	elementals map[string]quire.ElementalRecord
	lists      map[int64]*modelList
}

// modelList is a list with the place of each of its members.
type modelList struct {
	quire.ListRecord
	items map[string]int64
}

// shows reports whether an actor finds what has this owner and visibility.
func shows(a quire.Actor, owner string, v quire.Visibility) bool {
	return owner == a.UserID || v == quire.Public
}

// items are the ids of a list's elementals that the actor sees, in order.
func (m *libraryModel) items(a quire.Actor, l *modelList, order quire.ItemOrder, desc bool) []string {
	ids := []string{}
	for id := range l.items {
		if e := m.elementals[id]; shows(a, e.OwnerID, e.Visibility) {
			ids = append(ids, id)
		}
	}
	compare := func(x, y string) int {
		a, b := m.elementals[x], m.elementals[y]
		switch order {
		case quire.OrderTitle:
			return strings.Compare(a.Title, b.Title)
		case quire.OrderCreatedAt:
			return a.CreatedAt.Compare(b.CreatedAt)
		case quire.OrderUpdatedAt:
			return changedAt(a).Compare(changedAt(b))
		}
		return cmp.Compare(l.items[x], l.items[y])
	}
	slices.SortFunc(ids, func(x, y string) int {
		c := compare(x, y)
		if desc {
			c = -c
		}
		return cmp.Or(c, strings.Compare(x, y))
	})
	return ids
}

func changedAt(e quire.ElementalRecord) time.Time {
	if e.UpdatedAt != nil {
		return *e.UpdatedAt
	}
	return e.CreatedAt
}

// listIDs are the lists that a predicate selects, newest first.
func (m *libraryModel) listIDs(selects func(l *modelList) bool) []int64 {
	ids := []int64{}
	for id, l := range m.lists {
		if selects(l) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(x, y int64) int {
		return cmp.Or(m.lists[y].CreatedAt.Compare(m.lists[x].CreatedAt), cmp.Compare(x, y))
	})
	return ids
}

// mayAdd reports whether the actor may put all of the items into a list with these
// members.
func (m *libraryModel) mayAdd(a quire.Actor, members map[string]int64, items []quire.ItemInput) bool {
	for _, it := range items {
		e, exists := m.elementals[it.ElementalID]
		_, member := members[it.ElementalID]
		if !exists || !member && !shows(a, e.OwnerID, e.Visibility) {
			return false
		}
	}
	return true
}

// place puts items into a list: the last place of one that is named twice counts,
// and new ones without a place go to the end in the order of their first naming.
func place(members map[string]int64, items []quire.ItemInput) {
	end := int64(-1)
	for _, at := range members {
		end = max(end, at)
	}
	named := map[string]*int64{}
	for _, it := range items {
		named[it.ElementalID] = it.OrderIndex
	}
	for _, at := range named {
		if at != nil {
			end = max(end, *at)
		}
	}
	for _, it := range items {
		at, waiting := named[it.ElementalID]
		delete(named, it.ElementalID)
		_, member := members[it.ElementalID]
		switch {
		case !waiting, at == nil && member:
		case at != nil:
			members[it.ElementalID] = *at
		default:
			if end < math.MaxInt64 {
				end++
			}
			members[it.ElementalID] = end
		}
	}
}

// listModel runs operations on a Library and its model.
type listModel struct {
	*fixture
	libraryModel
	operations, reads int
}

// TestLibraryModel does things with elementals, lists and items one after the other,
// right and wrong ones, and compares all that two users read with a plain model.
func TestLibraryModel(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		m := &listModel{fixture: f}
		runs := 0
		rapid.Check(t, func(rt *rapid.T) {
			runs++
			m.clear(rt)
			rt.Repeat(map[string]func(*rapid.T){
				"create elemental":    m.createElemental,
				"update elemental":    m.updateElemental,
				"delete elemental":    m.deleteElemental,
				"create list":         m.createList,
				"update list":         m.updateList,
				"update items":        m.updateList, // twice as often
				"delete list":         m.deleteList,
				"remove items":        m.removeItems,
				"unknown and foreign": m.refused,
				"":                    m.compare,
			})
			m.compareAll(rt)
		})
		t.Logf("%d sequences, %d operations, %d reads compared: 0 differences wanted", runs, m.operations, m.reads)
		if m.operations < 100 || m.reads < 1000 {
			t.Error("the model has hardly run")
		}
	})
}

// clear deletes what the last sequence left behind.
func (m *listModel) clear(rt *rapid.T) {
	ctx := context.Background()
	for id, l := range m.lists {
		m.must(rt, m.DeleteList(ctx, m.actor(l.OwnerID), id))
	}
	for id, e := range m.elementals {
		m.must(rt, m.DeleteElemental(ctx, m.actor(e.OwnerID), id))
	}
	m.libraryModel = libraryModel{elementals: map[string]quire.ElementalRecord{}, lists: map[int64]*modelList{}}
}

func (m *listModel) actor(id string) quire.Actor {
	if id == m.ann.UserID {
		return m.ann
	}
	return m.bob
}

func (m *listModel) must(rt *rapid.T, err error) {
	rt.Helper()
	m.operations++
	if err != nil {
		rt.Fatalf("%v", quire.Cause(err))
	}
}

// answers checks that an operation succeeds or fails as it should, and reports
// whether it succeeded.
func (m *listModel) answers(rt *rapid.T, err error, want quire.Code) bool {
	rt.Helper()
	m.operations++
	if got := quire.CodeOf(err); got != want {
		rt.Fatalf("error %v has code %q, want %q", err, got, want)
	}
	return err == nil
}

func (m *listModel) drawActor(rt *rapid.T) quire.Actor {
	return rapid.SampledFrom([]quire.Actor{m.ann, m.bob}).Draw(rt, "actor")
}

func drawVisibility(rt *rapid.T) quire.Visibility {
	return rapid.SampledFrom([]quire.Visibility{quire.Public, quire.Unlisted}).Draw(rt, "visibility")
}

func drawTitle(rt *rapid.T) string {
	return rapid.SampledFrom([]string{"alpha of the model", "Alpha of the model", "beta of the model", "éta of the model", "zeta of the model"}).Draw(rt, "title")
}

// drawElemental draws the id of an elemental, of any owner.
func (m *listModel) drawElemental(rt *rapid.T) string {
	if len(m.elementals) == 0 {
		rt.Skip("no elemental yet")
	}
	return rapid.SampledFrom(slices.Sorted(maps.Keys(m.elementals))).Draw(rt, "elemental")
}

// drawList draws a list of any owner, by its age: ids differ from run to run.
func (m *listModel) drawList(rt *rapid.T) *modelList {
	if len(m.lists) == 0 {
		rt.Skip("no list yet")
	}
	ids := m.listIDs(func(*modelList) bool { return true })
	return m.lists[ids[rapid.IntRange(0, len(ids)-1).Draw(rt, "list")]]
}

// drawItems draws items, some of them twice, some that may not be added.
func (m *listModel) drawItems(rt *rapid.T) []quire.ItemInput {
	ids := slices.Sorted(maps.Keys(m.elementals))
	if rapid.IntRange(0, 15).Draw(rt, "bad") == 0 {
		ids = append(ids, "no-such-elemental")
	}
	if len(ids) == 0 {
		return nil
	}
	return rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) quire.ItemInput {
		it := quire.ItemInput{ElementalID: rapid.SampledFrom(ids).Draw(rt, "id")}
		if at := rapid.SampledFrom([]int64{-9, -2, 0, 1, 1, 3, 5, math.MaxInt64}).Draw(rt, "place"); at != -9 {
			it.OrderIndex = &at
		}
		return it
	}), 0, 5).Draw(rt, "items")
}

// drawTargets draws lists to save an elemental to, as the owner's are.
func (m *listModel) drawTargets(rt *rapid.T, a quire.Actor) []int64 {
	own := m.listIDs(func(l *modelList) bool { return l.OwnerID == a.UserID })
	if len(own) == 0 {
		return nil
	}
	var out []int64
	for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(own)-1), 0, 2).Draw(rt, "targets") {
		out = append(out, own[i])
	}
	return out
}

// saved is what saving to lists does: the end of each, unless it is there already.
func (m *listModel) saved(id string, lists []int64) {
	for _, l := range lists {
		place(m.lists[l].items, []quire.ItemInput{{ElementalID: id}})
	}
}

func (m *listModel) createElemental(rt *rapid.T) {
	if len(m.elementals) == 12 {
		rt.Skip("enough elementals")
	}
	a := m.drawActor(rt)
	in := document(drawTitle(rt), "body")
	in.ID = rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "A", "a.1", "-", "0", "10", "9", "_z"}).Draw(rt, "id")
	in.Visibility, in.Lists = drawVisibility(rt), m.drawTargets(rt, a)
	want := quire.Code("")
	if _, taken := m.elementals[in.ID]; taken {
		want = quire.CodeConflict
	}
	e, err := m.CreateElemental(context.Background(), a, in)
	if m.answers(rt, err, want) {
		m.elementals[in.ID] = e.ElementalRecord
		m.saved(in.ID, in.Lists)
	}
}

func (m *listModel) updateElemental(rt *rapid.T) {
	id, a := m.drawElemental(rt), m.drawActor(rt)
	old := m.elementals[id]
	p := quire.ElementalPatch{Lists: m.drawTargets(rt, a)}
	want := old
	if rapid.Bool().Draw(rt, "retitle") {
		want.Title = drawTitle(rt)
		p.Title = &want.Title
	}
	if rapid.Bool().Draw(rt, "show or hide") {
		want.Visibility = drawVisibility(rt)
		p.Visibility = &want.Visibility
	}
	code := quire.Code("")
	if old.OwnerID != a.UserID {
		code = quire.CodeForbidden
	}
	got, err := m.UpdateElemental(context.Background(), a, id, p)
	if !m.answers(rt, err, code) {
		return
	}
	if want.Title != old.Title || want.Visibility != old.Visibility {
		if got.UpdatedAt == nil || got.UpdatedAt.Before(changedAt(old)) {
			rt.Fatalf("updated at %v, before at %v", got.UpdatedAt, changedAt(old))
		}
		want.Version, want.UpdatedAt = old.Version+1, got.UpdatedAt
	}
	if diff := gocmp.Diff(want, got.ElementalRecord, cmpopts.EquateEmpty()); diff != "" {
		rt.Fatalf("updated (-want +got):\n%s", diff)
	}
	m.elementals[id] = want
	m.saved(id, p.Lists)
}

func (m *listModel) deleteElemental(rt *rapid.T) {
	id, a := m.drawElemental(rt), m.drawActor(rt)
	code := quire.Code("")
	if m.elementals[id].OwnerID != a.UserID {
		code = quire.CodeForbidden
	}
	if m.answers(rt, m.DeleteElemental(context.Background(), a, id), code) {
		delete(m.elementals, id)
		for _, l := range m.lists {
			delete(l.items, id)
		}
	}
}

func (m *listModel) createList(rt *rapid.T) {
	if len(m.lists) == 5 {
		rt.Skip("enough lists")
	}
	a := m.drawActor(rt)
	in := quire.ListInput{Title: drawTitle(rt), Visibility: drawVisibility(rt), Items: m.drawItems(rt)}
	code := quire.Code("")
	if !m.mayAdd(a, nil, in.Items) {
		code = quire.CodeInvalid
	}
	got, err := m.CreateList(context.Background(), a, in)
	if m.answers(rt, err, code) {
		l := &modelList{got.ListRecord, map[string]int64{}}
		place(l.items, in.Items)
		m.lists[got.ID] = l
	}
}

func (m *listModel) updateList(rt *rapid.T) {
	l, a := m.drawList(rt), m.drawActor(rt)
	want, p := l.ListRecord, quire.ListPatch{}
	if rapid.Bool().Draw(rt, "retitle") {
		want.Title = drawTitle(rt)
		p.Title = &want.Title
	}
	if rapid.Bool().Draw(rt, "show or hide") {
		want.Visibility = drawVisibility(rt)
		p.Visibility = &want.Visibility
	}
	items := maps.Clone(l.items)
	code := quire.Code("")
	if rapid.IntRange(0, 3).Draw(rt, "with items") > 0 {
		in := m.drawItems(rt)
		p.Items, p.ReplaceItems = &in, rapid.Bool().Draw(rt, "replace")
		if !m.mayAdd(a, l.items, in) {
			code = quire.CodeInvalid
		} else {
			if p.ReplaceItems {
				maps.DeleteFunc(items, func(id string, _ int64) bool {
					return !slices.ContainsFunc(in, func(it quire.ItemInput) bool { return it.ElementalID == id })
				})
			}
			place(items, in)
		}
	}
	if l.OwnerID != a.UserID {
		code = quire.CodeForbidden
	}
	got, err := m.UpdateList(context.Background(), a, l.ID, p)
	if !m.answers(rt, err, code) {
		return
	}
	l.ListRecord, l.items = want, items
	// What was written again without a change may count as a change or not.
	l.Version, l.UpdatedAt = got.Version, got.UpdatedAt
	if diff := gocmp.Diff(l.ListRecord, got.ListRecord, cmpopts.EquateEmpty()); diff != "" {
		rt.Fatalf("updated (-want +got):\n%s", diff)
	}
}

func (m *listModel) deleteList(rt *rapid.T) {
	l, a := m.drawList(rt), m.drawActor(rt)
	code := quire.Code("")
	if l.OwnerID != a.UserID {
		code = quire.CodeForbidden
	}
	if m.answers(rt, m.DeleteList(context.Background(), a, l.ID), code) {
		delete(m.lists, l.ID)
	}
}

func (m *listModel) removeItems(rt *rapid.T) {
	l, a := m.drawList(rt), m.drawActor(rt)
	ids := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "A", "a.1", "none"}), 0, 4).Draw(rt, "ids")
	code := quire.Code("")
	if l.OwnerID != a.UserID {
		code = quire.CodeForbidden
	}
	ctx := context.Background()
	if !m.answers(rt, m.RemoveListItems(ctx, a, l.ID, ids), code) {
		return
	}
	before := len(l.items)
	for _, id := range ids {
		delete(l.items, id)
	}
	got, err := m.List(ctx, a, l.ID)
	m.must(rt, err)
	if changed := len(l.items) < before; changed != (got.Version > l.Version) {
		rt.Fatalf("removed items: %v, version %d, before %d", changed, got.Version, l.Version)
	}
	l.Version, l.UpdatedAt = got.Version, got.UpdatedAt
}

// refused does what must fail whatever there is.
func (m *listModel) refused(rt *rapid.T) {
	ctx, a := context.Background(), m.drawActor(rt)
	title := "too short"
	_, e1 := m.UpdateElemental(ctx, a, "nobody", quire.ElementalPatch{})
	_, e2 := m.UpdateList(ctx, a, 1, quire.ListPatch{})
	_, e3 := m.ListItems(ctx, a, 1, quire.ItemsInput{})
	for _, err := range []error{e1, e2, e3, m.DeleteList(ctx, a, 1), m.RemoveListItems(ctx, a, 1, []string{"a"}), m.DeleteElemental(ctx, a, "nobody")} {
		m.answers(rt, err, quire.CodeNotFound)
	}
	for id, e := range m.elementals {
		_, err := m.UpdateElemental(ctx, m.actor(e.OwnerID), id, quire.ElementalPatch{Title: &title, Visibility: ptr(quire.Unlisted)})
		m.answers(rt, err, quire.CodeInvalid)
	}
	for id, l := range m.lists {
		_, err := m.UpdateList(ctx, m.actor(l.OwnerID), id, quire.ListPatch{
			Title: ptr(" "), Items: &[]quire.ItemInput{}, ReplaceItems: true})
		m.answers(rt, err, quire.CodeInvalid)
	}
}

var itemOrders = []quire.ItemOrder{quire.OrderIndex, quire.OrderCreatedAt, quire.OrderUpdatedAt, quire.OrderTitle}

// compare reads a part of what there is, after every operation.
func (m *listModel) compare(rt *rapid.T) {
	order := rapid.SampledFrom(itemOrders).Draw(rt, "order")
	desc, size := rapid.Bool().Draw(rt, "desc"), rapid.SampledFrom([]int{7, 3, 2}).Draw(rt, "size")
	a := m.drawActor(rt)
	m.compareLists(rt, a, size)
	if len(m.lists) > 0 {
		l := m.drawList(rt)
		m.compareList(rt, a, l)
		m.compareItems(rt, a, l, order, desc, size)
	}
}

// compareAll reads everything in every order.
func (m *listModel) compareAll(rt *rapid.T) {
	for _, a := range []quire.Actor{m.ann, m.bob} {
		m.compareLists(rt, a, 2)
		for id, want := range m.elementals {
			got, err := m.Elemental(context.Background(), a, id)
			m.same(rt, "elemental "+id, err, want, got.ElementalRecord)
		}
		for _, l := range m.lists {
			m.compareList(rt, a, l)
			for _, order := range itemOrders {
				m.compareItems(rt, a, l, order, false, 100)
				m.compareItems(rt, a, l, order, true, 3)
			}
		}
	}
}

// same compares something that was read.
func (m *listModel) same(rt *rapid.T, what string, err error, want, got any) {
	rt.Helper()
	m.reads++
	if err != nil {
		rt.Fatalf("%s: %v", what, quire.Cause(err))
	}
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		rt.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

func (m *listModel) compareList(rt *rapid.T, a quire.Actor, l *modelList) {
	ctx := context.Background()
	got, err := m.List(ctx, a, l.ID)
	m.same(rt, "list", err, l.ListRecord, got.ListRecord)
	want := m.items(a, l, quire.OrderIndex, false)
	m.same(rt, "total items", nil, len(want), got.TotalItems)
	var ids []string
	for e, err := range m.AllListItems(ctx, a, l.ID, false) {
		if err != nil {
			rt.Fatal(err)
		}
		ids = append(ids, e.ID)
	}
	m.same(rt, "all items for "+a.UserID, nil, want, ids)
}

// compareItems reads a list page by page.
func (m *listModel) compareItems(rt *rapid.T, a quire.Actor, l *modelList, order quire.ItemOrder, desc bool, size int) {
	want := m.items(a, l, order, desc)
	var got []string
	details := size%2 == 0
	for number := 1; ; number++ {
		page, err := m.ListItems(context.Background(), a, l.ID, quire.ItemsInput{
			Page: quire.Page{Number: number, Size: size}, Order: order, Desc: desc, Details: details})
		m.same(rt, "total", err, len(want), page.Total)
		for _, e := range page.Items {
			got = append(got, e.ID)
			full := m.elementals[e.ID]
			if !details {
				full.Body = ""
			}
			m.same(rt, "item "+e.ID, nil, full, e.ElementalRecord)
		}
		if len(page.Items) < size {
			break
		}
	}
	m.same(rt, fmt.Sprintf("items for %s by %s, desc %v, size %d", a.UserID, order, desc, size), nil, want, got)
}

// compareLists reads the lists of a user, all lists, and those that a word finds.
func (m *listModel) compareLists(rt *rapid.T, a quire.Actor, size int) {
	ctx := context.Background()
	own := m.listIDs(func(l *modelList) bool { return l.OwnerID == a.UserID })
	all, err := m.UserLists(ctx, a, nil)
	m.same(rt, "own lists", err, own, listIDsOf(all.Items))
	m.same(rt, "total of own lists", nil, len(own), all.Total)
	m.comparePages(rt, "own lists", own, size, func(p quire.Page) (quire.Paged[quire.List], error) { return m.UserLists(ctx, a, &p) })
	var mine []string
	for id, e := range m.elementals {
		if e.OwnerID == a.UserID {
			mine = append(mine, id)
		}
	}
	slices.SortFunc(mine, func(x, y string) int {
		return cmp.Or(m.elementals[y].CreatedAt.Compare(m.elementals[x].CreatedAt), cmp.Compare(x, y))
	})
	newest, err := m.UserElementals(ctx, a, quire.UserElementalsInput{Page: quire.Page{Size: size}})
	m.same(rt, "own elementals", err, mine[:min(size, len(mine))], elementalIDsOf(newest.Items))
	m.same(rt, "total of own elementals", nil, len(mine), newest.Total)
	seen := m.listIDs(func(l *modelList) bool { return shows(a, l.OwnerID, l.Visibility) })
	m.comparePages(rt, "lists", seen, size, func(p quire.Page) (quire.Paged[quire.List], error) {
		return m.SearchLists(ctx, a, quire.SearchInput{Page: p})
	})
	found, err := m.SearchLists(ctx, a, quire.SearchInput{Text: "ALPHA", Page: quire.Page{Size: 100}})
	want := m.listIDs(func(l *modelList) bool {
		return shows(a, l.OwnerID, l.Visibility) && strings.EqualFold(l.Title, "alpha of the model")
	})
	slices.Sort(want) // equal in rank
	m.same(rt, "lists with a word", err, want, listIDsOf(found.Items))
	elementals, err := m.SearchElementals(ctx, a, quire.SearchInput{Text: "alpha", Page: quire.Page{Size: 100}})
	var titled, ids []string
	for id, e := range m.elementals {
		if shows(a, e.OwnerID, e.Visibility) && strings.EqualFold(e.Title, "alpha of the model") {
			titled = append(titled, id)
		}
	}
	for _, e := range elementals.Items {
		ids = append(ids, e.ID)
	}
	slices.Sort(titled)
	m.same(rt, "elementals with a word", err, titled, ids)
}

func (m *listModel) comparePages(rt *rapid.T, what string, want []int64, size int, read func(quire.Page) (quire.Paged[quire.List], error)) {
	var got []int64
	for number := 1; ; number++ {
		page, err := read(quire.Page{Number: number, Size: size})
		m.same(rt, what+": total", err, len(want), page.Total)
		got = append(got, listIDsOf(page.Items)...)
		if len(page.Items) < size {
			break
		}
	}
	m.same(rt, what, nil, want, got)
}

func listIDsOf(lists []quire.List) []int64 {
	ids := make([]int64, len(lists))
	for i, l := range lists {
		ids[i] = l.ID
	}
	return ids
}
