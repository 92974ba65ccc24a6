package quire

import (
	"context"
	"maps"
	"slices"
)

// refreshTables makes the chunks of all tables follow that a transaction changed. A
// change of many cells so reads and writes them once.
func (ch *changes) refreshTables(ctx context.Context, tx Tx) error {
	for _, tableID := range slices.Sorted(maps.Keys(ch.tables)) {
		err := ch.refreshTable(ctx, tx, tableID)
		if err != nil && CodeOf(err) != CodeNotFound { // a table that was deleted left no chunks
			return err
		}
	}
	return nil
}

// refreshTable makes the stored chunks of a table follow it: their metadata, which
// differs from cell to cell, and that those of cells that are gone go too. Those of
// texts that have changed stay until the next ingest, as with any elemental.
func (ch *changes) refreshTable(ctx context.Context, tx Tx, tableID string) error {
	rec, err := tx.Elemental(ctx, tableID)
	if err != nil {
		return err
	}
	refs, err := chunkRefs(ctx, tx, rec.TenantID, rec.ID)
	if err != nil || len(refs) == 0 {
		return err
	}
	metas, err := ch.lib.chunkMetas(ctx, tx, rec)
	if err != nil {
		return err
	}
	chunks, err := tx.ChunksOf(ctx, rec.ID)
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(chunks, func(c Chunk) bool { _, ok := metas[c.ItemID]; return !ok })
	changed := len(left) < len(refs)
	for i := range left {
		changed = metas[left[i].ItemID].apply(&left[i]) || changed
	}
	if !changed {
		return nil
	}
	return ch.replace(ctx, tx, rec.TenantID, rec.ID, left)
}

// refreshList makes stored chunks follow the tags of a column. Other lists have no part
// in any.
func (ch *changes) refreshList(rec ListRecord) {
	if rec.TableOrientation == TableColumn {
		ch.tables[rec.TableID] = true
	}
}
