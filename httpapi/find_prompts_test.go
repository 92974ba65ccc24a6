package httpapi

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/quirelib/quire/internal/segment"
	"github.com/quirelib/quire/store/sqlite"
)

// TestFindPrompts takes real content through SQLite: each prompt is created alone and
// among others, read, changed, listed, and found by its title and by its rarest words.
func TestFindPrompts(t *testing.T) {
	t.Parallel()
	prompts := realPrompts(t)
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixtureOn(t, s, nil)
	f.createPrompts(prompts)
	var stored []*prompt
	for _, p := range prompts {
		if p.id != "" {
			stored = append(stored, p)
		}
	}
	f.changePrompts(prompts)
	f.readPrompts(stored)
	f.listPrompts(stored)
	f.findPrompts(stored)
}

// changePrompts creates each prompt alone, changes it, reads it and deletes it: what
// is accepted alone is what is accepted among others.
func (f *fixture) changePrompts(prompts []*prompt) {
	f.t.Helper()
	changed := 0
	for _, p := range prompts {
		payload, err := json.Marshal(map[string]any{"title": p.Title, "type_id": 1, "category_id": 18, "template": p.Text, "topic_ids": []int{1}, "visibility": 2})
		if err != nil {
			f.t.Fatal(err)
		}
		a := f.do(f.bob.key, "POST", "/v1/user/elemental", string(payload))
		if (a.status == 201) != (p.id != "") {
			f.t.Errorf("%q: alone the status is %d, among others it got the id %q", p.Title, a.status, p.id)
		}
		if a.status != 201 {
			continue
		}
		id := a.str("response.id")
		patch, err := json.Marshal(map[string]any{"template": p.Text + "\n\n" + p.Title, "description": p.Text[:min(len(p.Text), 100)]})
		if err != nil {
			f.t.Fatal(err)
		}
		f.do(f.bob.key, "PUT", "/v1/user/elemental/"+id, string(patch)).want(200)
		a = f.do(f.bob.key, "GET", "/v1/elemental/"+id, "").want(200)
		if a.str("response.title") != strings.TrimSpace(p.Title) || a.str("response.body_content") != p.Text+"\n\n"+p.Title {
			f.t.Errorf("%q came back changed", p.Title)
		}
		f.do(f.bob.key, "DELETE", "/v1/elemental/"+id, "").want(204)
		changed++
	}
	f.t.Logf("%d prompts created alone, changed, read and deleted", changed)
}

// pieces are the words of a text as a user copies them, punctuation and all.
func pieces(text string) []string { return strings.Fields(text) }

// bareWords are the runs of letters, digits and marks of a text.
func bareWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
}

// rarest returns for each prompt the word of its text that the fewest texts have, the
// first one if several are as rare; "" if it has none. Punctuation and case make no
// other word.
func rarest(prompts []*prompt, words func(string) []string) []string {
	folded := func(w string) string { return strings.Join(segment.Words(w), " ") }
	frequency := map[string]int{}
	for _, p := range prompts {
		seen := map[string]bool{}
		for _, w := range words(p.Text) {
			if w = folded(w); !seen[w] {
				seen[w] = true
				frequency[w]++
			}
		}
	}
	out := make([]string, len(prompts))
	for i, p := range prompts {
		least := len(prompts) + 1
		for _, w := range words(p.Text) {
			f := folded(w)
			if f != "" && len(w) <= 200 && frequency[f] < least {
				out[i], least = w, frequency[f]
			}
		}
	}
	return out
}

// findPrompts searches for each prompt: it is on the first page of 100.
func (f *fixture) findPrompts(stored []*prompt) {
	f.t.Helper()
	titles := make([]string, len(stored))
	for i, p := range stored {
		titles[i] = p.Title
	}
	for _, kind := range []struct {
		name    string
		queries []string
	}{{"its title", titles}, {"the rarest piece of its text", rarest(stored, pieces)}, {"the rarest word of its text", rarest(stored, bareWords)}} {
		searched, first, found := 0, 0, 0
		for i, p := range stored {
			query := kind.queries[i]
			if query == "" {
				continue
			}
			searched++
			switch rank, total := f.rank(query, p.id); {
			case rank < 0:
				f.t.Errorf("%q is not found by %s, %q, on the first page of 100 (%d hits)", p.Title, kind.name, query, total)
			case rank == 0:
				first++
				found++
			default:
				found++
			}
		}
		f.t.Logf("%d prompts searched by %s: %d found on the first page of 100, %d first", searched, kind.name, found, first)
	}
}

// rank returns the place of an elemental among the first 100 hits of a search, -1 if
// it is not there, and the number of all hits. It reads the first hit, then pages of
// ten as far as it has to: of every hit a page has all renderings.
func (f *fixture) rank(query, id string) (place, total int) {
	f.t.Helper()
	if ids, total := f.searchPage(query, 1, 1); len(ids) == 1 && ids[0] == id {
		return 0, total
	}
	for page := range 10 {
		ids, total := f.searchPage(query, page+1, 10)
		if i := slices.Index(ids, id); i >= 0 {
			return page*10 + i, total
		}
		if total <= page*10+10 {
			return -1, total
		}
	}
	return -1, total
}

// searchPage returns the ids on a page of a search and the number of all hits.
func (f *fixture) searchPage(query string, page, size int) (ids []string, total int) {
	f.t.Helper()
	a := f.do(f.bob.key, "GET", fmt.Sprintf("/v1/elementals?size=%d&page=%d&search=%s", size, page, url.QueryEscape(query)), "").want(200)
	var found struct {
		Meta     struct{ Total int }
		Response []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(a.body), &found); err != nil {
		f.t.Fatal(err)
	}
	for _, e := range found.Response {
		ids = append(ids, e.ID)
	}
	if total = found.Meta.Total; len(ids) != min(max(total-(page-1)*size, 0), size) {
		f.t.Errorf("%q: %d results of %d on page %d of size %d", query, len(ids), total, page, size)
	}
	return ids, total
}
