package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// With QUIRE_RECORD set to a folder, the tests write what they sent and what was
// answered into it: internal/conformance holds the answers against the document.

// exchange is a request with its answer, one line of the record.
type exchange struct {
	Test     string
	Prefix   string // of the handler
	Only     string // "content" or "engine" where only one group is served
	Method   string
	Target   string // path and query
	Header   http.Header
	Body     []byte
	Status   int
	Answered http.Header
	Answer   []byte
}

var record = sync.OnceValues(func() (*os.File, error) {
	dir := os.Getenv("QUIRE_RECORD")
	if dir == "" {
		return nil, nil
	}
	return os.OpenFile(filepath.Join(dir, "exchanges.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
})

// exchanged serves a request and records it.
func exchanged(t testing.TB, h http.Handler, req *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	file, err := record()
	if err != nil {
		t.Fatal(err)
	}
	var sent bytes.Buffer
	if file != nil && req.Body != nil {
		req.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(req.Body, &sent), req.Body}
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	if file == nil {
		return rec
	}
	x := exchange{
		Test: t.Name(), Method: req.Method, Target: req.URL.RequestURI(), Header: req.Header, Body: sent.Bytes(),
		Status: rec.Code, Answered: rec.Result().Header, Answer: rec.Body.Bytes(),
	}
	switch h := h.(type) {
	case *server:
		x.Prefix = h.router.prefix
		if h.router.only != nil {
			x.Only = map[group]string{contentGroup: "content", engineGroup: "engine"}[*h.router.only]
		}
	case *http.ServeMux:
		_, pattern := h.Handler(req)
		x.Prefix = strings.TrimSuffix(pattern, "/")
	}
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	// One write each: lines of tests that run at the same time don't mix.
	if _, err := file.Write(append(text, '\n')); err != nil {
		t.Fatal(err)
	}
	return rec
}
