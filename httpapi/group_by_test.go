package httpapi

import (
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

// storedTable stores a table of one row and two columns, past the rules for tables.
func (f *fixture) storedTable(id string) {
	f.t.Helper()
	ctx := f.t.Context()
	err := f.store.Update(ctx, func(tx quire.Tx) error {
		records := []quire.ElementalRecord{
			{ID: id, TypeID: quire.TypeTable, Title: "Prices of tea"},
			{ID: id + "-1", TypeID: quire.TypeCell, Body: "two", TableID: id, RowID: 11, ColumnID: 12},
			{ID: id + "-2", TypeID: quire.TypeCell, Body: "hot", TableID: id, RowID: 11, ColumnID: 13},
		}
		text := quire.IndexedText{Title: "prices of tea"}
		for _, e := range records {
			e.OwnerID, e.TenantID, e.CategoryID, e.Visibility, e.Version = "ann", "ann", quire.CategoryText, quire.Public, 1
			if err := tx.PutElemental(ctx, e, text); err != nil {
				return err
			}
			text = quire.IndexedText{}
		}
		lists := []quire.ListRecord{
			{ID: 11, Title: "Green", TableOrientation: quire.TableRow},
			{ID: 12, Title: "Price", TableOrientation: quire.TableColumn},
			{ID: 13, Title: "Served", TableOrientation: quire.TableColumn, TableIndex: 1},
		}
		for _, l := range lists {
			l.OwnerID, l.TenantID, l.TypeID, l.Visibility, l.Version, l.TableID = "ann", "ann", 1, quire.Public, 1, id
			if err := tx.PutList(ctx, l, quire.IndexedText{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

func TestGroupBy(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.storedTable("teas")
	plain := f.elemental(f.ann, "Prices of coffee", "")
	const byRow, byColumn = "1. Green\n   Price: two\n   Served: hot", "1. Price\n   Green: two\n2. Served\n   Green: hot"
	const rowMarkdown, columnMarkdown = "# Green\n\n- **Price:** two\n- **Served:** hot\n", "# Price\n\n- **Green:** two\n\n"
	for _, tt := range []struct {
		name, table, plain string // addresses of a table and of the same without one
		markdown, content  string // where the Markdown is and where the content as text is
	}{
		{"compiled list", "/v1/list/" + f.list(f.ann, "With a table", plain, "teas") + "/knowledge-base?format=markdown&fields=title,content",
			"/v1/list/" + f.list(f.ann, "Without one", plain) + "/knowledge-base?format=markdown&fields=title,content",
			"response.knowledge_base.content", "response.knowledge_base.items.1.content"},
		{"list", "/v1/list/" + f.list(f.ann, "With a table", plain, "teas") + "?x=y", "/v1/list/" + f.list(f.ann, "Without one", plain) + "?x=y",
			"response.knowledge_base", "response.knowledge_base_json.Items.1.Body"},
		{"search", "/v1/elementals?search=tea", "/v1/elementals?search=coffee",
			"response.0.knowledge_base", "response.0.knowledge_base_json.Body"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for query, want := range map[string][2]string{
				"&group_by=row": {byRow, rowMarkdown}, "&group_by=column": {byColumn, columnMarkdown},
			} {
				got := f.do(f.bob.key, "GET", tt.table+query, "").want(200)
				if text := got.str(tt.content); text != want[0] {
					t.Errorf("%s: content %q, want %q", query, text, want[0])
				}
				if text := got.str(tt.markdown); !strings.Contains(text, want[1]) {
					t.Errorf("%s: Markdown %q, want %q in it", query, text, want[1])
				}
			}
			row := f.do(f.bob.key, "GET", tt.plain+"&group_by=row", "").want(200).str(tt.markdown)
			if column := f.do(f.bob.key, "GET", tt.plain+"&group_by=column", "").want(200).str(tt.markdown); row != column {
				t.Errorf("without a table by row %q, by column %q", row, column)
			}
			f.do(f.bob.key, "GET", tt.table+"&group_by=cell", "").want(400).has("errors.0.field", `"group_by"`)
		})
	}
	one := f.do(f.bob.key, "GET", "/v1/elemental/teas/knowledge-base?group_by=column&fields=content", "").want(200)
	if got, want := one.str("response.knowledge_base.content"), "Body: "+strings.ReplaceAll(byColumn, "\n", "\n  ")+"\n"; got != want {
		t.Errorf("one table: %q, want %q", got, want)
	}
}
