package quire_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// table creates a table of the rows r0, r1.. and columns c0, c1.. with these cells.
func (f *fixture) table(a quire.Actor, rows, columns int, cells ...[]string) quire.Elemental {
	f.t.Helper()
	in := quire.TableInput{Title: "A table of things", Cells: cells}
	for i := range columns {
		in.Columns = append(in.Columns, fmt.Sprintf("c%d", i))
	}
	for i := range rows {
		in.Rows = append(in.Rows, fmt.Sprintf("r%d", i))
	}
	e, err := f.CreateTable(f.t.Context(), a, in)
	if err != nil {
		f.t.Fatal(err)
	}
	return e
}

// read reads a table, and checks what must hold of every one.
func (f *fixture) read(id string) quire.Elemental {
	f.t.Helper()
	e, err := f.Elemental(f.t.Context(), f.bob, id)
	if err != nil {
		f.t.Fatal(err)
	}
	for ci, c := range e.Details.Columns {
		if c.Visibility != e.Visibility || len(c.Cells) != len(e.Details.Rows) {
			f.t.Fatalf("column %s: visibility %d of %d, %d cells in %d rows", c.Title, c.Visibility, e.Visibility, len(c.Cells), len(e.Details.Rows))
		}
		for ri, cell := range c.Cells {
			row := e.Details.Rows[ri]
			if cell.OwnerID != e.OwnerID || cell.TenantID != e.TenantID || cell.Visibility != e.Visibility || cell.TypeID != quire.TypeCell || cell.Type.Name != "Cell" ||
				cell.CategoryID != quire.CategoryText || cell.ColumnID != c.ID || cell.RowID != row.ID || cell.TableID != e.ID || cell.Details != nil {
				f.t.Errorf("cell %+v of %+v", cell.ElementalRecord, e.ElementalRecord)
			}
			if there := cell.Body != ""; (cell.ID != "") != there || (cell.Version > 0) != there || (cell.URL != "") != there {
				f.t.Errorf("cell %+v at %s", cell.ElementalRecord, cell.URL)
			}
			if len(row.Cells) != len(e.Details.Columns) || row.Cells[ci].ID != cell.ID || row.Cells[ci].Body != cell.Body {
				f.t.Errorf("row %s and column %s differ where they cross", row.Title, c.Title)
			}
		}
		f.sameItems(c)
	}
	for _, r := range e.Details.Rows {
		f.sameItems(r)
	}
	return e
}

// sameItems checks that a list of a table has those of its cells that have a text as items,
// in order.
func (f *fixture) sameItems(list quire.TableList) {
	f.t.Helper()
	var cells, items []string
	for _, c := range list.Cells {
		if c.ID != "" {
			cells = append(cells, c.ID)
		}
	}
	if list.TotalItems != len(cells) {
		f.t.Errorf("%s: %d items, %d cells with a text", list.Title, list.TotalItems, len(cells))
	}
	owner := quire.Actor{UserID: list.OwnerID, TenantID: list.TenantID}
	for e, err := range f.AllListItems(f.t.Context(), owner, list.ID, false) {
		if err != nil {
			f.t.Fatal(err)
		}
		items = append(items, e.ID)
	}
	if diff := cmp.Diff(cells, items); diff != "" {
		f.t.Errorf("items of %s (-cells +items):\n%s", list.Title, diff)
	}
}

// texts are the cells of a table, row by row; "" for empty ones.
func texts(e quire.Elemental) [][]string {
	out := make([][]string, len(e.Details.Rows))
	for r, row := range e.Details.Rows {
		out[r] = make([]string, len(e.Details.Columns))
		for c, column := range e.Details.Columns {
			for _, cell := range row.Cells {
				if cell.ColumnID == column.ID {
					out[r][c] = cell.Body
				}
			}
		}
	}
	return out
}

func (f *fixture) wantTexts(id string, want ...[]string) quire.Elemental {
	f.t.Helper()
	e := f.read(id)
	if diff := cmp.Diff(want, texts(e)); diff != "" {
		f.t.Errorf("cells (-want +got):\n%s", diff)
	}
	return e
}

func TestCreateTable(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		tag, err := f.CreateTag(t.Context(), f.ann, quire.TagInput{Title: "sea", Color: "#fff", ElementalTypeID: quire.TypeTable})
		if err != nil {
			t.Fatal(err)
		}
		e, err := f.CreateTable(t.Context(), f.ann, quire.TableInput{
			Title: " Berths and their fees ", Description: "d", CategoryID: 1, Visibility: quire.Unlisted, TagIDs: []int64{tag.ID},
			Settings: quire.Settings{Template: true, System: true},
			Columns:  []string{" Length ", "Fee", "Fee"}, Rows: []string{"Berth 1", strings.Repeat("ß", 100)},
			Cells: [][]string{{"8 m", "", "24"}, {"12 m"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if e.Title != "Berths and their fees" || e.TypeID != quire.TypeTable || e.CategoryID != 1 || e.Version != 1 || e.UpdatedAt != nil ||
			e.Visibility != quire.Unlisted || e.Settings != (quire.Settings{Template: true}) || len(e.Tags) != 1 {
			t.Errorf("%+v", e.ElementalRecord)
		}
		got := f.wantTexts(e.ID, []string{"8 m", "", "24"}, []string{"12 m", "", ""})
		column, row := got.Details.Columns[0], got.Details.Rows[1]
		if column.Title != "Length" || column.TableOrientation != quire.TableColumn || column.TableID != e.ID || row.TableIndex != 1 || column.Type.Name != "Table" {
			t.Errorf("%+v, %+v", column.ListRecord, row.ListRecord)
		}
		if title := column.Cells[0].Title; title != "Berth 1 / Length" {
			t.Errorf("title %q", title)
		}
		if title := column.Cells[1].Title; title != strings.Repeat("ß", 100) {
			t.Errorf("long title %q", title)
		}
	})
}

func TestCreateTableRefuses(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		good := func() quire.TableInput {
			return quire.TableInput{Title: "A table of things", Columns: []string{"c"}, Rows: []string{"r"}}
		}
		for _, tt := range []struct {
			field string
			edit  func(in *quire.TableInput)
		}{
			{"title", func(in *quire.TableInput) { in.Title = "short" }},
			{"description", func(in *quire.TableInput) { in.Description = strings.Repeat("x", 20_001) }},
			{"category_id", func(in *quire.TableInput) { in.CategoryID = 999 }},
			{"visibility", func(in *quire.TableInput) { in.Visibility = 9 }},
			{"tagIds/0", func(in *quire.TableInput) { in.TagIDs = []int64{5} }},
			{"columns", func(in *quire.TableInput) { in.Columns = nil }},
			{"columns", func(in *quire.TableInput) { in.Columns = slices.Repeat(in.Columns, quire.MaxTableColumns+1) }},
			{"columns/0", func(in *quire.TableInput) { in.Columns[0] = strings.Repeat("x", 101) }},
			{"rows", func(in *quire.TableInput) { in.Rows = []string{} }},
			{"rows", func(in *quire.TableInput) { in.Rows = slices.Repeat(in.Rows, quire.MaxTableRows+1) }},
			{"rows", func(in *quire.TableInput) {
				in.Columns, in.Rows = slices.Repeat(in.Columns, 100), slices.Repeat(in.Rows, 101)
			}},
			{"rows/0", func(in *quire.TableInput) { in.Rows[0] = " \n" }},
			{"cells", func(in *quire.TableInput) { in.Cells = make([][]string, 2) }},
			{"cells/0", func(in *quire.TableInput) { in.Cells = [][]string{{"", ""}} }},
			{"cells/0/0", func(in *quire.TableInput) { in.Cells = [][]string{{"a\x00"}} }},
			{"cells/0/0", func(in *quire.TableInput) { in.Cells = [][]string{{"\xff"}} }},
		} {
			in := good()
			tt.edit(&in)
			_, err := f.CreateTable(t.Context(), f.ann, in)
			wantField(t, err, tt.field)
		}
		_, err := f.CreateTable(t.Context(), quire.Actor{}, good())
		wantCode(t, err, quire.CodeUnauthenticated)
		for _, typeID := range []int{quire.TypeCell, quire.TypeTable} {
			in := document("No real table", "x")
			in.TypeID = typeID
			_, err := f.CreateElemental(t.Context(), f.ann, in)
			wantField(t, err, "type_id")
		}
	})
}

// TestTableSize: all texts of a table together may be as long as one body.
func TestTableSize(t *testing.T) {
	t.Parallel()
	f := newFixture(t, store.NewMemory(), &quire.LibraryOptions{MaxBodyBytes: 10})
	in := quire.TableInput{Title: "A table of things", Columns: []string{"a", "b"}, Rows: []string{"r"}, Cells: [][]string{{"12345", "123456"}}}
	_, err := f.CreateTable(t.Context(), f.ann, in)
	wantField(t, err, "cells")
	in.Cells[0][1] = "12345"
	e, err := f.CreateTable(t.Context(), f.ann, in)
	if err != nil {
		t.Fatal(err)
	}
	a, b := e.Details.Columns[0].ID, e.Details.Columns[1].ID
	row := e.Details.Rows[0].ID
	set := func(texts map[int64]string) error {
		_, err := f.UpdateList(t.Context(), f.ann, row, quire.ListPatch{Cells: texts})
		return err
	}
	wantField(t, set(map[int64]string{a: "123456"}), "table")
	for _, long := range []string{"12345678901", "éééééé"} { // the limit is in bytes
		err := set(map[int64]string{a: long})
		wantField(t, err, fmt.Sprintf("table/%d", a))
		if !strings.Contains(err.Error(), "must have at most 10 bytes") {
			t.Error(err)
		}
	}
	if err := set(map[int64]string{a: "1234567890", b: ""}); err != nil {
		t.Error(err)
	}
	cell := f.wantTexts(e.ID, []string{"1234567890", ""}).Details.Columns[0].Cells[0]
	if err := set(map[int64]string{a: "1", b: "123456789"}); err != nil {
		t.Error(err)
	}
	_, err = f.UpdateElemental(t.Context(), f.ann, cell.ID, quire.ElementalPatch{Body: ptr("12")})
	wantField(t, err, "template")
	f.wantTexts(e.ID, []string{"1", "123456789"})
}

func TestSetCells(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		e := f.table(f.ann, 2, 2, []string{"a", "b"}, []string{"c"})
		other := f.table(f.ann, 1, 1)
		columns, rows := e.Details.Columns, e.Details.Rows
		list, err := f.UpdateList(ctx, f.ann, columns[0].ID, quire.ListPatch{Cells: map[int64]string{rows[0].ID: "", rows[1].ID: "C"}})
		if err != nil || list.Version != 2 || list.TotalItems != 1 {
			t.Errorf("%+v, %v", list.ListRecord, err)
		}
		got := f.wantTexts(e.ID, []string{"", "b"}, []string{"C", ""})
		if got.Version != 2 || got.UpdatedAt == nil {
			t.Errorf("the table has version %d", got.Version)
		}
		was, is := e.Details.Columns[0].Cells[1], got.Details.Columns[0].Cells[1]
		if was.ID != is.ID || is.Version != 2 || is.Counters != was.Counters {
			t.Errorf("%+v became %+v", was.ElementalRecord, is.ElementalRecord)
		}
		if _, err := f.Elemental(ctx, f.ann, e.Details.Columns[0].Cells[0].ID); !errors.Is(err, quire.ErrNotFound) {
			t.Errorf("the emptied cell: %v", err)
		}
		if _, err := f.UpdateList(ctx, f.ann, rows[1].ID, quire.ListPatch{Cells: map[int64]string{columns[1].ID: "d", columns[0].ID: "C"}}); err != nil {
			t.Error(err)
		}
		got = f.wantTexts(e.ID, []string{"", "b"}, []string{"C", "d"})
		if cell := got.Details.Rows[1].Cells[0]; cell.Version != 2 {
			t.Errorf("a cell that stayed the same has version %d", cell.Version)
		}
		// Nothing changes, so no version does.
		if _, err := f.UpdateList(ctx, f.ann, rows[1].ID, quire.ListPatch{Cells: map[int64]string{columns[0].ID: "C"}}); err != nil {
			t.Error(err)
		}
		if again := f.read(e.ID); again.Version != got.Version {
			t.Errorf("version %d after no change of %d", again.Version, got.Version)
		}
		for _, id := range []int64{columns[1].ID, columns[0].ID, other.Details.Rows[0].ID, 5} {
			_, err := f.UpdateList(ctx, f.ann, columns[0].ID, quire.ListPatch{Cells: map[int64]string{rows[0].ID: "x", id: "y"}})
			wantField(t, err, fmt.Sprintf("table/%d", id))
		}
		plain := f.list(f.ann, quire.ListInput{Title: "plain"})
		_, err = f.UpdateList(ctx, f.ann, plain.ID, quire.ListPatch{Cells: map[int64]string{5: "x"}})
		wantField(t, err, "table")
		_, err = f.UpdateList(ctx, f.bob, columns[0].ID, quire.ListPatch{Cells: map[int64]string{rows[0].ID: "x"}})
		wantCode(t, err, quire.CodeForbidden)
		f.wantTexts(e.ID, []string{"", "b"}, []string{"C", "d"})
	})
}

func TestTableListsKeepTheirCells(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		e := f.table(f.ann, 1, 2, []string{"a"})
		column, cell := e.Details.Columns[0], e.Details.Columns[0].Cells[0]
		doc := f.create(f.ann, document("An ordinary document", "x"))
		for _, p := range []quire.ListPatch{
			{Items: &[]quire.ItemInput{{ElementalID: doc.ID}}},
			{Items: &[]quire.ItemInput{{ElementalID: cell.ID, OrderIndex: ptr(int64(5))}}},
			{Items: &[]quire.ItemInput{}, ReplaceItems: true},
		} {
			_, err := f.UpdateList(ctx, f.ann, column.ID, p)
			wantField(t, err, "item_ids")
		}
		_, err := f.UpdateList(ctx, f.ann, column.ID, quire.ListPatch{Visibility: ptr(quire.Unlisted)})
		wantField(t, err, "visibility")
		wantField(t, f.RemoveListItems(ctx, f.ann, column.ID, []string{cell.ID}), "item_ids")
		in := document("Another document", "x")
		in.Lists = []int64{column.ID}
		_, err = f.CreateElemental(ctx, f.ann, in)
		wantField(t, err, "lists_to_save/0/list_id")
		_, err = f.UpdateElemental(ctx, f.ann, doc.ID, quire.ElementalPatch{Lists: []int64{e.Details.Rows[0].ID}})
		wantField(t, err, "lists_to_save/0/list_id")
		_, err = f.UpdateElemental(ctx, f.ann, cell.ID, quire.ElementalPatch{Lists: []int64{e.Details.Columns[1].ID}})
		wantField(t, err, "lists_to_save/0/list_id")
		f.wantTexts(e.ID, []string{"a", ""})

		// In an ordinary list a cell is like any elemental, and leaves it when it goes.
		list := f.list(f.ann, quire.ListInput{Title: "plain", Items: []quire.ItemInput{{ElementalID: cell.ID}, {ElementalID: e.ID}}})
		if list.TotalItems != 2 {
			t.Errorf("%d items", list.TotalItems)
		}
		if err := f.RemoveListItems(ctx, f.ann, list.ID, []string{cell.ID}); err != nil {
			t.Error(err)
		}
		if _, err := f.UpdateElemental(ctx, f.ann, cell.ID, quire.ElementalPatch{Lists: []int64{list.ID}}); err != nil {
			t.Error(err)
		}
		f.wantTexts(e.ID, []string{"a", ""})
		if _, err := f.UpdateList(ctx, f.ann, column.ID, quire.ListPatch{Cells: map[int64]string{e.Details.Rows[0].ID: ""}}); err != nil {
			t.Error(err)
		}
		if list, err = f.List(ctx, f.ann, list.ID); err != nil || list.TotalItems != 1 {
			t.Errorf("%d items, %v", list.TotalItems, err)
		}
	})
}

func TestUpdateTableAndCell(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		e := f.table(f.ann, 1, 1, []string{"a"})
		cell := e.Details.Columns[0].Cells[0]
		doc := f.create(f.ann, document("An ordinary document", "x"))
		for _, tt := range []struct {
			id, field string
			patch     quire.ElementalPatch
		}{
			{e.ID, "type_id", quire.ElementalPatch{TypeID: ptr(quire.TypeDocument)}},
			{e.ID, "type_id", quire.ElementalPatch{TypeID: ptr(quire.TypeCell)}},
			{e.ID, "template", quire.ElementalPatch{Body: ptr("x")}},
			{e.ID, "title", quire.ElementalPatch{Title: ptr("short")}},
			{cell.ID, "type_id", quire.ElementalPatch{TypeID: ptr(quire.TypeDocument)}},
			{cell.ID, "title", quire.ElementalPatch{Title: ptr("Another title")}},
			{cell.ID, "visibility", quire.ElementalPatch{Visibility: ptr(quire.Unlisted)}},
			{cell.ID, "category_id", quire.ElementalPatch{CategoryID: ptr(1)}},
			{cell.ID, "template", quire.ElementalPatch{Body: ptr("")}}, // it would be where there is none
			{doc.ID, "type_id", quire.ElementalPatch{TypeID: ptr(quire.TypeTable)}},
			{doc.ID, "type_id", quire.ElementalPatch{TypeID: ptr(quire.TypeCell)}},
		} {
			_, err := f.UpdateElemental(ctx, f.ann, tt.id, tt.patch)
			wantField(t, err, tt.field)
		}
		got, err := f.UpdateElemental(ctx, f.ann, e.ID, quire.ElementalPatch{
			Title: ptr("Another good title"), TypeID: ptr(quire.TypeTable), Body: ptr(""), Description: ptr("d"), CategoryID: ptr(2), Visibility: ptr(quire.Unlisted),
		})
		if err != nil || got.Title != "Another good title" || got.CategoryID != 2 || len(got.Details.Columns) != 1 {
			t.Errorf("%+v, %v", got, err)
		}
		f.wantTexts(e.ID, []string{"a"}) // which checks that all of it is Unlisted
		_, err = f.UpdateElemental(ctx, f.ann, cell.ID, quire.ElementalPatch{
			Title: ptr(cell.Title), TypeID: ptr(quire.TypeCell), Visibility: ptr(quire.Unlisted), CategoryID: ptr(quire.CategoryText),
			Body: ptr("anemone"), Description: ptr("about it"),
		})
		if err != nil {
			t.Error(err)
		}
		after := f.wantTexts(e.ID, []string{"anemone"})
		if after.Version != got.Version+1 || after.Details.Rows[0].Cells[0].Description != "about it" {
			t.Errorf("%+v", after.ElementalRecord)
		}
		if diff := cmp.Diff([]string{"Another good title"}, f.find(f.ann, "anemone")); diff != "" {
			t.Error(diff)
		}
		for _, id := range []string{e.ID, cell.ID} {
			_, err = f.UpdateElemental(ctx, f.bob, id, quire.ElementalPatch{Description: ptr("x")})
			wantCode(t, err, quire.CodeForbidden)
			wantCode(t, f.DeleteElemental(ctx, f.bob, id), quire.CodeForbidden)
		}
		_, err = f.AddRow(ctx, f.bob, e.ID, "r")
		wantCode(t, err, quire.CodeForbidden)
		_, err = f.AddRow(ctx, f.ann, "nobody", "r")
		wantCode(t, err, quire.CodeNotFound)
		_, err = f.AddRow(ctx, f.ann, doc.ID, "r")
		wantCode(t, err, quire.CodeInvalid)
		wantCode(t, f.DeleteList(ctx, f.bob, e.Details.Columns[0].ID), quire.CodeForbidden)
	})
}

// TestTableIsFoundByItsTexts: what is in a table finds the table and nothing else, as
// it is now.
func TestTableIsFoundByItsTexts(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		e := f.table(f.ann, 1, 1, []string{"barnacle"})
		column, row := e.Details.Columns[0], e.Details.Rows[0]
		want := func(text string, found bool) {
			t.Helper()
			var titles []string
			if found {
				titles = []string{e.Title}
			}
			if diff := cmp.Diff(titles, f.find(f.bob, text)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", text, diff)
			}
		}
		want("barnacle", true)
		want("r0", true)
		if _, err := f.UpdateList(ctx, f.ann, column.ID, quire.ListPatch{Title: ptr("Crustacean"), Cells: map[int64]string{row.ID: "copepod"}}); err != nil {
			t.Fatal(err)
		}
		want("barnacle", false)
		want("copepod", true)
		want("crustacean", true)
		if cell := f.read(e.ID).Details.Rows[0].Cells[0]; cell.Title != "r0 / Crustacean" {
			t.Errorf("title %q", cell.Title)
		}
		tag, err := f.CreateTag(ctx, f.ann, quire.TagInput{Title: "sea", Color: "#fff", ElementalTypeID: quire.TypeTable})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{e.ID, f.read(e.ID).Details.Rows[0].Cells[0].ID} {
			if _, err := f.AttachTag(ctx, f.ann, id, tag.ID); err != nil {
				t.Fatal(err)
			}
		}
		want("sea copepod", true)
		if err := f.DeleteElemental(ctx, f.ann, f.read(e.ID).Details.Rows[0].Cells[0].ID); err != nil {
			t.Fatal(err)
		}
		want("copepod", false)
		f.wantTexts(e.ID, []string{""})
		if _, err := f.UpdateElemental(ctx, f.ann, e.ID, quire.ElementalPatch{Visibility: ptr(quire.Unlisted)}); err != nil {
			t.Fatal(err)
		}
		want("crustacean", false)
		if found, err := f.SearchLists(ctx, f.ann, quire.SearchInput{Text: "crustacean"}); err != nil || found.Total != 0 {
			t.Errorf("lists: %+v, %v", found, err)
		}
		if found, err := f.UserLists(ctx, f.ann, nil); err != nil || found.Total != 0 {
			t.Errorf("lists of the user: %+v, %v", found, err)
		}
	})
}

func TestTableGrowsAndShrinks(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		e := f.table(f.ann, 2, 2, []string{"a", "b"}, []string{"c", "d"})
		column, err := f.AddColumn(ctx, f.ann, e.ID, " new ")
		if err != nil || column.Title != "new" || column.TableIndex != 2 || column.TableOrientation != quire.TableColumn {
			t.Fatalf("%+v, %v", column.ListRecord, err)
		}
		if _, err := f.UpdateList(ctx, f.ann, column.ID, quire.ListPatch{Cells: map[int64]string{e.Details.Rows[1].ID: "f"}}); err != nil {
			t.Fatal(err)
		}
		if err := f.DeleteList(ctx, f.ann, e.Details.Columns[1].ID); err != nil {
			t.Fatal(err)
		}
		if err := f.DeleteList(ctx, f.ann, e.Details.Rows[0].ID); err != nil {
			t.Fatal(err)
		}
		row, err := f.AddRow(ctx, f.ann, e.ID, "last")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.UpdateList(ctx, f.ann, row.ID, quire.ListPatch{Cells: map[int64]string{column.ID: "h", e.Details.Columns[0].ID: "g"}}); err != nil {
			t.Fatal(err)
		}
		f.wantTexts(e.ID, []string{"c", "f"}, []string{"g", "h"})
		for _, cell := range slices.Concat(e.Details.Columns[1].Cells, e.Details.Rows[0].Cells) {
			if _, err := f.Elemental(ctx, f.ann, cell.ID); !errors.Is(err, quire.ErrNotFound) {
				t.Errorf("cell %s of a deleted list: %v", cell.Title, err)
			}
		}
		_, err = f.AddColumn(ctx, f.ann, e.ID, " ")
		wantField(t, err, "title")
		wide := f.table(f.ann, 1, quire.MaxTableColumns)
		_, err = f.AddColumn(ctx, f.ann, wide.ID, "one too many")
		wantField(t, err, "columns")

		got := f.read(e.ID)
		if err := f.DeleteElemental(ctx, f.ann, e.ID); err != nil {
			t.Fatal(err)
		}
		for _, list := range slices.Concat(got.Details.Columns, got.Details.Rows) {
			if _, err := f.List(ctx, f.ann, list.ID); !errors.Is(err, quire.ErrNotFound) {
				t.Errorf("list %s of a deleted table: %v", list.Title, err)
			}
		}
		err = f.store.View(ctx, func(tx quire.ReadTx) error {
			cells, err := tx.Cells(ctx, e.ID)
			if len(cells) > 0 {
				t.Errorf("cells of a deleted table: %+v", cells)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestCellsAtOnce: changes of many cells at the same time all stay.
func TestCellsAtOnce(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		const n = 6
		e := f.table(f.ann, n, n)
		var wg sync.WaitGroup
		want := make([][]string, n)
		for r, row := range e.Details.Rows {
			want[r] = make([]string, n)
			for c, column := range e.Details.Columns {
				want[r][c] = fmt.Sprintf("%d/%d", r, c)
				list, crossed := row.ID, column.ID
				if (r+c)%2 == 0 {
					list, crossed = crossed, list
				}
				wg.Go(func() {
					if _, err := f.UpdateList(t.Context(), f.ann, list, quire.ListPatch{Cells: map[int64]string{crossed: want[r][c]}}); err != nil {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
		if got := f.wantTexts(e.ID, want...); got.Version != 1+n*n {
			t.Errorf("version %d after %d changes", got.Version, n*n)
		}
	})
}

// TestTablesAreReadOneByOne: pages with details have the inside of all tables, and reading
// all items of a list has one table in memory at a time.
func TestTablesAreReadOneByOne(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		var items []quire.ItemInput
		for range 3 {
			items = append(items, quire.ItemInput{ElementalID: f.table(f.ann, 1, 1, []string{"a"}).ID})
		}
		doc := f.create(f.ann, document("A document about things", "x"))
		list := f.list(f.ann, quire.ListInput{Title: "tables", Items: append(items, quire.ItemInput{ElementalID: doc.ID})})
		columns := func(page quire.Paged[quire.Elemental], err error) (out []int) {
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page.Items {
				out = append(out, len(e.Details.Columns))
			}
			return out
		}
		got := columns(f.ListItems(ctx, f.ann, list.ID, quire.ItemsInput{Details: true}))
		if diff := cmp.Diff([]int{1, 1, 1, 0}, got); diff != "" {
			t.Errorf("items:\n%s", diff)
		}
		got = columns(f.SearchElementals(ctx, f.ann, quire.SearchInput{Text: "things"}))
		slices.SortFunc(got, func(a, b int) int { return b - a })
		if diff := cmp.Diff([]int{1, 1, 1, 0}, got); diff != "" {
			t.Errorf("search:\n%s", diff)
		}
		// A table goes while the first one is looked at: a small list is what it was.
		shrinking := func(es iter.Seq2[quire.Elemental, error], gone string) (seen []int) {
			for e, err := range es {
				if err != nil {
					t.Fatal(err)
				}
				if seen = append(seen, len(e.Details.Columns)); len(seen) == 1 {
					if err := f.DeleteElemental(ctx, f.ann, gone); err != nil {
						t.Fatal(err)
					}
				}
			}
			return seen
		}
		if diff := cmp.Diff([]int{1, 1, 1, 0}, shrinking(f.AllListItems(ctx, f.ann, list.ID, true), items[1].ElementalID)); diff != "" {
			t.Errorf("of a small list:\n%s", diff)
		}
		ids := []string{items[0].ElementalID, items[1].ElementalID, items[2].ElementalID, doc.ID}
		if diff := cmp.Diff([]int{1, 0}, shrinking(f.Elementals(ctx, f.ann, ids), items[2].ElementalID)); diff != "" {
			t.Errorf("of elementals, some of which are gone:\n%s", diff)
		}
	})
}
