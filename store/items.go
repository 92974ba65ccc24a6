package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/quirelib/quire"
)

// itemKey is what a membership is found by.
type itemKey struct {
	listID      int64
	elementalID string
}

func (d *data) deriveItem(old, cur *quire.ListItem) {
	if old != nil {
		d.itemsOf.remove(old.ListID, old.ElementalID)
		d.memberships.remove(old.ElementalID, old.ListID)
	}
	if cur != nil {
		d.itemsOf.add(cur.ListID, cur.ElementalID, cur)
		d.memberships.add(cur.ElementalID, cur.ListID, cur)
	}
}

// member is a membership with its elemental.
type member struct {
	item *quire.ListItem
	*quire.ElementalRecord
}

// members returns the items of a list that a viewer is shown, in no order:
// whatever he owns and whatever is Public.
func (tx readTx) members(listID int64, v quire.Viewer) []member {
	var ms []member
	for id, it := range tx.itemsOf[listID] {
		e := &tx.elementals.rows[id].record
		if e.OwnerID == v.OwnerID || e.Visibility == quire.Public {
			ms = append(ms, member{it, e})
		}
	}
	return ms
}

// ListItems implements [quire.ListReader].
func (tx readTx) ListItems(ctx context.Context, q quire.ItemQuery) ([]quire.ElementalRecord, int, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	ms := tx.members(q.ListID, q.Viewer)
	compare := memberOrder(q.Order)
	slices.SortFunc(ms, func(a, b member) int {
		c := compare(a, b)
		if q.Desc {
			c = -c
		}
		return cmp.Or(c, cmp.Compare(a.ID, b.ID))
	})
	var es []quire.ElementalRecord
	for _, m := range page(ms, q.Offset, q.Limit) {
		e := cloneElemental(*m.ElementalRecord)
		if q.WithoutBody {
			e = withoutBody(e)
		}
		es = append(es, e)
	}
	return es, len(ms), nil
}

// memberOrder returns the comparison of an order, ascending and without the id.
func memberOrder(o quire.ItemOrder) func(a, b member) int {
	switch o {
	case quire.OrderCreatedAt:
		return func(a, b member) int { return a.CreatedAt.Compare(b.CreatedAt) }
	case quire.OrderUpdatedAt:
		return func(a, b member) int { return a.changedAt().Compare(b.changedAt()) }
	case quire.OrderTitle:
		return func(a, b member) int { return cmp.Compare(a.Title, b.Title) }
	default:
		return func(a, b member) int { return cmp.Compare(a.item.OrderIndex, b.item.OrderIndex) }
	}
}

// changedAt is when the elemental was last changed, or else created.
func (m member) changedAt() time.Time {
	if m.UpdatedAt == nil {
		return m.CreatedAt
	}
	return *m.UpdatedAt
}

// CountItems implements [quire.ListReader].
func (tx readTx) CountItems(ctx context.Context, listIDs []int64, v quire.Viewer) (map[int64]int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	counts := map[int64]int{}
	for _, id := range listIDs {
		if n := len(tx.members(id, v)); n > 0 {
			counts[id] = n
		}
	}
	return counts, nil
}

// Items implements [quire.ListReader].
func (tx readTx) Items(ctx context.Context, listID int64) ([]quire.ListItem, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var items []quire.ListItem
	for _, it := range tx.itemsOf[listID] {
		items = append(items, cloneItem(*it))
	}
	slices.SortFunc(items, func(a, b quire.ListItem) int {
		return cmp.Or(cmp.Compare(a.OrderIndex, b.OrderIndex), cmp.Compare(a.ElementalID, b.ElementalID))
	})
	return items, nil
}

// PutItem implements [quire.ListWriter].
func (tx *writeTx) PutItem(ctx context.Context, it quire.ListItem) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if tx.lists.rows[it.ListID] == nil {
		return notFound("list")
	}
	if tx.elementals.rows[it.ElementalID] == nil {
		return notFound("elemental")
	}
	tx.items.set(&tx.undo, itemKey{it.ListID, it.ElementalID}, new(cloneItem(it)))
	return nil
}

// DeleteItem implements [quire.ListWriter].
func (tx *writeTx) DeleteItem(ctx context.Context, listID int64, elementalID string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx.items.set(&tx.undo, itemKey{listID, elementalID}, nil)
	return nil
}
