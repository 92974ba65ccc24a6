package quire

import (
	"context"
	"maps"
	"slices"
)

// finish checks what can be checked when all is there, and queues the ingests.
func (in *importer) finish(ctx context.Context) error {
	if in.stage < atPeople {
		return Errorf(CodeInvalid, "the archive names no tenant and no catalogue")
	}
	for _, tableID := range slices.Sorted(maps.Keys(in.cells)) {
		in.tableLists[tableID] = true
	}
	for _, tableID := range slices.Sorted(maps.Keys(in.tableLists)) {
		if in.elementals[tableID].typeID != TypeTable {
			return Errorf(CodeInvalid, "a column, row or cell of the archive names a table that is not in it")
		}
	}
	for _, id := range in.tables {
		if err := in.table(ctx, id); err != nil {
			if CodeOf(err) == CodeInvalid {
				err = Errorf(CodeInvalid, "the table %q of the archive: %s", id, err.Error()).WithCause(err)
			}
			return err
		}
	}
	for _, id := range in.ingest {
		if _, err := in.enqueue(ctx, id); err != nil {
			return err
		}
	}
	if err := in.noPassages(ctx); err != nil {
		return err
	}
	in.result.Ingests = len(in.ingest)
	return nil
}

func (in *importer) enqueue(ctx context.Context, elementalID string) (Job, error) {
	rec, err := in.tx.Elemental(ctx, elementalID)
	if err != nil {
		return Job{}, err
	}
	return in.ch.enqueue(ctx, in.tx, rec, "")
}

// noPassages adds a job that has ended for each elemental of the knowledge base that has no
// passages and is to have none, as after Engine.DeleteElemental: else it looks like one whose
// ingest was lost.
func (in *importer) noPassages(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(in.elementals)) {
		if !in.elementals[id].known || in.chunked[id] || in.queued[id] {
			continue
		}
		j, err := in.enqueue(ctx, id)
		if err == nil {
			_, err = in.ch.cancelJob(ctx, in.tx, j)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// table checks a table with its columns, rows and cells, and indexes its text.
func (in *importer) table(ctx context.Context, id string) error {
	sizes, err := in.tx.ElementalSizes(ctx, []string{id}) // before all is read at once
	if err != nil {
		return err
	}
	var probs problems
	in.lib.checkTableSize(&probs, "cells", int(sizes[id].CellBody))
	if err := probs.err(); err != nil {
		return err
	}
	t, err := tableOf(ctx, in.tx, id)
	if err != nil {
		return err
	}
	if err := in.checkTable(&t); err != nil {
		return err
	}
	for _, orientation := range []string{TableColumn, TableRow} {
		members := 0
		for _, list := range *t.lists(orientation) {
			n, err := in.checkTableItems(ctx, &t, list)
			if err != nil {
				return err
			}
			members += n
		}
		if members != len(t.cells) {
			return Errorf(CodeInvalid, "a cell is not an item of its column and row")
		}
	}
	return in.lib.putElemental(ctx, in.tx, t.rec)
}

// checkTable checks a table, the items of its columns and rows apart.
func (in *importer) checkTable(t *table) error {
	var probs problems
	if len(t.columns) > MaxTableColumns || len(t.rows) > MaxTableRows {
		probs.add("columns", "at most %d columns and %d rows are allowed", MaxTableColumns, MaxTableRows)
	}
	checkPlaces(&probs, "rows", len(t.columns), len(t.rows))
	if t.rec.Body != "" {
		probs.add("body", "the content of a table is its cells")
	}
	lists := make(map[int64]ListRecord)
	for _, list := range slices.Concat(t.columns, t.rows) {
		lists[list.ID] = list
		if list.OwnerID != t.rec.OwnerID || list.Visibility != t.rec.Visibility {
			probs.add("columns", "columns and rows have the owner and the visibility of their table")
		}
	}
	if in.cells[t.rec.ID] != len(t.cells) {
		probs.add("cells", "there is at most one cell where a column and a row cross")
	}
	for at, c := range t.cells {
		column, row := lists[at.columnID], lists[at.rowID]
		switch {
		case column.TableOrientation != TableColumn || row.TableOrientation != TableRow:
			probs.add("cells", "a cell has a column and a row of its table")
		case c.OwnerID != t.rec.OwnerID || c.Visibility != t.rec.Visibility || c.CategoryID != CategoryText:
			probs.add("cells", "cells have the owner and the visibility of their table, and the category Text")
		case c.Body == "" || c.Title != cellTitle(column, row):
			probs.add("cells", "a cell has a text, and the title that its row and column give it")
		}
	}
	return probs.err()
}

// checkTableItems checks that the items of a column or row are its cells, in the order
// of what it crosses. It returns how many there are.
func (in *importer) checkTableItems(ctx context.Context, t *table, list ListRecord) (int, error) {
	crossed := make(map[int64]int64) // places by list
	for _, other := range t.crossed(list.TableOrientation) {
		crossed[other.ID] = other.TableIndex
	}
	items, err := in.tx.Items(ctx, list.ID)
	if err != nil {
		return 0, err
	}
	places := make(map[string]int64, len(items))
	for _, it := range items {
		places[it.ElementalID] = it.OrderIndex
	}
	n := 0
	for at, c := range t.cells {
		self, other := at.columnID, at.rowID
		if list.TableOrientation == TableRow {
			self, other = other, self
		}
		place, is := places[c.ID]
		if is != (self == list.ID) || is && place != crossed[other] {
			return 0, Errorf(CodeInvalid, "the items of a column or row are its cells, each in the place of what it crosses")
		}
		if is {
			n++
		}
	}
	if n != len(items) {
		return 0, Errorf(CodeInvalid, "the items of a column or row are its cells")
	}
	return n, nil
}
