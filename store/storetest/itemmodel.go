package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/quirelib/quire"
)

// itemModel is the plain model of elementals, lists and memberships.
type itemModel struct {
	elementals map[string]quire.ElementalRecord
	lists      map[int64]quire.ListRecord
	items      map[member]quire.ListItem
}

type member struct {
	listID      int64
	elementalID string
}

var (
	modelElementals = []string{"a", "b", "c", "d", "A", "é"}
	modelLists      = []int64{1, 2, 3}
	modelOwners     = []string{"u1", "u2", "u3"}
)

func modelItems(t *testing.T, s *store) {
	runModel(t, s, newItemModel, rapid.OneOf(
		drawPutElemental(), drawPutElemental(), drawPutList(),
		drawPutItem(), drawPutItem(), drawPutItem(), drawDeleteItem(),
		drawDeleteElemental(), drawDeleteList(),
	))
}

// newItemModel empties the Store by deleting all that a history can make.
func newItemModel(_ *rapid.T, ctx context.Context, tx quire.Tx) (*itemModel, error) {
	var errs []error
	for _, id := range modelElementals {
		errs = append(errs, tx.DeleteElemental(ctx, id))
	}
	for _, id := range modelLists {
		errs = append(errs, tx.DeleteList(ctx, id))
	}
	m := &itemModel{map[string]quire.ElementalRecord{}, map[int64]quire.ListRecord{}, map[member]quire.ListItem{}}
	return m, errors.Join(errs...)
}

func (m *itemModel) clone() *itemModel {
	return &itemModel{maps.Clone(m.elementals), maps.Clone(m.lists), maps.Clone(m.items)}
}

func drawPutElemental() *rapid.Generator[action[*itemModel]] {
	return rapid.Custom(func(rt *rapid.T) action[*itemModel] {
		e := bareElemental(rapid.SampledFrom(modelElementals).Draw(rt, "id"), rapid.SampledFrom(modelOwners[:2]).Draw(rt, "owner"))
		e.Visibility = rapid.SampledFrom([]quire.Visibility{quire.Public, quire.Unlisted}).Draw(rt, "visibility")
		e.Title = rapid.SampledFrom([]string{"A", "a", "B", "é", ""}).Draw(rt, "title")
		e.CreatedAt = at(rapid.IntRange(0, 3).Draw(rt, "created"))
		if n := rapid.IntRange(-2, 3).Draw(rt, "updated"); n >= 0 {
			e.UpdatedAt = new(at(n))
		}
		return func(ctx context.Context, tx quire.Tx, m *itemModel) error {
			m.elementals[e.ID] = e
			return tx.PutElemental(ctx, e, indexed(e.Title, "", ""))
		}
	})
}

func drawPutList() *rapid.Generator[action[*itemModel]] {
	return rapid.Custom(func(rt *rapid.T) action[*itemModel] {
		l := plainList(rapid.SampledFrom(modelLists).Draw(rt, "id"), rapid.SampledFrom(modelOwners).Draw(rt, "owner"))
		return func(ctx context.Context, tx quire.Tx, m *itemModel) error {
			m.lists[l.ID] = l
			return tx.PutList(ctx, l, indexed(l.Title, "", ""))
		}
	})
}

func drawMember(rt *rapid.T) member {
	return member{rapid.SampledFrom(modelLists).Draw(rt, "list"), rapid.SampledFrom(modelElementals).Draw(rt, "elemental")}
}

func drawPutItem() *rapid.Generator[action[*itemModel]] {
	return rapid.Custom(func(rt *rapid.T) action[*itemModel] {
		k := drawMember(rt)
		it := sampleItem(k.listID, k.elementalID, rapid.Int64Range(-2, 2).Draw(rt, "index"))
		return func(ctx context.Context, tx quire.Tx, m *itemModel) error {
			err := tx.PutItem(ctx, it)
			_, hasList := m.lists[k.listID]
			_, hasElemental := m.elementals[k.elementalID]
			if hasList && hasElemental {
				m.items[k] = it
				return err
			}
			if !errors.Is(err, quire.ErrNotFound) {
				return fmt.Errorf("PutItem without list or elemental: got error %v, want ErrNotFound", err)
			}
			return nil
		}
	})
}

func drawDeleteItem() *rapid.Generator[action[*itemModel]] {
	return rapid.Custom(func(rt *rapid.T) action[*itemModel] {
		k := drawMember(rt)
		return func(ctx context.Context, tx quire.Tx, m *itemModel) error {
			delete(m.items, k)
			return tx.DeleteItem(ctx, k.listID, k.elementalID)
		}
	})
}

func drawDeleteElemental() *rapid.Generator[action[*itemModel]] {
	return rapid.Custom(func(rt *rapid.T) action[*itemModel] {
		id := rapid.SampledFrom(modelElementals).Draw(rt, "id")
		return func(ctx context.Context, tx quire.Tx, m *itemModel) error {
			delete(m.elementals, id)
			maps.DeleteFunc(m.items, func(k member, _ quire.ListItem) bool { return k.elementalID == id })
			return tx.DeleteElemental(ctx, id)
		}
	})
}

func drawDeleteList() *rapid.Generator[action[*itemModel]] {
	return rapid.Custom(func(rt *rapid.T) action[*itemModel] {
		id := rapid.SampledFrom(modelLists).Draw(rt, "id")
		return func(ctx context.Context, tx quire.Tx, m *itemModel) error {
			delete(m.lists, id)
			maps.DeleteFunc(m.items, func(k member, _ quire.ListItem) bool { return k.listID == id })
			return tx.DeleteList(ctx, id)
		}
	})
}

func (m *itemModel) check(rt *rapid.T, ctx context.Context, tx quire.ReadTx) error {
	es, err := tx.Elementals(ctx, modelElementals)
	if err := cmp.Or(err, differ("Elementals", es, m.elementals)); err != nil {
		return err
	}
	for _, id := range modelLists {
		items, err := tx.Items(ctx, id)
		if err := cmp.Or(err, differ("Items", items, m.itemsOf(id))); err != nil {
			return err
		}
	}
	for _, owner := range modelOwners {
		v := quire.Viewer{OwnerID: owner, OthersToo: true}
		counts, err := tx.CountItems(ctx, modelLists, v)
		if err := cmp.Or(err, differ("CountItems of "+owner, counts, m.counts(v))); err != nil {
			return err
		}
	}
	for range 5 {
		if err := m.checkPage(rt, ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// checkPage compares one random page.
func (m *itemModel) checkPage(rt *rapid.T, ctx context.Context, tx quire.ReadTx) error {
	q := quire.ItemQuery{
		ListID: rapid.SampledFrom(modelLists).Draw(rt, "list"),
		Viewer: quire.Viewer{OwnerID: rapid.SampledFrom(modelOwners).Draw(rt, "viewer"), OthersToo: true},
		Order:  rapid.SampledFrom([]quire.ItemOrder{quire.OrderIndex, quire.OrderCreatedAt, quire.OrderUpdatedAt, quire.OrderTitle}).Draw(rt, "order"),
		Desc:   rapid.Bool().Draw(rt, "desc"),
		Offset: rapid.SampledFrom([]int{0, 0, 0, 1, 3}).Draw(rt, "offset"),
		Limit:  rapid.SampledFrom([]int{100, 1, 2}).Draw(rt, "limit"),
	}
	es, total, err := tx.ListItems(ctx, q)
	all := m.sorted(q)
	want := all[min(q.Offset, len(all)):]
	want = want[:min(q.Limit, len(want))]
	return cmp.Or(err,
		differ(fmt.Sprintf("ListItems of %+v", q), es, want),
		differ(fmt.Sprintf("total of %+v", q), total, len(all)))
}

func (m *itemModel) itemsOf(listID int64) []quire.ListItem {
	var items []quire.ListItem
	for k, it := range m.items {
		if k.listID == listID {
			items = append(items, it)
		}
	}
	slices.SortFunc(items, func(a, b quire.ListItem) int {
		return cmp.Or(cmp.Compare(a.OrderIndex, b.OrderIndex), cmp.Compare(a.ElementalID, b.ElementalID))
	})
	return items
}

func (m *itemModel) counts(v quire.Viewer) map[int64]int {
	counts := map[int64]int{}
	for k := range m.items {
		if e := m.elementals[k.elementalID]; e.OwnerID == v.OwnerID || e.Visibility == quire.Public {
			counts[k.listID]++
		}
	}
	return counts
}

// sorted returns all items that the query's viewer is shown, in its order.
func (m *itemModel) sorted(q quire.ItemQuery) []quire.ElementalRecord {
	var es []quire.ElementalRecord
	for k := range m.items {
		e := m.elementals[k.elementalID]
		if k.listID == q.ListID && (e.OwnerID == q.Viewer.OwnerID || e.Visibility == quire.Public) {
			es = append(es, e)
		}
	}
	changed := func(e quire.ElementalRecord) time.Time {
		if e.UpdatedAt != nil {
			return *e.UpdatedAt
		}
		return e.CreatedAt
	}
	index := func(e quire.ElementalRecord) int64 { return m.items[member{q.ListID, e.ID}].OrderIndex }
	compare := map[quire.ItemOrder]func(a, b quire.ElementalRecord) int{
		quire.OrderIndex:     func(a, b quire.ElementalRecord) int { return cmp.Compare(index(a), index(b)) },
		quire.OrderCreatedAt: func(a, b quire.ElementalRecord) int { return a.CreatedAt.Compare(b.CreatedAt) },
		quire.OrderUpdatedAt: func(a, b quire.ElementalRecord) int { return changed(a).Compare(changed(b)) },
		quire.OrderTitle:     func(a, b quire.ElementalRecord) int { return cmp.Compare(a.Title, b.Title) },
	}[q.Order]
	slices.SortFunc(es, func(a, b quire.ElementalRecord) int {
		if q.Desc {
			return cmp.Or(compare(b, a), cmp.Compare(a.ID, b.ID))
		}
		return cmp.Or(compare(a, b), cmp.Compare(a.ID, b.ID))
	})
	return es
}
