package httpapi

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/quirelib/quire"
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

// TestElsewhere holds that who looks for a route under /v1/user that is under /v1, or the
// other way round, is told where it is; nothing is said of an id.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	const method, path = "this route does not take that method; allowed: ", "there is no such route"
	tests := []struct {
		method, path string
		status       int
		want         string
	}{
		{"DELETE", "/v1/user/elemental/x", 405, method + "PUT; DELETE is at /v1/elemental/{id}"},
		{"GET", "/v1/user/elemental/x", 405, method + "PUT; GET is at /v1/elemental/{id}"},
		{"HEAD", "/v1/user/elemental/x", 405, method + "PUT; HEAD is at /v1/elemental/{id}"},
		{"PUT", "/v1/elemental/x", 405, method + "DELETE, GET, HEAD; PUT is at /v1/user/elemental/{id}"},
		{"POST", "/v1/elementals", 405, method + "GET, HEAD; POST is at /v1/user/elementals"},
		{"POST", "/v1/elemental", 404, path + "; POST is at /v1/user/elemental"},
		{"GET", "/v1/tags", 404, path + "; GET is at /v1/user/tags"},
		{"PATCH", "/v1/user/elemental/x", 405, method + "PUT"},
		{"DELETE", "/v1/user/elemental", 405, method + "POST"},
		{"GET", "/v1/user/user/tags", 404, path + "; GET is at /v1/user/tags"},
		{"GET", "/v2/tags", 404, path},
	}
	for _, tt := range tests {
		f.do("", tt.method, tt.path, "").failed(tt.status, tt.want)
	}
	f.h = New(f.lib, nil, &Options{Prefix: "/own"})
	f.do("", "POST", "/own/v1/elemental", "").failed(404, path+"; POST is at /own/v1/user/elemental")
}

// TestAuthenticatedWithoutRoute holds that the meta of an answer says whether the key was good
// where there is no route, that the limits of routes count there, and that without a key
// nothing is looked up.
func TestAuthenticatedWithoutRoute(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for path, status := range map[string]int{"/v1/nothing": 404, "/v1/lists": 405} {
		f.do(f.ann.key, "POST", path, "").want(status).has("meta.is_authenticaded", "true", "meta.is_authenticated", "true")
		for _, key := range []string{"", "a-key-of-nobody-01234"} {
			f.do(key, "POST", path, "").want(status).has("meta.is_authenticaded", "false", "meta.is_authenticated", "false")
		}
	}
	s := &brokenStore{Store: f.store}
	lib, err := quire.NewLibrary(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lib.Close(t.Context())
	f.h = New(lib, nil, nil)
	s.fault.Store(&fault{err: errors.New(insideText)})
	for _, key := range []string{"", f.ann.key} { // the second is looked up, in vain
		f.do(key, "POST", "/v1/nothing", "").failed(404, "there is no such route").has("meta.is_authenticated", "false")
	}
	s.fault.Store(&fault{}) // a look-up would panic
	f.do("", "POST", "/v1/nothing", "").failed(404, "there is no such route")
	s.fault.Store(nil)

	f.h = New(f.lib, nil, &Options{Rate: Rate{PerMinute: 1, Burst: 2}})
	f.do(f.ann.key, "GET", "/v1/nothing", "").want(404)
	f.do(f.ann.key, "GET", "/v1/lists", "").want(200)
	f.do(f.ann.key, "GET", "/v1/nothing", "").want(429)
	f.do("", "GET", "/v1/nothing", "").want(404)
	f.h = New(f.lib, nil, &Options{FailedKeys: Rate{PerMinute: 1, Burst: 1}})
	f.do("a-key-of-nobody-01234", "GET", "/v1/nothing", "").want(404)
	f.do(f.ann.key, "GET", "/v1/nothing", "").want(404).has("meta.is_authenticated", "false") // too many wrong ones
}

// TestPathOfSlashes holds that a path of many segments, which anybody may send, is answered as
// an unknown one, and takes no memory for each. It is not parallel: it counts what is allocated.
func TestPathOfSlashes(t *testing.T) {
	f := newFixture(t, nil)
	for _, path := range []string{
		strings.Repeat("/", 1<<20), "/v1" + strings.Repeat("/", 1<<20), "/v1/kb" + strings.Repeat("/", 1<<20),
		strings.Repeat("/a", 1<<19), "/v1/user" + strings.Repeat("/user", 1<<18),
	} {
		req := httptest.NewRequest("GET", path, nil)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rec := httptest.NewRecorder()
		f.h.ServeHTTP(rec, req)
		runtime.ReadMemStats(&after)
		if rec.Code != 404 || !strings.Contains(rec.Body.String(), `"`+errNoRoute.message+`"`) {
			t.Errorf("%.12s…: %d %s", path, rec.Code, rec.Body)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 256<<10 {
			t.Errorf("%.12s…: %d KiB allocated for a path of %d KiB", path, took>>10, len(path)>>10)
		}
	}
}

// TestLongestPaths holds that the longest patterns are found, also with a "user" too many, and
// that one segment more is an unknown path as any other.
func TestLongestPaths(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	const unknown = "there is no such route"
	f.do(f.ann.key, "GET", "/v1/elemental/type/category/18/topics", "").want(200)
	f.do("", "GET", "/v1/user/elemental/type/category/18/topics", "").
		failed(404, unknown+"; GET is at /v1/elemental/type/category/{category_id}/topics")
	for _, path := range []string{"/v1/elemental/type/category/18/topics/", "/v1/user/elemental/type/category/18/topics/", "/v1/user/user/elemental/type/category/18/topics"} {
		f.do("", "GET", path, "").failed(404, unknown)
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
		"another library":   func() { New(newFixture(t, nil).lib, newEngineFixture(t, nil).eng, nil) },
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
