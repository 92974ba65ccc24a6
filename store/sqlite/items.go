package sqlite

import (
	"context"

	"github.com/quirelib/quire"
)

// seen selects the items that a viewer is shown: of elementals that he owns and of Public
// ones.
const seen = ` WHERE (i.visibility = 1 OR i.owner_id = ?)`

// itemOrders are the sort keys of the orders.
var itemOrders = map[quire.ItemOrder]string{
	quire.OrderIndex:     `i.order_index`,
	quire.OrderCreatedAt: `e.created_at`,
	quire.OrderUpdatedAt: `coalesce(e.updated_at, e.created_at)`,
	quire.OrderTitle:     `e.title`,
}

// ListItems implements quire.ListReader.
func (t *tx) ListItems(ctx context.Context, q quire.ItemQuery) ([]quire.ElementalRecord, int, error) {
	key, ok := itemOrders[q.Order]
	if !ok {
		return nil, 0, quire.Errorf(quire.CodeInvalid, "the order of the items is unknown")
	}
	if q.Desc {
		key += ` DESC`
	}
	const shown = seen + ` AND i.list_id = ?`
	total, err := one(ctx, t, value[int], `SELECT count(*) FROM list_items i`+shown, q.Viewer.OwnerID, q.ListID)
	if err != nil {
		return nil, 0, err
	}
	from := ` FROM list_items i`
	if q.Order != quire.OrderIndex {
		from += ` CROSS JOIN elementals e ON e.num = i.elemental` // CROSS keeps SQLite from starting with the elementals
	}
	nums, err := all(ctx, t, value[int64], `SELECT i.elemental`+from+shown+` ORDER BY `+key+`, i.elemental_id LIMIT ? OFFSET ?`,
		q.Viewer.OwnerID, q.ListID, q.Limit, q.Offset)
	if err != nil {
		return nil, 0, err
	}
	es, err := t.elementalsInOrder(ctx, nums, !q.WithoutBody)
	return es, total, err
}

// CountItems implements quire.ListReader.
func (t *tx) CountItems(ctx context.Context, listIDs []int64, v quire.Viewer) (map[int64]int, error) {
	type count struct {
		listID int64
		n      int
	}
	scan := func(row scanner) (c count, err error) {
		err = row.Scan(&c.listID, &c.n)
		return c, err
	}
	rows, err := all(ctx, t, scan, `SELECT i.list_id, count(*) FROM list_items i`+seen+` AND i.list_id IN `+members+`
		GROUP BY i.list_id`, v.OwnerID, array(listIDs))
	if err != nil {
		return nil, err
	}
	counts := make(map[int64]int, len(rows))
	for _, c := range rows {
		counts[c.listID] = c.n
	}
	return counts, nil
}

// Items implements quire.ListReader.
func (t *tx) Items(ctx context.Context, listID int64) ([]quire.ListItem, error) {
	scan := func(row scanner) (it quire.ListItem, err error) {
		err = row.Scan(&it.ListID, &it.ElementalID, &it.OrderIndex, moment{&it.AddedAt})
		return it, err
	}
	return all(ctx, t, scan, `
		SELECT i.list_id, i.elemental_id, i.order_index, i.added_at
		FROM list_items i WHERE i.list_id = ? ORDER BY i.order_index, i.elemental_id`, listID)
}

// PutItem implements quire.ListWriter.
func (t *tx) PutItem(ctx context.Context, it quire.ListItem) error {
	n, err := t.exec(ctx, `
		INSERT INTO list_items (list_id, elemental, order_index, added_at, elemental_id, owner_id, visibility)
		SELECT ?, e.num, ?, ?, e.id, e.owner_id, e.visibility FROM elementals e WHERE e.id = ?
		ON CONFLICT (list_id, elemental)
		DO UPDATE SET order_index = excluded.order_index, added_at = excluded.added_at`,
		it.ListID, it.OrderIndex, micros(it.AddedAt), it.ElementalID)
	switch {
	case isForeignKeyViolation(err):
		return quire.Errorf(quire.CodeNotFound, "the list does not exist").WithCause(err)
	case err != nil:
		return failure(ctx, err)
	case n == 0:
		return quire.Errorf(quire.CodeNotFound, "the elemental does not exist")
	}
	return nil
}

// DeleteItem implements quire.ListWriter.
func (t *tx) DeleteItem(ctx context.Context, listID int64, elementalID string) error {
	return t.run(ctx, `DELETE FROM list_items WHERE list_id = ? AND elemental = `+numOfElemental, listID, elementalID)
}
