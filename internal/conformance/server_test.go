package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/engine/extract"
	"github.com/quirelib/quire/httpapi"
	"github.com/quirelib/quire/store"
)

// step is a request of the walk; JSON is a GET that asks for it. Words in angle brackets
// stand for values that former answers gave.
type step struct {
	method, target, body string
	status               int
	keep                 string // "name=path": keeps a value of the answer
}

// dot is a GIF of one pixel, in base64.
const dot = "R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs="

// walk goes through every route, with a success and the errors that a client can
// cause.
var walk = []step{
	{"GET", "/v1/health", "", 200, ""},
	{"GET", "/health", "", 200, ""},
	{"GET", "/health/detailed", "", 200, ""},
	{"GET", "/openapi.json", "", 200, ""},
	{"GET", "/docs", "", 200, ""},
	{"HEAD", "/docs", "", 200, ""},
	{"GET", "/v1/auth/token/validate", "", 200, ""},
	{"GET", "/v1/list/types", "", 200, ""},
	{"GET", "/v1/elemental/types", "", 200, ""},
	{"GET", "/v1/visibilities", "", 200, ""},
	{"GET", "/v1/elemental/type/3/categories", "", 200, ""},
	{"GET", "/v1/elemental/type/99/categories", "", 404, ""},
	{"GET", "/v1/elemental/type/category/18/topics", "", 200, ""},
	{"GET", "/v1/elemental/type/category/x/topics", "", 404, ""},

	{"POST", "/v1/user/tag", `{"title":"sea","color":"#0af","elementalTypeId":3,"description":null}`, 201, "tag=response.id"},
	{"POST", "/v1/user/tag", `{"title":"sea","color":"blue","elementalTypeId":3}`, 400, ""},
	{"PUT", "/v1/user/tag/<tag>", `{"color":"#00aaff80"}`, 200, ""},
	{"PUT", "/v1/user/tag/1", `{"color":"#00aaff80"}`, 404, ""},
	{"GET", "/v1/user/tags", "", 200, ""},

	{"POST", "/v1/user/elemental", `{"title":"Ropes and knots","type_id":3,"category_id":18,"template":"# Bowline\n\n- loop #[name]\n- [x] pull, see [a](https://a.example \"t\")\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n` +
		"```go\\nx\\n```" + `","tagIds":[<tag>],"price":5,"video_url":"https://v.example/1","settings":{"is_knowledge_base":true},"tutorial_steps":[{"title":"First"}],"images":[]}`, 201, "elemental=response.id"},
	{"POST", "/v1/user/elemental", `{"title":"short"}`, 400, ""},
	{"POST", "/v1/user/elemental", `{"id":"<elemental>","title":"Ropes and knots","type_id":3,"category_id":18,"template":"x"}`, 409, ""},
	{"POST", "/v1/user/elemental", `{`, 400, ""},
	{"POST", "/v1/user/elementals", `[{"title":"Sails and winds","type_id":3},{"title":"Prompt for a log","type_id":1}]`, 201, ""},
	{"POST", "/v1/user/elementals", `[{"title":"Anchors and chains","type_id":2},{"title":"x","type_id":3},5]`, 206, ""},
	{"POST", "/v1/user/elementals", `[{"title":"x","type_id":3}]`, 400, ""},
	{"POST", "/v1/user/elementals", `[]`, 400, ""},
	{"GET", "/v1/user/elementals", "", 200, ""},
	{"GET", "/v1/user/elementals?type_id=3&tag_id=7&page=2&size=1", "", 200, ""},
	{"GET", "/v1/user/elementals?type_id=x", "", 400, ""},
	{"GET", "/v1/elemental/<elemental>", "", 200, ""},
	{"GET", "/v1/elemental/<elemental>?format=json&fields=id,title,type,description,content,url,images,video,tutorial,files", "", 200, ""},
	{"GET", "/v1/elemental/<elemental>?format=pdf", "", 400, ""},
	{"GET", "/v1/elemental/none", "", 404, ""},
	{"PUT", "/v1/user/elemental/<elemental>", `{"description":"How to *tie*","visibility":2}`, 200, ""},
	{"PUT", "/v1/user/elemental/<elemental>", `{"title":null}`, 400, ""},
	{"PUT", "/v1/user/elemental/<other>", `{"description":"x"}`, 403, ""},
	{"GET", "/v1/elemental/<elemental>/knowledge-base?format=json&fields=id,url,images,video,tutorial,files,content", "", 200, ""},
	{"GET", "/v1/elemental/<elemental>/knowledge-base", "", 200, ""},
	{"POST", "/v1/elemental/<elemental>/template/prepare", `{"#[name]":"left"}`, 200, ""},
	{"POST", "/v1/user/elemental/<elemental>/files", `{"images":[{"file_name":"dot.gif","file_buffer":"` + dot + `"}],"avatar":{"file_buffer":"` + dot + `"},` +
		`"files":[{"file_name":"a.txt","file_buffer":{"type":"Buffer","data":[104,105]}},{"file_buffer":[0,255]}]}`, 201, "image=response.images.0.id"},
	{"GET", "/v1/elemental/<elemental>", "", 200, "file=response.files.0.id"},
	{"POST", "/v1/user/elemental/<elemental>/files", `{"images":[{"file_buffer":"AAAA"}]}`, 400, ""},
	{"POST", "/v1/user/elemental/<other>/files", `{}`, 403, ""},
	{"GET", "/v1/image/<image>", "", 200, ""},
	{"GET", "/v1/image/<file>", "", 404, ""},
	{"GET", "/v1/elemental/<elemental>/file/<file>", "", 200, ""},
	{"JSON", "/v1/elemental/<elemental>/file/<file>", "", 200, ""},
	{"GET", "/v1/elemental/<elemental>/file/<image>", "", 404, ""},
	{"GET", "/v1/elemental/<elemental>/knowledge-base?format=json&fields=images,files", "", 200, ""},
	{"GET", "/v1/elemental/<elemental>?format=json&fields=images,files", "", 200, ""},
	{"DELETE", "/v1/user/elemental/<elemental>/files", `{"images":[<image>],"avatar":true}`, 200, ""},
	{"DELETE", "/v1/user/elemental/<elemental>/files", `{"images":"all"}`, 400, ""},
	{"POST", "/v1/user/elemental/<elemental>/tag/<tag>", "", 200, ""},
	{"POST", "/v1/user/elemental/<elemental>/tag/1", "", 404, ""},
	{"GET", "/v1/elementals?search=rope&size=2", "", 200, ""},
	{"GET", "/v1/elementals?search=rope&size=12&page=3", "", 200, ""},
	{"GET", "/v1/elementals", "", 400, ""},

	{"POST", "/v1/user/table", `{"title":"Masts and heights","columns":["Height",{"title":"Wood"}],"rows":["Fore"],"cells":[["9 m",{"text":"pine"}]]}`, 201, "table=response.id"},
	{"POST", "/v1/user/table", `{"title":"Masts and heights","columns":[],"rows":["Fore"]}`, 400, ""},
	{"GET", "/v1/elemental/<table>?group_by=column", "", 200, "column=response.columns.0.id"},
	{"GET", "/v1/elemental/<table>", "", 200, "row=response.rows.0.id"},
	{"PUT", "/v1/user/list/<column>", `{"table":{"<row>":{"content":["10 m",{"text":"about"}]}}}`, 200, ""},
	{"PUT", "/v1/user/list/<column>", `{"table":{"<column>":{"content":[]}}}`, 400, ""},
	{"GET", "/v1/list/<column>?expand_items=1", "", 200, ""},
	{"GET", "/v1/elementals?search=masts", "", 200, ""},
	{"GET", "/v1/elemental/<table>/knowledge-base?format=markdown&group_by=row", "", 200, ""},
	{"DELETE", "/v1/elemental/<table>", "", 204, ""},
	{"GET", "/v1/list/<row>", "", 404, ""},

	{"POST", "/v1/user/list", `{"title":"Boat","item_ids":[{"prompt_id":"<elemental>","orderIndex":1}],"tagIds":["<tag>"],"tutorial_steps":[{"title":"x"}],"price":0}`, 201, "list=response.id"},
	{"POST", "/v1/user/list", `{"title":""}`, 400, ""},
	{"GET", "/v1/list/<list>", "", 200, ""},
	{"GET", "/v1/list/<list>?expand_items=1&format=text", "", 200, ""},
	{"GET", "/v1/list/1", "", 404, ""},
	{"GET", "/v1/list/<list>/items?order_by=title&order_dir=desc&expand_items=true", "", 200, ""},
	{"GET", "/v1/list/<list>/items?size=0", "", 400, ""},
	{"GET", "/v1/list/<list>/knowledge-base?format=json&group_by=row&fields=id,title,tutorial", "", 200, ""},
	{"GET", "/v1/list/<list>/knowledge-base?format=text&group_by=column&fields=content", "", 200, ""},
	{"GET", "/v1/list/<list>/knowledge-base", "", 400, ""},
	{"GET", "/v1/lists?search=boat", "", 200, ""},
	{"GET", "/v1/user/lists", "", 200, ""},
	{"GET", "/v1/user/lists?page=2&size=1", "", 200, ""},
	{"PUT", "/v1/user/list/<list>", `{"mode":"replace","item_ids":[{"elemental_id":"<elemental>"}],"template":"{{items}}"}`, 200, ""},
	{"DELETE", "/v1/user/list/<list>/elementals", `{"item_ids":[{"elemental_id":"<elemental>"}]}`, 204, ""},
	{"DELETE", "/v1/user/list/<list>/elementals", `{}`, 400, ""},
	{"DELETE", "/v1/user/list/<list>", "", 204, ""},
	{"DELETE", "/v1/user/list/<list>", "", 404, ""},

	{"POST", "/v1/kb/elemental", `{"elemental_id":"<elemental>","trace_id":"t1"}`, 202, "job=data.job_id"},
	{"POST", "/v1/kb/elemental", `{"elemental_id":"none"}`, 404, ""},
	{"POST", "/v1/kb/elemental", `{"elemental_id":"<elemental>","trace_id":""}`, 400, ""},
	{"GET", "/v1/kb/jobs/none", "", 404, ""},
	{"GET", "/v1/kb/jobs?size=0", "", 400, ""},
	{"WAIT", "<job>", "", 0, ""},
	{"GET", "/v1/kb/jobs/<job>", "", 200, ""},
	{"GET", "/v1/kb/jobs", "", 200, ""},
	{"DELETE", "/v1/kb/jobs/<job>", "", 200, ""},
	{"DELETE", "/v1/kb/jobs/none", "", 404, ""},
	{"POST", "/v1/kb/search", `{"query":"bowline loop","filters":{"tenant_id":"ann","tag_ids":[<tag>]},"limit":10.0}`, 200, ""},
	{"POST", "/v1/kb/search", `{"query":5,"filters":{"tenant_id":"ann"}}`, 422, ""},
	{"POST", "/v1/kb/search", `{"query":"x","filters":{"tenant_id":"bob"}}`, 403, ""},
	{"POST", "/v1/kb/search", `{"query":"x","filters":{}}`, 400, ""},
	{"POST", "/v1/kb/chat", `{"query":"How is the bowline tied?","filters":{"tenant_id":"ann"}}`, 200, ""},
	{"POST", "/v1/kb/chat", `{"query":"Wer war das?","filters":{"tenant_id":"ann","tag_names":["none"]}}`, 200, ""},
	{"POST", "/v1/kb/chat", `{"query":"How is the bowline tied?","filters":{"tenant_id":"ann"},"limit":2}`, 200, ""},
	{"POST", "/v1/kb/chat", `{"query":"How is the bowline tied?","filters":{"tenant_id":"ann"},"limit":0}`, 400, ""},
	{"POST", "/v1/kb/chat", `{"query":" ","filters":{"tenant_id":"ann"}}`, 400, ""},
	{"POST", "/v1/kb/chat/stream", `{"query":"How is the bowline tied?","filters":{"tenant_id":"ann"}}`, 200, ""},
	{"POST", "/v1/kb/chat/stream", `{}`, 400, ""},
	{"POST", "/v1/kb/delete", `{"filters":{"tenant_id":"ann","elemental_id":"<elemental>"}}`, 200, ""},
	{"POST", "/v1/kb/delete", `{"filters":{"tenant_id":"ann","elemental":"x"}}`, 400, ""},
	{"DELETE", "/v1/kb/elemental/<elemental>", "", 200, ""},

	{"DELETE", "/v1/user/elemental/<elemental>/tag/<tag>", "", 200, ""},
	{"DELETE", "/v1/user/tag/<tag>", "", 204, ""},
	{"DELETE", "/v1/elemental/<elemental>", "", 204, ""},
	{"DELETE", "/v1/elemental/<elemental>", "", 404, ""},
	{"GET", "/v1/nothing", "", 404, ""},
	{"GET", "/v1/kb/nothing", "", 404, ""},
	{"PATCH", "/v1/lists", "", 405, ""},
	{"PATCH", "/v1/kb/search", "", 405, ""},
}

// site is a server that listens, with one user.
type site struct {
	t   *testing.T
	srv *httptest.Server
	eng *quire.Engine
	key string
}

func newSite(t *testing.T) *site {
	t.Helper()
	return newSiteOn(t, store.NewMemory())
}

// newSiteOn is newSite over a Store, which it closes.
func newSiteOn(t *testing.T, st quire.Store) *site {
	t.Helper()
	lib, err := quire.NewLibrary(t.Context(), st, &quire.LibraryOptions{PublicURL: "https://quire.example"})
	if err != nil {
		t.Fatal(err)
	}
	embedder, err := engine.NewHashing(nil)
	if err != nil {
		t.Fatal(err)
	}
	eng, err := quire.NewEngine(t.Context(), lib, enginetest.NewIndex(), embedder, engine.NewExtractive(nil), &quire.EngineOptions{Extractor: extract.New(nil)})
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, eng: eng, srv: httptest.NewServer(httpapi.New(lib, eng, &httpapi.Options{Prefix: "/api"}))}
	t.Cleanup(func() {
		s.srv.Close()
		ctx := context.Background()
		if err := errors.Join(eng.Close(ctx), lib.Close(ctx), st.Close()); err != nil {
			t.Error(err)
		}
	})
	for _, name := range []string{"ann", "bob"} {
		u, err := lib.CreateUser(t.Context(), quire.UserInput{ID: name, Email: name + "@example.org"})
		if err != nil {
			t.Fatal(err)
		}
		if name == "ann" {
			if _, s.key, err = lib.CreateKey(t.Context(), name, quire.KeyInput{}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		in := quire.ElementalInput{ID: "of-bob", Title: "Somebody else's text", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: "x"}
		if _, err := lib.CreateElemental(t.Context(), u.Actor(), in); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// do sends a request and returns it with its answer.
func (s *site) do(key string, st step) exchange {
	s.t.Helper()
	var body io.Reader
	if st.body != "" {
		body = strings.NewReader(st.body)
	}
	accept := "*/*"
	if st.method == "JSON" {
		st.method, accept = "GET", "application/json"
	}
	r, err := http.NewRequestWithContext(s.t.Context(), st.method, s.srv.URL+"/api"+st.target, body)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	if key != "" {
		r.Header.Set("x-api-key", key)
	}
	resp, err := s.srv.Client().Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	// net/http's client spells all names in its own way. That the server does not is
	// seen in the record of httpapi's tests.
	if v, ok := resp.Header["List_url"]; ok {
		resp.Header["list_URL"] = v
	}
	return exchange{
		Test: s.t.Name(), Prefix: "/api", Method: st.method, Target: "/api" + st.target, Header: r.Header, Body: []byte(st.body),
		Status: resp.StatusCode, Answered: resp.Header, Answer: answer,
	}
}

// run takes the walk and returns what was exchanged. Each route that needs a key is
// also asked without one.
func (s *site) run() []exchange {
	s.t.Helper()
	values := []string{"<other>", "of-bob"}
	var out []exchange
	for _, st := range walk {
		fill := strings.NewReplacer(values...)
		st.target, st.body = fill.Replace(st.target), fill.Replace(st.body)
		if st.method == "WAIT" {
			if _, err := s.eng.Wait(s.t.Context(), "ann", st.target); err != nil {
				s.t.Fatal(err)
			}
			continue
		}
		x := s.do(s.key, st)
		if x.Status != st.status {
			s.t.Fatalf("%s %s: status %d, want %d: %s", st.method, st.target, x.Status, st.status, x.Answer)
		}
		out = append(out, x, s.do("", st))
		if name, path, ok := strings.Cut(st.keep, "="); ok {
			values = append(values, "<"+name+">", at(s.t, x.Answer, path))
		}
	}
	return out
}

// at is the string under a path of keys.
func at(t *testing.T, answer []byte, path string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(answer, &v); err != nil {
		t.Fatal(err)
	}
	for key := range strings.SplitSeq(path, ".") {
		switch c := v.(type) {
		case map[string]any:
			v = c[key]
		case []any:
			v = c[int(key[0]-'0')]
		}
	}
	if n, ok := v.(float64); ok {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprint(v)
}

// TestServer checks the answers of a server that listens.
func TestServer(t *testing.T) {
	t.Parallel()
	c := readContract(t)
	exchanges := newSite(t).run()
	for _, x := range exchanges {
		if err := c.check(x); err != nil {
			t.Errorf("%s %s: %d %s\n%v", x.Method, x.Target, x.Status, shorten(string(x.Answer)), err)
		}
	}
	t.Logf("checked %d answers", len(exchanges))
}
