package sqlite

import (
	"context"
	"iter"
	"slices"

	"github.com/quirelib/quire"
)

var (
	listColumns = slices.Concat(columns{"id", "owner_id", "tenant_id", "visibility", "type_id", "title", "table_id",
		"table_orientation", "table_index", "created_at", "updated_at", "version", "is_premium", "is_fixed_price", "price",
		"price_original", "knowledge_base", "is_template", "is_system"}, counterColumns,
		columns{"video_url", "description", "tutorial_steps", "template"})
	selectList = `SELECT ` + listColumns.of("l") + `,
		(SELECT json_group_array(g.tag_id) FROM (SELECT tag_id FROM list_tags WHERE list_id = l.id ORDER BY ordinal) g)
		FROM lists l `
	putList = slices.Concat(listColumns, columns{"sum"}).upsert("lists", "id")
)

func scanList(row scanner) (l quire.ListRecord, err error) {
	err = row.Scan(slices.Concat(
		[]any{&l.ID, &l.OwnerID, &l.TenantID, &l.Visibility, &l.TypeID, &l.Title, &l.TableID,
			&l.TableOrientation, &l.TableIndex, moment{&l.CreatedAt}, optMoment{&l.UpdatedAt}, &l.Version,
			&l.IsPremium, &l.IsFixedPrice, &l.Price, &l.PriceOriginal,
			&l.Settings.KnowledgeBase, &l.Settings.Template, &l.Settings.System},
		counterFields(&l.Counters),
		[]any{&l.VideoURL, &l.Description, arrayTo[quire.TutorialStep]{&l.TutorialSteps}, &l.Template,
			arrayTo[int64]{&l.TagIDs}})...)
	return l, err
}

// listValues are the values of listColumns.
func listValues(l quire.ListRecord) []any {
	return slices.Concat(
		[]any{l.ID, l.OwnerID, l.TenantID, l.Visibility, l.TypeID, l.Title, l.TableID,
			l.TableOrientation, l.TableIndex, micros(l.CreatedAt), optMicros(l.UpdatedAt), l.Version,
			l.IsPremium, l.IsFixedPrice, l.Price, l.PriceOriginal,
			l.Settings.KnowledgeBase, l.Settings.Template, l.Settings.System},
		counterValues(l.Counters),
		[]any{l.VideoURL, l.Description, array(l.TutorialSteps), l.Template})
}

// List implements quire.ListReader.
func (t *tx) List(ctx context.Context, id int64) (quire.ListRecord, error) {
	return one(ctx, t, scanList, selectList+`WHERE l.id = ?`, id)
}

// Lists implements quire.ListReader.
func (t *tx) Lists(ctx context.Context, ids []int64) (map[int64]quire.ListRecord, error) {
	return byID(ctx, t, scanList, selectList+`WHERE l.id IN `+members, ids, func(l quire.ListRecord) int64 { return l.ID })
}

// ListSizes implements quire.ListReader. See ElementalSizes.
func (t *tx) ListSizes(ctx context.Context, ids []int64) (map[int64]quire.ListSize, error) {
	type sized struct {
		id int64
		quire.ListSize
	}
	scan := func(row scanner) (s sized, err error) {
		err = row.Scan(&s.id, &s.Description, &s.Notes)
		return s, err
	}
	found, err := byID(ctx, t, scan, `SELECT l.id, octet_length(l.description), `+listNotes+` FROM lists l WHERE l.id IN `+members, ids,
		func(s sized) int64 { return s.id })
	sizes := make(map[int64]quire.ListSize, len(found))
	for id, s := range found {
		sizes[id] = s.ListSize
	}
	return sizes, err
}

// listsInOrder returns the lists of a page, which exist.
func (t *tx) listsInOrder(ctx context.Context, ids []int64) ([]quire.ListRecord, error) {
	found, err := t.Lists(ctx, ids)
	if err != nil {
		return nil, err
	}
	ls := make([]quire.ListRecord, len(ids))
	for i, id := range ids {
		ls[i] = found[id]
	}
	return ls, nil
}

// TableLists implements quire.ListReader.
func (t *tx) TableLists(ctx context.Context, tableID string) ([]quire.ListRecord, error) {
	return all(ctx, t, scanList, selectList+`WHERE l.table_id = ? AND l.table_id <> ''
		ORDER BY l.table_orientation, l.table_index, l.id`, tableID) // 'column' sorts before 'row'
}

// TenantLists implements quire.ListReader.
func (t *tx) TenantLists(ctx context.Context, tenantID string) iter.Seq2[quire.ListRecord, error] {
	return stream(ctx, t, scanList, selectList+`WHERE l.tenant_id = ? ORDER BY l.id`, tenantID)
}

// PutList implements quire.ListWriter.
func (t *tx) PutList(ctx context.Context, l quire.ListRecord, text quire.IndexedText) error {
	return t.runAll(ctx, []statement{
		{putList, append(listValues(l), listSum(l))},
		{`DELETE FROM list_tags WHERE list_id = ?`, []any{l.ID}},
		{`INSERT INTO list_tags (list_id, ordinal, tag_id) SELECT ?, j.key, j.value FROM json_each(?) j`,
			[]any{l.ID, array(l.TagIDs)}},
		{deleteListText, []any{l.ID}},
		{`INSERT INTO list_text (rowid, title, description, tags) VALUES (?, ?, ?, ?)`,
			[]any{l.ID, text.Title, text.Description, text.Tags}},
	})
}

const deleteListText = `DELETE FROM list_text WHERE rowid = ?`

// DeleteList implements quire.ListWriter.
func (t *tx) DeleteList(ctx context.Context, id int64) error {
	return t.runAll(ctx, []statement{
		{deleteListText, []any{id}},
		{`DELETE FROM lists WHERE id = ?`, []any{id}}, // takes all along that refers to it
	})
}
