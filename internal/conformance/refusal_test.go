package conformance

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/httpapi"
)

// asker sends the requests of one operation.
type asker func(op *openapi3.Operation, send func(body string, headers ...string))

// refusals checks what every route answers for reasons that lie outside of it: the
// application's authentication refuses or breaks, requests come too often, the body is no JSON or too large,
// and everything is closed.
func (c *contract) refusals(t *testing.T) {
	t.Helper()
	s := newSite(t)
	serve := func(status int, err error, ask asker) {
		opts := &httpapi.Options{MaxBodyBytes: 50, Authenticate: func(*http.Request) (quire.User, error) { return quire.User{ID: "ann"}, err }}
		if status == 429 {
			opts.Rate = httpapi.Rate{PerMinute: 1}
		}
		h := httpapi.New(s.eng.Library(), s.eng, opts)
		if status == 429 { // the one request that is allowed
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/v1/user/tags", nil))
		}
		for pattern, item := range c.doc.Paths.Map() {
			for method, op := range item.Operations() {
				ask(op, func(body string, headers ...string) { c.refuse(t, h, method, pattern, status, body, headers) })
			}
		}
	}
	withKey := func(op *openapi3.Operation, send func(string, ...string)) {
		if !isOpen(op) {
			send("{}")
		}
	}
	serve(401, quire.ErrUnauthenticated, withKey)
	serve(403, quire.ErrForbidden, withKey)
	serve(500, errors.New("the session store is on fire"), withKey)
	serve(503, quire.ErrUnavailable, withKey)
	serve(429, nil, withKey)
	withBody := func(body string, headers ...string) asker {
		return func(op *openapi3.Operation, send func(string, ...string)) {
			if op.RequestBody != nil {
				send(body, headers...)
			}
		}
	}
	serve(400, nil, withBody("{"))
	serve(408, nil, withBody(""))
	serve(413, nil, withBody(`"`+strings.Repeat("x", 50)+`"`))
	serve(415, nil, withBody("{}", "Content-Type", "text/plain"))
	serve(422, nil, func(op *openapi3.Operation, send func(string, ...string)) {
		if op.Responses.Value("422") != nil {
			send("5")
		}
	})
	if err := errors.Join(s.eng.Close(context.Background()), s.eng.Library().Close(context.Background())); err != nil {
		t.Fatal(err)
	}
	serve(503, nil, func(op *openapi3.Operation, send func(string, ...string)) {
		if len(op.Tags) == 1 && op.Tags[0] == "Health" {
			send("")
		}
	})
}

// refuse sends a request and checks that it is refused with the status.
func (c *contract) refuse(t *testing.T, h http.Handler, method, pattern string, status int, body string, headers []string) {
	t.Helper()
	r := httptest.NewRequest(method, regexp.MustCompile(`\{\w+\}`).ReplaceAllString(pattern, "1"), strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if status == http.StatusRequestTimeout {
		r.Body = late{}
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	x := exchange{Method: method, Target: r.URL.Path, Header: r.Header, Status: rec.Code, Answered: rec.Result().Header, Answer: rec.Body.Bytes()}
	if err := c.check(x); err != nil || rec.Code != status {
		t.Errorf("%s %s: %d %s, want %d: %v", method, pattern, rec.Code, x.Answer, status, err)
	}
}

// late is a body that does not come in time.
type late struct{}

func (late) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }
func (late) Close() error             { return nil }

func isOpen(op *openapi3.Operation) bool { return op.Security != nil && len(*op.Security) == 0 }
