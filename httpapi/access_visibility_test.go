package httpapi

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

// gallery is what Ann and Bob have, Public and Unlisted, all of it in one list of Bob's.
type gallery struct {
	*fixture
	viewers []account
	shows   map[string]int // how many elementals, and as many lists, each viewer may find
	list    string         // of Bob: all elementals
	checks  int
}

// newGallery makes everything Public, so that it can be put into the list, and then
// some of it Unlisted. The texts of Unlisted ones hold HIDDEN and their owner.
func newGallery(f *fixture) *gallery {
	f.t.Helper()
	g := &gallery{fixture: f, shows: map[string]int{"ann": 1 + 2 + 2, "bob": 1 + 2 + 3, "cat": 1 + 2}}
	g.viewers = []account{g.ann, g.bob, g.account("cat")}
	var all, hide []string
	for _, of := range []struct {
		account
		public, unlisted int
	}{{g.ann, 1, 2}, {g.bob, 2, 3}} {
		for i := range of.public + of.unlisted {
			word := "SHOWN" + of.ID
			if i >= of.public {
				word = "HIDDEN" + of.ID
			}
			tag := g.tag(of.account, "tagged "+word)
			texts := fmt.Sprintf(`"title":"common title %s %d","description":"common about %s","tagIds":[%s]`, word, i, word, tag)
			id := g.do(of.key, "POST", "/v1/user/elemental", `{`+texts+`,"template":"common body `+word+`","type_id":3,"category_id":18}`).want(201).str("response.id")
			visibility := 1
			if i >= of.public {
				hide, visibility = append(hide, of.key, id), 2
			}
			all = append(all, id)
			g.do(of.key, "POST", "/v1/user/list", fmt.Sprintf(`{%s,"visibility":%d}`, texts, visibility)).want(201)
		}
	}
	g.list = g.fixture.list(g.bob, "gallery", all...)
	for i := 0; i < len(hide); i += 2 {
		g.do(hide[i], "PUT", "/v1/user/elemental/"+hide[i+1], `{"visibility":2}`).want(200)
	}
	return g
}

// clean checks that an answer holds nothing of another user's Unlisted content.
func (g *gallery) clean(v account, path string, a answer) answer {
	g.t.Helper()
	g.checks++
	for _, of := range []string{"ann", "bob"} {
		if of != v.ID && strings.Contains(a.body, "HIDDEN"+of) {
			g.t.Errorf("%s shows %s what is Unlisted of %s: %s", path, v.ID, of, a.body)
		}
	}
	return a
}

// counted reads a paged route to its end, in pages of two, and checks the number of
// entries and of the total.
func (g *gallery) counted(v account, path string, want int) {
	g.t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	seen := map[string]bool{}
	for page := 1; ; page++ {
		at := fmt.Sprintf("%s%ssize=2&page=%d", path, separator, page)
		a := g.clean(v, at, g.do(v.key, "GET", at, "").want(200)).has("meta.total", fmt.Sprint(want))
		entries := a.at("response").([]any)
		for i := range entries {
			seen[a.str(fmt.Sprintf("response.%d.id", i))] = true
		}
		if len(entries) == 0 {
			break
		}
	}
	if len(seen) != want {
		g.t.Errorf("%s shows %s %d entries, want %d", path, v.ID, len(seen), want)
	}
}

// TestUnlistedSearches: no search finds what is Unlisted of others, by whatever text it
// could be found.
func TestUnlistedSearches(t *testing.T) {
	t.Parallel()
	checks, viewers := 0, 0
	onEachStore(t, func(f *fixture) {
		g := newGallery(f)
		g.searches()
		checks, viewers = checks+g.checks, len(g.viewers)
	})
	if t.Failed() {
		return
	}
	t.Logf("E4: %d viewers on 2 stores, all searches of lists and elementals: %d of %d answers and totals without what is Unlisted of others", viewers, checks, checks)
}

func (g *gallery) searches() {
	hidden, shown := map[string]int{"ann": 2, "bob": 3}, map[string]int{"ann": 1, "bob": 2}
	for _, v := range g.viewers {
		for _, words := range []string{"common", "common+title", "common+about", "tagged", "tagged+common", "com"} {
			g.counted(v, "/v1/elementals?search="+words, g.shows[v.ID])
			g.counted(v, "/v1/lists?search="+words, g.shows[v.ID])
		}
		g.counted(v, "/v1/elementals?search=common+body", g.shows[v.ID])
		g.counted(v, "/v1/lists", g.shows[v.ID]+1) // and the gallery
		g.counted(v, "/v1/user/lists", map[string]int{"ann": 3, "bob": 6, "cat": 0}[v.ID])
		g.counted(v, "/v1/user/elementals", map[string]int{"ann": 3, "bob": 5, "cat": 0}[v.ID])
		for _, of := range []string{"ann", "bob"} {
			own := 0
			if v.ID == of {
				own = hidden[of]
			}
			for _, resource := range []string{"elementals", "lists"} {
				g.counted(v, "/v1/"+resource+"?search=HIDDEN"+of, own)
				g.counted(v, "/v1/"+resource+"?search=SHOWN"+of, shown[of])
			}
		}
	}
}

// TestUnlistedItems: a list shows its items to each viewer without those that are
// Unlisted of others, in every form and in its counts.
func TestUnlistedItems(t *testing.T) {
	t.Parallel()
	checks, viewers := 0, 0
	onEachStore(t, func(f *fixture) {
		g := newGallery(f)
		g.items()
		checks, viewers = checks+g.checks, len(g.viewers)
	})
	if t.Failed() {
		return
	}
	t.Logf("E4: %d viewers on 2 stores, a list of everybody's in every form: %d of %d answers and counts without what is Unlisted of others", viewers, checks, checks)
}

func (g *gallery) items() {
	t, path := g.t, "/v1/list/"+g.list
	for _, v := range g.viewers {
		want := g.shows[v.ID]
		for _, query := range []string{"", "?expand_items=true", "?format=json", "?format=text&expand_items=1", "?format=markdown&group_by=row"} {
			a := g.clean(v, path+query, g.do(v.key, "GET", path+query, "").want(200)).has("response.total_items", fmt.Sprint(want))
			if n := len(a.at("response.items").([]any)); n != want {
				t.Errorf("%s%s has %d items for %s, want %d", path, query, n, v.ID, want)
			}
			if text, ok := a.at("response.knowledge_base").(string); ok && strings.Count(text, "common title") != want {
				t.Errorf("%s%s compiles for %s to %q, want %d items", path, query, v.ID, text, want)
			}
			if object, ok := a.at("response.knowledge_base_json").(map[string]any); ok && len(object["Items"].([]any)) != want {
				t.Errorf("%s%s has %v for %s, want %d items", path, query, object, v.ID, want)
			}
		}
		for _, order := range []string{"index", "created_at", "updated_at", "title"} {
			g.counted(v, path+"/items?order_by="+order, want)
			g.counted(v, path+"/items?expand_items=true&order_dir=desc&order_by="+order, want)
		}
		for _, format := range []string{"text", "markdown", "json"} {
			at := path + "/knowledge-base?group_by=row&fields=title,content,description&format=" + format
			a := g.clean(v, at, g.do(v.key, "GET", at, "").want(200))
			if n := len(a.at("response.knowledge_base.items").([]any)); n != want {
				t.Errorf("%s compiles for %s to %d items, want %d", at, v.ID, n, want)
			}
			if format != "json" && strings.Count(a.str("response.knowledge_base.content"), "common title") != want {
				t.Errorf("%s compiles for %s to %s, want %d items", at, v.ID, a.body, want)
			}
		}
		// In searches of lists the count says no more than in the list.
		a := g.do(v.key, "GET", "/v1/lists?search=gallery", "").want(200).has("meta.total", "1", "response.0.total_items", fmt.Sprint(want))
		g.clean(v, "/v1/lists", a)
	}
	g.do(g.bob.key, "PUT", "/v1/user/list/"+g.list, `{"description":"x"}`).want(200).has("response.total_items", "6")
}

// TestEmails: of other users nobody sees the email, wherever a user is shown.
func TestEmails(t *testing.T) {
	t.Parallel()
	g := newGallery(newFixture(t, nil))
	for _, v := range g.viewers {
		for _, path := range []string{"/v1/elementals?search=common", "/v1/lists", "/v1/list/" + g.list, "/v1/list/" + g.list + "/items?expand_items=true"} {
			body := g.do(v.key, "GET", path, "").want(200).body
			for _, of := range []string{"ann", "bob"} {
				if email := of + "@example.org"; strings.Contains(body, email) != (v.ID == of) {
					t.Errorf("%s for %s, with %s: %t", path, v.ID, email, v.ID != of)
				}
			}
		}
	}
}

// TestTenantOfSeveral: users of one tenant share its knowledge; each one's content is
// still only its own to change, and the tenant has no other name.
func TestTenantOfSeveral(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	u, err := f.lib.CreateUser(t.Context(), quire.UserInput{ID: "amy", TenantID: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	_, key, err := f.lib.CreateKey(t.Context(), u.ID, quire.KeyInput{})
	if err != nil {
		t.Fatal(err)
	}
	amy := account{u, key}
	id := f.elemental(f.ann, "Zebras in the snow", `,"visibility":2`)
	f.ingest(f.ann, id)
	f.ingest(f.bob, f.elemental(f.bob, "Zebras of another tenant", ""))
	search := func(key, tenant string) answer {
		return f.do(key, "POST", "/v1/kb/search", `{"query":"zebras","filters":{"tenant_id":"`+tenant+`"}}`)
	}
	search(amy.key, "ann").want(200).has("total_found", "1", "items.0.payload.snack_elemental_id", `"`+id+`"`)
	for _, tenant := range []string{"amy", "bob", "ANN", "ann "} {
		search(amy.key, tenant).detail(403, "whoever asks may not act for the tenant in filters.tenant_id")
	}
	before := f.snapshot()
	f.do(amy.key, "PUT", "/v1/user/elemental/"+id, `{"title":"Zebras of somebody else"}`).want(403)
	f.do(amy.key, "DELETE", "/v1/elemental/"+id, "").want(403)
	f.do(amy.key, "GET", "/v1/elementals?search=zebras", "").want(200).has("meta.total", "1") // Bob's Public one
	if f.snapshot() != before {
		t.Error("something of another user changed")
	}
	// What Amy writes belongs to the tenant too.
	hers := f.elemental(amy, "Zebras that Amy saw", "")
	f.ingest(amy, hers)
	search(f.ann.key, "ann").want(200).has("total_found", "2")
	f.do(f.ann.key, "DELETE", "/v1/kb/elemental/"+hers, "").want(200).has("data.deleted_elementals", "1")
	search(f.bob.key, "bob").want(200).has("total_found", "1")

	// The host application may say who acts for which tenant.
	f.h = New(f.lib, f.eng, &Options{MayActFor: func(_ context.Context, u quire.User, tenant string) bool { return u.ID == "bob" && tenant != "amy" }})
	search(f.bob.key, "ann").want(200).has("total_found", "1", "items.0.payload.tenant_id", `"ann"`)
	f.do(f.bob.key, "POST", "/v1/kb/elemental", `{"elemental_id":"`+id+`"}`).want(404)
}

// TestHead: HEAD needs a key like GET.
func TestHead(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	for _, rt := range slices.Concat(contentRoutes, engineRoutes) {
		if rt.method != "GET" || rt.open {
			continue
		}
		r := httptest.NewRequest("HEAD", fill(rt.pattern, "5"), nil)
		if rec := exchanged(t, f.h, r); rec.Code != 401 {
			t.Errorf("HEAD %s: status %d", rt.pattern, rec.Code)
		}
	}
}
