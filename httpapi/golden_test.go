package httpapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// Times differ from run to run.
var volatile = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`)

// golden compares a body with testdata/name: it shows every key of a resource, in its
// place, at a glance.
func golden(t *testing.T, name, body string) {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(body), "", "  "); err != nil {
		t.Fatal(err)
	}
	got := volatile.ReplaceAll(b.Bytes(), []byte(`"TIME"`))
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got, -update rewrites it):\n%s", path, diff)
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	id := f.elemental(f.ann, "A document", `,"id":"doc-1","description":"Plain","price":3,"tutorial_steps":[{"title":"First"}]`)
	f.do(f.ann.key, "PUT", "/v1/user/elemental/"+id, `{"template":"Dear #[first name]"}`).want(200)
	elemental := f.do(f.bob.key, "GET", "/v1/elemental/"+id, "").want(200)
	golden(t, "elemental.json", elemental.body)
	list := f.do(f.bob.key, "GET", "/v1/list/"+f.list(f.ann, "A list", id), "").want(200)
	golden(t, "list.json", regexp.MustCompile(`\b`+list.str("response.id")+`\b`).ReplaceAllString(list.body, "LIST"))
	golden(t, "error.json", f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":"short"}`).want(400).body)
	golden(t, "engine_error.json", f.do(f.ann.key, "POST", "/v1/kb/search", `{"query":5,"filters":{"tenant_id":"ann","tag_ids":["x",null]}}`).want(422).body)
}
