package httpapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// lightFields are what an elemental has as an item of a list; the others are null there.
var lightFields = strings.Fields(`id is_list type category title description visibility url tags average_rate created_at updated_at user
	total_comments total_rates total_sales total_upvotes total_uses total_saves`)

// fieldsOf are the fields of a resource. Three of them follow from others.
func fieldsOf(resource string) map[string]shapeField {
	base := map[string]string{"LightElemental": "Elemental", "Column": "List", "ExpandedList": "List"}[resource]
	if base == "" {
		base = resource
	}
	out := map[string]shapeField{}
	for _, f := range shapes {
		if f.resource != base {
			continue
		}
		switch {
		case resource == "LightElemental" && !slices.Contains(lightFields, f.field):
			f.kind, f.nullable = "null", true
		case base == "List" && resource != base && f.field == "items":
			f.kind, f.nullable = "[]Elemental", false
		}
		out[f.field] = f
	}
	return out
}

// shapeCheck checks answers against the table.
type shapeCheck struct {
	t      *testing.T
	fields int
	seen   map[string]bool // resource and field, where the value was neither null nor empty
}

// check checks a value of a kind, and all that is in it.
func (s *shapeCheck) check(at, kind string, raw json.RawMessage) {
	s.t.Helper()
	if element, ok := strings.CutPrefix(kind, "[]"); ok {
		var values []json.RawMessage
		if raw[0] != '[' || json.Unmarshal(raw, &values) != nil {
			s.t.Errorf("%s is %s, want an array", at, raw)
		}
		for i, v := range values {
			s.check(fmt.Sprintf("%s/%d", at, i), element, v)
		}
		return
	}
	var err error
	switch kind {
	case "string":
		err = into[string](raw)
	case "integer":
		err = into[int64](raw)
	case "number":
		err = into[float64](raw)
	case "boolean":
		err = into[bool](raw)
	case "time":
		err = into[time.Time](raw)
	case "object":
		err = into[map[string]json.RawMessage](raw)
	case "null":
		err = fmt.Errorf("it is not null")
	default:
		s.resource(at, kind, raw)
	}
	if err != nil || string(raw) == "null" {
		s.t.Errorf("%s is %s, want a value of kind %s: %v", at, raw, kind, err)
	}
}

func into[T any](raw json.RawMessage) error { return json.Unmarshal(raw, new(T)) }

// resource checks that an object has each field of a resource and no other.
func (s *shapeCheck) resource(at, name string, raw json.RawMessage) {
	s.t.Helper()
	known := fieldsOf(name)
	if len(known) == 0 {
		s.t.Fatalf("%s: no resource %s in the table", at, name)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		s.t.Errorf("%s is %s, want a %s", at, raw, name)
		return
	}
	for key, value := range object {
		f, ok := known[key]
		if !ok {
			s.t.Errorf("%s: a %s has no field %s", at, name, key)
			continue
		}
		s.fields++
		if string(value) == "null" && f.nullable {
			continue
		}
		s.check(at+"/"+key, f.kind, value)
		if text := string(value); text != "[]" && text != `""` {
			s.seen[f.resource+" "+key] = true
		}
	}
	for key := range known {
		if _, ok := object[key]; !ok {
			s.t.Errorf("%s: the field %s of %s is missing", at, key, name)
		}
	}
}

// answer checks an answer in the envelope. The parts are keys of the body with their kinds.
func (s *shapeCheck) answer(at string, a answer, parts ...string) {
	s.t.Helper()
	var body map[string]json.RawMessage
	if err := json.Unmarshal([]byte(a.body), &body); err != nil {
		s.t.Fatal(err)
	}
	parts = append(parts, "code", "integer")
	for i := 0; i < len(parts); i += 2 {
		s.fields++
		if body[parts[i]] == nil {
			s.t.Errorf("%s: no %s in %s", at, parts[i], a.body)
			continue
		}
		s.check(at+" "+parts[i], parts[i+1], body[parts[i]])
	}
	if len(body) != len(parts)/2 {
		s.t.Errorf("%s: %d fields, want %d: %s", at, len(body), len(parts)/2, a.body)
	}
}

// unseen are fields for which no answer of the test can have a value.
var unseen = []string{
	"Comment updated_at", "Reply updated_at", // comments cannot be changed
	"List topics", // lists have none of their own
}

// TestShapes checks every field of every resource, on content in which none is empty.
func TestShapes(t *testing.T) {
	t.Parallel()
	c := &contract{fixture: newFixture(t, nil)}
	s := &shapeCheck{t: t, seen: map[string]bool{}}
	id, list := c.filledElemental()
	table := c.table().str("response.id")
	get := func(path string) answer { return c.do(c.bob.key, "GET", path, "").want(200) }
	one := func(path, kind string) { s.answer(path, get(path), "meta", "Meta", "response", kind) }
	page := func(path, kind string) { s.answer(path, get(path), "meta", "PagedMeta", "response", "[]"+kind) }

	one("/v1/elemental/"+id, "Elemental")
	one("/v1/elemental/"+table, "Elemental")
	one("/v1/list/"+list, "List")
	one("/v1/list/"+list+"?expand_items=true", "ExpandedList")
	one("/v1/list/"+c.list(c.ann, "Of a table", table), "List")
	one("/v1/auth/token/validate", "User")
	for _, path := range []string{"list/types", "elemental/types", "visibilities", "elemental/type/1/categories", "elemental/type/category/1/topics"} {
		one("/v1/"+path, "[]Ref")
	}
	page("/v1/list/"+list+"/items", "LightElemental")
	page("/v1/lists?search=all", "List")
	page("/v1/elementals?search=fields", "Elemental")
	s.answer("user elementals", c.do(c.ann.key, "GET", "/v1/user/elementals", "").want(200), "meta", "PagedMeta", "response", "[]LightElemental")
	s.answer("user lists", c.do(c.ann.key, "GET", "/v1/user/lists", "").want(200), "meta", "PagedMeta", "response", "[]List")
	s.answer("user tags", c.do(c.ann.key, "GET", "/v1/user/tags", "").want(200), "meta", "Meta", "response", "[]Tag")

	file := get("/v1/elemental/" + id).path("response.files.0.url")
	s.answer(file, c.do(c.bob.key, "GET", file, "", "Accept", "application/json").want(200), "meta", "Meta", "response", "File")
	compiled := get("/v1/list/" + list + "/knowledge-base?format=json&group_by=row&fields=title,description,type")
	var body struct {
		Response struct {
			KnowledgeBase json.RawMessage `json:"knowledge_base"`
		} `json:"response"`
	}
	if err := json.Unmarshal([]byte(compiled.body), &body); err != nil {
		t.Fatal(err)
	}
	s.check("knowledge-base", "CompiledList", body.Response.KnowledgeBase)
	s.check("404", "ErrorResponse", json.RawMessage(c.do(c.ann.key, "GET", "/v1/elemental/nobody", "").want(404).body))
	s.check("401", "ErrorResponse", json.RawMessage(c.do("", "GET", "/v1/lists", "").want(401).body))
	s.check("400", "InvalidResponse", json.RawMessage(c.do(c.ann.key, "GET", "/v1/lists?size=0", "").want(400).body))
	s.check("health", "HealthResponse", json.RawMessage(get("/v1/health").body))

	for _, f := range shapes {
		name := f.resource + " " + f.field
		if s.seen[name] == slices.Contains(unseen, name) {
			t.Errorf("%s: a value was seen: %t", name, s.seen[name])
		}
	}
	t.Logf("shapes: %d fields checked against %d of the table", s.fields, len(shapes))
}
