package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// serverFields are fields that only the server sets, with values that would be seen.
// Names of our own types are among them, as encoding/json would match them in any case.
var serverFields = []string{
	`"user_id":"bob"`, `"user":{"id":"bob","name":"BOB","email":"bob@example.org"}`, `"owner_id":"bob"`, `"owner":"bob"`, `"OwnerID":"bob"`, `"Owner":{"ID":"bob"}`,
	`"tenant_id":"bob"`, `"TenantID":"bob"`, `"tenant":"bob"`,
	`"created_at":"2001-01-01T00:00:00Z"`, `"updated_at":"2001-01-01T00:00:00Z"`, `"CreatedAt":"2001-01-01T00:00:00Z"`, `"UpdatedAt":"2001-01-01T00:00:00Z"`,
	`"version":77`, `"Version":77`, `"url":"https://evil.example/"`, `"URL":"https://evil.example/"`,
	`"total_comments":77`, `"total_rates":77`, `"total_sales":77`, `"total_upvotes":77`, `"total_uses":77`, `"total_saves":77`, `"total_items":77`,
	`"average_rate":4.5`, `"counters":{"uses":77}`, `"Counters":{"Uses":77,"Rates":1,"RatingSum":5}`,
	`"comments":[{"id":1,"message":"forged","user":{"id":"bob"}}]`, `"rates":[{"id":1,"rating":5,"message":"forged"}]`,
	`"is_list":true`, `"is_saved":true`, `"is_favorite":true`, `"is_voted":true`, `"last_saves":[{"id":"bob"}]`,
	`"settings":{"is_system":true,"System":true}`, `"Settings":{"System":true}`, `"is_system":true`, `"System":true`,
	`"table_id":"forged"`, `"table_orientation":"column"`, `"table_index":7`, `"TableID":"forged"`, `"TableOrientation":"row"`,
	`"column_id":7`, `"row_id":7`, `"ColumnID":7`, `"RowID":7`, `"columns":[{"title":"forged"}]`, `"rows":[{"title":"forged"}]`,
	`"type":{"id":9,"name":"Table"}`, `"category":{"id":1,"name":"forged"}`, `"topics":[{"id":1}]`, `"tags":[{"id":1,"title":"forged"}]`, `"items":[{"id":"forged"}]`,
	`"body_content":"forged"`, `"body_content_html":"<script>"`, `"body_content_plaintext":"forged"`, `"description_plaintext":"forged"`,
	`"knowledge_base":"forged"`, `"knowledge_base_json":{"a":"forged"}`, `"avatar_image":"https://evil.example/a.png"`, `"media":[{"id":1}]`,
	`"TITLE":"forged by its letter case"`, `"Title":"forged by its letter case"`, `"tagids":[1]`,
}

// writer is a route that takes a payload.
type writer struct {
	name   string
	method string
	path   string // with ids behind it where it is an update
	read   string // where the thing is read
	fields string // of the payload
	many   bool   // the payload goes into an array
	place  string // of the thing in the answer
	own    bool   // id is a field that clients may choose
}

var writers = []writer{
	{name: "elemental", method: "POST", path: "/v1/user/elemental", read: "/v1/elemental/", fields: newElemental, place: "response", own: true},
	{name: "elementals", method: "POST", path: "/v1/user/elementals", read: "/v1/elemental/", fields: newElemental, many: true, place: "response.0", own: true},
	{name: "table", method: "POST", path: "/v1/user/table", read: "/v1/elemental/", fields: `"title":"A table of things","columns":["c"],"rows":["r"],"cells":[["x"]]`, place: "response"},
	{name: "list", method: "POST", path: "/v1/user/list", read: "/v1/list/", fields: `"title":"A list"`, place: "response"},
	{name: "tag", method: "POST", path: "/v1/user/tag", fields: `"title":"A tag","color":"#fff","elementalTypeId":1`, place: "response"},
	{name: "changed elemental", method: "PUT", path: "/v1/user/elemental/", read: "/v1/elemental/", fields: `"title":"Another title"`, place: "response"},
	{name: "changed list", method: "PUT", path: "/v1/user/list/", read: "/v1/list/", fields: `"title":"Another title"`, place: "response"},
	{name: "changed tag", method: "PUT", path: "/v1/user/tag/", fields: `"title":"Another title"`, place: "response"},
}

// write sends the payload with more fields and returns what was answered, what is read
// afterwards, and what the Store has, all without what differs from one thing to another.
func (wr writer) write(f *fixture, more string) (answered, read, stored any, at string) {
	f.t.Helper()
	path := wr.path
	if wr.method == "PUT" {
		path += f.target(wr.name)
	}
	body := "{" + wr.fields + more + "}"
	if wr.many {
		body = "[" + body + "]"
	}
	a := f.do(f.ann.key, wr.method, path, body)
	if a.status != 200 && a.status != 201 {
		f.t.Fatalf("%s: status %d: %s", body, a.status, a.body)
	}
	id, at := a.str(wr.place+".id"), a.str(wr.place+".created_at")
	answered = plain(a.at(wr.place))
	if wr.read == "" {
		tags := f.do(f.ann.key, "GET", "/v1/user/tags", "")
		read = plain(tags.at(fmt.Sprintf("response.%d", len(tags.at("response").([]any))-1)))
	} else {
		b := f.do(f.ann.key, "GET", wr.read+id, "").want(200)
		if got := b.str("response.url"); got != "https://quire.example"+wr.read+id {
			f.t.Errorf("%s: url is %q", wr.name, got)
		}
		read = plain(b.at("response"))
	}
	return answered, read, f.stored(id), at
}

// target is a new thing to change.
func (f *fixture) target(of string) string {
	switch of {
	case "changed elemental":
		return f.elemental(f.ann, "A target to change", "")
	case "changed list":
		return f.list(f.ann, "A target to change")
	default:
		return f.tag(f.ann, "A target to change")
	}
}

// plain is an entry of an answer without its ids and times; whether it was changed
// stays. The columns, rows and cells of a table are made plain too.
func plain(entry any) map[string]any {
	out := maps.Clone(entry.(map[string]any))
	changed := out["updated_at"] != nil
	for _, key := range []string{"id", "url", "created_at", "updated_at"} {
		delete(out, key)
	}
	out["changed"] = changed
	for _, key := range []string{"columns", "rows", "items"} {
		parts, ok := out[key].([]any)
		if !ok {
			continue
		}
		parts = slices.Clone(parts)
		for i, part := range parts {
			p := plain(part)
			delete(p, "table_id")
			parts[i] = p
		}
		out[key] = parts
	}
	return out
}

// stored is the record of an elemental, list or tag without its id and times.
func (f *fixture) stored(id string) (record any) {
	f.t.Helper()
	number, _ := parseNumericID(id)
	err := f.store.View(f.t.Context(), func(tx quire.ReadTx) error {
		if e, err := tx.Elemental(f.t.Context(), id); err == nil {
			e.ID, e.CreatedAt, e.UpdatedAt, record = "", time.Time{}, nil, &e
		} else if l, err := tx.List(f.t.Context(), number); err == nil {
			l.ID, l.CreatedAt, l.UpdatedAt, record = 0, time.Time{}, nil, &l
		} else if t, err := tx.Tag(f.t.Context(), number); err == nil {
			t.ID, t.CreatedAt, t.UpdatedAt, record = 0, time.Time{}, time.Time{}, &t
		} else {
			return err
		}
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	// Through JSON, so that records are compared by what is in them.
	text, err := json.Marshal(record)
	if err != nil {
		f.t.Fatal(err)
	}
	return parse(f.t, string(text))
}

// TestServerFields: a payload with fields that only the server sets makes exactly what
// the payload without them makes.
func TestServerFields(t *testing.T) {
	t.Parallel()
	asked := 0
	for _, wr := range writers {
		f := newFixture(t, nil)
		answered, read, stored, _ := wr.write(f, "")
		fields := serverFields
		if !wr.own {
			fields = append(slices.Clone(fields), `"id":"`+f.elemental(f.bob, "Something of Bob's", "")+`"`, `"ID":"5"`, `"id":5`)
		}
		fields = slices.DeleteFunc(slices.Clone(fields), func(field string) bool {
			key, _, _ := strings.Cut(field, ":")
			return strings.Contains(wr.fields, key+":") // a table has columns and rows
		})
		mixed := slices.DeleteFunc(slices.Clone(fields), func(field string) bool { return strings.HasPrefix(strings.ToLower(field), `"id"`) })
		for _, more := range append(fields, strings.Join(mixed, ",")) {
			before := time.Now().Add(-time.Minute).UTC()
			gotAnswered, gotRead, gotStored, created := wr.write(f, ","+more)
			if diff := cmp.Diff(answered, gotAnswered); diff != "" {
				t.Errorf("%s with %s is answered otherwise (-without +with):\n%s", wr.name, more, diff)
			}
			if diff := cmp.Diff(read, gotRead); diff != "" {
				t.Errorf("%s with %s reads otherwise (-without +with):\n%s", wr.name, more, diff)
			}
			if diff := cmp.Diff(stored, gotStored); diff != "" {
				t.Errorf("%s with %s is stored otherwise (-without +with):\n%s", wr.name, more, diff)
			}
			if created < before.Format(time.RFC3339) {
				t.Errorf("%s with %s was created at %s", wr.name, more, created)
			}
			asked++
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("E5: %d payloads with fields that are the server's, on %d routes: %d of %d answered, read and stored as without them", asked, len(writers), asked, asked)
}

// TestServerFieldsOnly: an update of nothing but such fields changes nothing at all.
func TestServerFieldsOnly(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	ids := map[string]string{"/v1/user/elemental/": f.target("changed elemental"), "/v1/user/list/": f.target("changed list")}
	others := f.elemental(f.bob, "Something of Bob's", "")
	before := f.snapshot()
	for path, id := range ids {
		for _, more := range append([]string{strings.Join(serverFields, ","), `"id":"` + others + `"`}, serverFields...) {
			f.do(f.ann.key, "PUT", path+id, "{"+more+"}").want(200)
			if f.snapshot() != before {
				t.Fatalf("%s changed by %s", path, more)
			}
		}
	}
}

// TestOthersIDs: an elemental cannot be created over one that exists, whoever has it.
func TestOthersIDs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for _, id := range []string{f.elemental(f.bob, "Something of Bob's", `,"visibility":2`), f.elemental(f.ann, "Something of Ann's", "")} {
		before := f.snapshot()
		f.do(f.ann.key, "POST", "/v1/user/elemental", `{"id":"`+id+`",`+newElemental+`}`).want(409)
		f.do(f.ann.key, "POST", "/v1/user/elementals", `[{"id":"`+id+`",`+newElemental+`}]`).want(400).has("errors.0.code", "409")
		if f.snapshot() != before {
			t.Error("something changed")
		}
	}
}

// TestImageFields: of an image only name and bytes are taken, its address and size are
// not.
func TestImageFields(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	forged := strings.TrimSuffix(upload("a.png", picturesOf(t)["image/png"]), "}") +
		`,"id":5,"url":"https://evil.example/a.png","width":9999,"height":9999,"blur":"forged","mime_type":"text/html","size":5,"owner":"bob"}`
	id := f.target("changed elemental")
	for _, a := range []answer{
		f.do(f.ann.key, "POST", "/v1/user/elemental", `{`+newElemental+`,"images":[`+forged+`],"avatar":`+forged+`}`),
		f.do(f.ann.key, "POST", "/v1/user/list", `{"title":"A list","images":[`+forged+`],"avatar":`+forged+`}`),
		f.do(f.ann.key, "PUT", "/v1/user/elemental/"+id, `{"images":[`+forged+`],"avatar":`+forged+`}`),
		f.do(f.ann.key, "POST", "/v1/user/elemental/"+id+"/files", `{"images":[`+forged+`],"files":[`+forged+`]}`),
	} {
		image := a.at("response.images.0").(map[string]any)
		number := fmt.Sprint(image["id"])
		want := map[string]any{"id": image["id"], "url": "https://quire.example/v1/image/" + number, "width": json.Number("20"), "height": json.Number("10"), "blur": image["blur"]}
		if diff := cmp.Diff(want, image); diff != "" || number == "5" || image["blur"] == "forged" {
			t.Errorf("an image with more fields (-want +got):\n%s", diff)
		}
		if strings.Contains(a.body, "evil.example") || strings.Contains(a.body, `:9999`) || strings.Contains(a.body, `: 9999`) {
			t.Errorf("something of the client's was kept: %s", a.body)
		}
		if got := f.get(f.bob.key, "GET", "/v1/image/"+number).Header().Get("Content-Type"); got != "image/png" {
			t.Errorf("the image is served as %q", got)
		}
	}
	// An address alone is no image.
	f.do(f.ann.key, "POST", "/v1/user/elemental", `{`+newElemental+`,"images":[{"id":1,"url":"https://evil.example/a.png"}]}`).want(400).
		has("errors.0.field", `"images/0/file_buffer"`)
}
