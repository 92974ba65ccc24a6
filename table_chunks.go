package quire

import (
	"context"
	"maps"
	"slices"
)

// refreshMixed makes the chunks follow of all tables, and elementals with files, that a
// transaction changed. A change of many cells so reads and writes them once.
func (ch *changes) refreshMixed(ctx context.Context, tx Tx) error {
	for _, id := range slices.Sorted(maps.Keys(ch.follow)) {
		err := ch.refreshItems(ctx, tx, id)
		if err != nil && CodeOf(err) != CodeNotFound { // one that was deleted left no chunks
			return err
		}
	}
	return nil
}

// refreshItems makes the stored chunks of an elemental follow it: their metadata, which
// differs from item to item, and that those of cells and files that are gone go too.
// Those of texts that have changed stay until the next ingest, as with any elemental.
func (ch *changes) refreshItems(ctx context.Context, tx Tx, id string) error {
	rec, err := tx.Elemental(ctx, id)
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
		ch.follow[rec.TableID] = true
	}
}
