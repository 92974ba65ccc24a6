package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// othersIDs are things of Bob that Ann names, beside her own.
type othersIDs struct {
	*fixture
	names *strings.Replacer
}

func newOthersIDs(t *testing.T) *othersIDs {
	t.Helper()
	f := newFixture(t, nil)
	mine := f.elemental(f.ann, "Something of Ann's", "")
	shown, hidden := f.elemental(f.bob, "Something that Bob shows", ""), f.elemental(f.bob, "Something that Bob hides", `,"visibility":2`)
	return &othersIDs{f, strings.NewReplacer(
		"$mylist", f.list(f.ann, "Of Ann", mine, shown), "$mytag", f.tag(f.ann, "Of Ann"), "$mine", mine,
		"$list", f.list(f.bob, "Of Bob", shown, hidden), "$tag", f.tag(f.bob, "Of Bob"), "$shown", shown, "$hidden", hidden,
	)}
}

func (o *othersIDs) send(method, path, body string, headers ...string) answer {
	o.t.Helper()
	return o.do(o.ann.key, method, o.names.Replace(path), o.names.Replace(body), headers...)
}

// TestOthersInBodies: a request that names something of another user among things of
// one's own is refused as a whole, at the field that names it, and nothing of it is done.
func TestOthersInBodies(t *testing.T) {
	t.Parallel()
	o := newOthersIDs(t)
	before := o.snapshot()
	const elemental, list = `"title":"An elemental","type_id":3,"template":"x","category_id":18`, `"title":"Another title"`
	requests := 0
	for _, tt := range []struct{ request, body, field string }{
		{"POST /v1/user/elemental", `{` + elemental + `,"lists_to_save":[{"list_id":$mylist},{"list_id":$list}]}`, "lists_to_save/1/list_id"},
		{"POST /v1/user/elemental", `{` + elemental + `,"tagIds":[$mytag,$tag]}`, "tagIds/1"},
		{"PUT /v1/user/elemental/$mine", `{"title":"Another title","lists_to_save":[{"list_id":$mylist},{"list_id":$list}]}`, "lists_to_save/1/list_id"},
		{"PUT /v1/user/elemental/$mine", `{"title":"Another title","tagIds":[$mytag,$tag]}`, "tagIds/1"},
		{"PUT /v1/user/elemental/$mine", `{"title":"Another title","files":[{"file_buffer":[1]}],"tagIds":[$tag]}`, "tagIds/0"},
		{"POST /v1/user/list", `{` + list + `,"item_ids":[{"prompt_id":"$mine"},{"prompt_id":"$hidden"}]}`, "item_ids/1"},
		{"POST /v1/user/list", `{` + list + `,"item_ids":[{"prompt_id":"$mine"}],"tagIds":[$mytag,$tag]}`, "tagIds/1"},
		{"PUT /v1/user/list/$mylist", `{` + list + `,"item_ids":[{"prompt_id":"$mine","orderIndex":9},{"prompt_id":"$hidden"}]}`, "item_ids/1"},
		{"PUT /v1/user/list/$mylist", `{` + list + `,"mode":"replace","item_ids":[{"elemental_id":"$hidden"}]}`, "item_ids/0"},
		{"PUT /v1/user/list/$mylist", `{` + list + `,"mode":"replace","item_ids":[],"tagIds":[$tag]}`, "tagIds/0"},
		{"PUT /v1/user/list/$mylist", `{` + list + `,"images":[],"files":[{"file_buffer":[1]}],"tagIds":[$tag]}`, "tagIds/0"},
	} {
		method, path, _ := strings.Cut(tt.request, " ")
		for _, headers := range [][]string{nil, {"Idempotency-Key", "k"}} {
			a := o.send(method, path, tt.body, headers...).want(400).has("errors.0.field", `"`+tt.field+`"`)
			if n := len(a.at("errors").([]any)); n != 1 {
				t.Errorf("%s %s: %d errors: %s", tt.request, tt.body, n, a.body)
			}
			// Whether the id is Bob's or nobody's cannot be seen.
			nobody := strings.NewReplacer("$list", "55", "$tag", "55", "$hidden", "nobody").Replace(tt.body)
			if b := o.send(method, path, nobody, headers...); b.body != a.body {
				t.Errorf("%s %s: Bob's id and an unknown one are told apart:\n%s\n%s", tt.request, tt.body, a.body, b.body)
			}
			requests += 2
			if o.snapshot() != before {
				t.Fatalf("%s %s changed something", tt.request, tt.body)
			}
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("E5: %d requests that name something of another user, all refused at that field as with an unknown id, 0 changes", requests)
}

// TestOthersInCreateMany: of many payloads only those fail that name something of
// another user, and of these nothing is left.
func TestOthersInCreateMany(t *testing.T) {
	t.Parallel()
	o := newOthersIDs(t)
	const fields = `"title":"An elemental","type_id":3,`
	body := `[{` + fields + `"id":"first","lists_to_save":[{"list_id":$mylist}],"tagIds":[$mytag]},
		{` + fields + `"id":"second","lists_to_save":[{"list_id":$mylist},{"list_id":$list}]},
		{` + fields + `"id":"third","tagIds":[$mytag,$tag],"lists_to_save":[{"list_id":$mylist}]},
		{` + fields + `"id":"$hidden","lists_to_save":[{"list_id":$mylist}]},
		{` + fields + `"id":"last","lists_to_save":[{"list_id":$mylist}]}]`
	bobs := o.ofBob()
	a := o.send("POST", "/v1/user/elementals", body).want(206).has("response.created.0.index", "0", "response.created.1.index", "4",
		"response.errors.0.index", "1", "response.errors.0.errors.0.field", `"lists_to_save/1/list_id"`,
		"response.errors.1.index", "2", "response.errors.1.errors.0.field", `"tagIds/1"`, "response.errors.2.index", "3", "response.errors.2.code", "409")
	if created, failed := a.at("response.created").([]any), a.at("response.errors").([]any); len(created) != 2 || len(failed) != 3 {
		t.Errorf("%d created, %d failed: %s", len(created), len(failed), a.body)
	}
	for _, id := range []string{"second", "third"} {
		o.send("GET", "/v1/elemental/"+id, "").want(404)
	}
	items := o.send("GET", "/v1/list/$mylist/items?size=100", "").want(200).has("meta.total", "4")
	var ids []string
	for i := range items.at("response").([]any) {
		ids = append(ids, items.str(fmt.Sprintf("response.%d.id", i)))
	}
	want := []string{o.names.Replace("$mine"), o.names.Replace("$shown"), "first", "last"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("items of the list (-want +got):\n%s", diff)
	}
	if o.ofBob() != bobs {
		t.Error("something of Bob's changed")
	}
}

// ofBob is what Bob reads of his own.
func (o *othersIDs) ofBob() string {
	o.t.Helper()
	var all []string
	for _, path := range []string{"/v1/list/$list?expand_items=true", "/v1/elemental/$shown", "/v1/elemental/$hidden", "/v1/user/tags", "/v1/user/lists"} {
		all = append(all, o.do(o.bob.key, "GET", o.names.Replace(path), "").want(200).body)
	}
	return strings.Join(all, "\n")
}

// TestOthersStayWhole: what one may do with others' things in one's own lists and tags
// leaves them as they are.
func TestOthersStayWhole(t *testing.T) {
	t.Parallel()
	o := newOthersIDs(t)
	bobs := o.ofBob()
	o.send("PUT", "/v1/user/list/$mylist", `{"item_ids":[{"prompt_id":"$shown","orderIndex":0}]}`).want(200)
	o.send("DELETE", "/v1/user/list/$mylist/elementals", `{"item_ids":[{"elemental_id":"$shown"},{"elemental_id":"$hidden"},{"elemental_id":"nobody"}]}`).want(204)
	o.send("GET", "/v1/list/$mylist/items", "").want(200).has("meta.total", "1")
	o.send("PUT", "/v1/user/list/$mylist", `{"mode":"replace","item_ids":[{"elemental_id":"$shown"}]}`).want(200).has("response.total_items", "1")
	o.send("POST", "/v1/user/list", `{"title":"More","item_ids":[{"prompt_id":"$shown"}]}`).want(201)
	o.send("DELETE", "/v1/user/list/$mylist", "").want(204)

	// Where a tag came from is the owner's word and gives no right to anything.
	a := o.send("POST", "/v1/user/tag", `{"title":"Copied","color":"#fff","elementalTypeId":3,"source_user_id":"bob","source_tag_id":"$tag"}`).want(201).
		has("response.user_id", `"ann"`, "response.title", `"Copied"`)
	o.send("POST", "/v1/user/elemental/$mine/tag/"+a.str("response.id"), "").want(200)
	o.send("PUT", "/v1/user/tag/$tag", `{"title":"Stolen"}`).want(404)
	o.send("DELETE", "/v1/user/tag/"+a.str("response.id"), "").want(204)
	if got := o.ofBob(); got != bobs {
		t.Errorf("something of Bob's changed:\n%s\n%s", bobs, got)
	}
}

// TestHiddenMember: a member of a list that its owner hid later can stay and be removed,
// and shows nothing of itself meanwhile.
func TestHiddenMember(t *testing.T) {
	t.Parallel()
	o := newOthersIDs(t)
	o.do(o.bob.key, "PUT", o.names.Replace("/v1/user/elemental/$shown"), `{"visibility":2}`).want(200)
	for _, body := range []string{`{"title":"Renamed"}`, `{"item_ids":[{"prompt_id":"$shown","orderIndex":0}]}`} {
		a := o.send("PUT", "/v1/user/list/$mylist", body).want(200).has("response.total_items", "1")
		if strings.Contains(a.body, "that Bob shows") {
			t.Errorf("%s: the answer has the hidden member: %s", body, a.body)
		}
	}
	o.send("DELETE", "/v1/user/list/$mylist/elementals", `{"item_ids":[{"elemental_id":"$shown"}]}`).want(204)
	// Once removed it cannot be put back.
	o.send("PUT", "/v1/user/list/$mylist", `{"item_ids":[{"prompt_id":"$shown"}]}`).want(400).has("errors.0.field", `"item_ids/0"`)
	err := o.store.View(t.Context(), func(tx quire.ReadTx) error {
		id, _ := parseNumericID(o.names.Replace("$mylist"))
		items, err := tx.Items(t.Context(), id)
		if err == nil && len(items) != 1 {
			t.Errorf("members are %+v", items)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
