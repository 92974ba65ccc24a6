package quire_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// wholeTexts is a Chunker that does not split.
type wholeTexts struct{}

func (wholeTexts) Chunks(text string) []quire.Span { return []quire.Span{{End: len(text)}} }

// cellChunk is what is told of a chunk of a table.
type cellChunk struct {
	item, column, text string
	tags               []string
}

// cellChunks are the stored chunks of a table by the id of their item.
func (f *engineFixture) cellChunks(tableID string) map[string]cellChunk {
	f.t.Helper()
	out := make(map[string]cellChunk)
	for _, c := range f.stored(tableID) {
		if c.ElementalID != tableID || c.TypeName != "Table" || c.Source != "elemental" || c.Ordinal != 0 {
			f.t.Errorf("chunk %+v", c)
		}
		out[c.ItemID] = cellChunk{c.ItemID, c.ColumnID, c.Text, c.TagNames}
	}
	return out
}

func onEachTableEngine(t *testing.T, test func(t *testing.T, f *engineFixture)) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			test(t, newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: wholeTexts{}}))
		})
	}
}

func (f *engineFixture) tag(title string) int64 {
	f.t.Helper()
	tag, err := f.CreateTag(f.t.Context(), f.ann, quire.TagInput{Title: title, Color: "#fff", ElementalTypeID: quire.TypeTable})
	f.check(err)
	return tag.ID
}

// TestCellsAreIngested: each cell has chunks of its own, with the tags of its table, its
// column and itself, and they follow what becomes of it.
func TestCellsAreIngested(t *testing.T) {
	onEachTableEngine(t, func(t *testing.T, f *engineFixture) {
		ctx := t.Context()
		e := f.fixture.table(f.ann, 2, 2, []string{"a", "b"}, []string{"c"})
		column := e.Details.Columns[0]
		a, c, b := column.Cells[0].ID, column.Cells[1].ID, e.Details.Columns[1].Cells[0].ID
		first, second := fmt.Sprint(column.ID), fmt.Sprint(e.Details.Columns[1].ID)
		want := func(chunks ...cellChunk) {
			t.Helper()
			byItem := make(map[string]cellChunk)
			for _, chunk := range chunks {
				byItem[chunk.item] = chunk
			}
			if diff := cmp.Diff(byItem, f.cellChunks(e.ID), cmp.AllowUnexported(cellChunk{})); diff != "" {
				t.Errorf("chunks (-want +got):\n%s", diff)
			}
			f.inStep()
		}
		wantTags := func(itemID string, names ...string) {
			t.Helper()
			if diff := cmp.Diff(names, f.cellChunks(e.ID)[itemID].tags); diff != "" {
				t.Errorf("tags of a cell (-want +got):\n%s", diff)
			}
		}
		f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
		own := cellChunk{e.ID, "", e.Title, nil}
		want(own, cellChunk{a, first, "r0 / c0\n\na", nil}, cellChunk{b, second, "r0 / c1\n\nb", nil}, cellChunk{c, first, "r1 / c0\n\nc", nil})

		// Tags reach the chunks without the embedder: the table's first, then the column's,
		// then the cell's, each once.
		calls := f.embedder.Calls()
		ofTable, ofColumn, ofCell := f.tag("of the table"), f.tag("of the column"), f.tag("of the cell")
		_, err := f.UpdateList(ctx, f.ann, column.ID, quire.ListPatch{TagIDs: &[]int64{ofColumn, ofTable}})
		f.check(err)
		wantTags(a, "of the column", "of the table")
		_, err = f.AttachTag(ctx, f.ann, a, ofCell)
		f.check(err)
		wantTags(a, "of the column", "of the table", "of the cell")
		_, err = f.AttachTag(ctx, f.ann, e.ID, ofTable)
		f.check(err)
		own.tags = []string{"of the table"}
		want(own, cellChunk{a, first, "r0 / c0\n\na", []string{"of the table", "of the column", "of the cell"}},
			cellChunk{b, second, "r0 / c1\n\nb", []string{"of the table"}}, cellChunk{c, first, "r1 / c0\n\nc", []string{"of the table", "of the column"}})
		title := "renamed"
		_, err = f.UpdateTag(ctx, f.ann, ofColumn, quire.TagPatch{Title: &title})
		f.check(err)
		wantTags(c, "of the table", "renamed")
		f.check(f.DeleteTag(ctx, f.ann, ofCell))
		f.check(f.DeleteTag(ctx, f.ann, ofTable))
		own.tags = nil
		want(own, cellChunk{a, first, "r0 / c0\n\na", []string{"renamed"}}, cellChunk{b, second, "r0 / c1\n\nb", nil}, cellChunk{c, first, "r1 / c0\n\nc", []string{"renamed"}})

		// Chunks of what is gone go at once; those of changed texts stay until the next
		// ingest, and asking for that of a cell is asking for that of its table.
		_, err = f.UpdateList(ctx, f.ann, column.ID, quire.ListPatch{Cells: map[int64]string{e.Details.Rows[0].ID: "", e.Details.Rows[1].ID: "C"}})
		f.check(err)
		want(own, cellChunk{b, second, "r0 / c1\n\nb", nil}, cellChunk{c, first, "r1 / c0\n\nc", []string{"renamed"}})
		if n := f.embedder.Calls() - calls; n != 0 {
			t.Errorf("the embedder was called %d times", n)
		}
		if j := f.waitStatus(f.ingest(f.ann, c, ""), quire.JobSucceeded); j.ElementalID != e.ID {
			t.Errorf("the job is of %s, want the table %s", j.ElementalID, e.ID)
		}
		want(own, cellChunk{b, second, "r0 / c1\n\nb", nil}, cellChunk{c, first, "r1 / c0\n\nC", []string{"renamed"}})
		f.check(f.DeleteList(ctx, f.ann, column.ID))
		want(own, cellChunk{b, second, "r0 / c1\n\nb", nil})
		f.check(f.DeleteElemental(ctx, f.ann, e.ID))
		want()
	})
}

// TestTableInTheKnowledgeBase: a change of a cell ingests the table by itself.
func TestTableInTheKnowledgeBase(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Chunker: wholeTexts{}})
	e, err := f.CreateTable(t.Context(), f.ann, quire.TableInput{
		Title: "A table of things", Columns: []string{"c"}, Rows: []string{"r"}, Cells: [][]string{{"a"}}, Settings: quire.Settings{KnowledgeBase: true},
	})
	f.check(err)
	f.settle(f.ann)
	cell := e.Details.Columns[0].Cells[0].ID
	if got := f.cellChunks(e.ID)[cell].text; got != "r / c\n\na" {
		t.Errorf("after the creation: %q", got)
	}
	body, description := "b", "of it"
	_, err = f.UpdateElemental(t.Context(), f.ann, cell, quire.ElementalPatch{Body: &body})
	f.check(err)
	f.settle(f.ann)
	_, err = f.UpdateElemental(t.Context(), f.ann, cell, quire.ElementalPatch{Description: &description})
	f.check(err)
	f.settle(f.ann)
	if got := f.cellChunks(e.ID)[cell].text; got != "r / c\n\nof it\n\nb" {
		t.Errorf("after changes of the cell: %q", got)
	}
	name := "R"
	_, err = f.UpdateList(t.Context(), f.ann, e.Details.Rows[0].ID, quire.ListPatch{Title: &name})
	f.check(err)
	f.settle(f.ann)
	if got := f.cellChunks(e.ID)[cell].text; got != "R / c\n\nof it\n\nb" {
		t.Errorf("after a new name of the row: %q", got)
	}
}
