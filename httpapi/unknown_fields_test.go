package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

// schema is as much of a JSON schema as says which fields there are.
type schema struct {
	Ref        string            `json:"$ref"`
	Properties map[string]schema `json:"properties"`
	More       json.RawMessage   `json:"additionalProperties"`
	Items      *schema           `json:"items"`
	AnyOf      []schema          `json:"anyOf"`
}

// documented is what of the document says which fields a body has.
type documented struct {
	Paths map[string]map[string]struct {
		RequestBody *struct {
			Content map[string]struct {
				Schema schema `json:"schema"`
			} `json:"content"`
		} `json:"requestBody"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

func documentedFields(t *testing.T) (d documented) {
	t.Helper()
	if err := json.Unmarshal(openapiJSON, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// fieldPlace is a field that the document describes: path leads to it, an index is 0 and a
// free key is "1".
type fieldPlace struct {
	path  []string
	known []string // all fields of its object
}

func (p fieldPlace) name() string { return p.path[len(p.path)-1] }

// places returns all fields of a schema, those of objects in objects and arrays too.
func (d documented) places(s schema, path ...string) (out []fieldPlace) {
	if s.Ref != "" {
		return d.places(d.Components.Schemas[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]], path...)
	}
	inside := func(s schema, key string) { out = append(out, d.places(s, append(slices.Clone(path), key)...)...) }
	known := slices.Sorted(maps.Keys(s.Properties))
	for _, key := range known {
		out = append(out, fieldPlace{append(slices.Clone(path), key), known})
		inside(s.Properties[key], key)
	}
	var more schema
	if len(s.More) > 0 && s.More[0] == '{' && json.Unmarshal(s.More, &more) == nil {
		inside(more, "1")
	}
	if s.Items != nil {
		inside(*s.Items, "0")
	}
	for _, alternative := range s.AnyOf {
		out = append(out, d.places(alternative, path...)...)
	}
	return out
}

// bodyWith is a body with nothing but one field, whatever its value has to be.
func bodyWith(path []string) string {
	body := "null"
	for _, key := range slices.Backward(path) {
		if key == "0" {
			body = "[" + body + "]"
		} else {
			body = fmt.Sprintf("{%q:%s}", key, body)
		}
	}
	return body
}

// misspelt is the path to a field with its last letter changed.
func (p fieldPlace) misspelt() []string {
	path, name := slices.Clone(p.path), p.name()
	path[len(path)-1] = name[:len(name)-1] + "q"
	return path
}

// notAField begins what is said of an unknown field.
const notAField = "is not a field here"

// fieldsRoute is a route with a body, on things that are there.
type fieldsRoute struct {
	route
	path   string
	places []fieldPlace
}

// fieldsRoutes are all routes with a body.
func fieldsRoutes(f *fixture) (out []fieldsRoute) {
	f.t.Helper()
	d := documentedFields(f.t)
	fill := strings.NewReplacer("{id}", f.elemental(f.ann, "Something of Ann's", ""), "{list_id}", f.list(f.ann, "A list"), "{tag_id}", f.tag(f.ann, "A tag"))
	for _, rt := range slices.Concat(contentRoutes, engineRoutes) {
		if !rt.body {
			continue
		}
		body := d.Paths[rt.pattern][strings.ToLower(rt.method)].RequestBody
		if isEnginePath(rt.pattern) {
			rt.group = engineGroup
		}
		out = append(out, fieldsRoute{rt, fill.Replace(rt.pattern), d.places(body.Content["application/json"].Schema)})
	}
	return out
}

// TestStrictFields sends each field that the document describes alone, and with a letter
// changed: with StrictFields the one is never refused for its name and the other always, and
// without them neither is.
func TestStrictFields(t *testing.T) {
	t.Parallel()
	strict, lenient := newEngineFixture(t, &Options{StrictFields: true}), newEngineFixture(t, nil)
	ofLenient := fieldsRoutes(lenient)
	fields := 0
	for i, rt := range fieldsRoutes(strict) {
		for _, p := range rt.places {
			at := fmt.Sprintf("%s %s: %s", rt.method, rt.pattern, strings.Join(p.path, "/"))
			if a := strict.do(strict.ann.key, rt.method, rt.path, bodyWith(p.path)); strings.Contains(a.body, notAField) {
				t.Errorf("%s is refused: %s", at, a.body)
			}
			checkMisspelt(t, at, rt, p, strict.do(strict.ann.key, rt.method, rt.path, bodyWith(p.misspelt())))
			stranger := slices.Clone(p.path)
			stranger[len(stranger)-1] = "something_else"
			a := lenient.do(lenient.ann.key, rt.method, ofLenient[i].path, bodyWith(p.misspelt()))
			b := lenient.do(lenient.ann.key, rt.method, ofLenient[i].path, bodyWith(stranger))
			if strings.Contains(a.body, notAField) || a.status != b.status {
				t.Errorf("%s is refused without the option: %d %s, another unknown field %d", at, a.status, a.body, b.status)
			}
			fields++
		}
		if len(rt.places) == 0 && !strings.HasSuffix(rt.pattern, "/prepare") { // whose fields are any
			t.Errorf("%s %s has no fields", rt.method, rt.pattern)
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("%d fields on %d routes: each taken, and refused with a letter changed", fields, len(ofLenient))
}

// checkMisspelt checks what is answered to a misspelt field.
func checkMisspelt(t *testing.T, at string, rt fieldsRoute, p fieldPlace, a answer) {
	t.Helper()
	message := misspeltMessage(rt, p, a)
	if message == "" {
		t.Errorf("%s misspelt is not refused at its place: %d %s", at, a.status, a.body)
		return
	}
	if len(p.name()) > 2 && !strings.Contains(message, "did you mean "+p.name()+"?") {
		t.Errorf("%s misspelt is not known: %s", at, message)
	}
	if _, list, _ := strings.Cut(message, "(allowed are "); list != strings.Join(p.known, ", ")+")" {
		t.Errorf("%s: allowed are %s, want %s", at, list, strings.Join(p.known, ", "))
	}
}

// misspeltMessage is what is said of the field, "" if nothing is, or with another status.
func misspeltMessage(rt fieldsRoute, p fieldPlace, a answer) string {
	path := strings.Join(p.misspelt(), "/")
	if rt.group == engineGroup {
		var body struct {
			Detail []detail `json:"detail"`
		}
		if json.Unmarshal([]byte(a.body), &body) != nil || a.status != 422 {
			return ""
		}
		for _, d := range body.Detail {
			if strings.Trim(strings.ReplaceAll(fmt.Sprint(d.Loc), " ", "/"), "[]") == "body/"+path && d.Type == "extra_forbidden" {
				return d.Msg
			}
		}
		return ""
	}
	var body struct {
		Errors []json.RawMessage `json:"errors"`
	}
	if json.Unmarshal([]byte(a.body), &body) != nil || a.status != 400 {
		return ""
	}
	for _, raw := range body.Errors {
		var e fieldErrorJSON
		var of struct { // of a payload among many
			Index  int              `json:"index"`
			Errors []fieldErrorJSON `json:"errors"`
		}
		_, _ = json.Unmarshal(raw, &e), json.Unmarshal(raw, &of)
		for _, e := range append(of.Errors, e) {
			if strings.TrimPrefix(path, "0/") == e.Field && strings.HasPrefix(e.Message, notAField) {
				return e.Message
			}
		}
	}
	return ""
}

// TestStrictFieldsOfObjects: what is refused with StrictFields, and what is not.
func TestStrictFieldsOfObjects(t *testing.T) {
	t.Parallel()
	list := func(o object) { listInput(o) }
	elemental := func(o object) { elementalInput(o) }
	const steps = "is not a field here (allowed are description, title, video_url)"
	tests := []struct {
		name, body string
		read       func(object)
		want       string // what is refused and why
	}{
		{"ids of an item, which say nothing", `{"item_ids":[{"prompt_id":"a","elemental_id":"b","orderIndex":1,"id":1,"list_id":2,"list_item_id":3}],"mode":"x","template_overwrite":null}`, list, ""},
		{"a setting that is not a client's", `{"settings":{"is_system":true}}`, elemental, "settings/is_system: is not a field here (allowed are is_knowledge_base, is_template)"},
		{"in an array", `{"tutorial_steps":[{},{"Title":"x"},{"text":null}]}`, elemental,
			"tutorial_steps/1/Title: is not a field here; did you mean title? (allowed are description, title, video_url)\ntutorial_steps/2/text: " + steps},
		{"several in one object", `{"settings":{"b":1,"a":1}}`, elemental,
			"settings/a: is not a field here (allowed are is_knowledge_base, is_template)\nsettings/b: is not a field here"},
		{"no object", `{"settings":[],"tutorial_steps":[5]}`, elemental, "settings: must be an object\ntutorial_steps/0: must be an object"},
		{"a long name", `{"settings":{"` + strings.Repeat("x", 1<<20) + `":1}}`, elemental,
			"settings/" + strings.Repeat("x", 41) + "…: is not a field here (allowed are is_knowledge_base, is_template)"},
		{"wrong keys of a table once", `{"table":{"x":{},"5":{"content":[{"text":"a","more":1}]}}}`, func(o object) { listPatch(o) },
			"table/5/content/0/more: is not a field here (allowed are text)\ntable/x: must be the id of a list that this one crosses in its table"},
	}
	for _, tt := range tests {
		o := strictObjectOf([]byte(tt.body))
		tt.read(o)
		if got := faultsOf(o.err()); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestStrictFieldsOtherNames: fields of answers, and what a field is often called, lead to the
// name that the route has.
func TestStrictFieldsOtherNames(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, &Options{StrictFields: true})
	id := f.elemental(f.ann, "How to sail a boat", "")
	for field, want := range map[string]string{"body_content": "template", "body": "template", "content": "template", "text": "template", "lists": "lists_to_save"} {
		a := f.do(f.ann.key, "PUT", "/v1/user/elemental/"+id, fmt.Sprintf(`{%q:null}`, field)).want(400)
		if !strings.Contains(a.body, "did you mean "+want+"?") {
			t.Errorf("%s: %s", field, a.body)
		}
	}
	a := f.do(f.ann.key, "POST", "/v1/kb/search", `{"query":"boat","filters":{"tenant_id":"ann"},"text":"x"}`).want(422)
	if strings.Contains(a.body, "did you mean") {
		t.Errorf("a search has no text: %s", a.body)
	}
}

// faultsOf is an error's faults, each on a line.
func faultsOf(err error) string {
	if err == nil {
		return ""
	}
	var lines []string
	for _, f := range err.(*quire.Error).Fields {
		lines = append(lines, f.Field+": "+f.Message)
	}
	return strings.Join(lines, "\n")
}

// TestStrictFieldsOfMany: hundreds of thousands of unknown fields take neither long nor an
// answer of their length, and objects that were read are let go.
func TestStrictFieldsOfMany(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&body, `"field%d":{},`, i)
	}
	o := strictObjectOf([]byte("{" + body.String() + `"item_ids":[` + strings.Repeat(`{"prompt_id":"a"},`, 100_000) + `{"prompt_id":"a"}]}`))
	listInput(o)
	if n := len(o.check.open); n != 1 {
		t.Errorf("%d objects are held", n)
	}
	if faults := faultsOf(o.err()); strings.Count(faults, "\n") != maxProblems-1 || len(faults) > 10_000 {
		t.Errorf("%d faults in %d bytes", strings.Count(faults, "\n")+1, len(faults))
	}
}

func TestMeantBy(t *testing.T) {
	t.Parallel()
	names := []string{"id", "lists_to_save", "tagIds", "template", "title", "type_id", "visibility"}
	for key, want := range map[string]string{
		"visiblity": "visibility", "visiblty": "visibility", "vsiiblity": "", "Visibility": "visibility", "VISIBILITY_": "visibility", "tag_ids": "tagIds", "typeId": "type_id", "typ_id": "type_id",
		"tilte": "title", "titel": "title", "itle": "title", "title": "title", "tt": "", "di": "", "ID": "id", "x": "", "": "", "body_content": "template", "bodyContent": "template", "Body": "template", "content": "template", "contents": "", "text": "template",
		"lists": "lists_to_save", "templates": "template",
		"visibılıty": "", "\xff": "", strings.Repeat("title", 100_000): "",
	} {
		if got := meantBy(key, names); got != want {
			t.Errorf("%q is taken for %q, want %q", key, got, want)
		}
	}
	for key, want := range map[string]string{"body": "", "text": "", "lists": "list_id"} { // where there is no field of that name
		if got := meantBy(key, []string{"list_id", "query"}); got != want {
			t.Errorf("%q is taken for %q, want %q", key, got, want)
		}
	}
}
