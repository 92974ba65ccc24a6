package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// goodBodies has, for each route with a body, one that only misses its target: on
// routes with an id it meets an unknown one. A route without a row fails the matrix.
var goodBodies = map[string]string{
	"POST /v1/user/list":                        `{"title":"A list"}`,
	"PUT /v1/user/list/{list_id}":               `{"title":"A list"}`,
	"DELETE /v1/user/list/{list_id}/elementals": `{"item_ids":[]}`,
	"POST /v1/user/elementals":                  `[{"title":"An elemental","type_id":3}]`,
	"POST /v1/elemental/{id}/template/prepare":  `{}`,
	"POST /v1/user/elemental":                   `{"title":"An elemental","type_id":3,"template":"x","category_id":18}`,
	"POST /v1/user/table":                       `{"title":"A table of things","columns":["c"],"rows":["r"]}`,
	"PUT /v1/user/elemental/{id}":               `{"title":"An elemental"}`,
	"POST /v1/user/elemental/{id}/files":        `{"files":[{"file_buffer":[1]}]}`,
	"DELETE /v1/user/elemental/{id}/files":      `{"images":[1]}`,
	"POST /v1/user/tag":                         `{"title":"A tag","color":"#fff","elementalTypeId":1}`,
	"PUT /v1/user/tag/{tag_id}":                 `{"title":"A tag"}`,
	"POST /v1/kb/elemental":                     `{"elemental_id":"nobody"}`,
	"POST /v1/kb/delete":                        `{"filters":{"tenant_id":"ann"}}`,
	"POST /v1/kb/search":                        `{"query":"q","filters":{"tenant_id":"ann"}}`,
	"POST /v1/kb/chat":                          `{"query":"q","filters":{"tenant_id":"ann"}}`,
	"POST /v1/kb/chat/stream":                   `{"query":"q","filters":{"tenant_id":"ann"}}`,
}

// matrix runs one kind of request on every route.
type matrix struct {
	*fixture
	cells int
}

// errorShape checks that a body has the error shape of its group and nothing else,
// and returns the message.
func (m *matrix) errorShape(rt route, a answer, status int) {
	m.t.Helper()
	m.cells++
	if a.status != status {
		m.t.Errorf("%s %s: status %d, want %d: %s", rt.method, rt.pattern, a.status, status, a.body)
		return
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal([]byte(a.body), &body); err != nil {
		m.t.Errorf("%s %s: %v", rt.method, rt.pattern, err)
		return
	}
	want := []string{"code", "meta", "error_message"}
	if isEnginePath(rt.pattern) {
		want = []string{"detail"}
	} else if _, ok := body["errors"]; ok {
		want = append(want, "errors")
	}
	if len(body) != len(want) {
		m.t.Errorf("%s %s: the body is %s", rt.method, rt.pattern, a.body)
	}
	for _, key := range want {
		if _, ok := body[key]; !ok {
			m.t.Errorf("%s %s: no %s in %s", rt.method, rt.pattern, key, a.body)
		}
	}
}

// fill replaces the parameters of a pattern.
func fill(pattern, value string) string {
	parts := strings.Split(pattern, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, "{") {
			parts[i] = value
		}
	}
	return strings.Join(parts, "/")
}

// TestMatrix sends to every route what it must refuse: status and shape are right, and
// nothing in the store changes.
func TestMatrix(t *testing.T) {
	t.Parallel()
	m := &matrix{fixture: newEngineFixture(t, &Options{MaxBodyBytes: 2000})}
	id := m.elemental(m.ann, "How to sail a boat", `,"id":"5"`)
	m.list(m.ann, "A list", id)
	m.tag(m.ann, "A tag")
	m.ingest(m.ann, id)
	before := m.snapshot()
	for _, rt := range append(append([]route{}, contentRoutes...), engineRoutes...) {
		good, ok := goodBodies[rt.method+" "+rt.pattern]
		if ok != rt.body {
			t.Errorf("%s %s: goodBodies and the route disagree", rt.method, rt.pattern)
		}
		m.methods(rt)
		if !rt.open {
			m.keys(rt, good)
		}
		if rt.body {
			m.bodies(rt, good)
		}
		m.unknownIDs(rt, good)
	}
	if m.snapshot() != before {
		t.Error("something in the store changed")
	}
	if t.Failed() {
		return
	}
	t.Logf("E1: %d requests that must be refused on %d routes, each with its status and shape, 0 changes", m.cells, len(contentRoutes)+len(engineRoutes))
}

func (m *matrix) methods(rt route) {
	for _, method := range []string{"PATCH", "OPTIONS", "CONNECT"} {
		a := m.do("", method, fill(rt.pattern, "5"), "")
		m.errorShape(rt, a, http.StatusMethodNotAllowed)
		if !strings.Contains(a.header.Get("Allow"), rt.method) {
			m.t.Errorf("%s %s: Allow is %q", rt.method, rt.pattern, a.header.Get("Allow"))
		}
	}
}

// keys: every way to have no valid key has one and the same answer.
func (m *matrix) keys(rt route, body string) {
	path := fill(rt.pattern, "5")
	first := m.do("", rt.method, path, body)
	if first.header.Get("WWW-Authenticate") == "" {
		m.t.Errorf("%s %s: no WWW-Authenticate", rt.method, rt.pattern)
	}
	for _, a := range []answer{
		first,
		m.do("wrong", rt.method, path, body),
		m.do(m.ann.key+"x", rt.method, path, body),
		m.do(m.ann.key, rt.method, path, body, "x-api-key", m.bob.key),
		m.do(m.ann.key, rt.method, path, body, "X-API-KEY", m.ann.key),
		m.do("", rt.method, path, body, "x-api-key", ""),
		m.do("", rt.method, path+"?x-api-key="+m.ann.key, body),
		m.do("", rt.method, path, body, "Authorization", "Bearer "+m.ann.key),
	} {
		m.errorShape(rt, a, http.StatusUnauthorized)
		if a.body != first.body {
			m.t.Errorf("%s %s: another 401: %s", rt.method, rt.pattern, a.body)
		}
	}
}

func (m *matrix) bodies(rt route, good string) {
	path := fill(rt.pattern, "5")
	post := func(status int, body string, headers ...string) {
		m.errorShape(rt, m.do(m.ann.key, rt.method, path, body, headers...), status)
	}
	post(400, "")
	post(400, "{")
	post(400, good+"x")
	post(400, `{"a":1,"a":2}`)
	post(400, "{\"a\":\"\xff\"}")
	post(400, `{"a":"\u0000"}`)
	post(400, strings.Repeat("[", 65)+strings.Repeat("]", 65))
	post(413, `"`+strings.Repeat("x", 2000)+`"`)
	post(415, good, "Content-Type", "text/plain")
	post(415, good, "Content-Type", "application/x-www-form-urlencoded")
	post(415, good, "Content-Type", "application/json; charset=latin1")
	post(415, good, "Content-Type", "application/json", "Content-Type", "text/plain")
	post(415, good, "Content-Type", ";;")
	post(415, good, "Content-Encoding", "gzip")
	wrongType := http.StatusBadRequest
	if isEnginePath(rt.pattern) {
		wrongType = http.StatusUnprocessableEntity
	}
	post(wrongType, `"text"`)
	post(wrongType, `null`)
	post(wrongType, `5`)
}

// unknownIDs: ids that do not exist, or are none, are 404; the deletion of what the
// engine does not have is a success instead.
func (m *matrix) unknownIDs(rt route, body string) {
	if !strings.Contains(rt.pattern, "{") {
		return
	}
	for _, unknown := range []string{"123456", "none", "1e3", "-1", "%F0%9F%98%80", "%20", "..%2F..%2Fetc", "a%0Ab", strings.Repeat("9", 300)} {
		// Only the knowledge-base route needs the parameters.
		a := m.do(m.ann.key, rt.method, fill(rt.pattern, unknown)+"?format=json&group_by=row&fields=id", body)
		if rt.method+" "+rt.pattern == "DELETE /v1/kb/elemental/{id}" {
			m.cells++
			a.want(200).has("data.deleted_chunks", "0")
			continue
		}
		m.errorShape(rt, a, http.StatusNotFound)
	}
}
