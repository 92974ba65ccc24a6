package quire

import (
	"context"
	"slices"
)

// tagReader is a transaction that reads each tag once, for changes of much that has the
// same tags. Tags must not be written through it.
type tagReader struct {
	Tx
	known map[int64]Tag
}

// Tags is what TagReader says.
func (t tagReader) Tags(ctx context.Context, ids []int64) (map[int64]Tag, error) {
	missing := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		_, ok := t.known[id]
		return ok
	})
	if len(missing) > 0 {
		read, err := t.Tx.Tags(ctx, missing)
		if err != nil {
			return nil, err
		}
		for id, tag := range read {
			t.known[id] = tag
		}
	}
	tags := make(map[int64]Tag, len(ids))
	for _, id := range ids {
		if tag, ok := t.known[id]; ok {
			tags[id] = tag
		}
	}
	return tags, nil
}

// retag makes search texts and chunks of everything that has a tag follow its new title.
// The records hold the id of the tag, so they stay as they are.
func retag(ctx context.Context, tx Tx, ch *changes, tagID int64) error {
	elementals, lists, err := tx.Tagged(ctx, tagID)
	if err != nil {
		return err
	}
	tx = tagReader{tx, make(map[int64]Tag)}
	for _, id := range elementals {
		rec, err := tx.Elemental(ctx, id)
		if err != nil {
			return err
		}
		text, err := indexStored(ctx, tx, rec)
		if err != nil {
			return err
		}
		if err := tx.PutElementalText(ctx, id, text); err != nil {
			return err
		}
		if err := ch.refresh(ctx, tx, rec); err != nil {
			return err
		}
	}
	for _, id := range lists {
		rec, err := tx.List(ctx, id)
		if err != nil {
			return err
		}
		tags, err := tagsInOrder(ctx, tx, rec.TagIDs)
		if err != nil {
			return err
		}
		if err := tx.PutList(ctx, rec, indexList(rec, tags)); err != nil {
			return err
		}
		ch.refreshList(rec)
	}
	return nil
}

// untag takes a tag off everything that has it, each as its next version.
func (l *Library) untag(ctx context.Context, tx Tx, ch *changes, tagID int64) error {
	elementals, lists, err := tx.Tagged(ctx, tagID)
	if err != nil {
		return err
	}
	without := func(ids []int64) []int64 {
		return slices.DeleteFunc(ids, func(id int64) bool { return id == tagID })
	}
	tx = tagReader{tx, make(map[int64]Tag)}
	for _, id := range elementals {
		rec, err := tx.Elemental(ctx, id)
		if err != nil {
			return err
		}
		rec.TagIDs = without(rec.TagIDs)
		if _, err := l.saveElemental(ctx, tx, ch, rec); err != nil {
			return err
		}
	}
	for _, id := range lists {
		rec, err := tx.List(ctx, id)
		if err != nil {
			return err
		}
		rec.TagIDs = without(rec.TagIDs)
		if _, err := saveList(ctx, tx, rec); err != nil {
			return err
		}
		ch.refreshList(rec)
	}
	return nil
}
