package httpapi

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

// TestStrictBodies sends bodies that lenient readers take for something else than others do.
// The engine's routes refuse what they do not know, so that no filter is lost; the content
// routes pass it over, so that a client may send back what it was answered.
func TestStrictBodies(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	f.ingest(f.ann, f.elemental(f.ann, "How to sail a boat", ""))
	f.ingest(f.bob, f.elemental(f.bob, "CANARY of the other tenant", ""))
	before := f.snapshot()
	const good = `{"query":"boat canary","filters":{"tenant_id":"ann"}}`
	filters := func(s string) string { return `{"query":"boat canary","filters":{"tenant_id":"ann"` + s + `}}` }
	deep := func(n int, with string) string { return strings.Repeat("[", n) + with + strings.Repeat("]", n) }
	tests := []struct {
		body   string
		status int
	}{
		{good, 200}, {" \n" + good + "\r\n", 200}, {`{"query":"boat","filters":{"tenant_id":"ann","tag_ids":[]},"limit":10.0}`, 200},
		{`{"query":"boat","filters":{"tenant_id":"ann"},"filters":{"tenant_id":"bob"}}`, 400}, {`{"query":"boat","query":"x","filters":{"tenant_id":"ann"}}`, 400},
		{`{"query":"boat","filters":{"tenant_id":"ann"},"\u0066ilters":{"tenant_id":"bob"}}`, 400}, {filters(`,"tenant_id":"bob"`), 400}, {filters(`,"tenant\u005fid":"bob"`), 400},
		{filters(`,"TENANT_ID":"bob"`), 400}, {filters(`,"Tenant_id":"bob"`), 400}, {filters(`,"tenant_ıd":"bob"`), 400}, {filters(`,"tenantId":"bob"`), 400}, {filters(`,"$or":[]`), 400}, {filters(`,"":""`), 400},
		{`{"query":"boat","filterſ":{"tenant_id":"bob"},"filters":{"tenant_id":"ann"}}`, 400}, {`{"query":"boat","FILTERS":{"tenant_id":"bob"},"filters":{"tenant_id":"ann"}}`, 400}, {`{"Query":"x","query":"boat","filters":{"tenant_id":"ann"}}`, 400},
		{"\ufeff" + good, 400}, {good + good, 400}, {good + "x", 400}, {good + "\x00", 400}, {good + ",", 400}, {"[" + good + "]", 422}, {"null", 422}, {"[]", 422}, {`""`, 422}, {"5", 422}, {"true", 422}, {"", 400}, {" ", 400}, {"{", 400}, {"{}", 400},
		{deep(10_000, ""), 400}, {deep(65, ""), 400}, {deep(10_000_000, ""), 400}, {strings.Repeat("[", 1_000_000), 400}, {`{"query":"boat","more":` + deep(64, "1") + `,"filters":{"tenant_id":"ann"}}`, 400},
		{`{"query":5,"filters":{"tenant_id":"ann"}}`, 422}, {`{"query":"boat","filters":"ann"}`, 422}, {`{"query":"boat","filters":[]}`, 422}, {`{"query":null,"filters":{"tenant_id":"ann"}}`, 400}, {`{"query":"boat","filters":null}`, 400},
		{`{'query':'boat'}`, 400}, {`{query:"boat"}`, 400}, {good + "//", 400}, {`{"query":NaN,"filters":{"tenant_id":"ann"}}`, 400}, {`{"query":"a` + "\n" + `b","filters":{"tenant_id":"ann"}}`, 400},
	}
	requests := 0
	for _, path := range []string{"/v1/kb/search", "/v1/kb/chat", "/v1/kb/chat/stream"} {
		for _, tt := range tests {
			a := f.do(f.ann.key, "POST", path, tt.body)
			if a.status != tt.status || strings.Contains(a.body, "CANARY") {
				t.Errorf("%s %.100q: status %d, want %d: %.300s", path, tt.body, a.status, tt.status, a.body)
			}
			requests++
		}
		for _, contentType := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json; charset=latin1", "application/jsonp", "text/json", ";;", "application/json, text/plain"} {
			f.do(f.ann.key, "POST", path, good, "Content-Type", contentType).want(415)
			requests++
		}
	}
	if f.snapshot() != before {
		t.Error("something in the store changed")
	}
	if t.Failed() {
		return
	}
	t.Logf("B6: %d of %d bodies that readers disagree about answered as they should be, on 3 routes", requests, requests)
}

// TestCompressedBodies: a body that would grow is refused before it does.
func TestCompressedBodies(t *testing.T) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := fmt.Fprintf(zip, `{"title":"%s"}`, strings.Repeat(" ", 100<<20)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, nil)
	refused := 0
	var most uint64
	for _, encoding := range []string{"gzip", "deflate", "br", "zstd", "x-gzip", "gzip, identity", ""} {
		r := httptest.NewRequest("POST", "/v1/user/list", bytes.NewReader(packed.Bytes()))
		r.Header.Set("X-Api-Key", f.ann.key)
		want := 415
		if r.Header.Set("Content-Encoding", encoding); encoding == "" {
			r.Header.Del("Content-Encoding")
			want = 400 // then it is no JSON
		}
		rec := httptest.NewRecorder()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f.h.ServeHTTP(rec, r)
		runtime.ReadMemStats(&after)
		if rec.Code != want {
			t.Errorf("%q: %d %s", encoding, rec.Code, rec.Body)
		}
		most = max(most, after.TotalAlloc-before.TotalAlloc)
		refused++
	}
	if most > 1<<20 {
		t.Errorf("a refusal took %d bytes", most)
	}
	if t.Failed() {
		return
	}
	t.Logf("B13: %d of %d compressed bodies refused: %d KB of 100 MB, at most %d KB of memory", refused, refused, packed.Len()>>10, most>>10)
}
