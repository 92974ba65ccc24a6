package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mutant is an answer with one thing changed in its body.
type mutant struct {
	what string // the change and its place; array indices left out
	body []byte
}

// mutants changes a JSON body in every place: a key more, a key less, a value of
// another type.
func mutants(body []byte) []mutant {
	var root any
	if json.Unmarshal(body, &root) != nil {
		return nil
	}
	var out []mutant
	keep := func(what string) {
		text, err := json.Marshal(root)
		if err != nil {
			panic(err) // it was read from JSON
		}
		out = append(out, mutant{what, text})
	}
	var visit func(path string, v any)
	visit = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			v["surplus"] = 1
			keep("more " + path)
			delete(v, "surplus")
			for _, key := range slices.Sorted(maps.Keys(v)) {
				old, at := v[key], path+"/"+key
				delete(v, key)
				keep("less " + at)
				v[key] = wrong
				keep("type " + at)
				v[key] = old
				visit(at, old)
			}
		case []any:
			for _, item := range v[:min(1, len(v))] {
				visit(path, item)
			}
		}
	}
	visit("", root)
	return out
}

// wrong is a value that no key of the document can have.
var wrong = []any{[]any{true}}

// free are the changes that the document allows: keys that are optional, and the
// attributes of nodes, which depend on their type.
var free = regexp.MustCompile(`^(more .*/attrs|(less|type) .*/attrs/\w+|less .*/(attrs|content|marks|text)|` +
	`less .*/knowledge_base_json(/Items)?/[A-Z]\w+|less /response/knowledge_base(/items)?/(content|id|url|images|video|tutorial|files)|less /errors)$`)

// TestContractSees: the checks of this package notice what is wrong. Each answer of
// the walk is changed in every place, and each change is found.
func TestContractSees(t *testing.T) {
	t.Parallel()
	c := readContract(t)
	done := map[string]bool{}
	checked, allowed := 0, 0
	for _, x := range newSite(t).run() {
		if strings.HasPrefix(x.Target, "/api/openapi.json") {
			continue // described as an object and no more
		}
		for _, m := range mutants(x.Answer) {
			kind := fmt.Sprint(c.operation(x), x.Status, m.what)
			if done[kind] {
				continue
			}
			done[kind] = true
			if testing.Short() && len(done)%20 != 0 {
				continue
			}
			if free.MatchString(m.what) {
				allowed++
				continue
			}
			checked++
			x.Answer = m.body
			if c.check(x) == nil {
				t.Errorf("%s %s: %d: not noticed: %s", x.Method, x.Target, x.Status, m.what)
			}
		}
	}
	t.Logf("%d changes were found, %d are allowed", checked, allowed)
}
