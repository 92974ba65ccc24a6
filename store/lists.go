package store

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/quirelib/quire"
)

// list is a list's row.
type list struct {
	record quire.ListRecord
	text   quire.IndexedText
}

func (d *data) deriveList(old, cur *list) {
	if old != nil {
		d.listsIn.remove(old.record.TenantID, old.record.ID)
		d.tableLists.remove(old.record.TableID, old.record.ID)
	}
	if cur != nil {
		d.listsIn.add(cur.record.TenantID, cur.record.ID, &cur.record)
		if cur.record.TableID != "" {
			d.tableLists.add(cur.record.TableID, cur.record.ID, &cur.record)
		}
	}
	switch {
	case cur == nil && old == nil:
	case cur == nil:
		d.listText.remove(old.record.ID)
	default:
		d.listText.put(cur.record.ID, cur.text)
	}
}

func cloneListRecord(l list) quire.ListRecord { return cloneList(l.record) }

// List implements [quire.ListReader].
func (tx readTx) List(ctx context.Context, id int64) (quire.ListRecord, error) {
	return found(ctx, tx.lists.rows[id], cloneListRecord, "list")
}

// Lists implements [quire.ListReader].
func (tx readTx) Lists(ctx context.Context, ids []int64) (map[int64]quire.ListRecord, error) {
	return pick(ctx, tx.lists.rows, ids, cloneListRecord)
}

// ListSizes implements [quire.ListReader].
func (tx readTx) ListSizes(ctx context.Context, ids []int64) (map[int64]quire.ListSize, error) {
	return pick(ctx, tx.lists.rows, ids, func(l list) quire.ListSize { return tx.listSize(&l.record) })
}

func (tx readTx) listSize(l *quire.ListRecord) quire.ListSize {
	s := quire.ListSize{Description: int64(len(l.Description))}
	s.Notes = s.Description + int64(len(l.Template)) + stepNotes(l.TutorialSteps) + tx.tagNotes(l.TagIDs)
	s.Notes += tx.rateNotes(quire.Subject{ListID: l.ID})
	return s
}

// SearchLists implements [quire.ListReader].
func (tx readTx) SearchLists(ctx context.Context, q quire.ListSearch) ([]quire.ListRecord, int, error) {
	ids, total, err := tx.FindLists(ctx, q)
	var ls []quire.ListRecord
	for _, id := range ids {
		ls = append(ls, cloneListRecord(*tx.lists.rows[id]))
	}
	return ls, total, err
}

// FindLists implements [quire.ListReader].
func (tx readTx) FindLists(ctx context.Context, q quire.ListSearch) ([]int64, int, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	var ids []int64
	if q.Text == nil {
		ids = tx.listsByAge()
	} else {
		ids = ranked(tx.listText.search(*q.Text))
	}
	ids = slices.DeleteFunc(ids, func(id int64) bool {
		l := &tx.lists.rows[id].record
		return !visible(q.Viewer, l.OwnerID, l.Visibility) || q.Viewer.ListsPlain && l.TableID != ""
	})
	return page(ids, q.Offset, q.Limit), len(ids), nil
}

// listsByAge returns the ids of all lists, newest first, ties by ascending id.
func (tx readTx) listsByAge() []int64 {
	return slices.SortedFunc(maps.Keys(tx.lists.rows), func(a, b int64) int {
		x, y := tx.lists.rows[a].record.CreatedAt, tx.lists.rows[b].record.CreatedAt
		return cmp.Or(y.Compare(x), cmp.Compare(a, b))
	})
}

// TableLists implements [quire.ListReader].
func (tx readTx) TableLists(ctx context.Context, tableID string) ([]quire.ListRecord, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var ls []quire.ListRecord
	for _, l := range tx.tableLists[tableID] {
		ls = append(ls, cloneList(*l))
	}
	slices.SortFunc(ls, func(a, b quire.ListRecord) int { // "column" sorts before "row"
		return cmp.Or(cmp.Compare(a.TableOrientation, b.TableOrientation),
			cmp.Compare(a.TableIndex, b.TableIndex), cmp.Compare(a.ID, b.ID))
	})
	return ls, nil
}

// TenantLists implements [quire.ListReader].
func (tx readTx) TenantLists(ctx context.Context, tenantID string) iter.Seq2[quire.ListRecord, error] {
	return inOrder(ctx, tx.listsIn[tenantID], cloneList)
}

// PutList implements [quire.ListWriter].
func (tx *writeTx) PutList(ctx context.Context, l quire.ListRecord, text quire.IndexedText) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx.lists.set(&tx.undo, l.ID, &list{cloneList(l), text})
	return nil
}

// DeleteList implements [quire.ListWriter].
func (tx *writeTx) DeleteList(ctx context.Context, id int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for elementalID := range maps.Clone(tx.itemsOf[id]) {
		tx.items.set(&tx.undo, itemKey{id, elementalID}, nil)
	}
	tx.deleteEngagement(quire.Subject{ListID: id})
	tx.lists.set(&tx.undo, id, nil)
	return nil
}
