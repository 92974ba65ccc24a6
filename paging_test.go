package quire_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// equals is how many results a paged read has whose sort keys are all the same.
const equals = 1000

// equalKeys is a Library full of what only ids tell apart. Its ids are in ascending
// order, first all that their owner sees, then what others see.
type equalKeys struct {
	*fixture
	list              int64 // has all elementals, at one place
	elementals, lists [2][]string
	pages             int
}

// fillEqual writes elementals and lists of one title, text and time past the Library,
// which gives each a time of its own. Every tenth is Unlisted.
func fillEqual(f *fixture) *equalKeys {
	f.t.Helper()
	m := &equalKeys{fixture: f, list: 1000}
	ctx, at := f.t.Context(), time.UnixMicro(1_700_000_000_000_000).UTC()
	err := f.store.Update(ctx, func(tx quire.Tx) error {
		if err := tx.PutTag(ctx, quire.Tag{ID: 7, OwnerID: f.ann.UserID, Title: "equal", CreatedAt: at, UpdatedAt: at}); err != nil {
			return err
		}
		for i := range equals {
			n := i * 7919 % equals // written in another order than that of the ids
			l := quire.ListRecord{
				ID: int64(1000 + n), OwnerID: f.ann.UserID, TenantID: f.ann.TenantID, TypeID: 1, Title: "Equal title",
				Visibility: quire.Public, CreatedAt: at, Version: 1,
			}
			e := quire.ElementalRecord{
				ID: fmt.Sprintf("e%03d", n), OwnerID: f.ann.UserID, TenantID: f.ann.TenantID, TypeID: quire.TypeDocument,
				CategoryID: quire.CategoryText, Title: "Equal title", Body: "equal body",
				Visibility: quire.Public, TagIDs: []int64{7}, CreatedAt: at, UpdatedAt: &at, Version: 2,
			}
			if n%10 == 9 {
				l.Visibility, e.Visibility = quire.Unlisted, quire.Unlisted
			} else {
				m.elementals[1], m.lists[1] = append(m.elementals[1], e.ID), append(m.lists[1], fmt.Sprint(l.ID))
			}
			m.elementals[0], m.lists[0] = append(m.elementals[0], e.ID), append(m.lists[0], fmt.Sprint(l.ID))
			if err := tx.PutList(ctx, l, quire.IndexedText{Title: "equal title"}); err != nil {
				return err
			}
			if err := tx.PutElemental(ctx, e, quire.IndexedText{Title: "equal title", Body: "equal body"}); err != nil {
				return err
			}
		}
		for _, id := range m.elementals[0] {
			if err := tx.PutItem(ctx, quire.ListItem{ListID: m.list, ElementalID: id, OrderIndex: 5, AddedAt: at}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	for i := range 2 {
		slices.Sort(m.elementals[i])
		slices.Sort(m.lists[i])
	}
	return m
}

// read reads a page and returns the ids on it.
type read func(a quire.Actor, p quire.Page) (ids []string, total int, page quire.Page, err error)

func pageOf[T any](found quire.Paged[T], err error, id func(T) string) ([]string, int, quire.Page, error) {
	ids := []string{}
	for _, it := range found.Items {
		ids = append(ids, id(it))
	}
	return ids, found.Total, found.Page, err
}

func elementalID(e quire.Elemental) string { return e.ID }
func listID(l quire.List) string           { return fmt.Sprint(l.ID) }

// TestPagesOfEqualKeys pages through results that nothing but their ids tells apart:
// the pages joined are all of them, once, in the order of their ids, for every size,
// order and direction.
func TestPagesOfEqualKeys(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx, m := t.Context(), fillEqual(f)
		for _, order := range itemOrders {
			for _, desc := range []bool{false, true} {
				m.check(fmt.Sprintf("items by %s, desc %v", order, desc), m.elementals, func(a quire.Actor, p quire.Page) ([]string, int, quire.Page, error) {
					found, err := f.ListItems(ctx, a, m.list, quire.ItemsInput{Page: p, Order: order, Desc: desc})
					return pageOf(found, err, elementalID)
				})
			}
		}
		m.check("elementals with words", m.elementals, func(a quire.Actor, p quire.Page) ([]string, int, quire.Page, error) {
			found, err := f.SearchElementals(ctx, a, quire.SearchInput{Text: "equal bod", Page: p})
			return pageOf(found, err, elementalID)
		})
		for _, in := range []quire.UserElementalsInput{{}, {TypeID: quire.TypeDocument}, {TagID: 7}} {
			m.check(fmt.Sprintf("own elementals, type %d, tag %d", in.TypeID, in.TagID), [2][]string{m.elementals[0], {}},
				func(a quire.Actor, p quire.Page) ([]string, int, quire.Page, error) {
					in.Page = p
					found, err := f.UserElementals(ctx, a, in)
					return pageOf(found, err, elementalID)
				})
		}
		for _, text := range []string{"", "EQUAL"} {
			m.check(fmt.Sprintf("lists with %q", text), m.lists, func(a quire.Actor, p quire.Page) ([]string, int, quire.Page, error) {
				found, err := f.SearchLists(ctx, a, quire.SearchInput{Text: text, Page: p})
				return pageOf(found, err, listID)
			})
		}
		m.check("own lists", [2][]string{m.lists[0], {}}, func(a quire.Actor, p quire.Page) ([]string, int, quire.Page, error) {
			found, err := f.UserLists(ctx, a, &p)
			return pageOf(found, err, listID)
		})
		t.Logf("%d pages of %d equal results", m.pages, equals)
	})
}

// check pages through a read as the owner and as another user.
func (m *equalKeys) check(name string, want [2][]string, r read) {
	m.t.Helper()
	for i, a := range []quire.Actor{m.ann, m.bob} {
		for _, size := range []int{1, 3, 7, 10, 99, 100} {
			if testing.Short() && size < 99 {
				m.somePages(name, a, want[i], size, r)
				continue
			}
			switch {
			case size == 1, size < 99 && i == 1:
				m.somePages(name, a, want[i], size, r)
			default:
				m.allPages(name, a, want[i], size, r)
			}
		}
		past := len(want[i]) + 1
		m.one(name, a, want[i], quire.Page{Number: past, Size: 1}, r)
		m.one(name, a, want[i], quire.Page{Number: 12, Size: 100}, r)
		m.one(name, a, want[i], quire.Page{Number: math.MaxInt32 / quire.MaxPageSize, Size: 100}, r)
	}
	for _, p := range []quire.Page{{Number: math.MaxInt32}, {Number: math.MaxInt, Size: 100}, {Number: math.MinInt}, {Number: -1}, {Size: 101}, {Size: -1}} {
		_, _, _, err := r(m.ann, p)
		wantCode(m.t, err, quire.CodeInvalid)
	}
}

// allPages joins the pages of a size.
func (m *equalKeys) allPages(name string, a quire.Actor, want []string, size int, r read) {
	m.t.Helper()
	var joined []string
	for number := 1; number <= len(want)/size+1; number++ {
		joined = append(joined, m.one(name, a, want, quire.Page{Number: number, Size: size}, r)...)
	}
	if len(joined) != len(want) {
		m.t.Errorf("%s for %s: the pages of size %d have %d results, want %d", name, a.UserID, size, len(joined), len(want))
	}
}

// somePages reads pages here and there.
func (m *equalKeys) somePages(name string, a quire.Actor, want []string, size int, r read) {
	m.t.Helper()
	for _, at := range []int{0, 1, len(want) / 3, len(want) / 2, len(want) - 1} {
		m.one(name, a, want, quire.Page{Number: max(at, 0)/size + 1, Size: size}, r)
	}
}

// one reads a page, checks it, and returns it.
func (m *equalKeys) one(name string, a quire.Actor, want []string, p quire.Page, r read) []string {
	m.t.Helper()
	m.pages++
	got, total, page, err := r(a, p)
	if err != nil {
		m.t.Fatalf("%s for %s: %+v: %v", name, a.UserID, p, err)
	}
	start := min((p.Number-1)*p.Size, len(want))
	part := want[start:min(start+p.Size, len(want))]
	if diff := cmp.Diff(append([]string{}, part...), got); diff != "" {
		m.t.Errorf("%s for %s: %+v (-want +got):\n%s", name, a.UserID, p, diff)
	}
	if total != len(want) || page != p {
		m.t.Errorf("%s for %s: %+v: total %d, page %+v, want total %d", name, a.UserID, p, total, page, len(want))
	}
	return got
}
