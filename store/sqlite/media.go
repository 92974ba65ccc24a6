package sqlite

import (
	"context"
	"slices"

	"github.com/quirelib/quire"
)

var (
	mediaColumns = columns{"id", "kind", "name", "mime_type", "size", "width", "height", "blur", "ordinal", "created_at"}
	selectMedia  = `SELECT ` + subjectOf("m") + `, ` + mediaColumns.of("m") + ` FROM media m `
	putMedia     = slices.Concat(subjectColumns, mediaColumns, columns{"checksum", "data"}).upsert("media", "id", subjectValues...)
)

func scanMedia(row scanner) (m quire.Media, err error) {
	err = row.Scan(&m.Owner.ElementalID, &m.Owner.ListID, &m.ID, &m.Kind, &m.Name, &m.MIMEType, &m.Size,
		&m.Width, &m.Height, &m.Blur, &m.Ordinal, moment{&m.CreatedAt})
	return m, err
}

// Media implements quire.MediaReader.
func (t *tx) Media(ctx context.Context, id int64) (quire.Media, error) {
	return one(ctx, t, scanMedia, selectMedia+`WHERE m.id = ?`, id)
}

// MediaOf implements quire.MediaReader.
func (t *tx) MediaOf(ctx context.Context, owners []quire.MediaOwner) (map[quire.MediaOwner][]quire.Media, error) {
	subjects := make([]quire.Subject, len(owners))
	for i, o := range owners {
		subjects[i] = quire.Subject(o)
	}
	ms, err := allAbout(ctx, t, scanMedia, selectMedia+`WHERE m.`, ` ORDER BY m.kind, m.ordinal, m.id`, subjects)
	if err != nil {
		return nil, err
	}
	byOwner := map[quire.MediaOwner][]quire.Media{}
	for _, m := range ms {
		byOwner[m.Owner] = append(byOwner[m.Owner], m)
	}
	return byOwner, nil
}

// MediaData implements quire.MediaReader.
func (t *tx) MediaData(ctx context.Context, id int64) ([]byte, error) {
	return one(ctx, t, value[[]byte], `SELECT data FROM media WHERE id = ?`, id)
}

// PutMedia implements quire.MediaWriter.
func (t *tx) PutMedia(ctx context.Context, m quire.Media, data []byte) error {
	_, err := t.exec(ctx, putMedia, m.Owner.ElementalID, m.Owner.ListID, m.ID, m.Kind, m.Name, m.MIMEType, m.Size,
		m.Width, m.Height, m.Blur, m.Ordinal, micros(m.CreatedAt), mediaSum(m, data), blob(data))
	return noSubject(ctx, err)
}

// DeleteMedia implements quire.MediaWriter.
func (t *tx) DeleteMedia(ctx context.Context, id int64) error {
	return t.run(ctx, `DELETE FROM media WHERE id = ?`, id)
}
