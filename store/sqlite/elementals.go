package sqlite

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/quirelib/quire"
)

var (
	elementalColumns = slices.Concat(columns{"id", "owner_id", "tenant_id", "visibility", "type_id", "category_id", "topic_ids",
		"title", "created_at", "updated_at", "version", "is_premium", "is_fixed_price", "price", "price_original",
		"knowledge_base", "is_template", "is_system", "column_id", "row_id", "table_id"}, counterColumns,
		columns{"command", "video_url", "description", "tutorial_steps", "body"})
	readColumns     = elementalColumns[:len(elementalColumns)-1] // those before the body, which may be long
	selectElemental = `SELECT ` + readColumns.of("e") + `, e.body` + tagsOfElemental
	selectNumbered  = `SELECT e.num, ` + readColumns.of("e") + `, e.body` + tagsOfElemental
	selectBodiless  = `SELECT e.num, ` + readColumns.of("e") + `, ''` + tagsOfElemental
	selectShown     = `SELECT e.num, ` + readColumns[:len(readColumns)-1].of("e") + `, '[]', ''` + tagsOfElemental // nor steps
	putElemental    = slices.Concat(elementalColumns, columns{"sum"}).upsert("elementals", "id")
)

// inShort is the table of elementals without its long rows, with what decides who finds
// an elemental.
const inShort = `elementals e INDEXED BY elementals_in_short`

// tagsOfElemental reads the tags in the order of their index: an ORDER BY inside
// json_group_array would sort again for each elemental.
const tagsOfElemental = `, (SELECT json_group_array(g.tag_id) FROM
	(SELECT tag_id FROM elemental_tags WHERE elemental = e.num ORDER BY ordinal) g) FROM elementals e `

func scanElemental(row scanner) (quire.ElementalRecord, error) { return scanElementalAfter(row) }

// scanElementalAfter scans an elemental behind other columns.
func scanElementalAfter(row scanner, first ...any) (e quire.ElementalRecord, err error) {
	err = row.Scan(slices.Concat(first, rowFields(&e), []any{&e.Body, arrayTo[int64]{&e.TagIDs}})...)
	return e, err
}

// rowFields are where the values of readColumns are scanned to.
func rowFields(e *quire.ElementalRecord) []any {
	return slices.Concat(
		[]any{&e.ID, &e.OwnerID, &e.TenantID, &e.Visibility, &e.TypeID, &e.CategoryID, arrayTo[int]{&e.TopicIDs},
			&e.Title, moment{&e.CreatedAt}, optMoment{&e.UpdatedAt}, &e.Version, &e.IsPremium, &e.IsFixedPrice, &e.Price,
			&e.PriceOriginal, &e.Settings.KnowledgeBase, &e.Settings.Template, &e.Settings.System,
			&e.ColumnID, &e.RowID, &e.TableID},
		counterFields(&e.Counters),
		[]any{&e.Command, &e.VideoURL, &e.Description, arrayTo[quire.TutorialStep]{&e.TutorialSteps}})
}

// rowValues are the values of readColumns.
func rowValues(e quire.ElementalRecord) []any {
	return slices.Concat(
		[]any{e.ID, e.OwnerID, e.TenantID, e.Visibility, e.TypeID, e.CategoryID, array(e.TopicIDs),
			e.Title, micros(e.CreatedAt), optMicros(e.UpdatedAt), e.Version, e.IsPremium, e.IsFixedPrice, e.Price,
			e.PriceOriginal, e.Settings.KnowledgeBase, e.Settings.Template, e.Settings.System,
			e.ColumnID, e.RowID, e.TableID},
		counterValues(e.Counters),
		[]any{e.Command, e.VideoURL, e.Description, array(e.TutorialSteps)})
}

// shortFields and shortValues are an elemental without its body, as it is packed.
func shortFields(e *quire.ElementalRecord) []any {
	return append(rowFields(e), arrayTo[int64]{&e.TagIDs})
}

func shortValues(e quire.ElementalRecord) []any {
	return append(rowValues(e), array(e.TagIDs))
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

// ElementalsWithoutBody implements quire.ElementalReader.
func (t *tx) ElementalsWithoutBody(ctx context.Context, ids []string) (map[string]quire.ElementalRecord, error) {
	if len(ids) == 0 {
		return map[string]quire.ElementalRecord{}, ctx.Err()
	}
	shorts, err := all(ctx, t, scanShort, `SELECT e.num, `+shortPacked+`, 0 FROM elementals e
		LEFT JOIN elemental_short s ON s.num = e.num WHERE e.id IN `+members, array(ids))
	if err != nil {
		return nil, err
	}
	es, err := t.unpackAll(ctx, shorts)
	found := make(map[string]quire.ElementalRecord, len(es))
	for _, e := range es {
		found[e.ID] = e
	}
	return found, err
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
func (t *tx) elementalsInOrder(ctx context.Context, nums []int64) ([]quire.ElementalRecord, error) {
	found, err := byID(ctx, t, scanNumbered, selectNumbered+`WHERE e.num IN `+members, nums, func(n numbered) int64 { return n.num })
	if err != nil {
		return nil, err
	}
	es := make([]quire.ElementalRecord, len(nums))
	for i, num := range nums {
		es[i] = found[num].ElementalRecord
	}
	return es, nil
}

// shortsInOrder is elementalsInOrder without bodies.
func (t *tx) shortsInOrder(ctx context.Context, nums []int64) ([]quire.ElementalRecord, error) {
	packed, err := byID(ctx, t, scanShort, `SELECT s.num, `+shortPacked+`, 0 FROM elemental_short s WHERE s.num IN `+members, nums, func(s shortElemental) int64 { return s.num })
	if err != nil {
		return nil, err
	}
	shorts := make([]shortElemental, len(nums))
	for i, num := range nums {
		shorts[i] = shortElemental{num: num, packed: packed[num].packed}
	}
	return t.unpackAll(ctx, shorts)
}

// shortPacked is a packed elemental, unless it is so long that its row is read instead: with
// tutorial steps, which a page does not show, it may have megabytes.
const shortPacked = `CASE WHEN octet_length(s.packed) <= 65536 THEN s.packed END`

// shortElemental is a packed elemental with its number.
type shortElemental struct {
	num    int64
	packed []byte // nil: too long, or written before elementals were packed
	total  int    // how many there are on all pages
}

func scanShort(row scanner) (s shortElemental, err error) {
	err = row.Scan(&s.num, &s.packed, &s.total)
	return s, err
}

// unpackAll returns the elementals of a page without their bodies and steps.
func (t *tx) unpackAll(ctx context.Context, shorts []shortElemental) ([]quire.ElementalRecord, error) {
	es := make([]quire.ElementalRecord, len(shorts))
	var missing []int64
	var e quire.ElementalRecord
	fields := shortFields(&e) // all of which each row sets
	for i, s := range shorts {
		ok, err := false, error(nil)
		if s.packed != nil {
			ok, err = unpack(s.packed, fields)
		}
		switch {
		case err != nil:
			return nil, t.failed(ctx, err)
		case ok:
			es[i] = e
			es[i].TutorialSteps = nil
		default:
			missing = append(missing, s.num)
		}
	}
	found, err := byID(ctx, t, scanNumbered, selectShown+`WHERE e.num IN `+members, missing, func(n numbered) int64 { return n.num })
	if err != nil {
		return nil, err
	}
	for i, s := range shorts {
		if n, ok := found[s.num]; ok {
			es[i] = n.ElementalRecord
		}
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

// CellTexts implements quire.ElementalReader.
func (t *tx) CellTexts(ctx context.Context, tableID string) ([]quire.CellText, error) {
	scan := func(row scanner) (c quire.CellText, err error) {
		err = row.Scan(&c.ID, &c.ColumnID, &c.RowID, &c.Body)
		return c, err
	}
	return all(ctx, t, scan, `SELECT e.id, e.column_id, e.row_id, e.body FROM elementals e
		WHERE e.table_id = ? AND e.table_id <> '' ORDER BY e.id`, tableID)
}

// latest ends a query for what of the comments or rates of something is shown.
var latest = ` ORDER BY id DESC LIMIT ` + strconv.Itoa(quire.MaxShown)

// How many bytes the texts of an elemental or list have besides its body. Without steps there
// is [].
var (
	elementalNotes = `octet_length(e.description) + octet_length(e.tutorial_steps) - 2 + ` + tagNotes(`elemental_tags`, `elemental = e.num`)
	cellNotes      = `octet_length(c.description) + octet_length(c.tutorial_steps) - 2 + ` + tagNotes(`elemental_tags`, `elemental = c.num`)
	listNotes      = `octet_length(l.description) + octet_length(l.template) + octet_length(l.tutorial_steps) - 2 + ` +
		tagNotes(`list_tags`, `list_id = l.id`) + ` + ` + rateNotes(`list_id = l.id`)
	commentNotes = `(SELECT ifnull(sum(octet_length(k.message)), 0) FROM comments k WHERE k.id IN (
		SELECT p.id FROM (SELECT id FROM comments WHERE elemental = e.num` + latest + `) p UNION
		SELECT p.parent FROM (SELECT parent FROM comments WHERE elemental = e.num` + latest + `) p))`
)

func tagNotes(table, cond string) string {
	return `(SELECT ifnull(sum(octet_length(t.description)), 0) FROM ` + table + ` g CROSS JOIN tags t ON t.id = g.tag_id WHERE g.` + cond + `)`
}

func rateNotes(cond string) string {
	return `(SELECT ifnull(sum(p.bytes), 0) FROM (SELECT octet_length(message) AS bytes FROM rates WHERE ` + cond + latest + `) p)`
}

// ElementalSizes implements quire.ElementalReader. octet_length needs only the beginning of a
// row, but not where rows are sorted: GROUP BY would copy all texts.
func (t *tx) ElementalSizes(ctx context.Context, ids []string) (map[string]quire.ElementalSize, error) {
	type sized struct {
		id string
		quire.ElementalSize
	}
	scan := func(row scanner) (s sized, err error) {
		var cells, lists []int64
		if err = row.Scan(&s.id, &s.Body, arrayTo[int64]{&cells}, arrayTo[int64]{&lists}, &s.Notes); err != nil || len(cells) != 2 || len(lists) != 2 {
			return s, err
		}
		s.CellBody, s.Cells = cells[0], int(lists[0])
		s.Notes += cells[1] + lists[1]
		return s, nil
	}
	found, err := byID(ctx, t, scan, `SELECT e.id, octet_length(e.body),
			(SELECT json_array(ifnull(sum(octet_length(c.body)), 0), ifnull(sum(`+cellNotes+`), 0))
				FROM elementals c WHERE c.table_id = e.id AND c.table_id <> ''),
			(SELECT json_array(ifnull(sum(l.table_orientation = '`+quire.TableColumn+`') * sum(l.table_orientation = '`+quire.TableRow+`'), 0), ifnull(sum(`+listNotes+`), 0))
				FROM lists l WHERE l.table_id = e.id AND l.table_id <> ''),
			`+elementalNotes+` + `+commentNotes+` + `+rateNotes(`elemental = e.num`)+`
		FROM elementals e WHERE e.id IN `+members, ids, func(s sized) string { return s.id })
	sizes := make(map[string]quire.ElementalSize, len(found))
	for id, s := range found {
		sizes[id] = s.ElementalSize
	}
	return sizes, err
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
	packed, err := pack(shortValues(e))
	if err != nil {
		return err
	}
	return t.runAll(ctx, []statement{
		{putElemental, append(rowValues(e), e.Body, elementalSum(e))},
		{putShort, []any{e.ID, packed}},
		{`DELETE FROM elemental_tags WHERE elemental = ` + numOfElemental, []any{e.ID}},
		{`INSERT INTO elemental_tags (elemental, ordinal, tag_id)
			SELECT ` + numOfElemental + `, j.key, j.value FROM json_each(?) j`, []any{e.ID, array(e.TagIDs)}},
		{deleteElementalText, []any{e.ID}},
		{insertElementalText, []any{e.ID, text.Title, text.Description, text.Body, text.Tags}},
	})
}

// PutElementalText implements quire.ElementalWriter. The index holds no texts, so that a
// row of it can only be replaced as a whole.
func (t *tx) PutElementalText(ctx context.Context, id string, text quire.IndexedText) error {
	num, err := one(ctx, t, value[int64], `SELECT e.num FROM elementals e WHERE e.id = ?`, id)
	if err != nil {
		return err
	}
	return t.run(ctx, `UPDATE elemental_text SET title = ?, description = ?, body = ?, tags = ? WHERE rowid = ?`,
		text.Title, text.Description, text.Body, text.Tags, num)
}

// putElementalCounters changes the counters in both places where they stand.
func (t *tx) putElementalCounters(ctx context.Context, id string, c quire.Counters) error {
	n, err := one(ctx, t, scanNumbered, selectBodiless+`WHERE e.id = ?`, id)
	if err != nil {
		return err
	}
	e := n.ElementalRecord
	e.Counters = c
	packed, err := pack(shortValues(e))
	if err != nil {
		return err
	}
	return t.runAll(ctx, []statement{
		{putElementalCounters, append(counterValues(c), id)},
		{putShort, []any{id, packed}},
	})
}

const (
	putShort = `INSERT INTO elemental_short (num, packed) VALUES (` + numOfElemental + `, ?)
		ON CONFLICT (num) DO UPDATE SET packed = excluded.packed`
	numOfElemental      = `(SELECT e.num FROM elementals e WHERE e.id = ?)`
	insertElementalText = `INSERT INTO elemental_text (rowid, title, description, body, tags) VALUES (` + numOfElemental + `, ?, ?, ?, ?)`
	deleteElementalText = `DELETE FROM elemental_text WHERE rowid = ` + numOfElemental
)

// DeleteElemental implements quire.ElementalWriter.
func (t *tx) DeleteElemental(ctx context.Context, id string) error {
	return t.runAll(ctx, []statement{
		{deleteElementalText, []any{id}},
		{`DELETE FROM elementals WHERE id = ?`, []any{id}}, // takes all along that refers to it
	})
}
