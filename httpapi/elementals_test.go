package httpapi

import (
	"fmt"
	"strings"
	"testing"
)

func TestCreateElemental(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	list, tag := f.list(f.ann, "A list"), f.tag(f.ann, "A tag")
	body := `{"title":"  Say hello politely ","type_id":1,"category_id":18,"topic_ids":[1],"template":"Hello *#name*, #[how are you]",
		"description":"A **greeting**","command":"/hello","visibility":2,"lists_to_save":[{"list_id":"` + list + `"}],"tagIds":[` + tag + `],
		"is_premium":true,"price":250,"video_url":"https://example.org/v","tutorial_steps":[{"title":"First"}],
		"settings":{"is_template":true,"is_system":true},"id":"hello-1"}`
	a := f.do(f.ann.key, "POST", "/v1/user/elemental", body).want(201)
	a.has("code", "201", "meta", `{"is_authenticaded":true,"is_authenticated":true,"limit":0,"offset":0,"total":1,"version":"v1.0.2"}`,
		"response.id", `"hello-1"`, "response.is_list", "false", "response.type", `{"id":1,"name":"Prompt"}`, "response.category", `{"id":18,"name":"Text"}`,
		"response.topics.0.id", "1", "response.title", `"Say hello politely"`, "response.body_content", `"Hello *#name*, #[how are you]"`,
		"response.body_content_placeholders", `{"list":["#name","#[how are you]"],"plaintext":"#name #[how are you]"}`,
		"response.body_content_json.type", `"doc"`, "response.description_plaintext", `"A greeting"`, "response.visibility", `{"id":2,"name":"Unlisted"}`,
		"response.images", "[]", "response.cover_images", "[]", "response.avatar_image", "null", "response.files", "[]",
		"response.tutorial_steps", `[{"description":"","id":1,"title":"First","video_url":""}]`, "response.is_premium", "true", "response.price", "250",
		"response.average_rate", "0", "response.video_url", `"https://example.org/v"`, "response.updated_at", "null",
		"response.user", `{"avatar":"https://img.example/ann","email":"ann@example.org","id":"ann","name":"ANN","username":"ann1"}`,
		"response.comments", "[]", "response.rates", "[]", "response.total_uses", "0", "response.command", `"/hello"`, "response.columns", "[]", "response.rows", "[]",
		"response.tags.0.id", `"`+tag+`"`, "response.settings", `{"is_knowledge_base":false,"is_system":false,"is_template":true}`,
		"response.knowledge_base_json", `{"Body":"Hello *#name*, #[how are you]","Description":"A **greeting**","Title":"Say hello politely"}`)
	if got := a.str("response.body_content_html"); !strings.Contains(got, "<em>") {
		t.Errorf("body_content_html is %q", got)
	}
	if got := a.header.Get("Location"); got != a.str("response.url") || !strings.HasPrefix(got, "https://quire.example/") {
		t.Errorf("Location is %q, url %q", got, a.str("response.url"))
	}
	if got := a.str("response.created_at"); !strings.HasSuffix(got, "Z") {
		t.Errorf("created_at %q is not in UTC", got)
	}
	f.do(f.ann.key, "GET", "/v1/list/"+list, "").has("response.items.0.id", `"hello-1"`)

	f.do(f.ann.key, "POST", "/v1/user/elemental", body).failed(409, "an elemental with this id exists")
	f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":"short","type_id":3}`).
		failed(400, "template: is required and must not be blank; it is the text of the elemental", "template", "category_id", "title")
	f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":"a long enough title","type_id":"3","template":[]}`).
		failed(400, "type_id: must be a positive whole number, without quotes", "type_id", "template")
	// None is of a wrong type, and all break a rule: all is said at once.
	f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":"a long enough title","type_id":77,"category_id":9999,"visibility":3,"template":" "}`).
		failed(400, "template: is required and must not be blank; it is the text of the elemental", "template", "type_id", "category_id", "visibility")
	f.do(f.ann.key, "POST", "/v1/user/elemental", `[]`).failed(400, "must be an object", "")
}

func TestReadElemental(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	id := f.elemental(f.ann, "A document of Ann", `,"visibility":2`)
	path := "/v1/elemental/" + id
	f.do(f.ann.key, "GET", path, "").want(200).has("response.user.email", `"ann@example.org"`,
		"response.knowledge_base", `"# A document of Ann\n\n## Body\n\nbody of A document of Ann\n"`)
	// Unlisted: others can read it by id, without the owner's address.
	f.do(f.bob.key, "GET", path, "").want(200).has("response.user.email", `""`, "response.title", `"A document of Ann"`)
	f.do(f.bob.key, "GET", path+"?format=text&fields=id,title", "").want(200).
		has("response.knowledge_base_json", "null", "response.knowledge_base", fmt.Sprintf(`"Id: %s\nTitle: A document of Ann\n"`, id))
	f.do(f.bob.key, "GET", path+"?format=json&fields=title,type", "").want(200).
		has("response.knowledge_base_json", `{"Title":"A document of Ann","Type":"Document"}`, "response.knowledge_base", "null")
	f.do(f.bob.key, "GET", path+"?format=yaml", "").failed(400, "format: must be one of text, markdown, json", "format")
	f.do(f.bob.key, "GET", "/v1/elemental/nobody", "").failed(404, problem404.message)
}

func TestUpdateElemental(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	id := f.elemental(f.ann, "Before the change", `,"description":"old","price":5`)
	path := "/v1/user/elemental/" + id
	f.do(f.ann.key, "PUT", path, `{"title":"After the change"}`).want(200).
		has("response.title", `"After the change"`, "response.description", `"old"`, "response.price", "5", "response.body_content", `"body of Before the change"`)
	a := f.do(f.ann.key, "PUT", path, `{"price":null,"description":null}`).want(200)
	a.has("response.price", "null", "response.description", `""`, "response.title", `"After the change"`)
	if a.str("response.updated_at") == "" {
		t.Error("updated_at is not set")
	}
	f.do(f.ann.key, "PUT", path, `{"template":"new","template_overwrite_content":false}`).want(200).
		has("response.body_content", `"body of Before the change"`)
	f.do(f.ann.key, "PUT", path, `{"template":"new"}`).want(200).has("response.body_content", `"new"`)
	f.do(f.ann.key, "PUT", path, `{"type_id":1}`).failed(400, "topic_ids: a prompt needs at least one topic, such as 59 (General)", "topic_ids")
	f.do(f.ann.key, "PUT", path, `{"title":null}`).failed(400, "title: must not be null", "title")
	f.do(f.bob.key, "PUT", path, `{"title":"Taken over by Bob"}`).failed(403, "only the owner may change this elemental")
	f.do(f.ann.key, "PUT", "/v1/user/elemental/nobody", `{}`).failed(404, problem404.message)
}

func TestDeleteElemental(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	path := "/v1/elemental/" + f.elemental(f.ann, "Soon to be gone", "")
	f.do(f.bob.key, "DELETE", path, "").failed(403, "only the owner may change this elemental")
	f.do(f.ann.key, "DELETE", path, "").want(204)
	f.do(f.ann.key, "GET", path, "").want(404)
	f.do(f.ann.key, "DELETE", path, "").failed(404, problem404.message)
}

func TestSearchElementals(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for i := range 12 {
		f.elemental(f.ann, fmt.Sprintf("Sailing trip number %d", i), "")
	}
	f.elemental(f.bob, "Sailing for Bob alone", `,"visibility":2`)
	a := f.do(f.ann.key, "GET", "/v1/elementals?search=sailing", "").want(200)
	a.has("meta", `{"is_authenticaded":true,"is_authenticated":true,"limit":4,"offset":0,"page":1,"size":4,"total":12,"version":"v1.0.2"}`)
	if n := len(a.at("response").([]any)); n != 4 {
		t.Errorf("%d elementals, want 4", n)
	}
	if a.str("response.0.knowledge_base") == "" || a.at("response.0.knowledge_base_json") == nil {
		t.Error("a small page has no knowledge text")
	}
	a = f.do(f.ann.key, "GET", "/v1/elementals?search=sailing&size=10&page=2&format=text", "").want(200)
	a.has("meta.offset", "10", "meta.total", "12", "response.0.knowledge_base", "null", "response.0.knowledge_base_json", "null")
	if n := len(a.at("response").([]any)); n != 2 {
		t.Errorf("%d elementals on page 2, want 2", n)
	}
	f.do(f.ann.key, "GET", "/v1/elementals?search=sailing&page=1000", "").want(200).has("response", "[]", "meta.total", "12")
	f.do(f.bob.key, "GET", "/v1/elementals?search=alone", "").want(200).has("meta.total", "1")
	f.do(f.ann.key, "GET", "/v1/elementals?search=alone", "").want(200).has("meta.total", "0", "response", "[]")
	f.do(f.ann.key, "GET", "/v1/elementals?search=NEAR(%20-%20%22*", "").want(200)
	f.do(f.ann.key, "GET", "/v1/elementals", "").failed(400, "search: is required; it is what to look for", "search")
	f.do(f.ann.key, "GET", "/v1/elementals?search=%20", "").failed(400, "search: must not be empty", "search")
	f.do(f.ann.key, "GET", "/v1/elementals?size=0&page=x&fields=all", "").failed(400, "page: must be a whole number between 1 and 21474836", "page", "size", "fields", "search")
}

func TestPrepareTemplate(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	id := f.elemental(f.ann, "A template to fill", `,"template_overwrite_content":true`)
	f.do(f.ann.key, "PUT", "/v1/user/elemental/"+id, `{"template":"Dear #[first name], #word and #[left alone]"}`).want(200)
	path := "/v1/elemental/" + id + "/template/prepare"
	f.do(f.bob.key, "POST", path, `{"#[first name]":"#word <b>","#word":"x","#none":"y","#[left alone]":null}`).want(200).
		has("response", `{"result":"Dear #word <b>, x and #[left alone]"}`)
	f.do(f.bob.key, "POST", path, `{"#word":5,"#[first name]":[]}`).failed(400, "#[first name]: must be a string", "#[first name]", "#word")
	f.do(f.bob.key, "POST", "/v1/elemental/nobody/template/prepare", `{}`).want(404)
}

// TestSnippetTitle: two snippets of a user never have one title, whichever way the
// second one comes to it.
func TestSnippetTitle(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	payload := func(title string) string {
		return `{"title":"` + title + `","type_id":2,"category_id":18,"template":"x"}`
	}
	const taken = "you have a snippet with this title; choose another one"
	f.do(f.ann.key, "POST", "/v1/user/elemental", payload("How to tie a knot")).want(201)
	f.do(f.ann.key, "POST", "/v1/user/elemental", payload("How to tie a knot")).failed(409, taken, "title")
	id := f.do(f.ann.key, "POST", "/v1/user/elemental", payload("How to tie a rope")).want(201).str("response.id")
	f.do(f.ann.key, "PUT", "/v1/user/elemental/"+id, `{"title":"How to tie a knot"}`).failed(409, taken, "title")
	f.do(f.bob.key, "POST", "/v1/user/elemental", payload("How to tie a knot")).want(201)
}
