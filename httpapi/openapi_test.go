package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// described is what the tests read of the document.
type described struct {
	OpenAPI string
	Servers []struct{ URL string }
	Paths   map[string]map[string]struct {
		OperationID string `json:"operationId"`
		Security    *[]any
		RequestBody any `json:"requestBody"`
		Parameters  []struct {
			Ref      string `json:"$ref"`
			Name, In string
		}
		Responses map[string]any
	}
	Components struct {
		Parameters map[string]struct{ Name, In string }
	}
}

func readDocument(t *testing.T, text []byte) (d described) {
	t.Helper()
	if err := checkJSON(text, usual, atOnce); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// line is a route or an operation in one line: what both of them know.
func line(method, path string, open, body, once bool, params []string) string {
	slices.Sort(params)
	out := strings.ToUpper(method) + " " + path + " (" + strings.Join(params, ", ") + ")"
	if open {
		out += " open"
	}
	if body {
		out += " body"
	}
	if once {
		out += " once"
	}
	return out
}

func (d described) lines() []string {
	var out []string
	for path, ops := range d.Paths {
		for method, op := range ops {
			var params []string
			once := false
			for _, p := range op.Parameters {
				if p.Ref != "" {
					c := d.Components.Parameters[strings.TrimPrefix(p.Ref, "#/components/parameters/")]
					p.Name, p.In = c.Name, c.In
				}
				if p.In == "path" {
					params = append(params, p.Name)
				}
				once = once || p.In == "header" && p.Name == idempotencyKey
			}
			out = append(out, line(method, path, op.Security != nil && len(*op.Security) == 0, op.RequestBody != nil, once, params))
		}
	}
	slices.Sort(out)
	return out
}

func routeLines(tables ...[]route) []string {
	var out []string
	for _, rt := range slices.Concat(tables...) {
		var params []string
		for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(rt.pattern, -1) {
			params = append(params, m[1])
		}
		out = append(out, line(rt.method, rt.pattern, rt.open, rt.body, rt.once, params))
	}
	slices.Sort(out)
	return out
}

// TestDocumentRoutes: the document has each route of the tables, and no other.
func TestDocumentRoutes(t *testing.T) {
	t.Parallel()
	d := readDocument(t, openapiJSON)
	want := routeLines(contentRoutes, engineRoutes, docRoutes)
	if diff := cmp.Diff(want, d.lines()); diff != "" {
		t.Errorf("routes (-) and openapi.json (+) differ:\n%s", diff)
	}
	ids := map[string]bool{}
	statuses := 0
	for path, ops := range d.Paths {
		for method, op := range ops {
			if op.OperationID == "" || ids[op.OperationID] {
				t.Errorf("%s %s: operationId %q is empty or taken", method, path, op.OperationID)
			}
			ids[op.OperationID] = true
			statuses += len(op.Responses)
		}
	}
	t.Logf("%d routes are described, with %d kinds of answers", len(want), statuses)
}

// TestDocumentServed: a handler describes what it serves, where it serves it.
func TestDocumentServed(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	mount := func(path, strip string, h http.Handler) http.Handler {
		mux := http.NewServeMux()
		mux.Handle(path, http.StripPrefix(strip, h))
		return mux
	}
	for _, c := range []struct {
		name, path, base string
		h                http.Handler
		tables           [][]route
	}{
		{"both", "/openapi.json", "/", New(f.lib, f.eng, nil), [][]route{contentRoutes, engineRoutes, docRoutes}},
		{"content", "/openapi.json", "/", New(f.lib, nil, nil), [][]route{contentRoutes, docRoutes}},
		{"engine", "/openapi.json", "/", New(nil, f.eng, nil), [][]route{engineRoutes, docRoutes}},
		{"prefix", "/api/v9/openapi.json", "/api/v9", New(f.lib, nil, &Options{Prefix: "/api/v9"}), [][]route{contentRoutes, docRoutes}},
		{"odd prefix", "/a%20%22b/openapi.json", "/a%20%22b", New(f.lib, nil, &Options{Prefix: `/a "b`}), [][]route{contentRoutes, docRoutes}},
		{"stripped", "/library/openapi.json", "/library", mount("/library/", "/library", New(f.lib, nil, nil)), [][]route{contentRoutes, docRoutes}},
		{"stripped with the slash", "/library/openapi.json", "/library", mount("/library/", "/library/", New(f.lib, nil, nil)), [][]route{contentRoutes, docRoutes}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := fixture{t: t, h: c.h}
			d := readDocument(t, []byte(g.do("", "GET", c.path, "").want(200).body))
			if diff := cmp.Diff(routeLines(c.tables...), d.lines()); diff != "" {
				t.Errorf("routes (-want +got):\n%s", diff)
			}
			if len(d.Servers) != 1 || d.Servers[0].URL != c.base {
				t.Errorf("servers are %v, want %q", d.Servers, c.base)
			}
		})
	}
}

// TestBasePath: whatever stands in the request line, servers names a path of this host.
func TestBasePath(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"/openapi.json":                        "/",
		"/a/b/openapi.json":                    "/a/b",
		"//evil.example/openapi.json":          "/",
		"http://evil.example/x/openapi.json?y": "/x",
		"/%22%5C/openapi.json":                 "/%22%5C",
	} {
		r := httptest.NewRequest("GET", "/openapi.json", nil)
		r.RequestURI = target
		if got := basePath(r); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	r := httptest.NewRequest("GET", "/c/openapi.json", nil)
	r.RequestURI = "" // a request that came from no server
	if got := basePath(r); got != "/c" {
		t.Errorf("without a request line: %q, want /c", got)
	}
}

// TestErrorsBesideDocument: the two routes without a group leave the shape of errors
// to the one that is served.
func TestErrorsBesideDocument(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	f.h = New(nil, f.eng, nil)
	f.do("", "GET", "/nothing", "").detail(404, "there is no such route")
	f.do("", "POST", "/docs", "").detail(405, "this route does not take that method; allowed: GET, HEAD")
	f.h = New(f.lib, nil, nil)
	f.do("", "GET", "/nothing", "").failed(404, "there is no such route")
	f.do("", "POST", "/openapi.json", "").failed(405, "this route does not take that method; allowed: GET, HEAD")
}

// TestDocs: the page shows every route and schema, its links lead somewhere, and it
// loads nothing.
func TestDocs(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, &Options{Prefix: "/api"})
	rec := exchanged(t, f.h, httptest.NewRequest("GET", "/api/docs", nil))
	page := rec.Body.String()
	if rec.Code != 200 {
		t.Fatalf("status %d: %s", rec.Code, page)
	}
	for name, want := range map[string]string{
		"Content-Type":            "text/html; charset=utf-8",
		"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
		"X-Content-Type-Options":  "nosniff",
	} {
		if got := rec.Header().Get(name); got != want {
			t.Errorf("header %s is %q, want %q", name, got, want)
		}
	}
	if bad := regexp.MustCompile(`(?i)<script|<link|<img|<iframe|\son\w+=|\ssrc=|@import|url\(|ZgotmplZ|<no value>|%!`).FindString(page); bad != "" {
		t.Errorf("the page has %q", bad)
	}
	anchors := map[string]bool{}
	for _, m := range regexp.MustCompile(`\sid="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if anchors[m[1]] {
			t.Errorf("two parts have the id %q", m[1])
		}
		anchors[m[1]] = true
	}
	links := regexp.MustCompile(`\shref="([^"]*)"`).FindAllStringSubmatch(page, -1)
	for _, m := range links {
		anchor, isAnchor := strings.CutPrefix(m[1], "#")
		if isAnchor != (m[1] != "openapi.json") || isAnchor && !anchors[anchor] {
			t.Errorf("the link %q leads nowhere", m[1])
		}
	}
	for _, rt := range slices.Concat(contentRoutes, engineRoutes, docRoutes) {
		want := `<h3><code class="method">` + rt.method + `</code> <code>` + rt.pattern + `</code></h3>`
		if strings.Count(page, want) != 1 {
			t.Errorf("%s %s is not there, or twice", rt.method, rt.pattern)
		}
	}
	t.Logf("the page has %d bytes, %d parts with ids and %d links", len(page), len(anchors), len(links))
}
