package store

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/quirelib/quire"
)

// media is a file's row.
type media struct {
	about quire.Media
	data  []byte
}

func (d *data) deriveMedia(old, cur *media) {
	if old != nil {
		d.mediaOf.remove(old.about.Owner, old.about.ID)
	}
	if cur != nil {
		d.mediaOf.add(cur.about.Owner, cur.about.ID, cur)
	}
}

// Media implements [quire.MediaReader].
func (tx readTx) Media(ctx context.Context, id int64) (quire.Media, error) {
	return found(ctx, tx.media.rows[id], func(m media) quire.Media { return m.about }, "file")
}

// MediaOf implements [quire.MediaReader].
func (tx readTx) MediaOf(ctx context.Context, owners []quire.MediaOwner) (map[quire.MediaOwner][]quire.Media, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all := map[quire.MediaOwner][]quire.Media{}
	for _, o := range owners {
		if len(tx.mediaOf[o]) > 0 {
			all[o] = tx.sortedMedia(o)
		}
	}
	return all, nil
}

func (tx readTx) sortedMedia(owner quire.MediaOwner) []quire.Media {
	var ms []quire.Media
	for _, m := range tx.mediaOf[owner] {
		ms = append(ms, m.about)
	}
	slices.SortFunc(ms, func(a, b quire.Media) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(a.ID, b.ID))
	})
	return ms
}

// MediaData implements [quire.MediaReader].
func (tx readTx) MediaData(ctx context.Context, id int64) ([]byte, error) {
	return found(ctx, tx.media.rows[id], func(m media) []byte { return slices.Clone(m.data) }, "file")
}

// PutMedia implements [quire.MediaWriter].
func (tx *writeTx) PutMedia(ctx context.Context, m quire.Media, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := tx.exists(quire.Subject(m.Owner)); err != nil {
		return err
	}
	m.CreatedAt = moment(m.CreatedAt)
	tx.media.set(&tx.undo, m.ID, &media{m, slices.Clone(data)})
	return nil
}

// DeleteMedia implements [quire.MediaWriter].
func (tx *writeTx) DeleteMedia(ctx context.Context, id int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx.media.set(&tx.undo, id, nil)
	return nil
}

// deleteMediaOf deletes all files of an owner.
func (tx *writeTx) deleteMediaOf(owner quire.MediaOwner) {
	for id := range maps.Clone(tx.mediaOf[owner]) {
		tx.media.set(&tx.undo, id, nil)
	}
}
