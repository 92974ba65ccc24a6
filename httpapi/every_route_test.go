package httpapi

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// TestEveryRouteAstray asks around every route, through a server: other methods, paths with
// something before or behind them, HEAD. net/http would answer much of that in plain text,
// or with a redirect.
func TestEveryRouteAstray(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	a := newAttacker(t, &requests)
	a.targets["tag_id"] = a.tag(a.ann, "A target")
	srv := httptest.NewServer(a.h)
	defer srv.Close()
	srv.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	asked := 0
	ask := func(method, path string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, srv.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.URL.Opaque = "//" + req.URL.Host + path
		req.Header.Set("X-Api-Key", a.ann.key)
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		asked++
		return resp, string(body)
	}
	wrong := func(method, path string, status int, allow ...string) {
		t.Helper()
		resp, body := ask(method, path)
		var shape map[string]any
		switch {
		case resp.StatusCode != status, resp.Header.Get("Content-Type") != "application/json; charset=utf-8":
			t.Errorf("%s %s: %d %s %s", method, path, resp.StatusCode, resp.Header, body)
		case json.Unmarshal([]byte(body), &shape) != nil, shape["error_message"] == nil && shape["detail"] == nil:
			t.Errorf("%s %s: %s", method, path, body)
		case strings.Join(resp.Header.Values("Allow"), ", ") != strings.Join(allow, ", "):
			t.Errorf("%s %s: Allow is %q, want %q", method, path, resp.Header.Values("Allow"), allow)
		}
	}
	routes := slices.Concat(contentRoutes, engineRoutes, docRoutes)
	for _, rt := range routes {
		path, allowed := a.path(rt.pattern), methodsOf(routes, rt.pattern)
		for _, method := range []string{"OPTIONS", "TRACE", "PATCH", "BREW"} {
			wrong(method, path, 405, allowed...)
		}
		wrong(rt.method, path+"/", 404)
		wrong(rt.method, "/"+path, 404)
		wrong(rt.method, path+"/nothing/at/all", 404)
		wrong(rt.method, "/v0"+path, 404)
		wrong(rt.method, path+"/%2e%2e/more/of/it", 404)
		wrong(rt.method, strings.ToUpper(path)+"%00", 404)
		want := 405
		if slices.Contains(allowed, "GET") {
			get, _ := ask("GET", path)
			want = get.StatusCode
		}
		if head, body := ask("HEAD", path); head.StatusCode != want || body != "" {
			t.Errorf("HEAD %s: %d with a body of %d bytes, want %d", path, head.StatusCode, len(body), want)
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("D7: %d requests around %d routes, all answered in JSON with 404 or 405 and the methods of the route, HEAD as GET", asked, len(routes))
}

// methodsOf returns the methods of the routes with a pattern, in order.
func methodsOf(routes []route, pattern string) (methods []string) {
	for _, rt := range routes {
		if rt.pattern != pattern {
			continue
		}
		methods = append(methods, rt.method)
		if rt.method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	slices.Sort(methods)
	return methods
}
