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
	order := `key, id`
	if q.Desc {
		order = `key DESC, id`
	}
	const (
		shown = seen + ` AND i.list_id = ?`
		count = `SELECT count(*) FROM list_items i` + shown
	)
	from := ` FROM list_items i`
	if q.Order != quire.OrderIndex {
		from += ` CROSS JOIN elementals e ON e.num = i.elemental` // CROSS keeps SQLite from starting with the elementals
	}
	page := `SELECT i.elemental AS num, ` + key + ` AS key, i.elemental_id AS id` + from + shown + ` ORDER BY ` + order + ` LIMIT ? OFFSET ?`
	packed := shortPacked
	if !q.WithoutBody {
		packed = `NULL`
	}
	shorts, err := all(ctx, t, scanShort, `SELECT p.num, `+packed+`, (`+count+`) FROM (`+page+`) p
		LEFT JOIN elemental_short s ON s.num = p.num ORDER BY `+order, q.Viewer.OwnerID, q.ListID, q.Viewer.OwnerID, q.ListID, q.Limit, q.Offset)
	switch {
	case err != nil:
		return nil, 0, err
	case len(shorts) == 0: // a page past the end, or nothing at all
		total, err := one(ctx, t, value[int], count, q.Viewer.OwnerID, q.ListID)
		return nil, total, err
	}
	var es []quire.ElementalRecord
	if q.WithoutBody {
		es, err = t.unpackAll(ctx, shorts)
	} else {
		nums := make([]int64, len(shorts))
		for i, s := range shorts {
			nums[i] = s.num
		}
		es, err = t.elementalsInOrder(ctx, nums)
	}
	return es, shorts[0].total, err
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
	return all(ctx, t, scanItem, selectItem+`WHERE i.list_id = ? ORDER BY i.order_index, i.elemental_id`, listID)
}

const selectItem = `SELECT i.list_id, i.elemental_id, i.order_index, i.added_at FROM list_items i `

func scanItem(row scanner) (it quire.ListItem, err error) {
	err = row.Scan(&it.ListID, &it.ElementalID, &it.OrderIndex, moment{&it.AddedAt})
	return it, err
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
