package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestUnknownPaths holds that nothing is cleaned, redirected or answered in another
// shape than JSON, as http.ServeMux would.
func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for _, path := range []string{
		"/", "/v1", "/v1/", "/v2/lists", "/v1/lists/", "//v1/lists", "/v1//lists", "/v1/./lists", "/v1/x/../lists", "/v1/lists/.",
		"/v1/list/", "/v1/list//items", "/v1/list/%00", "/v1/list/%ff", "/v1/list/1/2", "/v1/LISTS", "/v1/user",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "TRACE", "BREW"} {
			f.do(f.ann.key, method, path, "").failed(404, "there is no such route")
		}
	}
}

func TestWrongMethods(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	tests := []struct{ method, path, allow string }{
		{"POST", "/v1/lists", "GET, HEAD"},
		{"OPTIONS", "/v1/user/list/5", "DELETE, PUT"},
		{"GET", "/v1/user/elemental", "POST"},
		{"HEAD", "/v1/user/elemental", "POST"},
		{"PUT", "/v1/user/elementals", "GET, HEAD, POST"},
		{"PUT", "/v1/elemental/x", "DELETE, GET, HEAD"},
		{"DELETE", "/v1/elemental/types", "GET, HEAD"},
		{"get", "/v1/lists", "GET, HEAD"},
		{"TRACE", "/v1/health", "GET, HEAD"},
	}
	for _, tt := range tests {
		a := f.do("", tt.method, tt.path, "").failed(405, "this route does not take that method; allowed: "+tt.allow)
		if got := a.header.Get("Allow"); got != tt.allow {
			t.Errorf("%s %s: Allow is %q, want %q", tt.method, tt.path, got, tt.allow)
		}
	}
}

func TestEscapedPaths(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	id := f.elemental(f.ann, "an id with dots", `,"id":"a.b-c_d"`)
	f.do(f.ann.key, "GET", "/v1/elemental/a%2Eb-c_d", "").want(200).has("response.id", `"`+id+`"`)
	f.do(f.ann.key, "GET", "/%761/elemental/a.b-c_d", "").want(200)
	f.do(f.ann.key, "GET", "/v1/list/1%2Fitems", "").failed(404, problem404.message)
	f.do(f.ann.key, "GET", "/v1/elemental/a%2Fb", "").failed(404, problem404.message)
	f.do(f.ann.key, "HEAD", "/v1/elemental/a.b-c_d", "").want(200)
}

// TestMounted holds that the handler works at the root, under its own prefix, and
// behind http.StripPrefix in another mux.
func TestMounted(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	mux := http.NewServeMux()
	mux.Handle("/deep/api/", http.StripPrefix("/deep/api", f.h))
	mux.Handle("/bare/", http.StripPrefix("/bare/", f.h))
	mux.Handle("/own/pre-fix/", New(f.lib, nil, &Options{Prefix: "/own/pre-fix"}))
	f.h = mux
	id := f.elementalThrough(t, "/deep/api")
	for _, prefix := range []string{"/deep/api", "/bare", "/own/pre-fix"} {
		f.do(f.ann.key, "GET", prefix+"/v1/elemental/"+id, "").want(200)
		f.do(f.ann.key, "GET", prefix+"/v1/nothing", "").failed(404, "there is no such route")
		f.do("", "GET", prefix+"/v1/lists", "").want(401)
	}
	own := &fixture{t: t, h: New(f.lib, nil, &Options{Prefix: "/own"})}
	for _, path := range []string{"/v1/lists", "/own", "/own/", "/ownv1/lists", "/own2/v1/lists"} {
		own.do(f.ann.key, "GET", path, "").failed(404, "there is no such route")
	}
	own.do(f.ann.key, "GET", "/own/v1/lists", "").want(200)
}

func (f *fixture) elementalThrough(t *testing.T, prefix string) string {
	t.Helper()
	return f.do(f.ann.key, "POST", prefix+"/v1/user/elemental",
		`{"title":"through a prefix","type_id":3,"category_id":18,"template":"x"}`).want(201).str("response.id")
}

func TestRouteTables(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range append(append([]route{}, contentRoutes...), engineRoutes...) {
		key := r.method + " " + r.pattern
		if seen[key] {
			t.Errorf("%s stands twice", key)
		}
		seen[key] = true
		if r.handle == nil || !strings.HasPrefix(r.pattern, "/") || r.method == "GET" && r.body {
			t.Errorf("%s is not well formed", key)
		}
	}
	// What the specification lists: 11 content and 8 engine routes.
	for _, want := range []string{
		"GET /v1/list/{list_id}", "GET /v1/list/{list_id}/items", "GET /v1/lists", "GET /v1/user/lists", "POST /v1/user/list",
		"PUT /v1/user/list/{list_id}", "DELETE /v1/user/list/{list_id}/elementals", "GET /v1/elementals", "GET /v1/user/tags",
		"GET /v1/list/{list_id}/knowledge-base", "POST /v1/user/elementals",
		"POST /v1/kb/elemental", "DELETE /v1/kb/elemental/{id}", "POST /v1/kb/delete", "POST /v1/kb/search", "POST /v1/kb/chat",
		"POST /v1/kb/chat/stream", "GET /health", "GET /health/detailed",
	} {
		if !seen[want] {
			t.Errorf("%s is missing", want)
		}
	}
}

func TestNewRefusesMistakes(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for name, call := range map[string]func(){
		"neither half":      func() { New(nil, nil, nil) },
		"prefix no slash":   func() { New(f.lib, nil, &Options{Prefix: "api"}) },
		"prefix end slash":  func() { New(f.lib, nil, &Options{Prefix: "/api/"}) },
		"prefix root":       func() { New(f.lib, nil, &Options{Prefix: "/"}) },
		"prefix dots":       func() { New(f.lib, nil, &Options{Prefix: "/a/../b"}) },
		"negative limit":    func() { New(f.lib, nil, &Options{MaxBodyBytes: -1}) },
		"negative memory":   func() { New(f.lib, nil, &Options{MaxAnswerMemory: -1}) },
		"heartbeat too low": func() { New(f.lib, nil, &Options{HeartbeatInterval: 1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: New did not refuse", name)
				}
			}()
			call()
		}()
	}
}

// TestServed makes sure that net/http adds nothing of its own between us and the
// client.
func TestServed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	srv := httptest.NewServer(f.h)
	defer srv.Close()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, path := range []string{"//v1/lists", "/v1/lists/", "/v1/../v1/lists", "/nothing"} {
		resp, err := client.Get(srv.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 404 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: %d %s", path, resp.StatusCode, resp.Header.Get("Content-Type"))
		}
	}
}
