package httpapi

import (
	"testing"

	"github.com/quirelib/quire"
)

func TestTags(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	a := f.do(f.ann.key, "POST", "/v1/user/tag", `{"title":"Water","color":"#0af","elementalTypeId":3,"description":"d","source_user_id":5,"source_tag_id":"x"}`).want(201)
	id := a.str("response.id")
	a.has("response.title", `"Water"`, "response.color", `"#0af"`, "response.description", `"d"`, "response.user_id", `"ann"`)
	if a.str("response.created_at") != a.str("response.updated_at") {
		t.Error("a new tag was already updated")
	}
	f.do(f.ann.key, "POST", "/v1/user/tag", `{"title":" ","color":"red"}`).
		failed(400, "title: must not be blank; it needs 1 to 100 characters", "title", "color", "elementalTypeId")
	f.do(f.ann.key, "POST", "/v1/user/tag", `{"title":5,"elementalTypeId":"3"}`).failed(400, "title: must be a string", "title", "elementalTypeId")
	f.tag(f.ann, "Second")
	f.do(f.ann.key, "GET", "/v1/user/tags", "").want(200).has("meta.total", "2", "meta.limit", "0", "response.0.id", `"`+id+`"`, "response.1.title", `"Second"`)
	f.do(f.bob.key, "GET", "/v1/user/tags", "").want(200).has("meta.total", "0", "response", "[]")

	f.do(f.ann.key, "PUT", "/v1/user/tag/"+id, `{"title":"Sea","description":null}`).want(200).
		has("response.title", `"Sea"`, "response.color", `"#0af"`, "response.description", `""`)
	f.do(f.ann.key, "PUT", "/v1/user/tag/"+id, `{"color":null}`).failed(400, "color: must not be null", "color")
	unknown := f.do(f.bob.key, "PUT", "/v1/user/tag/5", `{"title":"x"}`).want(404)
	if foreign := f.do(f.bob.key, "PUT", "/v1/user/tag/"+id, `{"title":"x"}`).want(404); foreign.body != unknown.body {
		t.Errorf("a foreign tag is not answered as an unknown one: %s, %s", foreign.body, unknown.body)
	}

	boat := f.elemental(f.ann, "How to sail a boat", "")
	path := "/v1/user/elemental/" + boat + "/tag/"
	f.do(f.ann.key, "POST", path+id, "").want(200).has("response.id", `"`+boat+`"`, "response.tags.0.id", `"`+id+`"`)
	f.do(f.ann.key, "POST", path+id, "ignored, whatever it is", "Content-Type", "text/plain").want(200).has("meta.total", "1")
	f.do(f.bob.key, "POST", path+id, "").want(403)
	f.do(f.ann.key, "POST", path+"5", "").want(404)
	f.do(f.ann.key, "POST", "/v1/user/elemental/nobody/tag/"+id, "").want(404)
	f.do(f.ann.key, "DELETE", path+id, "").want(200).has("response.tags", "[]")
	f.do(f.ann.key, "DELETE", path+id, "").want(200)

	f.do(f.bob.key, "DELETE", "/v1/user/tag/"+id, "").want(404)
	f.do(f.ann.key, "DELETE", "/v1/user/tag/"+id, "").want(204)
	f.do(f.ann.key, "DELETE", "/v1/user/tag/"+id, "").want(404)
	f.do(f.ann.key, "GET", "/v1/user/tags", "").has("meta.total", "1")
}

func TestCatalogueRoutes(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.do(f.ann.key, "GET", "/v1/elemental/types", "").want(200).has("response", `[{"id":1,"name":"Prompt"},{"id":2,"name":"Snippet"},
		{"id":3,"name":"Document"},{"id":8,"name":"Cell"},{"id":9,"name":"Table"}]`, "meta.total", "5")
	f.do(f.ann.key, "GET", "/v1/visibilities", "").want(200).has("response", `[{"id":1,"name":"Public"},{"id":2,"name":"Unlisted"}]`)
	f.do(f.ann.key, "GET", "/v1/list/types", "").want(200).has("response.0.id", "1")
	cat, err := f.lib.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cat.Categories = append(cat.Categories, catOnly(900, 8))
	if err := f.lib.SetCatalogue(t.Context(), cat); err != nil {
		t.Fatal(err)
	}
	a := f.do(f.ann.key, "GET", "/v1/elemental/type/8/categories", "").want(200)
	found := false
	for _, c := range a.at("response").([]any) {
		found = found || c.(map[string]any)["name"] == "Only for cells"
	}
	if !found {
		t.Errorf("the category is not offered for its type: %s", a.body)
	}
	f.do(f.ann.key, "GET", "/v1/elemental/type/category/900/topics", "").want(200).has("response", "[]", "meta.total", "0")
	topics := f.do(f.ann.key, "GET", "/v1/elemental/type/category/18/topics", "").want(200)
	if len(topics.at("response").([]any)) == 0 {
		t.Error("no topics for category Text")
	}
	f.do(f.ann.key, "GET", "/v1/elemental/type/77/categories", "").failed(404, problem404.message)
	f.do(f.ann.key, "GET", "/v1/elemental/type/category/901/topics", "").failed(404, problem404.message)
}

func catOnly(id, typeID int) quire.Category {
	return quire.Category{ID: id, Name: "Only for cells", TypeIDs: []int{typeID}}
}
