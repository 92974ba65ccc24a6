package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// The contract of each content route is a file of exchanges in testdata/contract: what a
// client may send, what it is answered, and every way to be refused. A change of the
// interface shows there, and nowhere else first.

// contractScenarios has the scenario of each content route. What holds for every route alike
// (no key, another method, no JSON, an unknown id) is added to it by contract.refusals.
var contractScenarios = merged(listContracts, listItemContracts, elementalContracts, elementalReadContracts, tableContracts, tagContracts, mediaContracts, catalogueContracts)

func merged(maps ...map[string]func(*contract)) map[string]func(*contract) {
	out := map[string]func(*contract){}
	for _, m := range maps {
		for route, scenario := range m {
			if out[route] != nil {
				panic("two scenarios for " + route)
			}
			out[route] = scenario
		}
	}
	return out
}

// contract writes the exchanges of one route.
type contract struct {
	*fixture
	route  route
	out    bytes.Buffer
	names  map[string]string // ids, with what stands for them
	status map[int]bool      // what was answered
	count  int
}

// TestContract compares every route with its golden file.
func TestContract(t *testing.T) {
	t.Parallel()
	const dir = "testdata/contract"
	var exchanges atomic.Int64
	known := map[string]bool{}
	t.Run("routes", func(t *testing.T) {
		for _, rt := range contentRoutes {
			name := contractFile(rt)
			if known[name] {
				t.Errorf("two routes have the file %s", name)
			}
			known[name] = true
			t.Run(rt.method+" "+rt.pattern, func(t *testing.T) {
				t.Parallel()
				c := &contract{fixture: newFixture(t, nil), route: rt, names: map[string]string{}, status: map[int]bool{}}
				c.run()
				exchanges.Add(int64(c.count))
				c.compare(filepath.Join(dir, name))
			})
		}
	})
	for name := range contractScenarios {
		if !slices.ContainsFunc(contentRoutes, func(rt route) bool { return rt.method+" "+rt.pattern == name }) {
			t.Errorf("there is a scenario for %q, which is no content route", name)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !known[f.Name()] {
			t.Errorf("%s/%s belongs to no content route; delete it", dir, f.Name())
		}
	}
	t.Logf("contract: %d exchanges on %d routes", exchanges.Load(), len(contentRoutes))
}

// contractFile is the name of a route's golden file.
func contractFile(rt route) string {
	path := strings.NewReplacer("/", "_", "{", "", "}", "").Replace(rt.pattern)
	return strings.ToLower(rt.method) + path + ".golden"
}

// run plays the scenario of the route, then what every route refuses.
func (c *contract) run() {
	scenario := contractScenarios[c.route.method+" "+c.route.pattern]
	if scenario == nil {
		c.t.Fatalf("no scenario: add the entry %q to the map of its resource in contract_*_test.go (a func(c *contract) that sends, "+
			"with c.send, c.sendAs, c.refuses and c.each, a success, each error and each query parameter), "+
			"then run go test ./httpapi -run TestContract -update and read testdata/contract/%s",
			c.route.method+" "+c.route.pattern, contractFile(c.route))
	}
	scenario(c)
	if !slices.ContainsFunc(slices.Collect(maps.Keys(c.status)), func(s int) bool { return s < 300 }) {
		c.t.Error("the scenario has no success")
	}
	c.refusals()
}

// refusals are those of every route of a kind.
func (c *contract) refusals() {
	path := fill(c.route.pattern, "123456789")
	body := goodBodies[c.route.method+" "+c.route.pattern]
	if strings.Contains(c.route.pattern, "{") {
		query := ""
		if strings.HasSuffix(c.route.pattern, "/{list_id}/knowledge-base") {
			query = "?format=json&group_by=row&fields=id"
		}
		c.send(404, "an unknown id", path+query, body)
		c.send(404, "what is no id", fill(c.route.pattern, "none")+query, body)
	}
	if !c.route.open {
		a := c.sendAs(account{}, 401, "no key", path, body)
		if a.header.Get("WWW-Authenticate") == "" {
			c.t.Error("401 without WWW-Authenticate")
		}
	}
	if c.route.body {
		c.send(400, "no body", path, "")
		c.send(400, "malformed JSON", path, `{"a":`)
		c.send(400, "a key twice", path, `{"a":1,"a":2}`)
		c.send(400, "a NUL character", path, `{"a":"\u0000"}`)
		c.send(400, "another JSON type", path, `"text"`)
		c.send(415, "another content type", path, body, "Content-Type", "text/plain")
		c.send(415, "compressed", path, body, "Content-Encoding", "gzip")
		whole := c.h
		c.h = New(c.lib, nil, &Options{MaxBodyBytes: 100})
		c.send(413, "over the limit of 100 bytes", path, `{"title":"`+strings.Repeat("x", 100)+`"}`)
		c.h = whole
	}
	if c.route.once {
		c.send(400, "an empty idempotency key", path, body, idempotencyKey, "")
		c.send(400, "two idempotency keys", path, body, idempotencyKey, "a", idempotencyKey, "b")
	}
	c.exchange(c.ann, "PATCH", 405, "another method", path, "")
}

// send sends a request to the route as Ann and notes the exchange.
func (c *contract) send(status int, title, target, body string, headers ...string) answer {
	c.t.Helper()
	return c.exchange(c.ann, c.route.method, status, title, target, body, headers...)
}

// sendAs is send for another user.
func (c *contract) sendAs(by account, status int, title, target, body string, headers ...string) answer {
	c.t.Helper()
	return c.exchange(by, c.route.method, status, title, target, body, headers...)
}

func (c *contract) exchange(by account, method string, status int, title, target, body string, headers ...string) answer {
	c.t.Helper()
	req := httptest.NewRequest(method, target, strings.NewReader(body))
	if body == "" {
		req = httptest.NewRequest(method, target, nil)
	}
	if by.key != "" {
		req.Header.Set("x-api-key", by.key)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	rec := exchanged(c.t, c.h, req)
	a := answer{c.t, rec.Code, rec.Result().Header, rec.Body.String()}
	if c.isJSON(a) || a.status == http.StatusNoContent {
		a.check(title)
	}
	if a.status != status {
		c.t.Errorf("%s: status %d, want %d: %s", title, a.status, status, a.body)
	}
	c.count++
	c.status[a.status] = true
	c.note(title, by, req, body, a)
	return a
}

func (c *contract) isJSON(a answer) bool {
	kind, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	return kind == "application/json"
}

// rule is a field of a payload with a value that is JSON; "" leaves the field out.
type rule struct{ field, value string }

// refuses sends a payload that is good but for one field at a time: each is answered with 400
// and names the field.
func (c *contract) refuses(target, good string, rules ...rule) {
	c.t.Helper()
	for _, r := range rules {
		title := r.field + ": " + cmp.Or(r.value, "left out")
		if len(title) > 70 {
			title = title[:60] + "..."
		}
		a := c.send(400, title, target, with(c.t, good, r))
		var body errorJSON
		if err := json.Unmarshal([]byte(a.body), &body); err != nil {
			c.t.Fatal(err)
		}
		if !slices.ContainsFunc(body.Errors, func(e fieldErrorJSON) bool { return e.Field == r.field || strings.HasPrefix(e.Field, r.field+"/") }) {
			c.t.Errorf("%s: the field is not named in %s", title, a.body)
		}
	}
}

// with is an object with one field changed.
func with(t *testing.T, object string, r rule) string {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		t.Fatal(err)
	}
	fields[r.field] = json.RawMessage(r.value)
	if r.value == "" {
		delete(fields, r.field)
	}
	out, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// each sends a query parameter in each of its values, with the status that all of them have.
func (c *contract) each(status int, target, param string, values ...string) {
	c.t.Helper()
	separator := "?"
	if strings.Contains(target, "?") {
		separator = "&"
	}
	for _, v := range values {
		a := c.send(status, param+"="+v, target+separator+param+"="+v, "")
		if status == http.StatusBadRequest {
			a.has("errors.0.field", `"`+param+`"`)
		}
	}
}

// paging sends the values of page and size.
func (c *contract) paging(target string) {
	c.t.Helper()
	c.each(200, target, "size", "1", "100")
	c.each(200, target, "page", "1", "2", "21474836")
	c.each(400, target, "size", "0", "101", "-1", "x", "")
	c.each(400, target, "page", "0", "-1", "x", "1.5", "9999999999999999999")
}

// knowledge sends the values of the parameters of knowledge text.
func (c *contract) knowledge(target string) {
	c.t.Helper()
	c.each(200, target, "format", "text", "markdown", "json")
	c.each(200, target, "group_by", "row", "column")
	c.each(200, target, "fields", "id", "title", "type", "description", "content", "url", "images", "video", "tutorial", "files", "id,title,type,description,content,url,images,video,tutorial,files")
	c.each(400, target, "format", "xml", "")
	c.each(400, target, "group_by", "cell", "")
	c.each(400, target, "fields", "colour", "title,", "")
}
