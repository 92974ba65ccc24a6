package httpapi

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// queryParameters are the parameters of each GET route, by its pattern.
func queryParameters(t *testing.T) map[string][]string {
	t.Helper()
	type parameter struct {
		Ref  string `json:"$ref"`
		Name string `json:"name"`
		In   string `json:"in"`
	}
	var d struct {
		Paths map[string]struct {
			Get struct {
				Parameters []parameter `json:"parameters"`
			} `json:"get"`
		} `json:"paths"`
		Components struct {
			Parameters map[string]parameter `json:"parameters"`
		} `json:"components"`
	}
	if err := json.Unmarshal(openapiJSON, &d); err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for pattern, path := range d.Paths {
		for _, p := range path.Get.Parameters {
			if p.Ref != "" {
				p = d.Components.Parameters[p.Ref[strings.LastIndexByte(p.Ref, '/')+1:]]
			}
			if p.In == "query" {
				out[pattern] = append(out[pattern], p.Name)
			}
		}
	}
	return out
}

// TestStrictParameters sends each query parameter that the document describes, and with its last
// letter changed: with StrictFields the one is never refused for its name and the other always,
// and without them neither is.
func TestStrictParameters(t *testing.T) {
	t.Parallel()
	const notOne = "is not a parameter here"
	strict, lenient := newEngineFixture(t, &Options{StrictFields: true}), newEngineFixture(t, nil)
	fill := func(f *fixture) func(string) string {
		r := strings.NewReplacer("{id}", f.elemental(f.ann, "Something of Ann's", ""), "{list_id}", f.list(f.ann, "A list"))
		return func(s string) string { return r.Replace(s) }
	}
	ofStrict, ofLenient := fill(strict), fill(lenient)
	parameters := 0
	for pattern, names := range queryParameters(t) {
		get := func(f *fixture, fill func(string) string, name string) answer {
			return f.do(f.ann.key, "GET", fill(pattern)+"?"+url.QueryEscape(name)+"=1", "")
		}
		slices.Sort(names)
		for _, name := range names {
			misspelt := name[:len(name)-1] + "q"
			if a := get(strict, ofStrict, name); strings.Contains(a.body, notOne) {
				t.Errorf("%s?%s is refused: %s", pattern, name, a.body)
			}
			want := fmt.Sprintf("%s; did you mean %s? (allowed are %s)", notOne, name, strings.Join(names, ", "))
			if a := get(strict, ofStrict, misspelt); a.status/100 != 4 || !strings.Contains(a.body, want) || !strings.Contains(a.body, misspelt) {
				t.Errorf("%s?%s: %d %s, want %s", pattern, misspelt, a.status, a.body, want)
			}
			if a := get(lenient, ofLenient, misspelt); strings.Contains(a.body, notOne) {
				t.Errorf("%s?%s is refused without the option: %s", pattern, misspelt, a.body)
			}
			parameters++
		}
	}
	if parameters < 20 {
		t.Errorf("only %d parameters are described", parameters)
	}
	a := strict.do(strict.ann.key, "GET", "/v1/user/lists?"+strings.Repeat("%ff%00&", 10)+strings.Repeat("x", 1<<10)+"=1", "").want(400)
	if len(a.body) > 1<<10 {
		t.Errorf("strange names are answered with %d bytes: %s", len(a.body), a.body)
	}
	t.Logf("%d parameters: each taken, and refused with a letter changed", parameters)
}
