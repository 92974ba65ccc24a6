package quire

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/quirelib/quire/internal/id"
	"github.com/quirelib/quire/internal/segment"
)

// table is a table as it is kept: its elemental, the lists in their order, and the
// cells by where they are.
type table struct {
	rec     ElementalRecord
	columns []ListRecord
	rows    []ListRecord
	cells   map[crossing]ElementalRecord
}

// crossing is the place where a column and a row cross.
type crossing struct{ columnID, rowID int64 }

func crossingOf(c ElementalRecord) crossing { return crossing{c.ColumnID, c.RowID} }

// lists are the columns or the rows.
func (t *table) lists(orientation string) *[]ListRecord {
	if orientation == TableColumn {
		return &t.columns
	}
	return &t.rows
}

// crossed are the lists that those of an orientation cross.
func (t *table) crossed(orientation string) []ListRecord {
	if orientation == TableColumn {
		return t.rows
	}
	return t.columns
}

// readLists reads the columns and rows of a table.
func readLists(ctx context.Context, tx ReadTx, rec ElementalRecord) (table, error) {
	t := table{rec: rec, cells: make(map[crossing]ElementalRecord)}
	lists, err := tx.TableLists(ctx, rec.ID)
	for _, list := range lists {
		to := t.lists(list.TableOrientation)
		*to = append(*to, list)
	}
	return t, err
}

// readTable reads the columns, rows and cells of a table.
func readTable(ctx context.Context, tx ReadTx, rec ElementalRecord) (table, error) {
	t, err := readLists(ctx, tx, rec)
	if err != nil {
		return t, err
	}
	cells, err := tx.Cells(ctx, rec.ID)
	for _, c := range cells {
		t.cells[crossingOf(c)] = c
	}
	return t, err
}

// readTexts is readTable without the rest of the cells: they have their id, place and Body
// only.
func readTexts(ctx context.Context, tx ReadTx, rec ElementalRecord) (table, error) {
	t, err := readLists(ctx, tx, rec)
	if err != nil {
		return t, err
	}
	cells, err := tx.CellTexts(ctx, rec.ID)
	for _, c := range cells {
		t.cells[crossing{c.ColumnID, c.RowID}] = ElementalRecord{ID: c.ID, ColumnID: c.ColumnID, RowID: c.RowID, Body: c.Body}
	}
	return t, err
}

// tableOf is readTable for a table that is known by its id.
func tableOf(ctx context.Context, tx ReadTx, id string) (table, error) {
	rec, err := tx.Elemental(ctx, id)
	if err != nil {
		return table{}, err
	}
	return readTable(ctx, tx, rec)
}

// setCells sets the cells of a column or row by the lists that it crosses, and reports
// whether that changed any.
func (l *Library) setCells(ctx context.Context, tx Tx, ch *changes, list ListRecord, texts map[int64]string) (changed bool, err error) {
	if len(texts) == 0 {
		return false, nil
	}
	rec, err := tx.Elemental(ctx, list.TableID)
	if err != nil {
		return false, err
	}
	t, err := readTexts(ctx, tx, rec)
	if err != nil {
		return false, err
	}
	if err := l.checkCellTexts(&t, list, texts); err != nil {
		return false, err
	}
	for _, other := range t.crossed(list.TableOrientation) {
		text, ok := texts[other.ID]
		if !ok {
			continue
		}
		column, row := list, other
		if list.TableOrientation == TableRow {
			column, row = other, list
		}
		set, err := l.setCell(ctx, tx, ch, &t, column, row, text)
		if err != nil {
			return false, err
		}
		changed = changed || set
	}
	return changed, nil
}

// checkCellTexts checks the new texts of cells in a column or row of a table.
func (l *Library) checkCellTexts(t *table, list ListRecord, texts map[int64]string) error {
	crosses := make(map[int64]bool)
	for _, other := range t.crossed(list.TableOrientation) {
		crosses[other.ID] = true
	}
	want := TableRow
	if list.TableOrientation == TableRow {
		want = TableColumn
	}
	var probs problems
	size := 0
	for _, otherID := range slices.Sorted(maps.Keys(texts)) {
		field := "table/" + strconv.FormatInt(otherID, 10)
		if !crosses[otherID] {
			probs.add(field, "must be the id of a %s of the same table", want)
			continue
		}
		size += len(texts[otherID])
		l.checkBody(&probs, field, texts[otherID])
	}
	for at, c := range t.cells {
		_, replaced := texts[at.columnID]
		if list.TableOrientation == TableColumn {
			_, replaced = texts[at.rowID]
		}
		if in := at.columnID == list.ID || at.rowID == list.ID; !in || !replaced {
			size += len(c.Body)
		}
	}
	l.checkTableSize(&probs, "table", size)
	return probs.err()
}

// setCell makes text what is at a crossing; "" leaves it empty. It reports whether
// that changed anything. The table is the caller's to save.
func (l *Library) setCell(ctx context.Context, tx Tx, ch *changes, t *table, column, row ListRecord, text string) (changed bool, err error) {
	cell, there := t.cells[crossing{column.ID, row.ID}]
	switch {
	case !there && text == "":
		return false, nil
	case !there:
		return true, l.addCell(ctx, tx, t.rec, column, row, text)
	case text == "":
		return true, tx.DeleteElemental(ctx, cell.ID)
	case cell.Body == text:
		return false, nil
	}
	if cell, err = tx.Elemental(ctx, cell.ID); err != nil { // the table may have its text only
		return false, err
	}
	cell.Body = text
	_, err = l.saveContent(ctx, tx, ch, cell)
	return true, err
}

// addCell adds a cell where there is none.
func (l *Library) addCell(ctx context.Context, tx Tx, t ElementalRecord, column, row ListRecord, text string) error {
	cell := newCell(t, column, row)
	cell.ID, cell.Body, cell.Version, cell.CreatedAt = id.New(), text, 1, now()
	if err := l.putElemental(ctx, tx, cell); err != nil {
		return err
	}
	in := ListItem{ListID: column.ID, ElementalID: cell.ID, OrderIndex: row.TableIndex, AddedAt: cell.CreatedAt}
	if err := tx.PutItem(ctx, in); err != nil {
		return err
	}
	in.ListID, in.OrderIndex = row.ID, column.TableIndex
	return tx.PutItem(ctx, in)
}

// newCell is a cell as it is where there is none.
func newCell(t ElementalRecord, column, row ListRecord) ElementalRecord {
	return ElementalRecord{
		OwnerID: t.OwnerID, TenantID: t.TenantID, TypeID: TypeCell, CategoryID: CategoryText,
		Title: cellTitle(column, row), Visibility: t.Visibility,
		ColumnID: column.ID, RowID: row.ID, TableID: t.ID, CreatedAt: t.CreatedAt,
	}
}

// cellTitle names a cell by its row and column.
func cellTitle(column, row ListRecord) string {
	return segment.Shorten(row.Title+" / "+column.Title, maxTitle)
}

// dropTableList deletes a column or row with its cells. The others keep their
// TableIndex: it only orders them.
func (l *Library) dropTableList(ctx context.Context, tx Tx, ch *changes, list ListRecord) error {
	items, err := tx.Items(ctx, list.ID)
	if err != nil {
		return err
	}
	for _, it := range items {
		if err := tx.DeleteElemental(ctx, it.ElementalID); err != nil {
			return err
		}
	}
	if err := tx.DeleteList(ctx, list.ID); err != nil {
		return err
	}
	return l.saveTable(ctx, tx, ch, list.TableID)
}

// saveTable writes a table as its next version after something in it has changed.
func (l *Library) saveTable(ctx context.Context, tx Tx, ch *changes, tableID string) error {
	rec, err := tx.Elemental(ctx, tableID)
	if err != nil {
		return err
	}
	_, err = l.saveContent(ctx, tx, ch, rec)
	return err
}
