package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// contract is the document, ready to check exchanges.
type contract struct {
	doc     *openapi3.T
	schemas *schemas
	seen    map[string]int // checked answers, by operation and status
}

func readContract(t *testing.T) *contract {
	t.Helper()
	text, err := os.ReadFile("../../httpapi/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := newSchemas(text)
	if err != nil {
		t.Fatal(err)
	}
	return &contract{doc: doc, schemas: schemas, seen: map[string]int{}}
}

// check says in which ways an answer, or the request that led to a success, is not
// as the document has it.
func (c *contract) check(x exchange) error {
	r, err := x.request()
	if err != nil {
		return err
	}
	route, params := c.find(x, r.URL)
	// Of a 206 some parts were refused.
	accepted := x.Status < 300 && x.Status != http.StatusPartialContent && route.Operation.OperationID != ""
	if accepted {
		if err := c.checkRequest(r, &route, params, x.Body); err != nil {
			return fmt.Errorf("the request was accepted, but is not as described: %w", err)
		}
	}
	if err := c.checkAnswer(route.Operation, x); err != nil {
		return err
	}
	c.seen[route.Operation.OperationID+" "+fmt.Sprint(x.Status)]++
	return c.beyondSchemas(route.Operation, x)
}

func (c *contract) checkRequest(r *http.Request, route *routers.Route, params map[string]string, body []byte) error {
	in := &openapi3filter.RequestValidationInput{Request: r, Route: route, PathParams: params,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, SkipSettingDefaults: true, ExcludeRequestBody: true}}
	if err := openapi3filter.ValidateRequest(context.Background(), in); err != nil || route.Operation.RequestBody == nil {
		return err
	}
	described := route.Operation.RequestBody.Value
	if len(body) > 0 {
		return c.schemas.checkBody(described.Content, r.Header.Get("Content-Type"), body)
	}
	if described.Required {
		return errors.New("it has no body")
	}
	return nil
}

func (c *contract) checkAnswer(op *openapi3.Operation, x exchange) error {
	described := op.Responses.Status(x.Status)
	if described == nil {
		return errors.New("the status is not described")
	}
	answered := canonical(x.Answered)
	for name, h := range described.Value.Headers {
		if err := c.schemas.checkHeader(h.Value, answered.Get(name)); err != nil {
			return fmt.Errorf("the header %s: %w", name, err)
		}
	}
	if x.Method == http.MethodHead && len(x.Answer) == 0 {
		return nil
	}
	return c.schemas.checkBody(described.Value.Content, answered.Get("Content-Type"), x.Answer)
}

// beyondSchemas checks what the document says in words only.
func (c *contract) beyondSchemas(op *openapi3.Operation, x exchange) error {
	described := op.Responses.Status(x.Status).Value
	if len(described.Content) == 0 && len(x.Answer) > 0 {
		return fmt.Errorf("a %d with a body", x.Status)
	}
	for name := range described.Headers {
		// kin-openapi looks for List_url, as net/http spells it.
		if name == "list_URL" && len(x.Answered[name]) != 1 {
			return errors.New("the header list_URL is spelt in another way")
		}
	}
	if x.Answered.Get("Content-Type") == "text/event-stream" {
		return c.checkStream(string(x.Answer))
	}
	var body struct{ Code *int }
	if json.Unmarshal(x.Answer, &body) == nil && body.Code != nil && *body.Code != x.Status {
		return fmt.Errorf("status %d with the code %d", x.Status, *body.Code)
	}
	return nil
}

// checkStream checks server-sent events: each against its schema, and the end.
func (c *contract) checkStream(text string) error {
	body, ended := strings.CutSuffix(text, "data: [DONE]\n\n")
	if !ended {
		return errors.New("the stream does not end with [DONE]")
	}
	schema := c.doc.Components.Schemas["ChatEvent"].Value
	for frame := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		if frame == "" || strings.HasPrefix(frame, ":") {
			continue
		}
		data, ok := strings.CutPrefix(frame, "data: ")
		if !ok {
			return fmt.Errorf("no event: %q", frame)
		}
		if err := c.schemas.check(schema, []byte(data)); err != nil {
			return fmt.Errorf("the event %q: %w", data, err)
		}
	}
	return nil
}

// canonical is a header with the spelling of names that net/http looks them up by.
func canonical(h http.Header) http.Header {
	out := http.Header{}
	for name, values := range h {
		for _, v := range values {
			out.Add(name, v)
		}
	}
	return out
}

// find returns the operation of a request. Where the document has none, it is one
// that gives the answers which every other path and method gets.
func (c *contract) find(x exchange, u *url.URL) (routers.Route, map[string]string) {
	path := strings.TrimPrefix(u.EscapedPath(), x.Prefix)
	underPrefix := strings.HasPrefix(u.EscapedPath(), x.Prefix+"/")
	route := routers.Route{Spec: c.doc, Server: &openapi3.Server{URL: "/"}, Path: path, Method: x.Method}
	pattern, params := c.pattern(path)
	engine := isEngine(path)
	if pattern == "" || !underPrefix || x.Only == "content" && engine || x.Only == "engine" && !engine && pattern != "/docs" && pattern != "/openapi.json" {
		route.Operation = c.fallback(x, engine, "NoRoute")
		return route, nil
	}
	route.Path, route.PathItem = pattern, c.doc.Paths.Value(pattern)
	method := x.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if route.Operation = route.PathItem.GetOperation(method); route.Operation == nil {
		route.Operation = c.fallback(x, engine, "MethodNotAllowed")
	}
	return route, params
}

// operation is the name of the operation of a request, "" if it has none.
func (c *contract) operation(x exchange) string {
	u, err := url.ParseRequestURI(x.Target)
	if err != nil {
		return ""
	}
	route, _ := c.find(x, u)
	return route.Operation.OperationID
}

func isEngine(path string) bool {
	return path == "/v1/kb" || strings.HasPrefix(path, "/v1/kb/") || path == "/health" || strings.HasPrefix(path, "/health/")
}

// fallback is an operation that only refuses. Its other answers are for the routes
// that httpapi's tests make up to break things, or to stream without an engine.
func (c *contract) fallback(x exchange, engine bool, answer string) *openapi3.Operation {
	group := ""
	if x.Only == "engine" || x.Only == "" && engine {
		group = "Engine"
	}
	op := &openapi3.Operation{Responses: openapi3.NewResponsesWithCapacity(4)}
	for status, name := range map[string]string{"404": "NoRoute", "405": "MethodNotAllowed", "500": "Internal", "503": "Unavailable"} {
		if name == answer || status[0] == '5' {
			op.Responses.Set(status, c.doc.Components.Responses[group+name])
		}
	}
	if group == "" { // a good key counts against its rate here too, for the meta
		op.Responses.Set("429", c.doc.Components.Responses["TooMany"])
	}
	if engine {
		op.Responses.Set("200", c.doc.Paths.Value("/v1/kb/chat/stream").Post.Responses.Value("200"))
	}
	return op
}

// pattern returns the path of the document that a path fits, with the values of its
// parameters; of several the one whose first parameter comes last.
func (c *contract) pattern(path string) (best string, values map[string]string) {
	for pattern := range c.doc.Paths.Map() {
		found, ok := fit(pattern, path)
		if ok && strings.IndexByte(pattern+"{", '{') > strings.IndexByte(best+"{", '{') {
			best, values = pattern, found
		}
	}
	return best, values
}

// fit returns the values of the parameters if a path fits a pattern.
func fit(pattern, path string) (map[string]string, bool) {
	names, segments := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(names) != len(segments) {
		return nil, false
	}
	values := map[string]string{}
	for i, name := range names {
		text, err := url.PathUnescape(segments[i])
		isParam := strings.HasPrefix(name, "{")
		if err != nil || !utf8.ValidString(text) || strings.ContainsRune(text, 0) || isParam && text == "" || !isParam && text != name {
			return nil, false
		}
		if isParam {
			values[strings.Trim(name, "{}")] = text
		}
	}
	return values, true
}
