package httpapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// openapiJSON is the API as OpenAPI 3.1: both groups and the routes of the document
// itself. It names no server, as the base address depends on where the handler is
// mounted. It is written by hand; tests hold it to the route tables, and those of
// internal/conformance to the answers.
//
//go:embed openapi.json
var openapiJSON []byte

// docRoutes are served by every handler.
var docRoutes = []route{
	{method: "GET", pattern: "/openapi.json", open: true, shared: true, handle: (*server).openapi},
	{method: "GET", pattern: "/docs", open: true, shared: true, handle: (*server).docs},
}

// documentOf is the document without the routes that are not served.
func documentOf(routes []route) ([]byte, error) {
	var doc ordered[json.RawMessage]
	if err := json.Unmarshal(openapiJSON, &doc); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(doc, func(m member[json.RawMessage]) bool { return m.Key == "paths" })
	var paths ordered[ordered[json.RawMessage]]
	if err := json.Unmarshal(doc[at].Value, &paths); err != nil {
		return nil, err
	}
	for i, path := range paths {
		paths[i].Value = slices.DeleteFunc(path.Value, func(op member[json.RawMessage]) bool {
			return !slices.ContainsFunc(routes, func(r route) bool {
				return r.pattern == path.Key && strings.EqualFold(r.method, op.Key)
			})
		})
	}
	paths = slices.DeleteFunc(paths, func(p member[ordered[json.RawMessage]]) bool { return len(p.Value) == 0 })
	var err error
	if doc[at].Value, err = json.Marshal(paths); err != nil {
		return nil, err
	}
	return json.Marshal(doc)
}

// openapi answers with the document.
func (s *server) openapi(c *call) error {
	doc, err := s.document()
	if err != nil {
		return err
	}
	servers := `,"servers":[{"url":` + strconv.Quote(basePath(c.r)) + "}]}\n"
	return c.send("application/json; charset=utf-8", bytes.TrimSuffix(doc, []byte("}")), []byte(servers))
}

// basePath is what comes before the routes in the paths that the client uses. It is
// taken from the request line, which http.StripPrefix leaves alone. Escaped, it holds
// neither quotes nor backslashes.
func basePath(r *http.Request) string {
	path := r.URL.EscapedPath()
	if asked, err := url.ParseRequestURI(r.RequestURI); err == nil {
		path = asked.EscapedPath()
	}
	base := strings.TrimSuffix(path, "/openapi.json")
	// Two slashes would begin the name of a host.
	if base == "" || strings.HasPrefix(base, "//") {
		return "/"
	}
	return base
}

// send answers 200 with a text that is there, in parts that many requests share.
func (c *call) send(contentType string, parts ...[]byte) error {
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	h := c.w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(length))
	c.started = true
	c.w.WriteHeader(http.StatusOK)
	for _, part := range parts {
		if c.write(part) != nil {
			break // a failing connection is no error of the handler
		}
	}
	return nil
}

// member is one key of a JSON object with its value.
type member[T any] struct {
	Key   string
	Value T
}

// ordered is a JSON object that keeps the order of its keys.
type ordered[T any] []member[T]

// UnmarshalJSON reads an object.
func (o *ordered[T]) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil { // the opening brace
		return err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		m := member[T]{Key: key.(string)}
		if err := dec.Decode(&m.Value); err != nil {
			return err
		}
		*o = append(*o, m)
	}
	return nil
}

// MarshalJSON writes the object.
func (o ordered[T]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, m := range o {
		b.WriteByte("{,"[min(i, 1)])
		key, err := json.Marshal(m.Key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.Value)
		if err != nil {
			return nil, err
		}
		b.Write(append(append(key, ':'), value...))
	}
	if len(o) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
