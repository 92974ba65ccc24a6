package quire

import (
	"context"
	"slices"
	"strings"

	"github.com/quirelib/quire/internal/id"
)

// TableInput is what a new table is made of.
type TableInput struct {
	// Title has 10..100 characters (code points, trimmed) and at least one letter.
	Title       string
	Description string     // at most 20,000 characters
	CategoryID  int        // in the catalogue; 0 means CategoryText
	Visibility  Visibility // of the table with all its columns, rows and cells; 0 means Public
	TagIDs      []int64    // tags of the actor, at most MaxTags
	Settings    Settings   // of the table; System is ignored
	// Columns and Rows are titles of 1..100 characters, at least one of each, at most
	// MaxTableColumns and MaxTableRows, and together at most MaxTableCells places.
	Columns []string
	Rows    []string
	// Cells are the texts, row by row: Cells[r][c]. Missing ones and "" make no cell.
	// Together they have at most LibraryOptions.MaxBodyBytes.
	Cells [][]string
}

// The limits of a table.
const (
	MaxTableColumns = 100
	MaxTableRows    = 1_000
	MaxTableCells   = 10_000 // places, empty ones included
)

// listTypeTable is the list type that columns and rows get, if the catalogue has it.
const listTypeTable = 4

// CreateTable adds a table that the actor owns: an elemental of type TypeTable, a
// list for each column and row, and an elemental of type TypeCell for each text, which
// is an item of its column and of its row. All of it, or nothing.
func (l *Library) CreateTable(ctx context.Context, a Actor, in TableInput) (Elemental, error) {
	if err := a.Check(); err != nil {
		return Elemental{}, err
	}
	rec, err := l.draftTable(a, in)
	if err != nil {
		return Elemental{}, err
	}
	ctx = l.indexAhead(ctx, slices.Concat(in.Cells...)...)
	return l.changeElemental(ctx, a, func(tx Tx, ch *changes) (ElementalRecord, error) {
		if _, err := ownTags(ctx, tx, a.UserID, rec.TagIDs); err != nil {
			return ElementalRecord{}, err
		}
		if err := l.addTableParts(ctx, tx, ch, rec, in); err != nil {
			return ElementalRecord{}, err
		}
		if err := l.putElemental(ctx, tx, rec); err != nil { // last: its index text is that of the cells
			return ElementalRecord{}, err
		}
		return rec, ch.ingestIfAsked(ctx, tx, rec)
	})
}

// draftTable makes the record of a table and checks all rules that need no Store.
func (l *Library) draftTable(a Actor, in TableInput) (ElementalRecord, error) {
	rec := ElementalRecord{
		ID: id.New(), OwnerID: a.UserID, TenantID: a.TenantID, TypeID: TypeTable, CategoryID: in.CategoryID,
		Title: strings.TrimSpace(in.Title), Description: in.Description, Visibility: in.Visibility,
		TagIDs: unique(in.TagIDs), Version: 1, CreatedAt: now(),
		Settings: Settings{KnowledgeBase: in.Settings.KnowledgeBase, Template: in.Settings.Template},
	}
	if rec.Visibility == 0 {
		rec.Visibility = Public
	}
	if rec.CategoryID == 0 {
		rec.CategoryID = CategoryText
	}
	var probs problems
	l.checkElemental(&probs, TypeTable, rec)
	checkTableTitles(&probs, "columns", in.Columns, MaxTableColumns)
	checkTableTitles(&probs, "rows", in.Rows, MaxTableRows)
	checkPlaces(&probs, "rows", len(in.Columns), len(in.Rows))
	if len(probs) == 0 {
		l.checkCells(&probs, in)
	}
	return rec, probs.err()
}

// checkTableTitles checks the titles of all columns or of all rows.
func checkTableTitles(p *problems, field string, titles []string, limit int) {
	if len(titles) == 0 || len(titles) > limit {
		p.add(field, "must have between 1 and %d entries", limit)
		return
	}
	for i, title := range titles {
		checkLabel(p, field+"/"+itoa(i), strings.TrimSpace(title))
	}
}

// checkPlaces refuses more places for cells than a table may have.
func checkPlaces(p *problems, field string, columns, rows int) {
	if columns*rows > MaxTableCells {
		p.add(field, "columns times rows must be at most %d", MaxTableCells)
	}
}

// checkCells checks the texts of a new table, whose columns and rows are checked.
func (l *Library) checkCells(p *problems, in TableInput) {
	if len(in.Cells) > len(in.Rows) {
		p.add("cells", "must have at most one entry for each of the %d rows", len(in.Rows))
		return
	}
	size := 0
	for r, row := range in.Cells {
		if len(row) > len(in.Columns) {
			p.add("cells/"+itoa(r), "must have at most one entry for each of the %d columns", len(in.Columns))
			continue
		}
		for c, text := range row {
			size += len(text)
			l.checkBody(p, "cells/"+itoa(r)+"/"+itoa(c), text)
		}
	}
	l.checkTableSize(p, "cells", size)
}

// checkTableSize refuses texts that are together too long for the body of an
// elemental: they are ingested as one.
func (l *Library) checkTableSize(p *problems, field string, size int) {
	if size > l.opts.MaxBodyBytes {
		p.add(field, "the texts of a table must have at most %d bytes together", l.opts.MaxBodyBytes)
	}
}

// addTableParts adds the columns, rows and cells of a new table.
func (l *Library) addTableParts(ctx context.Context, tx Tx, ch *changes, rec ElementalRecord, in TableInput) error {
	t := table{rec: rec}
	for i, title := range in.Columns {
		if err := l.addTableList(ctx, tx, &t, TableColumn, title, int64(i)); err != nil {
			return err
		}
	}
	for i, title := range in.Rows {
		if err := l.addTableList(ctx, tx, &t, TableRow, title, int64(i)); err != nil {
			return err
		}
	}
	for r, row := range in.Cells {
		for c, text := range row {
			if _, err := l.setCell(ctx, tx, ch, &t, t.columns[c], t.rows[r], text); err != nil {
				return err
			}
		}
	}
	return nil
}

// addTableList adds a column or row to a table. The title is checked.
func (l *Library) addTableList(ctx context.Context, tx Tx, t *table, orientation, title string, index int64) error {
	list := ListRecord{
		ID: id.Int53(), OwnerID: t.rec.OwnerID, TenantID: t.rec.TenantID, TypeID: listTypeTable,
		Title: strings.TrimSpace(title), Visibility: t.rec.Visibility, Version: 1, CreatedAt: now(),
		TableID: t.rec.ID, TableOrientation: orientation, TableIndex: index,
	}
	cat := l.catalogue.Load()
	if _, ok := cat.listType(listTypeTable); !ok {
		list.TypeID = cat.ListTypes[0].ID
	}
	if err := absent(tx.List(ctx, list.ID)); err != nil {
		return err
	}
	lists := t.lists(orientation)
	*lists = append(*lists, list)
	return tx.PutList(ctx, list, indexList(list, nil))
}

// AddColumn adds a column behind the others of a table of the actor. ErrForbidden if
// the table is another user's.
func (l *Library) AddColumn(ctx context.Context, a Actor, tableID, title string) (List, error) {
	return l.growTable(ctx, a, tableID, TableColumn, title)
}

// AddRow adds a row behind the others of a table of the actor. ErrForbidden if the
// table is another user's.
func (l *Library) AddRow(ctx context.Context, a Actor, tableID, title string) (List, error) {
	return l.growTable(ctx, a, tableID, TableRow, title)
}

func (l *Library) growTable(ctx context.Context, a Actor, tableID, orientation, title string) (List, error) {
	ctx, done, err := l.indexStoredAhead(ctx, a, tableID)
	if err != nil {
		return List{}, err
	}
	defer done()
	return l.changeList(ctx, a, func(tx Tx, ch *changes) (ListRecord, error) {
		rec, err := ownElemental(ctx, tx, a, tableID)
		if err != nil {
			return ListRecord{}, err
		}
		if rec.TypeID != TypeTable {
			return ListRecord{}, Errorf(CodeInvalid, "only a table has columns and rows; this elemental is none")
		}
		t, err := readLists(ctx, tx, rec)
		if err != nil {
			return ListRecord{}, err
		}
		if err := t.checkGrowth(orientation, strings.TrimSpace(title)); err != nil {
			return ListRecord{}, err
		}
		lists := t.lists(orientation)
		index := int64(0)
		if n := len(*lists); n > 0 {
			index = after((*lists)[n-1].TableIndex)
		}
		if err := l.addTableList(ctx, tx, &t, orientation, title, index); err != nil {
			return ListRecord{}, err
		}
		if _, err := l.saveContent(ctx, tx, ch, rec); err != nil {
			return ListRecord{}, err
		}
		return (*lists)[len(*lists)-1], nil
	})
}

// checkGrowth checks whether a table can have one more column or row.
func (t *table) checkGrowth(orientation, title string) error {
	columns, rows := len(t.columns), len(t.rows)
	if orientation == TableColumn {
		columns++
	} else {
		rows++
	}
	var probs problems
	checkLabel(&probs, "title", title)
	if columns > MaxTableColumns {
		probs.add("columns", "a table has at most %d columns", MaxTableColumns)
	}
	if rows > MaxTableRows {
		probs.add("rows", "a table has at most %d rows", MaxTableRows)
	}
	checkPlaces(&probs, orientation+"s", columns, rows)
	return probs.err()
}

// texts are those of a table in the order in which full-text search sees them: the titles
// of its columns and rows, and its cells row by row.
func (t *table) texts() []string {
	var parts []string
	for _, list := range slices.Concat(t.columns, t.rows) {
		parts = append(parts, list.Title)
	}
	for _, row := range t.rows {
		for _, column := range t.columns {
			if c, ok := t.cells[crossing{column.ID, row.ID}]; ok {
				parts = append(parts, c.Body)
			}
		}
	}
	return parts
}
