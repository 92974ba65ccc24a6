package httpapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// table creates a table of two columns and two rows with three cells.
func (f *fixture) table(by account) answer {
	f.t.Helper()
	return f.do(by.key, "POST", "/v1/user/table", `{"title":"Berths and fees","description":"of the *harbour*","columns":["Length",{"title":"Fee"}],
		"rows":["Berth 1","Berth 2"],"cells":[["8 m","24"],[null,{"text":"30"}]]}`).want(201)
}

func TestCreateTable(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	a := f.table(f.ann)
	id := a.str("response.id")
	url := "https://quire.example/v1/elemental/" + id
	if got := a.header.Get("Location"); got != url {
		t.Errorf("Location is %q, want %q", got, url)
	}
	column, row := a.str("response.columns.1.id"), a.str("response.rows.1.id")
	shape := []string{
		"response.is_list", "true", "response.type", `{"id":9,"name":"Table"}`, "response.category.id", "18", "response.visibility.id", "1",
		"response.columns.0.title", `"Length"`, "response.columns.1.title", `"Fee"`, "response.rows.0.title", `"Berth 1"`, "response.rows.1.title", `"Berth 2"`,
		"response.columns.0.table_id", `"` + id + `"`, "response.columns.0.table_orientation", `"column"`, "response.rows.0.table_orientation", `"row"`,
		"response.columns.0.total_items", "1", "response.columns.1.total_items", "2", "response.rows.1.total_items", "1",
		"response.columns.0.items.0.body_content", `"8 m"`, "response.columns.1.items.0.body_content", `"24"`, "response.columns.1.items.1.body_content", `"30"`,
		"response.columns.1.items.1.title", `"Berth 2 / Fee"`, "response.columns.1.items.1.type", `{"id":8,"name":"Cell"}`, "response.columns.1.items.1.is_list", "false",
		// One level deep: a cell has no columns and rows, the rows have light cells.
		"response.columns.1.items.1.columns", "[]", "response.columns.1.items.1.rows", "[]", "response.rows.1.items.0.columns", "null",
		"response.rows.1.items.1.id", `"` + a.str("response.columns.1.items.1.id") + `"`,
		// An empty place is a cell without id, so that columns and rows are aligned.
		"response.rows.1.items.0.id", `""`, "response.rows.1.items.0.title", `"Berth 2 / Length"`, "response.columns.0.items.1.id", `""`,
		"response.columns.0.items.1.url", `""`, "response.columns.0.items.1.body_content", `""`, "response.columns.0.items.1.type", `{"id":8,"name":"Cell"}`,
		"response.rows.1.items.0.body_content", "null", "response.body_content", `""`,
		"response.knowledge_base", `"# Berths and fees\n\nof the *harbour*\n\n## Body\n\n### Berth 1\n\n- **Length:** 8 m\n- **Fee:** 24\n\n### Berth 2\n\n- **Fee:** 30\n"`,
		"response.knowledge_base_json.Body", `"1. Berth 1\n   Length: 8 m\n   Fee: 24\n2. Berth 2\n   Fee: 30"`,
	}
	a.has(shape...)
	f.do(f.bob.key, "GET", "/v1/elemental/"+id, "").want(200).has(shape...)
	f.do(f.bob.key, "GET", "/v1/elemental/"+id+"?format=text&group_by=column", "").want(200).has("response.knowledge_base",
		`"Title: Berths and fees\nDescription: of the *harbour*\nBody: 1. Length\n     Berth 1: 8 m\n  2. Fee\n     Berth 1: 24\n     Berth 2: 30\n"`)
	f.do(f.bob.key, "GET", "/v1/elemental/"+id+"/knowledge-base?format=json&group_by=column&fields=content", "").want(200).has(
		"response.knowledge_base.content", `"1. Length\n   Berth 1: 8 m\n2. Fee\n   Berth 1: 24\n   Berth 2: 30"`)

	// Read by themselves, columns and rows are lists of cells; searches and the user's
	// lists have none of it.
	f.do(f.bob.key, "GET", "/v1/list/"+column+"?expand_items=1", "").want(200).has("response.table_id", `"`+id+`"`, "response.items.0.body_content", `"24"`)
	f.do(f.bob.key, "GET", "/v1/list/"+row+"/items", "").want(200).has("meta.total", "1", "response.0.title", `"Berth 2 / Fee"`)
	f.do(f.ann.key, "GET", "/v1/user/lists", "").want(200).has("response", "[]")
	f.do(f.ann.key, "GET", "/v1/lists?search=length", "").want(200).has("meta.total", "0")
	f.do(f.ann.key, "GET", "/v1/elementals?search=30", "").want(200).has("meta.total", "1", "response.0.id", `"`+id+`"`)
	f.do(f.ann.key, "GET", "/v1/elementals?search=fee", "").want(200).has("meta.total", "1", "response.0.rows.1.title", `"Berth 2"`)
}

func TestCreateTableRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	before := f.snapshot()
	for _, tt := range []struct{ body, field string }{
		{`{}`, "title"},
		{`{"title":"A table of things","rows":["r"]}`, "columns"},
		{`{"title":"A table of things","columns":["c"],"rows":[]}`, "rows"},
		{`{"title":"A table of things","columns":["c"," "],"rows":["r"]}`, "columns/1"},
		{`{"title":"A table of things","columns":["c"],"rows":["r"],"cells":[[],[]]}`, "cells"},
		{`{"title":"A table of things","columns":["c"],"rows":["r"],"cells":[["a","b"]]}`, "cells/0"},
		{`{"title":"A table of things","columns":["c"],"rows":["r"],"category_id":999}`, "category_id"},
		{`{"title":"A table of things","columns":["c"],"rows":["r"],"tagIds":["5"]}`, "tagIds/0"},
		{`{"title":"A table of things","columns":["c"],"rows":["r"],"visibility":3}`, "visibility"},
		{`{"title":"A table of things","columns":["c"],"rows":["r"],"cells":[[5]]}`, "cells/0/0"},
		{`{"title":"A table of things","columns":[` + strings.Repeat(`"c",`, 100) + `"c"],"rows":["r"]}`, "columns"},
		{`{"title":"A table of things","columns":["c"],"rows":[` + strings.Repeat(`"r",`, 1000) + `"r"]}`, "rows"},
		{`{"title":"A table of things","columns":[` + strings.Repeat(`"c",`, 10) + `"c"],"rows":[` + strings.Repeat(`"r",`, 999) + `"r"]}`, "rows"},
	} {
		a := f.do(f.ann.key, "POST", "/v1/user/table", tt.body)
		if a.status != 400 || !strings.Contains(a.body, fmt.Sprintf(`"field":%q`, tt.field)) {
			t.Errorf("%.200s: %d %s, want 400 that names %s", tt.body, a.status, a.body, tt.field)
		}
	}
	if f.snapshot() != before {
		t.Error("a refused table has left something behind")
	}
}

func TestSetCells(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	a := f.table(f.ann)
	id := a.str("response.id")
	columns := []string{a.str("response.columns.0.id"), a.str("response.columns.1.id")}
	rows := []string{a.str("response.rows.0.id"), a.str("response.rows.1.id")}
	put := func(list, body string) answer { return f.do(f.ann.key, "PUT", "/v1/user/list/"+list, body) }

	put(columns[0], fmt.Sprintf(`{"table":{%q:{"content":[]},%q:{"content":["9 m",{"text":"wide","type":"text"},""]}}}`, rows[0], rows[1])).want(200).has(
		"response.total_items", "1", "response.items.0.title", `"Berth 2 / Length"`)
	put(rows[0], fmt.Sprintf(`{"title":"First","table":{%q:{"content":[{"text":"25"}]}}}`, columns[1])).want(200).has("response.items.0.title", `"First / Fee"`)
	put(rows[0], `{"table":{}}`).want(200)
	put(rows[0], `{"table":null}`).want(200)
	f.do(f.bob.key, "GET", "/v1/elemental/"+id, "").want(200).has("response.columns.0.items.0.id", `""`, "response.columns.0.items.1.body_content", `"9 m\nwide\n"`,
		"response.columns.1.items.0.body_content", `"25"`, "response.columns.1.items.0.id", `"`+a.str("response.columns.1.items.0.id")+`"`,
		"response.rows.0.total_items", "1", "response.rows.1.total_items", "2")

	put(columns[0], fmt.Sprintf(`{"table":{%q:{"content":["x"]}}}`, columns[1])).failed(400,
		"table/"+columns[1]+": must be the id of a row of the same table", "table/"+columns[1])
	put(columns[0], `{"item_ids":[{"prompt_id":"x"}]}`).failed(400, "item_ids: the items of a column or row are its cells; set them with table", "item_ids")
	put(columns[0], `{"visibility":2}`).failed(400, "visibility: a column or row is as visible as its table; change that of the table", "visibility")
	f.do(f.ann.key, "DELETE", "/v1/user/list/"+columns[0]+"/elementals", `{"item_ids":[{"elemental_id":"x"}]}`).want(400).has("errors.0.field", `"item_ids"`)
	f.do(f.bob.key, "PUT", "/v1/user/list/"+columns[0], fmt.Sprintf(`{"table":{%q:{"content":["x"]}}}`, rows[0])).failed(403, "only the owner may change this list")
	cell := f.do(f.ann.key, "GET", "/v1/elemental/"+id, "").str("response.columns.1.items.0.id")
	f.do(f.ann.key, "PUT", "/v1/user/elemental/"+cell, `{"title":"Another title"}`).want(400).has("errors.0.field", `"title"`)
	f.do(f.ann.key, "PUT", "/v1/user/elemental/"+cell, `{"template":"26"}`).want(200).has("response.body_content", `"26"`)
	f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":"No real table","type_id":9,"category_id":18,"template":"x"}`).want(400).has("errors.0.field", `"type_id"`)

	f.do(f.bob.key, "DELETE", "/v1/elemental/"+id, "").want(403)
	f.do(f.ann.key, "DELETE", "/v1/elemental/"+id, "").want(204)
	for _, path := range []string{"/v1/elemental/" + id, "/v1/elemental/" + cell, "/v1/list/" + columns[0], "/v1/list/" + rows[1]} {
		f.do(f.ann.key, "GET", path, "").want(404)
	}
}

// TestTableInAList: a list with a table in it, whole and compiled.
func TestTableInAList(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	a := f.table(f.ann)
	table := a.str("response.id")
	cell := a.str("response.columns.0.items.0.id")
	list := f.list(f.ann, "Of the harbour", table, cell)
	f.do(f.bob.key, "GET", "/v1/list/"+list, "").want(200).has("response.items.0.is_list", "true", "response.items.0.columns", "null")
	f.do(f.bob.key, "GET", "/v1/list/"+list+"?expand_items=1&format=text", "").want(200).has(
		"response.items.0.columns.0.items.0.body_content", `"8 m"`, "response.items.0.columns.0.items.0.columns", "[]",
		"response.items.0.rows.1.items.1.title", `"Berth 2 / Fee"`, "response.items.1.columns", "[]", "response.items.1.body_content", `"8 m"`,
		"response.knowledge_base", `"Title: Of the harbour\n\n1. Title: Berths and fees\n   Description: of the *harbour*\n   Body: 1. Berth 1\n        Length: 8 m\n        Fee: 24\n     2. Berth 2\n        Fee: 30\n\n2. Title: Berth 1 / Length\n   Body: 8 m\n"`)
	compiled := f.do(f.bob.key, "GET", "/v1/list/"+list+"/knowledge-base?format=markdown&group_by=column&fields=title,content", "").want(200)
	compiled.has("response.knowledge_base.content",
		`"# Of the harbour\n\n## Berths and fees\n\n### Body\n\n#### Length\n\n- **Berth 1:** 8 m\n\n#### Fee\n\n- **Berth 1:** 24\n- **Berth 2:** 30\n\n## Berth 1 / Length\n\n### Body\n\n8 m\n"`,
		"response.knowledge_base.items.0.content", `"1. Length\n   Berth 1: 8 m\n2. Fee\n   Berth 1: 24\n   Berth 2: 30"`)
	f.do(f.bob.key, "GET", "/v1/list/"+list+"/items?expand_items=1", "").want(200).has("response.0.columns.0.items.0.body_content", `"8 m"`, "response.1.columns", "[]")
	f.do(f.bob.key, "GET", "/v1/list/"+list+"/items", "").want(200).has("response.0.columns", "null")
	f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":"Into a column","type_id":3,"category_id":18,"template":"x","lists_to_save":[{"list_id":`+a.str("response.columns.0.id")+`}]}`).
		want(400).has("errors.0.field", `"lists_to_save/0/list_id"`)
}

func TestTableOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	body := `{"title":"A table of things","columns":["c"],"rows":["r"],"cells":[["x"]]}`
	first := f.do(f.ann.key, "POST", "/v1/user/table", body, idempotencyKey, "k").want(201)
	again := f.do(f.ann.key, "POST", "/v1/user/table", body, idempotencyKey, "k").want(201)
	if diff := cmp.Diff(first.body, again.body); diff != "" {
		t.Error(diff)
	}
}

// TestTableIsAsked: what is in a table is ingested with it, and follows its changes.
func TestTableIsAsked(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	a := f.table(f.ann)
	id, column, row := a.str("response.id"), a.str("response.columns.0.id"), a.str("response.rows.1.id")
	search := func() (texts []string) {
		t.Helper()
		var got struct {
			Items []struct {
				Payload struct {
					Text string `json:"original_text"`
				} `json:"payload"`
			} `json:"items"`
		}
		body := f.do(f.ann.key, "POST", "/v1/kb/search", `{"query":"berth","filters":{"tenant_id":"ann","elemental_id":"`+id+`","type_name":"Table"}}`).want(200).body
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		for _, r := range got.Items {
			texts = append(texts, r.Payload.Text)
		}
		return texts
	}
	f.ingest(f.ann, id)
	if text := strings.Join(search(), "\n"); !strings.Contains(text, "Berth 1 / Fee\n\n24") {
		t.Errorf("found %q", text)
	}
	f.do(f.ann.key, "PUT", "/v1/user/elemental/"+id, `{"settings":{"is_knowledge_base":true}}`).want(200)
	f.do(f.ann.key, "PUT", "/v1/user/list/"+column, `{"table":{"`+row+`":{"content":["eleven metres"]}}}`).want(200)
	jobs, err := f.eng.Jobs(t.Context(), "ann", "", quire.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs.Items {
		if _, err := f.eng.Wait(t.Context(), "ann", j.ID); err != nil {
			t.Fatal(err)
		}
	}
	if text := strings.Join(search(), "\n"); !strings.Contains(text, "eleven metres") {
		t.Errorf("after a change of a cell: %q", text)
	}
	f.do(f.ann.key, "DELETE", "/v1/elemental/"+id, "").want(204)
	if found := search(); len(found) != 0 {
		t.Errorf("a deleted table is found: %q", found)
	}
}
