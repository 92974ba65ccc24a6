package httpapi

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// ownJSON are parser cases by name: y_ is JSON, n_ is none. Of those that are JSON
// some are refused all the same, for what they hold.
var ownJSON = map[string]string{
	"y_object": `{"a":[1,{"b":null}]}`, "y_spaces": " \t\r\n{} \n", "y_escapes": `{"\"\\\/\b\f\n\r\t\u00e9":"\ud83d\ude00"}`, "y_number": `[-0,1.5e+3,0.1E-2,1e400,123456789012345678901234567890]`,
	"y_top_string": `"text"`, "y_top_null": `null`, "y_noncharacter": `["` + "\uffff\U0010ffff\u2028" + `"]`,
	"n_empty": ``, "n_blank": " \n", "n_cut": `{"a":`, "n_comma": `{"a":1,}`, "n_single_quotes": `{'a':1}`, "n_no_quotes": `{a:1}`, "n_trailing": `{}{}`, "n_comment": `{}//`,
	"n_nan": `[NaN]`, "n_plus": `[+1]`, "n_zero": `[01]`, "n_hex": `[0x1]`, "n_tab_in_string": "[\"\t\"]", "n_bad_escape": `["\x41"]`, "n_half_escape": `["\u00"]`, "n_bom": "\ufeff{}",
	"n_raw_nul": "[\"\x00\"]", "n_nul_outside": "{}\x00", "n_utf16": "{\x00}\x00", "n_deep_open": strings.Repeat("[", 100_000), "n_deep_objects": strings.Repeat(`{"":`, 100_000),
}

// jsonCases returns parser cases by name: of those of ../shared some with -short.
func jsonCases(t *testing.T) map[string]string {
	t.Helper()
	cases := map[string]string{}
	files, _ := filepath.Glob("../../shared/data/json/test_parsing/*.json")
	if len(files) == 0 {
		t.Log("without ../shared/data/json")
	}
	for i, file := range files {
		if testing.Short() && i%8 != 0 {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cases[filepath.Base(file)] = string(data)
	}
	for name, text := range ownJSON {
		cases[name] = text
	}
	return cases
}

// malformed are the words of the messages that say that a body is no JSON.
var malformed = []string{"malformed", "is empty; it must be JSON", "UTF-8"}

// TestHostileJSON sends every parser case to every route with a body.
func TestHostileJSON(t *testing.T) {
	t.Parallel()
	cases := jsonCases(t)
	var requests atomic.Int64
	a := newAttacker(t, &requests)
	a.targets["tag_id"] = a.tag(a.ann, "A target")
	count := map[byte]int{}
	for name := range cases {
		count[name[0]]++
	}
	for _, rt := range bodyRoutes() {
		for name, text := range cases {
			got := a.send(rt.method, a.path(rt.pattern), "", text)
			saysMalformed := slices.ContainsFunc(malformed, func(words string) bool { return strings.Contains(got.body, words) })
			switch {
			case name[0] == 'n' && (got.status != http.StatusBadRequest || !saysMalformed):
				t.Errorf("%s %s: %s: status %d, want 400 for being malformed: %s", rt.method, rt.pattern, name, got.status, got.body)
			case name[0] == 'y' && saysMalformed:
				t.Errorf("%s %s: %s: status %d, but it is JSON: %s", rt.method, rt.pattern, name, got.status, got.body)
			}
		}
	}
	if count['n'] < 20 || count['y'] < 7 {
		t.Error("hardly anything was sent")
	}
	if t.Failed() {
		return
	}
	t.Logf("B5: on each of %d routes %d of %d bodies that are no JSON refused as such, %d of %d that are taken for JSON, %d in between answered; %d requests, 0 answers from 500 up",
		len(bodyRoutes()), count['n'], count['n'], count['y'], count['y'], count['i'], requests.Load())
}

// parameters are all query parameters of the interface; those that a route does not
// have are to be ignored.
var parameters = []string{"search", "page", "size", "format", "group_by", "fields", "expand_items", "order_by", "order_dir", "none"}

// readRoutes are the routes without a body and without a lasting effect.
func readRoutes() []route {
	return slices.DeleteFunc(slices.Concat(contentRoutes, engineRoutes), func(rt route) bool { return rt.method != "GET" })
}

// TestHostileParameters puts every text into every query parameter of every read, as
// it is and escaped.
func TestHostileParameters(t *testing.T) {
	t.Parallel()
	texts := hostileTexts(t)
	var requests, ok, refused atomic.Int64
	t.Run("routes", func(t *testing.T) {
		for _, rt := range readRoutes() {
			t.Run(rt.pattern, func(t *testing.T) {
				t.Parallel()
				a := newAttacker(t, &requests)
				path := a.path(rt.pattern)
				required := ""
				switch {
				case strings.HasSuffix(rt.pattern, "/knowledge-base"):
					required = "&format=text&group_by=row&fields=title"
				case rt.pattern == "/v1/elementals":
					required = "&search=target"
				}
				for i, text := range texts {
					for j, name := range parameters {
						// What is searched for is tried in full, the others in turn.
						if name != "search" && (i+j)%len(parameters) != 0 && i >= len(ownTexts) {
							continue
						}
						query := name + "=" + url.QueryEscape(text) + strings.Replace(required, "&"+name+"=", "&other=", 1)
						searches := name == "search" && (rt.pattern == "/v1/elementals" || rt.pattern == "/v1/lists")
						if a.reads(rt, path, query, searches && !stored(text)) {
							ok.Add(1)
						} else {
							refused.Add(1)
						}
					}
					a.reads(rt, path, text, false)
				}
			})
		}
	})
	t.Logf("%d texts in %d parameters of %d reads: %d answered, %d refused, %d requests", len(texts), len(parameters), len(readRoutes()), ok.Load(), refused.Load(), requests.Load())
	if ok.Load() < 1000 || refused.Load() < 200 {
		t.Error("hardly anything was sent")
	}
}

// reads sends a query and reports whether it was answered: else it is refused, and
// must is for those that have to be.
func (a *attacker) reads(rt route, path, query string, must bool) bool {
	a.t.Helper()
	got := a.send("GET", path, query, "")
	refused := got.status == http.StatusBadRequest || got.status == http.StatusNotFound && strings.Contains(rt.pattern, "{job_id}")
	if got.status != http.StatusOK && !refused || must && !refused {
		a.t.Errorf("GET %s?%q: status %d, must be refused: %v: %s", path, query, got.status, must, got.body)
	}
	return !refused
}

// TestHostilePaths puts every text into the path of every route that has an id there.
func TestHostilePaths(t *testing.T) {
	t.Parallel()
	texts := hostileTexts(t)
	var requests atomic.Int64
	a := newAttacker(t, &requests)
	a.tag(a.ann, "A tag")
	before := a.snapshot()
	for _, rt := range slices.Concat(contentRoutes, engineRoutes) {
		if !strings.Contains(rt.pattern, "{") {
			continue
		}
		query := ""
		if strings.HasSuffix(rt.pattern, "/knowledge-base") {
			query = "format=text&group_by=row&fields=title"
		}
		for _, text := range texts {
			path := fill(rt.pattern, url.PathEscape(text))
			got := a.send(rt.method, path, query, goodBodies[rt.method+" "+rt.pattern])
			wanted := got.status == http.StatusNotFound
			switch rt.method + " " + rt.pattern {
			case "DELETE /v1/kb/elemental/{id}":
				wanted = wanted || got.status == http.StatusOK // of what there is none, all is deleted
			case "GET /v1/elemental/{id}":
				wanted = wanted || got.status == http.StatusOK && text == "types"
			case "DELETE /v1/elemental/{id}":
				wanted = wanted || got.status == http.StatusMethodNotAllowed && text == "types"
			case "GET /v1/elemental/type/{type_id}/categories", "GET /v1/elemental/type/category/{category_id}/topics":
				wanted = wanted || got.status == http.StatusOK && text == "1"
			case "GET /v1/list/{list_id}":
				wanted = wanted || got.status == http.StatusOK && text == "types"
			}
			if !wanted {
				t.Errorf("%s %q: status %d, want 404: %.200s", rt.method, path, got.status, got.body)
			}
			if got.status == http.StatusNotFound && text != "" && len(text) > 20 && strings.Contains(got.body, text) {
				t.Errorf("%s %q: the answer repeats the text", rt.method, path)
			}
		}
	}
	t.Logf("%d texts as ids in paths: %d requests", len(texts), requests.Load())
	if a.snapshot() != before {
		t.Error("something in the store changed")
	}
}
