package httpapi

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// TestKeyPlaces sends a good key in every place and form but the one where it belongs,
// through a server: it is refused on every route, and nothing happens.
func TestKeyPlaces(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	f.ingest(f.ann, f.elemental(f.ann, "How to sail a boat", `,"id":"5"`))
	srv := httptest.NewServer(f.h)
	defer srv.Close()
	key := f.ann.key
	places := []struct {
		name   string
		path   string // behind that of the route
		header http.Header
		status []int // one of them; nil: 401
	}{
		{name: "two headers", header: http.Header{"X-Api-Key": {key, f.bob.key}}},
		{name: "the same key twice", header: http.Header{"X-Api-Key": {key, key}}},
		{name: "two keys in one header", header: http.Header{"X-Api-Key": {key + "," + key}}},
		{name: "query", path: "?x-api-key=" + key + "&api_key=" + key + "&key=" + key + "&access_token=" + key},
		{name: "cookie", header: http.Header{"Cookie": {"x-api-key=" + key + "; api_key=" + key}}},
		{name: "Authorization", header: http.Header{"Authorization": {"Bearer " + key}}},
		{name: "basic credentials", header: http.Header{"Authorization": {"Basic " + key}}},
		{name: "another header", header: http.Header{"Api-Key": {key}, "X_api_key": {key}, "X-Apikey": {key}}},
		{name: "path", path: "/" + key, status: []int{404, 401, 405}}, // with it, it is another route, if any
		{name: "1 MB", header: http.Header{"X-Api-Key": {key + strings.Repeat("x", 1<<20)}}},
		{name: "300 KB", header: http.Header{"X-Api-Key": {strings.Repeat(key, 300<<10/len(key))}}},
		{name: "letters that are not ASCII", header: http.Header{"X-Api-Key": {strings.ReplaceAll(key, "k", "\u212a")}}},
		{name: "bytes that are no text", header: http.Header{"X-Api-Key": {key + "\xff"}}},
		{name: "quoted", header: http.Header{"X-Api-Key": {`"` + key + `"`}}},
		{name: "upper case", header: http.Header{"X-Api-Key": {strings.ToUpper(key)}}},
		{name: "a space inside", header: http.Header{"X-Api-Key": {key[:9] + " " + key[9:]}}},
		{name: "empty", header: http.Header{"X-Api-Key": {""}}},
	}
	before := f.snapshot()
	refused, requests := 0, 0
	for _, p := range places {
		want, ok := p.status, true
		if want == nil {
			want = []int{401}
		}
		for _, rt := range slices.Concat(contentRoutes, engineRoutes) {
			if rt.open || testing.Short() && rt.method == "GET" && strings.Contains(rt.pattern, "{") {
				continue
			}
			requests++
			body := goodBodies[rt.method+" "+rt.pattern]
			status, text := f.sent(srv, rt.method, fill(rt.pattern, "5")+p.path, body, p.header)
			if !slices.Contains(want, status) || strings.Contains(text, key) {
				t.Errorf("%s, %s %s: %d, want %v: %.300s", p.name, rt.method, rt.pattern, status, want, text)
				ok = false
			}
		}
		if ok {
			refused++
		}
	}
	if f.snapshot() != before {
		t.Error("something changed")
	}
	if status, _ := f.sent(srv, "GET", "/v1/elemental/5", "", http.Header{"X-Api-Key": {key}}); status != 200 {
		t.Errorf("the key in its place: %d", status)
	}
	if t.Failed() {
		return
	}
	t.Logf("E8: a good key in %d other places and forms, on each route: %d refused, in %d requests, 0 changes", len(places), refused, requests)
}

// sent sends a request as it is through a server.
func (f *fixture) sent(srv *httptest.Server, method, path, body string, header http.Header) (status int, text string) {
	f.t.Helper()
	req, err := http.NewRequestWithContext(f.t.Context(), method, srv.URL+path, bytes.NewReader([]byte(body)))
	if err != nil {
		f.t.Fatal(err)
	}
	if header != nil {
		req.Header = header
	}
	resp, err := srv.Client().Do(req)
	if err != nil {
		f.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}
