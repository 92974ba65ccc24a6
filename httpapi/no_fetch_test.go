package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/extract"
)

// lures are texts that make a careless program fetch an address.
var lures = []string{
	"![x](ADDRESS/markdown.png) [x](ADDRESS/markdown) <ADDRESS/auto>", "[x]\n\n[x]: ADDRESS/reference",
	`<img src="ADDRESS/img" srcset="ADDRESS/set 2x"><picture><source src="ADDRESS/source"></picture><video src="ADDRESS/video" poster="ADDRESS/poster"></video>`,
	`<link rel=stylesheet href="ADDRESS/link"><script src="ADDRESS/script"></script><iframe src="ADDRESS/iframe"></iframe><object data="ADDRESS/object"></object>`,
	`<style>@import url(ADDRESS/style)</style><p style="background:url(ADDRESS/attribute)">x</p><meta http-equiv=refresh content="0;url=ADDRESS/meta"><base href="ADDRESS/base">`,
	`<?xml version="1.0"?><!DOCTYPE s SYSTEM "ADDRESS/dtd" [<!ENTITY % p SYSTEM "ADDRESS/parameter">%p;<!ENTITY x SYSTEM "ADDRESS/entity">]><svg xmlns="http://www.w3.org/2000/svg"><image href="ADDRESS/svg"/><text>&x;</text></svg>`,
	"<!DOCTYPE html><html><head><title>t</title></head><body><p>words</p><img src=ADDRESS/html></body></html>", "{{ADDRESS/template}} #[ADDRESS/prompt] ADDRESS/plain",
}

// lured puts an address into everything that a user can write, and reads all of it.
func (f *fixture) lured(address string) {
	f.t.Helper()
	ann := f.ann.key
	for i, lure := range lures {
		text := strings.ReplaceAll(lure, "ADDRESS", address)
		quoted, err := json.Marshal(text)
		if err != nil {
			f.t.Fatal(err)
		}
		fields := `"description":TEXT,"video_url":"ADDRESS/video","tutorial_steps":[{"title":"t","description":TEXT,"video_url":"ADDRESS/step"}],"files":[FILES]`
		fields = strings.NewReplacer("TEXT", string(quoted), "ADDRESS", address,
			"FILES", upload("a.html", []byte(text))+","+upload("a.md", []byte(text))+","+upload(address, []byte(text))).Replace(fields)
		made := f.do(ann, "POST", "/v1/user/elemental", `{"title":"An elemental with lures","type_id":3,"category_id":18,"template":`+string(quoted)+`,"command":`+string(quoted)+`,`+fields+`}`).want(201)
		id := made.str("response.id")
		list := f.do(ann, "POST", "/v1/user/list", `{"title":"A list with lures","item_ids":[{"prompt_id":"`+id+`"}],`+fields+`}`).want(201).str("response.id")
		f.do(ann, "POST", "/v1/user/table", `{"title":"A table with lures","columns":["c"],"rows":["r"],"cells":[["`+address+`/cell"]]}`)
		if _, err := f.lib.Comment(f.t.Context(), f.bob.Actor(), id, text); err != nil {
			f.t.Error(err)
		}
		f.ingest(f.ann, id)
		for _, path := range []string{"/v1/elemental/" + id, "/v1/elemental/" + id + "/knowledge-base", "/v1/list/" + list + "?expand_items=true",
			"/v1/list/" + list + "/knowledge-base?group_by=row&format=markdown&fields=title,description,content,url,images,video,tutorial,files",
			"/v1/elementals?search=lures"} {
			f.do(f.bob.key, "GET", path, "").want(200)
		}
		for n := range 3 {
			f.get(f.bob.key, "GET", made.path("response.files."+string(rune('0'+n))+".url"))
		}
		question := `{"query":` + string(quoted) + `,"filters":{"tenant_id":"ann"}}`
		for _, path := range []string{"/v1/kb/search", "/v1/kb/chat", "/v1/kb/chat/stream"} {
			f.do(ann, "POST", path, question).want(200)
		}
		if i == 0 {
			f.get("", "GET", "/docs")
		}
	}
}

// TestLures: an address that is written anywhere is text. Nobody comes to the server that
// it names, by whatever way of this process.
func TestLures(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer server.Close()
	resp, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if requests.Swap(0) != 1 {
		t.Fatal("the server does not count")
	}
	addresses := []string{server.URL, "http://203.0.113.7", "http://[2001:db8::7]", "http://name.invalid"} // TestNothingIsFetched counts the others
	for i, address := range addresses {
		f := newFileFixture(t, nil, &quire.EngineOptions{Extractor: extract.New(nil)})
		if _, err := f.lib.CreateUser(t.Context(), quire.UserInput{ID: "lured", AvatarURL: address + "/avatar"}); err != nil {
			t.Fatal(i, err)
		}
		f.lured(address)
	}
	if n := requests.Load(); n > 0 {
		t.Errorf("%d requests came to the server that is named", n)
	}
	if t.Failed() {
		return
	}
	t.Logf("F1: %d texts that name things to fetch, in all fields and files, written, ingested, read and asked about: %d requests to the server that they name", len(lures), requests.Load())
}
