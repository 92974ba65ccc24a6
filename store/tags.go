package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/quirelib/quire"
)

func (d *data) deriveTag(old, cur *quire.Tag) {
	if old != nil {
		d.tagsOf.remove(old.OwnerID, old.ID)
	}
	if cur != nil {
		d.tagsOf.add(cur.OwnerID, cur.ID, cur)
	}
}

// Tag implements [quire.TagReader].
func (tx readTx) Tag(ctx context.Context, id int64) (quire.Tag, error) {
	return found(ctx, tx.tags.rows[id], cloneTag, "tag")
}

// Tags implements [quire.TagReader].
func (tx readTx) Tags(ctx context.Context, ids []int64) (map[int64]quire.Tag, error) {
	return pick(ctx, tx.tags.rows, ids, cloneTag)
}

// TagSizes implements [quire.TagReader].
func (tx readTx) TagSizes(ctx context.Context, ids []int64) (map[int64]int64, error) {
	return pick(ctx, tx.tags.rows, ids, func(t quire.Tag) int64 { return int64(len(t.Description)) })
}

// tagNotes is how long the descriptions of tags are.
func (tx readTx) tagNotes(ids []int64) (n int64) {
	for _, id := range ids {
		if t := tx.tags.rows[id]; t != nil {
			n += int64(len(t.Description))
		}
	}
	return n
}

// TagsOf implements [quire.TagReader].
func (tx readTx) TagsOf(ctx context.Context, ownerID string) ([]quire.Tag, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var tags []quire.Tag
	for _, t := range tx.tagsOf[ownerID] {
		tags = append(tags, cloneTag(*t))
	}
	slices.SortFunc(tags, func(a, b quire.Tag) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return tags, nil
}

// TagIDsOf implements [quire.TagReader].
func (tx readTx) TagIDsOf(ctx context.Context, ownerID string) ([]int64, error) {
	tags, err := tx.TagsOf(ctx, ownerID)
	var ids []int64
	for _, t := range tags {
		ids = append(ids, t.ID)
	}
	return ids, err
}

// Tagged implements [quire.TagReader]. It reads every row: a tag is renamed or
// deleted seldom.
func (tx readTx) Tagged(ctx context.Context, tagID int64) (elementals []string, lists []int64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	for id, e := range tx.elementals.rows {
		if slices.Contains(e.record.TagIDs, tagID) {
			elementals = append(elementals, id)
		}
	}
	for id, l := range tx.lists.rows {
		if slices.Contains(l.record.TagIDs, tagID) {
			lists = append(lists, id)
		}
	}
	slices.Sort(elementals)
	slices.Sort(lists)
	return elementals, lists, nil
}

// PutTag implements [quire.TagWriter].
func (tx *writeTx) PutTag(ctx context.Context, t quire.Tag) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx.tags.set(&tx.undo, t.ID, new(cloneTag(t)))
	return nil
}

// DeleteTag implements [quire.TagWriter].
func (tx *writeTx) DeleteTag(ctx context.Context, id int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx.tags.set(&tx.undo, id, nil)
	return nil
}
