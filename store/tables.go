package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/quirelib/quire"
)

// ShowTable implements [quire.TableWriter].
func (tx *writeTx) ShowTable(ctx context.Context, tableID string, v quire.Visibility, at time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	at = moment(at)
	for _, id := range slices.Collect(maps.Keys(tx.cellsOf[tableID])) {
		row := tx.elementals.rows[id]
		e := cloneElemental(row.record)
		e.Visibility, e.UpdatedAt = v, new(at)
		e.Version = quire.NextVersion(e.Version)
		tx.elementals.set(&tx.undo, id, &elemental{e, row.text})
	}
	for _, id := range slices.Collect(maps.Keys(tx.tableLists[tableID])) {
		row := tx.lists.rows[id]
		l := cloneList(row.record)
		l.Visibility, l.UpdatedAt = v, new(at)
		l.Version = quire.NextVersion(l.Version)
		tx.lists.set(&tx.undo, id, &list{l, row.text})
	}
	return nil
}

// ClearTable implements [quire.TableWriter].
func (tx *writeTx) ClearTable(ctx context.Context, tableID string) error {
	for _, id := range slices.Collect(maps.Keys(tx.cellsOf[tableID])) {
		if err := tx.DeleteElemental(ctx, id); err != nil {
			return err
		}
	}
	for _, id := range slices.Collect(maps.Keys(tx.tableLists[tableID])) {
		if err := tx.DeleteList(ctx, id); err != nil {
			return err
		}
	}
	return ctx.Err()
}
