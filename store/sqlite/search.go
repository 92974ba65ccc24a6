package sqlite

import (
	"context"
	"strings"

	"github.com/quirelib/quire"
)

// quoted escapes the text of a phrase. A NUL would end the whole expression; in an
// indexed text it separates words, as a blank does.
var quoted = strings.NewReplacer(`"`, `""`, "\x00", " ")

// matchExpression writes a query in the language of FTS5, out of nothing but
// quoted phrases: https://www.sqlite.org/fts5.html#full_text_query_syntax. A
// phrase matches inside one field. One whose last word may go on stands there whole
// as well, which finds nothing more, but counts what has the whole word twice.
func matchExpression(q quire.TextQuery) string {
	phrases := make([]string, len(q.Phrases))
	for i, words := range q.Phrases {
		phrases[i] = `"` + quoted.Replace(strings.Join(words, " ")) + `"`
	}
	if last := len(phrases) - 1; q.Prefix && last >= 0 {
		phrases[last] = "(" + phrases[last] + " OR " + phrases[last] + " *)"
	}
	return strings.Join(phrases, " AND ")
}

// seen adds the condition that a viewer is shown a row of the table with that
// alias.
func (w *where) seen(v quire.Viewer, alias string) {
	if v.OthersToo {
		w.add(`(`+alias+`.owner_id = ? OR `+alias+`.visibility = 1)`, v.OwnerID)
	} else {
		w.add(alias+`.owner_id = ?`, v.OwnerID)
	}
}

// SearchElementals implements quire.ElementalReader.
func (t *tx) SearchElementals(ctx context.Context, q quire.ElementalSearch) ([]quire.ElementalRecord, int, error) {
	if len(q.Text.Phrases) == 0 {
		return nil, 0, ctx.Err()
	}
	var w where
	w.add(`elemental_text MATCH ?`, matchExpression(q.Text))
	w.seen(q.Viewer, "e")
	if len(q.TypeIDs) > 0 {
		w.add(`e.type_id IN `+members, array(q.TypeIDs))
	}
	hits := ` FROM elemental_text CROSS JOIN ` + inShort + ` ON e.num = elemental_text.rowid WHERE ` + w.String()
	nums, total, err := page(ctx, t, value[int64], `e.num`, hits,
		`bm25(elemental_text, 10, 3, 1, 5), e.id`, w.args, q.Limit, q.Offset)
	if err != nil {
		return nil, 0, err
	}
	inOrder := t.elementalsInOrder
	if q.WithoutBody {
		inOrder = t.shortsInOrder
	}
	es, err := inOrder(ctx, nums)
	return es, total, err
}

// SearchLists implements quire.ListReader.
func (t *tx) SearchLists(ctx context.Context, q quire.ListSearch) ([]quire.ListRecord, int, error) {
	ids, total, err := t.FindLists(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	ls, err := t.listsInOrder(ctx, ids)
	return ls, total, err
}

// FindLists implements quire.ListReader.
func (t *tx) FindLists(ctx context.Context, q quire.ListSearch) ([]int64, int, error) {
	switch {
	case q.Text == nil:
		return t.newestLists(ctx, q)
	case len(q.Text.Phrases) == 0:
		return nil, 0, ctx.Err()
	default:
		var w where
		w.add(`list_text MATCH ?`, matchExpression(*q.Text))
		w.seen(q.Viewer, "l")
		if q.Viewer.ListsPlain {
			w.add(plainLists)
		}
		hits := ` FROM list_text CROSS JOIN lists l ON l.id = list_text.rowid WHERE ` + w.String()
		return page(ctx, t, value[int64], `l.id`, hits,
			`bm25(list_text, 10, 3, 5), l.id`, w.args, q.Limit, q.Offset)
	}
}

// plainLists are the lists that are no columns or rows of a table.
const plainLists = `l.table_id = ''`

// newestLists returns a page of the ids of all lists that a viewer may see. The
// own and the others' lists are two ranges of two indexes, each in the wanted
// order, so that SQLite merges them and stops at the end of the page.
func (t *tx) newestLists(ctx context.Context, q quire.ListSearch) ([]int64, int, error) {
	plain := ``
	if q.Viewer.ListsPlain {
		plain = ` AND ` + plainLists
	}
	lists := `SELECT l.id, l.created_at FROM lists l WHERE l.owner_id = ?` + plain
	args := []any{q.Viewer.OwnerID}
	if q.Viewer.OthersToo {
		lists += ` UNION ALL SELECT l.id, l.created_at FROM lists l WHERE l.visibility = 1 AND l.owner_id <> ?` + plain
		args = append(args, q.Viewer.OwnerID)
	}
	total, err := one(ctx, t, value[int], `SELECT count(*) FROM (`+lists+`)`, args...)
	if err != nil {
		return nil, 0, err
	}
	ids, err := all(ctx, t, value[int64],
		`SELECT id FROM (`+lists+` ORDER BY 2 DESC, 1 LIMIT ? OFFSET ?)`, append(args, q.Limit, q.Offset)...)
	return ids, total, err
}

// NewestElementals implements quire.ElementalReader. The elementals of an owner are a range
// of an index in the wanted order, of which those with a tag are picked without reading
// their rows.
func (t *tx) NewestElementals(ctx context.Context, q quire.ElementalQuery) ([]quire.ElementalRecord, int, error) {
	var w where
	index := `elementals_newest`
	w.add(`e.owner_id = ?`, q.OwnerID)
	if q.TypeID == 0 {
		w.add(`e.table_id = ''`)
	} else {
		index = `elementals_newest_of_type`
		w.add(`e.type_id = ?`, q.TypeID)
	}
	if q.TagID != 0 {
		w.add(`e.num IN (SELECT g.elemental FROM elemental_tags g WHERE g.tag_id = ?)`, q.TagID)
	}
	own := ` FROM elementals e INDEXED BY ` + index + ` WHERE ` + w.String()
	nums, total, err := page(ctx, t, value[int64], `e.num`, own, `e.created_at DESC, e.id`, w.args, q.Limit, q.Offset)
	if err != nil {
		return nil, 0, err
	}
	es, err := t.shortsInOrder(ctx, nums)
	return es, total, err
}

// page returns one page of a column of the hits in an order, and the number of
// all hits.
func page[T any](ctx context.Context, t *tx, scan func(scanner) (T, error),
	column, hits, order string, args []any, limit, offset int) ([]T, int, error) {
	total, err := one(ctx, t, value[int], `SELECT count(*)`+hits, args...)
	if err != nil {
		return nil, 0, err
	}
	vs, err := all(ctx, t, scan, `SELECT `+column+hits+` ORDER BY `+order+` LIMIT ? OFFSET ?`,
		append(args, limit, offset)...)
	return vs, total, err
}
