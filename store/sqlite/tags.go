package sqlite

import (
	"context"

	"github.com/quirelib/quire"
)

var (
	tagColumns = columns{"id", "owner_id", "title", "color", "description", "elemental_type_id",
		"source_user_id", "source_tag_id", "created_at", "updated_at"}
	selectTag = `SELECT ` + tagColumns.of("t") + ` FROM tags t `
	putTag    = tagColumns.upsert("tags", "id")
)

func scanTag(row scanner) (t quire.Tag, err error) {
	err = row.Scan(&t.ID, &t.OwnerID, &t.Title, &t.Color, &t.Description, &t.ElementalTypeID,
		&t.SourceUserID, &t.SourceTagID, moment{&t.CreatedAt}, moment{&t.UpdatedAt})
	return t, err
}

// Tag implements quire.TagReader.
func (t *tx) Tag(ctx context.Context, id int64) (quire.Tag, error) {
	return one(ctx, t, scanTag, selectTag+`WHERE t.id = ?`, id)
}

// Tags implements quire.TagReader.
func (t *tx) Tags(ctx context.Context, ids []int64) (map[int64]quire.Tag, error) {
	return byID(ctx, t, scanTag, selectTag+`WHERE t.id IN `+members, ids,
		func(g quire.Tag) int64 { return g.ID })
}

// TagSizes implements quire.TagReader. See ElementalSizes.
func (t *tx) TagSizes(ctx context.Context, ids []int64) (map[int64]int64, error) {
	type sized struct{ id, bytes int64 }
	scan := func(row scanner) (s sized, err error) {
		err = row.Scan(&s.id, &s.bytes)
		return s, err
	}
	found, err := byID(ctx, t, scan, `SELECT t.id, octet_length(t.description) FROM tags t WHERE t.id IN `+members, ids,
		func(s sized) int64 { return s.id })
	sizes := make(map[int64]int64, len(found))
	for id, s := range found {
		sizes[id] = s.bytes
	}
	return sizes, err
}

// TagsOf implements quire.TagReader.
func (t *tx) TagsOf(ctx context.Context, ownerID string) ([]quire.Tag, error) {
	return all(ctx, t, scanTag, selectTag+`WHERE t.owner_id = ? ORDER BY t.created_at, t.id`, ownerID)
}

// TagIDsOf implements quire.TagReader.
func (t *tx) TagIDsOf(ctx context.Context, ownerID string) ([]int64, error) {
	return all(ctx, t, value[int64], `SELECT t.id FROM tags t WHERE t.owner_id = ? ORDER BY t.created_at, t.id`, ownerID)
}

// Tagged implements quire.TagReader.
func (t *tx) Tagged(ctx context.Context, tagID int64) (elementals []string, lists []int64, err error) {
	elementals, err = all(ctx, t, value[string], `
		SELECT DISTINCT e.id FROM elemental_tags g CROSS JOIN elementals e ON e.num = g.elemental
		WHERE g.tag_id = ? ORDER BY e.id`, tagID)
	if err != nil {
		return nil, nil, err
	}
	lists, err = all(ctx, t, value[int64],
		`SELECT DISTINCT g.list_id FROM list_tags g WHERE g.tag_id = ? ORDER BY g.list_id`, tagID)
	return elementals, lists, err
}

// PutTag implements quire.TagWriter.
func (t *tx) PutTag(ctx context.Context, g quire.Tag) error {
	return t.run(ctx, putTag, g.ID, g.OwnerID, g.Title, g.Color, g.Description, g.ElementalTypeID,
		g.SourceUserID, g.SourceTagID, micros(g.CreatedAt), micros(g.UpdatedAt))
}

// DeleteTag implements quire.TagWriter.
func (t *tx) DeleteTag(ctx context.Context, id int64) error {
	return t.run(ctx, `DELETE FROM tags WHERE id = ?`, id)
}
