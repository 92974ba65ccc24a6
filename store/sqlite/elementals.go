package sqlite

import (
	"context"
	"iter"
	"slices"

	"github.com/quirelib/quire"
)

var (
	elementalColumns = slices.Concat(columns{"id", "owner_id", "tenant_id", "visibility", "type_id", "category_id", "topic_ids",
		"title", "created_at", "updated_at", "version", "is_premium", "is_fixed_price", "price", "price_original",
		"knowledge_base", "is_template", "is_system", "column_id", "row_id", "table_id"}, counterColumns,
		columns{"command", "video_url", "description", "tutorial_steps", "body"})
	selectElemental = `SELECT ` + elementalColumns.of("e") + tagsOfElemental
	selectNumbered  = `SELECT e.num, ` + elementalColumns.of("e") + tagsOfElemental
	// The body is the last column.
	selectWithoutBody = `SELECT e.num, ` + elementalColumns[:len(elementalColumns)-1].of("e") + `, ''` + tagsOfElemental
	putElemental      = elementalColumns.upsert("elementals", "id")
)

// tagsOfElemental reads the tags in the order of their index: an ORDER BY inside
// json_group_array would sort again for each elemental.
const tagsOfElemental = `, (SELECT json_group_array(g.tag_id) FROM
	(SELECT tag_id FROM elemental_tags WHERE elemental = e.num ORDER BY ordinal) g) FROM elementals e `

func scanElemental(row scanner) (quire.ElementalRecord, error) { return scanElementalAfter(row) }

// scanElementalAfter scans an elemental behind other columns.
func scanElementalAfter(row scanner, first ...any) (e quire.ElementalRecord, err error) {
	err = row.Scan(slices.Concat(first,
		[]any{&e.ID, &e.OwnerID, &e.TenantID, &e.Visibility, &e.TypeID, &e.CategoryID, arrayTo[int]{&e.TopicIDs},
			&e.Title, moment{&e.CreatedAt}, optMoment{&e.UpdatedAt}, &e.Version, &e.IsPremium, &e.IsFixedPrice, &e.Price,
			&e.PriceOriginal, &e.Settings.KnowledgeBase, &e.Settings.Template, &e.Settings.System,
			&e.ColumnID, &e.RowID, &e.TableID},
		counterFields(&e.Counters),
		[]any{&e.Command, &e.VideoURL, &e.Description, arrayTo[quire.TutorialStep]{&e.TutorialSteps}, &e.Body,
			arrayTo[int64]{&e.TagIDs}})...)
	return e, err
}

// elementalValues are the values of elementalColumns.
func elementalValues(e quire.ElementalRecord) []any {
	return slices.Concat(
		[]any{e.ID, e.OwnerID, e.TenantID, e.Visibility, e.TypeID, e.CategoryID, array(e.TopicIDs),
			e.Title, micros(e.CreatedAt), optMicros(e.UpdatedAt), e.Version, e.IsPremium, e.IsFixedPrice, e.Price,
			e.PriceOriginal, e.Settings.KnowledgeBase, e.Settings.Template, e.Settings.System,
			e.ColumnID, e.RowID, e.TableID},
		counterValues(e.Counters),
		[]any{e.Command, e.VideoURL, e.Description, array(e.TutorialSteps), e.Body})
}

func elementalID(e quire.ElementalRecord) string { return e.ID }

// Elemental implements quire.ElementalReader.
func (t *tx) Elemental(ctx context.Context, id string) (quire.ElementalRecord, error) {
	return one(ctx, t, scanElemental, selectElemental+`WHERE e.id = ?`, id)
}

// Elementals implements quire.ElementalReader.
func (t *tx) Elementals(ctx context.Context, ids []string) (map[string]quire.ElementalRecord, error) {
	return byID(ctx, t, scanElemental, selectElemental+`WHERE e.id IN `+members, ids, elementalID)
}

// numbered is an elemental with its number.
type numbered struct {
	num int64
	quire.ElementalRecord
}

func scanNumbered(row scanner) (n numbered, err error) {
	n.ElementalRecord, err = scanElementalAfter(row, &n.num)
	return n, err
}

// elementalsInOrder returns the elementals of a page, which exist, by their numbers.
func (t *tx) elementalsInOrder(ctx context.Context, nums []int64, withBody bool) ([]quire.ElementalRecord, error) {
	query := selectWithoutBody
	if withBody {
		query = selectNumbered
	}
	found, err := byID(ctx, t, scanNumbered, query+`WHERE e.num IN `+members, nums, func(n numbered) int64 { return n.num })
	if err != nil {
		return nil, err
	}
	es := make([]quire.ElementalRecord, len(nums))
	for i, num := range nums {
		es[i] = found[num].ElementalRecord
	}
	return es, nil
}

// ElementalByTitle implements quire.ElementalReader.
func (t *tx) ElementalByTitle(ctx context.Context, ownerID string, typeID int, title string) (string, error) {
	return one(ctx, t, value[string], `SELECT e.id FROM elementals e
		WHERE e.owner_id = ? AND e.type_id = ? AND e.title = ? ORDER BY e.id LIMIT 1`, ownerID, typeID, title)
}

// Cells implements quire.ElementalReader.
func (t *tx) Cells(ctx context.Context, tableID string) ([]quire.ElementalRecord, error) {
	return all(ctx, t, scanElemental, selectElemental+`WHERE e.table_id = ? AND e.table_id <> '' ORDER BY e.id`, tableID)
}

// ElementalsOf implements quire.ElementalReader.
func (t *tx) ElementalsOf(ctx context.Context, ownerID string) iter.Seq2[quire.ElementalRecord, error] {
	return stream(ctx, t, scanElemental, selectElemental+`WHERE e.owner_id = ? ORDER BY e.id`, ownerID)
}

// TenantElementals implements quire.ElementalReader.
func (t *tx) TenantElementals(ctx context.Context, tenantID string) iter.Seq2[quire.ElementalRecord, error] {
	return stream(ctx, t, scanElemental, selectElemental+`WHERE e.tenant_id = ? ORDER BY e.id`, tenantID)
}

// PutElemental implements quire.ElementalWriter.
func (t *tx) PutElemental(ctx context.Context, e quire.ElementalRecord, text quire.IndexedText) error {
	return t.runAll(ctx, []statement{
		{putElemental, elementalValues(e)},
		{`DELETE FROM elemental_tags WHERE elemental = ` + numOfElemental, []any{e.ID}},
		{`INSERT INTO elemental_tags (elemental, ordinal, tag_id)
			SELECT ` + numOfElemental + `, j.key, j.value FROM json_each(?) j`, []any{e.ID, array(e.TagIDs)}},
		{deleteElementalText, []any{e.ID}},
		{`INSERT INTO elemental_text (rowid, title, description, body, tags) VALUES (` + numOfElemental + `, ?, ?, ?, ?)`,
			[]any{e.ID, text.Title, text.Description, text.Body, text.Tags}},
	})
}

const (
	numOfElemental      = `(SELECT e.num FROM elementals e WHERE e.id = ?)`
	deleteElementalText = `DELETE FROM elemental_text WHERE rowid = ` + numOfElemental
)

// DeleteElemental implements quire.ElementalWriter.
func (t *tx) DeleteElemental(ctx context.Context, id string) error {
	return t.runAll(ctx, []statement{
		{deleteElementalText, []any{id}},
		{`DELETE FROM elementals WHERE id = ?`, []any{id}}, // takes all along that refers to it
	})
}
