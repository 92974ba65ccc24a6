package httpapi

import (
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

func TestCreateList(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	one, two, tag := f.elemental(f.ann, "The first item", ""), f.elemental(f.bob, "The second item", ""), f.tag(f.ann, "A tag")
	a := f.do(f.ann.key, "POST", "/v1/user/list", fmt.Sprintf(`{"title":"A list","description":"*of* two","visibility":2,"template":"{{items}}",
		"item_ids":[{"prompt_id":%q,"orderIndex":2},{"elemental_id":%q,"orderIndex":1}],"tagIds":[%q],"is_premium":true,"price":1,
		"settings":{"is_template":true}}`, one, two, tag)).want(201)
	id := a.str("response.id")
	url := "https://quire.example/v1/list/" + id
	a.has("response.title", `"A list"`, "response.description_plaintext", `"of two"`, "response.visibility", `{"id":2,"name":"Unlisted"}`,
		"response.type.id", "1", "response.topics", "[]", "response.total_items", "2", "response.items.0.id", `"`+two+`"`, "response.items.1.id", `"`+one+`"`,
		"response.url", `"`+url+`"`, "response.is_premium", "true", "response.price", "1", "response.updated_at", "null", "response.is_saved", "false",
		"response.is_favorite", "false", "response.is_voted", "false", "response.last_saves", "[]", "response.table_id", "null", "response.table_orientation", "null",
		"response.tags.0.id", `"`+tag+`"`, "response.settings.is_template", "true", "response.user.id", `"ann"`, "response.images", "[]", "response.rates", "[]",
		// Items in their light form: what is not part of it is null.
		"response.items.0.body_content", "null", "response.items.0.topics", "null", "response.items.0.knowledge_base", "null", "response.items.0.images", "null",
		"response.items.0.settings", "null", "response.items.0.total_uses", "0", "response.items.0.tags", "[]", "response.items.0.user.email", `""`)
	for _, header := range []string{"Location", listURLHeader} {
		if got := a.header[header]; len(got) != 1 || got[0] != url {
			t.Errorf("header %s is %q, want %q", header, got, url)
		}
	}
	f.do(f.ann.key, "POST", "/v1/user/list", `{}`).failed(400, "title: must not be blank; it needs 1 to 100 characters", "title")
	f.do(f.ann.key, "POST", "/v1/user/list", `{"title":"x","content_type":999}`).failed(400, "content_type: must be a list type of the catalogue: one of 1 (Collection), 2 (Knowledge base), 3 (Workflow), 4 (Table)", "content_type")
	f.do(f.ann.key, "POST", "/v1/user/list", `{"title":"x","item_ids":[{"prompt_id":"nobody"}]}`).want(400).has("errors.0.field", `"item_ids/0"`)
	f.do(f.ann.key, "POST", "/v1/user/list", `{"title":"x","tagIds":["5"]}`).want(400).has("errors.0.field", `"tagIds/0"`)
}

func TestReadList(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	one := f.elemental(f.ann, "The only item", `,"description":"d"`)
	id := f.list(f.ann, "A list", one)
	path := "/v1/list/" + id
	f.do(f.bob.key, "GET", path, "").want(200).has("response.items.0.body_content", "null", "response.items.0.description", `"d"`,
		"response.knowledge_base_json", `{"Description":"","Items":[{"Body":"body of The only item","Description":"d","Title":"The only item"}],"Title":"A list"}`)
	f.do(f.bob.key, "GET", path+"?expand_items=1&format=text", "").want(200).has("response.items.0.body_content", `"body of The only item"`,
		"response.knowledge_base_json", "null", "response.items.0.knowledge_base_json", "null", "response.knowledge_base", `"Title: A list\n\n1. Title: The only item\n   Description: d\n   Body: body of The only item\n"`,
		"response.items.0.knowledge_base", `"Title: The only item\nDescription: d\nBody: body of The only item\n"`)
	f.do(f.bob.key, "GET", path+"?expand_items=0&format=json&fields=title", "").want(200).has("response.items.0.body_content", "null",
		"response.knowledge_base", "null", "response.knowledge_base_json.Items.0", `{"Title":"The only item"}`)
	f.do(f.bob.key, "GET", path+"?expand_items=maybe", "").failed(400, "expand_items: must be true, false, 1 or 0", "expand_items")
	f.do(f.bob.key, "GET", path+"?group_by=x&fields=y", "").failed(400, "group_by: must be one of row, column", "group_by", "fields")

	// Text that is no list id is answered exactly as an id that does not exist.
	unknown := f.do(f.bob.key, "GET", "/v1/list/123456789", "").failed(404, problem404.message)
	for _, bad := range []string{"x", "0", "-5", "01", "1.0", "9007199254740992", "99999999999999999999", "%2B1"} {
		if got := f.do(f.bob.key, "GET", "/v1/list/"+bad, ""); got.body != unknown.body || got.status != 404 {
			t.Errorf("%s: %d %s", bad, got.status, got.body)
		}
	}
}

func TestKnowledgeOfSmallListsOnly(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	var items []string
	for i := range 10 {
		items = append(items, f.elemental(f.ann, fmt.Sprintf("Item number %d", i), ""))
	}
	nine, ten := f.list(f.ann, "Nine", items[:9]...), f.list(f.ann, "Ten", items...)
	if f.do(f.ann.key, "GET", "/v1/list/"+nine, "").str("response.knowledge_base") == "" {
		t.Error("nine items: no knowledge text")
	}
	f.do(f.ann.key, "GET", "/v1/list/"+ten+"?format=text&expand_items=true", "").want(200).
		has("response.knowledge_base", "null", "response.knowledge_base_json", "null", "response.items.9.knowledge_base", "null", "response.total_items", "10")
}

func TestListItems(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	var items []string
	for i := range 9 {
		items = append(items, f.elemental(f.ann, fmt.Sprintf("Item number %d", 8-i), ""))
	}
	path := "/v1/list/" + f.list(f.ann, "A list", items...) + "/items"
	a := f.do(f.bob.key, "GET", path, "").want(200)
	a.has("meta", `{"is_authenticaded":true,"is_authenticated":true,"limit":4,"offset":0,"page":1,"size":4,"total":9,"version":"v1.0.2"}`,
		"response.0.id", `"`+items[0]+`"`, "response.0.body_content", "null", "response.0.url", `"https://quire.example/v1/elemental/`+items[0]+`"`)
	f.do(f.bob.key, "GET", path+"?size=4&page=3&expand_items=true", "").want(200).
		has("meta.offset", "8", "response.0.id", `"`+items[8]+`"`, "response.0.body_content", `"body of Item number 0"`)
	f.do(f.bob.key, "GET", path+"?order_by=title&size=1", "").has("response.0.title", `"Item number 0"`)
	f.do(f.bob.key, "GET", path+"?order_by=title&order_dir=desc&size=1", "").has("response.0.title", `"Item number 8"`)
	f.do(f.bob.key, "GET", path+"?order_by=created_at&order_dir=asc&size=1", "").has("response.0.id", `"`+items[0]+`"`)
	f.do(f.bob.key, "GET", path+"?order_by=updated_at&size=1", "").want(200)
	f.do(f.bob.key, "GET", path+"?order_by=price", "").failed(400, "order_by: must be one of index, created_at, updated_at, title", "order_by")
	f.do(f.bob.key, "GET", path+"?order_dir=up&size=101", "").failed(400, "size: must be a whole number between 1 and 100", "size", "order_dir")
	f.do(f.bob.key, "GET", path+"?page=99", "").want(200).has("response", "[]", "meta.total", "9")
	f.do(f.bob.key, "GET", "/v1/list/5/items", "").failed(404, problem404.message)
}

func TestSearchLists(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for i := range 6 {
		f.list(f.ann, fmt.Sprintf("Recipes %d", i))
	}
	f.do(f.bob.key, "POST", "/v1/user/list", `{"title":"Recipes of Bob","visibility":2}`).want(201)
	f.do(f.ann.key, "GET", "/v1/lists", "").want(200).has("meta.total", "6", "meta.size", "4", "response.0.items", "null", "response.0.knowledge_base", "null")
	f.do(f.ann.key, "GET", "/v1/lists?search=recipes&size=2&page=3", "").want(200).has("meta.total", "6", "meta.offset", "4")
	f.do(f.bob.key, "GET", "/v1/lists?search=bob", "").want(200).has("meta.total", "1")
	f.do(f.ann.key, "GET", "/v1/lists?search=bob", "").want(200).has("meta.total", "0", "response", "[]")
	f.do(f.ann.key, "GET", "/v1/lists?size=a", "").failed(400, "size: must be a whole number between 1 and 100", "size")

	f.do(f.ann.key, "GET", "/v1/user/lists", "").want(200).has("meta.total", "6", "meta.size", "6", "meta.limit", "6", "meta.page", "1", "response.5.items", "null")
	f.do(f.ann.key, "GET", "/v1/user/lists?page=2", "").want(200).has("meta.total", "6", "meta.size", "4", "meta.offset", "4", "response.1.total_items", "0")
	f.do(f.ann.key, "GET", "/v1/user/lists?size=5", "").want(200).has("meta.size", "5", "meta.page", "1")
	f.do(f.bob.key, "GET", "/v1/user/lists", "").want(200).has("meta.total", "1", "response.0.title", `"Recipes of Bob"`)
	f.do(f.bob.key, "GET", "/v1/user/lists?page=0", "").failed(400, "page: must be a whole number between 1 and 21474836", "page")
}

// listURLHeader is a variable, because linters want constants to be canonical.
var listURLHeader = "list_URL"

func TestUpdateList(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	one, two := f.elemental(f.ann, "The first item", ""), f.elemental(f.ann, "The second item", "")
	id := f.list(f.ann, "Before", one)
	path := "/v1/user/list/" + id
	a := f.do(f.ann.key, "PUT", path, fmt.Sprintf(`{"description":"new","item_ids":[{"prompt_id":%q,"orderIndex":-1}]}`, two)).want(200)
	a.has("response.title", `"Before"`, "response.description", `"new"`, "response.total_items", "2", "response.items.0.id", `"`+two+`"`)
	if got := a.header[listURLHeader]; len(got) != 1 || got[0] != "https://quire.example/v1/list/"+id {
		t.Errorf("%s is %q", listURLHeader, got)
	}
	f.do(f.ann.key, "PUT", path, `{"title":"After","mode":"replace"}`).want(200).has("response.title", `"After"`, "response.total_items", "2")
	f.do(f.ann.key, "PUT", path, fmt.Sprintf(`{"mode":"replace","item_ids":[{"prompt_id":%q}]}`, two)).want(200).has("response.total_items", "1")
	f.do(f.ann.key, "PUT", path, `{"mode":"replace","item_ids":null}`).want(200).has("response.items", "[]")
	f.do(f.ann.key, "PUT", path, `{"table":{"5":{"content":["x"]}}}`).failed(400, "table: only columns and rows of a table have cells; this list is neither", "table")
	f.do(f.ann.key, "PUT", path, `{"title":""}`).want(400)
	f.do(f.bob.key, "PUT", path, `{"title":"x"}`).failed(403, "only the owner may change this list")
	f.do(f.ann.key, "PUT", "/v1/user/list/none", `{"title":"x"}`).failed(404, problem404.message)
}

func TestRemoveListItemsAndDelete(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	one, two := f.elemental(f.ann, "The first item", `,"id":"77"`), f.elemental(f.ann, "The second item", "")
	id := f.list(f.ann, "A list", one, two)
	path := "/v1/user/list/" + id + "/elementals"
	f.do(f.bob.key, "DELETE", path, `{"item_ids":[{"elemental_id":"77"}]}`).failed(403, "only the owner may change this list")
	f.do(f.ann.key, "DELETE", path, `{"item_ids":[{"elemental_id":77},{"elemental_id":"nobody"}]}`).want(204)
	f.do(f.ann.key, "GET", "/v1/list/"+id, "").has("response.total_items", "1", "response.items.0.id", `"`+two+`"`)
	f.do(f.ann.key, "DELETE", path, `{"item_ids":[]}`).want(204)
	f.do(f.ann.key, "DELETE", path, `{}`).failed(400, "item_ids: is required", "item_ids")
	f.do(f.ann.key, "DELETE", path, `{"item_ids":[{"elemental_id":[]}]}`).want(400)
	f.do(f.ann.key, "DELETE", path, "").failed(400, "the body is empty; it must be JSON")

	f.do(f.bob.key, "DELETE", "/v1/user/list/"+id, "").failed(403, "only the owner may change this list")
	f.do(f.ann.key, "DELETE", "/v1/user/list/"+id, "").want(204)
	f.do(f.ann.key, "GET", "/v1/list/"+id, "").want(404)
	f.do(f.ann.key, "GET", "/v1/elemental/"+two, "").want(200)
}

// TestURLHeader holds that nothing of a title or of the request's Host gets into headers and
// addresses, wherever a proxy or a client puts it.
func TestURLHeader(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	const evil = "evil.example"
	tried := 0
	for _, title := range []string{`x\r\nEvil: 1 ü`, `x\nlist_URL: http://evil.example/`, `日本語`, `\u2028Evil: 1`, `\"><script>`, `../../evil.example`, `x%0d%0aEvil: 1`} {
		for _, header := range []string{"", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Prefix", "X-Forwarded-For", "Forwarded", "X-Original-URL", "X-Rewrite-URL", "X-Host", "Origin", "Referer"} {
			r := httptest.NewRequest("POST", "/v1/user/list", strings.NewReader(`{"title":"`+title+`"}`))
			r.Header.Set("X-Api-Key", f.ann.key)
			r.Host = evil
			if header != "" {
				r.Host = "user:secret@" + evil + "\x00"
				r.Header.Set(header, "host="+evil+";proto=gopher")
			}
			rec := exchanged(t, f.h, r)
			if rec.Code != 201 {
				t.Fatalf("%d %s", rec.Code, rec.Body)
			}
			got := answer{t, rec.Code, rec.Header(), rec.Body.String()}
			url := got.str("response.url")
			if spelled := rec.Header()[listURLHeader]; len(spelled) != 1 || spelled[0] != url || rec.Header().Get("Location") != url {
				t.Errorf("list_URL is %q, Location %q, url %q", spelled, rec.Header().Get("Location"), url)
			}
			if !regexp.MustCompile(`^https://quire\.example/v1/list/[0-9]+$`).MatchString(url) {
				t.Errorf("%s: the address is %q", header, url)
			}
			for name, values := range rec.Header() {
				if strings.Contains(strings.Join(values, ""), evil) || strings.ContainsAny(strings.Join(values, ""), "\r\n\x00") || strings.EqualFold(name, "Evil") {
					t.Errorf("%s %q: the header %s is %q", header, title, name, values)
				}
			}
			tried++
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("D9: %d titles and hosts, 0 of them in a header or an address", tried)
}

// TestWrittenListsAreStreamed answers with a list that is longer than what is held back.
func TestWrittenListsAreStreamed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	list := f.list(f.ann, "A long one")
	id, _ := parseNumericID(list)
	for range 80 {
		_, err := f.lib.CreateElemental(t.Context(), f.ann.Actor(), quire.ElementalInput{
			Title: "An item of the list", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText,
			Body: "x", Description: strings.Repeat("d", 20_000), Lists: []int64{id},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	a := f.do(f.ann.key, "PUT", "/v1/user/list/"+list, `{"title":"Another title"}`).want(200)
	if length := a.header.Get("Content-Length"); length != "" || len(a.body) < 80*20_000 {
		t.Errorf("the answer of %d bytes was built whole: Content-Length %q", len(a.body), length)
	}
}
