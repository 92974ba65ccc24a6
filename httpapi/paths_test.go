package httpapi

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// FuzzPaths: whatever the target of a request is, ids and parameters included, the answer
// is none of a server that has failed, and JSON where it says so.
func FuzzPaths(f *testing.F) {
	for _, target := range []string{
		"/v1/elemental/1", "/v1/elemental/e%00?x=%zz", "/v1/list/18446744073709551616?expand_items=yes", "/v1/list/1%2F..%2F2",
		"/v1/lists?page=-1&size=1e9&order_by=;&order_dir=ASC", "/v1/kb/jobs/../1?limit=0x1", "/v1/kb/list/1?format=text&group_by=row&fields=title,,",
		"//v1//lists/", "/v1/kb/elemental/%E2%80%AE?fields=title&fields=template", "/openapi.json?", "/docs/../health",
	} {
		f.Add(uint8(0), target)
	}
	lib, err := quire.NewLibrary(f.Context(), store.NewMemory(), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { lib.Close(context.Background()) })
	h := New(lib, nil, nil)
	ann, err := lib.CreateUser(f.Context(), quire.UserInput{ID: "ann"})
	if err != nil {
		f.Fatal(err)
	}
	_, key, err := lib.CreateKey(f.Context(), ann.ID, quire.KeyInput{})
	if err != nil {
		f.Fatal(err)
	}
	methods := []string{"GET", "DELETE", "HEAD", "POST", "PUT", "PATCH"}
	f.Fuzz(func(t *testing.T, method uint8, target string) {
		u, err := url.ParseRequestURI(target) // as a server does
		if err != nil || !strings.HasPrefix(target, "/") {
			return
		}
		req := httptest.NewRequestWithContext(t.Context(), methods[int(method)%len(methods)], "/", nil)
		req.URL, req.RequestURI = u, target
		req.Header.Set("X-Api-Key", key)
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, req)
		if rec.Code >= 500 && rec.Code != 501 {
			t.Errorf("%d: %s", rec.Code, rec.Body)
		}
		body := rec.Body.Bytes()
		if strings.HasPrefix(rec.Header().Get("Content-Type"), "application/json") && len(body) > 0 && !json.Valid(body) {
			t.Errorf("%d is no JSON: %q", rec.Code, body)
		}
	})
}
