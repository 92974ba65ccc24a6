package httpapi

import (
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

// An answer to a body with very many faults stays small, and a batch over the
// limit is refused as a whole, whatever its payloads are.
func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	many := "[" + strings.Repeat("0,", 50_000) + "0]"
	for path, body := range map[string]string{
		"/v1/user/elementals": many,
		"/v1/user/list":       `{"title":"A list","item_ids":` + many + `}`,
	} {
		a := f.do(f.ann.key, "POST", path, body).want(400)
		if len(a.body) > 50_000 {
			t.Errorf("%s answers %d bytes", path, len(a.body))
		}
	}
	good := strings.Repeat(`{"title":"A title that is valid","type_id":3},`, 900)
	f.do(f.ann.key, "POST", "/v1/user/elementals", "["+good+strings.Repeat("0,", 199)+"0]").want(400)
	f.do(f.ann.key, "GET", "/v1/elementals?search=valid", "").want(200).has("meta.total", "0")

	// Each payload with many faults: all payloads are named, not all of their faults.
	bad := `{"title":"x","lists_to_save":[` + strings.TrimSuffix(strings.Repeat("{},", 100), ",") + `]},`
	a := f.do(f.ann.key, "POST", "/v1/user/elementals", "["+strings.TrimSuffix(strings.Repeat(bad, 1000), ",")+"]").want(400)
	if n := len(a.at("errors").([]any)); n != 1000 || len(a.body) > 1<<20 {
		t.Errorf("%d payloads are named in %d bytes", n, len(a.body))
	}
}

// Filling a template cannot make more of it than the Library would store.
func TestTemplateIsBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	e, err := f.lib.CreateElemental(t.Context(), f.ann.Actor(), quire.ElementalInput{
		Title: "A template with many places", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: strings.Repeat("#[a] ", 2000),
	})
	if err != nil {
		t.Fatal(err)
	}
	fill := func(n int) answer {
		return f.do(f.bob.key, "POST", "/v1/elemental/"+e.ID+"/template/prepare", `{"#[a]":"`+strings.Repeat("y", n)+`"}`)
	}
	if got := fill(1000).want(200).str("response.result"); len(got) != 2000*1001 {
		t.Errorf("%d bytes", len(got))
	}
	fill(1 << 20).want(413)
}
