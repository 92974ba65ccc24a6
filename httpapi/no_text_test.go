package httpapi

import (
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// noTexts are JSON strings that stand for no text: what is in them would be lost or changed
// on the way, or differ between databases.
var noTexts = map[string]string{
	"NUL": `"ten chars \u0000 and more"`, "raw NUL": "\"ten chars \x00 and more\"", "invalid UTF-8": "\"ten chars \xff and more\"",
	"overlong": "\"ten chars \xc0\xaf and more\"", "surrogate in UTF-8": "\"ten chars \xed\xa0\x80 and more\"", "cut rune": "\"ten chars and more \xf0\x9f\x98\"",
	"high surrogate": `"ten chars \ud800 and more"`, "low surrogate": `"ten chars \udc00 and more"`,
}

// noTextEscapes are the same in an address.
var noTextEscapes = []string{"a%00b", "%00", "%ff", "%c0%af", "%ed%a0%80", "%f0%9f%98"}

// TestNoTextIsStored puts what is no text into every field of every body, the paths, the
// query parameters and the headers, over each Store.
func TestNoTextIsStored(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	var fields int
	onEachStore(t, func(f *fixture) {
		a := newAttackerIn(f, &requests)
		a.targets["tag_id"] = a.tag(a.ann, "A target")
		before := a.snapshot()
		fields = 0
		for _, rt := range bodyRoutes() {
			row := hostileRows[rt.method+" "+rt.pattern]
			for _, field := range row.fields {
				fields++
				for name, text := range noTexts {
					body := strings.ReplaceAll(row.body(field, "PLACE"), `"PLACE"`, text)
					if got := a.send(rt.method, a.path(rt.pattern), "", body); got.status != 400 {
						t.Errorf("%s %s: %s in %s: status %d: %s", rt.method, rt.pattern, name, field.key, got.status, got.body)
					}
				}
			}
		}
		for _, rt := range slices.Concat(contentRoutes, engineRoutes) {
			for _, text := range noTextEscapes {
				if strings.Contains(rt.pattern, "{") {
					if got := a.send(rt.method, fill(rt.pattern, text), "", goodBodies[rt.method+" "+rt.pattern]); got.status != 404 {
						t.Errorf("%s %s: status %d: %s", rt.method, fill(rt.pattern, text), got.status, got.body)
					}
				}
				if rt.method == "GET" {
					for _, name := range parameters {
						searches := name == "search" && (rt.pattern == "/v1/elementals" || rt.pattern == "/v1/lists")
						a.reads(rt, a.path(rt.pattern), name+"="+text, searches)
					}
				}
			}
		}
		a.badHeaders(&requests)
		if a.snapshot() != before {
			t.Error("something in the store changed")
		}
	})
	if t.Failed() {
		return
	}
	t.Logf("B4: %d kinds of what is no text in %d fields, every path, query and header, on 2 stores: 0 stored, 0 answers from 500 up in %d requests",
		len(noTexts), fields, requests.Load())
}

// badHeaders sends what is no text in the headers that are read.
func (a *attacker) badHeaders(requests *atomic.Int64) {
	t := a.t
	for _, escaped := range noTextEscapes {
		text, err := url.PathUnescape(escaped)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"X-Api-Key", "Idempotency-Key", "X-Request-Id", "Content-Type", "Accept", "Range"} {
			r := httptest.NewRequest("POST", "/v1/user/list", strings.NewReader(`{"title":5}`))
			r.Header.Set("X-Api-Key", a.ann.key)
			r.Header.Set(name, text)
			rec := httptest.NewRecorder()
			a.h.ServeHTTP(rec, r)
			requests.Add(1)
			if rec.Code >= 500 || rec.Code < 400 || strings.Contains(rec.Header().Get("X-Request-Id"), text) {
				t.Errorf("%s %q: %d %v", name, text, rec.Code, rec.Header())
			}
		}
	}
}
