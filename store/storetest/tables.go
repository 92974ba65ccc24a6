package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

var tableCases = []testCase{
	{"none", tablesNone},
	{"cells by id", tableCells},
	{"sizes", tableSizes},
	{"shown and cleared", tablesAtOnce},
	{"lists in order", tableLists},
	{"follow changes", tableChanges},
	{"copied", tableCopied},
	{"kept when the table is deleted", tableDelete},
}

// cell is a cell of a table.
func cell(id, tableID string) quire.ElementalRecord {
	e := bareElemental(id, "u1")
	e.TypeID, e.ColumnID, e.RowID, e.TableID = quire.TypeCell, 1<<53-1, 2, tableID
	return e
}

// tableList is a column or row of a table.
func tableList(id int64, tableID, orientation string, index int64) quire.ListRecord {
	l := plainList(id, "u1")
	l.TableID, l.TableOrientation, l.TableIndex = tableID, orientation, index
	return l
}

// tablesNone also checks that what is in no table is not in that of no name.
func tablesNone(t *testing.T, s *store) {
	seedOwners(s)
	for _, id := range []string{"a", "nothing", ""} {
		equal(t, "cells of "+id, get(s, quire.ReadTx.Cells, id), nil)
		equal(t, "lists of "+id, get(s, quire.ReadTx.TableLists, id), nil)
	}
}

func tableCells(t *testing.T, s *store) {
	var want []quire.ElementalRecord
	for i := range scale(200) {
		want = append(want, cell(fmt.Sprint("c", i), "t1"))
	}
	full := sampleElemental("é", "u2")
	full.TableID = "t1"
	want = append(want, cell("C", "t1"), cell("_", "t1"), full)
	putElementals(s, want...)
	putElementals(s, cell("x", "t2"), cell("y", "T1"), bareElemental("t1", "u1"))
	slices.SortFunc(want, func(a, b quire.ElementalRecord) int { return strings.Compare(a.ID, b.ID) })
	equal(t, "Cells", get(s, quire.ReadTx.Cells, "t1"), want)
	equal(t, "Elemental", get(s, quire.ReadTx.Elemental, "C"), cell("C", "t1"))
}

func tableSizes(t *testing.T, s *store) {
	texts := map[string]string{"a": "", "b": "é\x00€", "c": "four"}
	for id, body := range texts {
		c := cell(id, "t1")
		c.Body, c.Description = body, "ö"
		putElementals(s, c)
	}
	row, column := tableList(1, "t1", "row", 0), tableList(2, "t1", "column", 0)
	row.Description, column.Description = "a row", "col"
	for _, l := range []*quire.ListRecord{&row, &column} {
		l.TutorialSteps, l.Template = nil, ""
	}
	second := tableList(3, "t1", "column", 1)
	second.TutorialSteps, second.Template, second.Description = nil, "", ""
	putLists(s, row, column, second, tableList(4, "t2", "row", 0))
	table := bareElemental("t1", "u1")
	table.Body, table.Description = "ü", "dé"
	putElementals(s, cell("x", "t2"), table, bareElemental("", "u1"))
	equal(t, "ElementalSizes", get(s, quire.ReadTx.ElementalSizes, []string{"t1", "t2", "b", "a", ""}), map[string]quire.ElementalSize{
		"t1": {Body: 2, Cells: 2, CellBody: 10, Notes: 3 + 3*2 + 8}, "b": {Body: 6, Notes: 2}, "a": {Notes: 2}, "": {},
	})
	// What a cell, a column or a row has besides is shown with the table.
	putTag(s, 1, "twelve bytes")
	c := cell("c", "t1")
	c.TagIDs, column.TagIDs, column.Template, column.TutorialSteps = []int64{1}, []int64{1, 1 << 40}, "tem", nil
	putElementals(s, c)
	putLists(s, column)
	put(s, quire.Tx.DeleteElemental, "")
	putRate(s, quire.Rate{Subject: onList(2), UserID: "u1", Message: "rated", CreatedAt: epoch})
	equal(t, "Notes", get(s, quire.ReadTx.ElementalSizes, []string{"t1"})["t1"].Notes, int64(3+2*2+8+12+12+3+5))
}

// tablesAtOnce changes all of a table at once, and nothing of others.
func tablesAtOnce(t *testing.T, s *store) {
	a, b, other := cell("a", "t1"), cell("b", "t1"), cell("other", "t2")
	b.Body, b.Version, b.RowID = "text of b", quire.MaxVersion, 5
	putElementals(s, b, a, other, bareElemental("t1", "u1"), bareElemental("free", "u1"))
	row, column, plain := tableList(1, "t1", "row", 0), tableList(2, "t1", "column", 0), plainList(3, "u1")
	column.Version = quire.MaxVersion - 1
	putLists(s, row, column, plain)
	put(s, quire.Tx.PutItem, quire.ListItem{ListID: 1, ElementalID: "a"}, quire.ListItem{ListID: 3, ElementalID: "a"}, quire.ListItem{ListID: 3, ElementalID: "free"})
	equal(t, "CellTexts", get(s, quire.ReadTx.CellTexts, "t1"), []quire.CellText{
		{ID: "a", ColumnID: a.ColumnID, RowID: a.RowID}, {ID: "b", ColumnID: b.ColumnID, RowID: 5, Body: "text of b"},
	})
	equal(t, "CellTexts of none", get(s, quire.ReadTx.CellTexts, ""), nil)

	s.update(func(ctx context.Context, tx quire.Tx) error {
		return errors.Join(tx.ShowTable(ctx, "t1", quire.Unlisted, at(9)), tx.ShowTable(ctx, "", quire.Unlisted, at(9)))
	})
	for _, e := range []*quire.ElementalRecord{&a, &b} {
		e.Visibility, e.UpdatedAt, e.Version = quire.Unlisted, new(at(9)), quire.NextVersion(e.Version)
	}
	for _, l := range []*quire.ListRecord{&row, &column} {
		l.Visibility, l.UpdatedAt, l.Version = quire.Unlisted, new(at(9)), quire.NextVersion(l.Version)
	}
	equal(t, "cells shown", get(s, quire.ReadTx.Cells, "t1"), []quire.ElementalRecord{a, b})
	equal(t, "lists shown", get(s, quire.ReadTx.TableLists, "t1"), []quire.ListRecord{column, row})
	equal(t, "the table", get(s, quire.ReadTx.Elemental, "t1"), bareElemental("t1", "u1"))
	stranger := quire.ItemQuery{ListID: 3, Viewer: quire.Viewer{OwnerID: "u9", OthersToo: true}, Order: quire.OrderIndex, Limit: 9}
	s.view(func(ctx context.Context, tx quire.ReadTx) error {
		es, total, err := tx.ListItems(ctx, stranger)
		if total != 1 || len(es) != 1 || es[0].ID != "free" {
			t.Errorf("a stranger sees %d items, want the one that stays Public", total)
		}
		if err != nil {
			return err
		}
		own := quire.ItemQuery{ListID: 1, Viewer: quire.Viewer{OwnerID: "u1"}, Order: quire.OrderIndex, WithoutBody: true, Limit: 9}
		es, _, err = tx.ListItems(ctx, own)
		equal(t, "items without bodies", es, []quire.ElementalRecord{a})
		return err
	})

	put(s, quire.Tx.ClearTable, "t1", "")
	equal(t, "cells", get(s, quire.ReadTx.Cells, "t1"), nil)
	equal(t, "lists", get(s, quire.ReadTx.TableLists, "t1"), nil)
	equal(t, "the table", get(s, quire.ReadTx.Elemental, "t1"), bareElemental("t1", "u1"))
	equal(t, "of another", get(s, quire.ReadTx.Cells, "t2"), []quire.ElementalRecord{other})
	equal(t, "another list", get(s, quire.ReadTx.List, 3), plain)
	if items := get(s, quire.ReadTx.Items, 3); len(items) != 1 || items[0].ElementalID != "free" {
		t.Errorf("items %v are left of the list, want free", items)
	}
}

func tableLists(t *testing.T, s *store) {
	want := []quire.ListRecord{
		tableList(9, "t1", "column", 0), tableList(3, "t1", "column", 1), tableList(20, "t1", "column", 1),
		tableList(100, "t1", "column", 1), tableList(1, "t1", "column", 10),
		tableList(8, "t1", "row", 0), tableList(2, "t1", "row", 1), tableList(30, "t1", "row", 1), tableList(4, "t1", "row", 1<<40),
	}
	want[4].Settings, want[5].OwnerID = quire.Settings{}, "u2"
	for _, i := range []int{3, 8, 0, 5, 7, 2, 6, 1, 4} {
		putLists(s, want[i])
	}
	putLists(s, tableList(5, "t2", "column", 0), tableList(6, "T1", "row", 0), plainList(7, "u1"))
	equal(t, "TableLists", get(s, quire.ReadTx.TableLists, "t1"), want)
	equal(t, "of another", get(s, quire.ReadTx.TableLists, "t2"), []quire.ListRecord{tableList(5, "t2", "column", 0)})
}

func tableChanges(t *testing.T, s *store) {
	putElementals(s, cell("a", "t1"), cell("b", "t1"), cell("c", "t1"))
	putLists(s, tableList(1, "t1", "column", 0), tableList(2, "t1", "column", 1), tableList(3, "t1", "column", 2))
	putElementals(s, cell("b", "t2"))
	put(s, quire.Tx.DeleteElemental, "c")
	putLists(s, tableList(1, "t1", "column", 5), tableList(2, "t1", "row", 1))
	equal(t, "cells", get(s, quire.ReadTx.Cells, "t1"), []quire.ElementalRecord{cell("a", "t1")})
	equal(t, "moved cells", get(s, quire.ReadTx.Cells, "t2"), []quire.ElementalRecord{cell("b", "t2")})
	equal(t, "lists", get(s, quire.ReadTx.TableLists, "t1"),
		[]quire.ListRecord{tableList(3, "t1", "column", 2), tableList(1, "t1", "column", 5), tableList(2, "t1", "row", 1)})
	put(s, quire.Tx.DeleteList, 3)
	putLists(s, plainList(1, "u1"))
	equal(t, "lists after all", get(s, quire.ReadTx.TableLists, "t1"), []quire.ListRecord{tableList(2, "t1", "row", 1)})
}

func tableCopied(t *testing.T, s *store) {
	putElementals(s, sampleElemental("e", "u1"))
	putLists(s, sampleList(1, "u1"))
	table := sampleElemental("e", "u1").TableID
	s.view(func(ctx context.Context, tx quire.ReadTx) error {
		for range 2 {
			e, err := first(tx.Cells(ctx, table))
			if err != nil {
				return err
			}
			equal(t, "cell", e, sampleElemental("e", "u1"))
			spoilElemental(e)
			l, err := first(tx.TableLists(ctx, table))
			if err != nil {
				return err
			}
			equal(t, "list", l, sampleList(1, "u1"))
			spoilList(l)
		}
		return nil
	})
}

func tableDelete(t *testing.T, s *store) {
	putElementals(s, bareElemental("t1", "u1"), cell("a", "t1"))
	putLists(s, tableList(1, "t1", "column", 0))
	put(s, quire.Tx.DeleteElemental, "t1")
	equal(t, "cells", get(s, quire.ReadTx.Cells, "t1"), []quire.ElementalRecord{cell("a", "t1")})
	equal(t, "lists", get(s, quire.ReadTx.TableLists, "t1"), []quire.ListRecord{tableList(1, "t1", "column", 0)})
	put(s, quire.Tx.DeleteList, 1)
	equal(t, "cells after a delete of their column", get(s, quire.ReadTx.Cells, "t1"), []quire.ElementalRecord{cell("a", "t1")})
}
