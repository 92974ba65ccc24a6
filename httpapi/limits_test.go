package httpapi

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// TestLimits goes up to each limit of a request and one beyond it.
func TestLimits(t *testing.T) {
	t.Parallel()
	repeated := func(n int, what string) string { return strings.TrimSuffix(strings.Repeat(what+",", n), ",") }
	f := newFixtureOn(t, store.NewMemory(), &Options{MaxBodyBytes: 4000, MaxDepth: 7, MaxFields: 60, MaxElements: 120})
	nested := func(n int) string { return strings.Repeat(`{"x":`, n) + "1" + strings.Repeat("}", n) }
	numbered := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"k%d":0`, i)
		}
		return b.String()
	}
	for _, tt := range []struct {
		name string
		body func(over int) string // of a new list, which has one key and is in one object
		want string
	}{
		{"body", func(over int) string { return `{"title":"` + strings.Repeat(" ", 4000-13+over) + `x"}` }, "the body is over the limit of 4000 bytes"},
		{"depth", func(over int) string { return `{"title":"x","more":` + nested(6+over) + `}` }, "the JSON is nested deeper than 7 levels"},
		{"fields", func(over int) string { return `{"title":"x"` + numbered(59+over) + `}` }, "the objects of the JSON have more than 60 keys together"},
		{"fields of several", func(over int) string {
			return `{"title":"x","a":[` + repeated(29, `{"b":0,"c":0}`) + `]` + numbered(over) + `}`
		}, "the objects of the JSON have more than 60 keys together"},
		{"elements", func(over int) string { return `{"title":"x","tags":[` + repeated(120+over, "1") + `]}` }, "the arrays of the JSON have more than 120 elements together"},
		{"elements of several", func(over int) string {
			return `{"title":"x","a":[` + repeated(40, "[1,2]") + strings.Repeat(",1", over) + `]}`
		}, "the arrays of the JSON have more than 120 elements together"},
	} {
		f.do(f.ann.key, "POST", "/v1/user/list", tt.body(0)).want(201)
		a := f.do(f.ann.key, "POST", "/v1/user/list", tt.body(1))
		if !strings.Contains(a.body, tt.want) || a.status != 400 && a.status != 413 {
			t.Errorf("%s: %d %s, want %q", tt.name, a.status, a.body, tt.want)
		}
	}
	// The bytes of a file are no elements, and hide none.
	f.do(f.ann.key, "POST", "/v1/user/list", `{"title":"x","files":[{"file_buffer":{"type":"Buffer","data":[`+repeated(500, "1")+`]}},{"file_buffer":[`+repeated(500, "2")+`]}]}`).want(201)
	f.do(f.ann.key, "POST", "/v1/user/list", `{"title":"x","data":[[`+repeated(200, "1")+`]]}`).want(400)
}

// TestIDCounts goes up to LibraryOptions.MaxIDs and one beyond it, wherever ids are named.
func TestIDCounts(t *testing.T) {
	t.Parallel()
	f := newFixtureWith(t, store.NewMemory(), nil, quire.LibraryOptions{MaxIDs: 100}).withEngine(nil, nil)
	id := f.elemental(f.ann, "An elemental in lists", "")
	list := f.list(f.ann, "A list")
	media := `/v1/user/elemental/` + id + `/files`
	for _, tt := range []struct{ method, path, before, id, after, field string }{
		{"POST", "/v1/user/list", `{"title":"x","item_ids":[`, `{"prompt_id":"` + id + `"}`, `]}`, "item_ids"},
		{"PUT", "/v1/user/list/" + list, `{"item_ids":[`, `{"prompt_id":"` + id + `"}`, `]}`, "item_ids"},
		{"DELETE", "/v1/user/list/" + list + "/elementals", `{"item_ids":[`, `{"elemental_id":"x"}`, `]}`, "item_ids"},
		{"POST", "/v1/user/elemental", `{"title":"x in many lists","type_id":3,"category_id":18,"template":"x","lists_to_save":[`, `{"list_id":` + list + `}`, `]}`, "lists_to_save"},
		{"PUT", "/v1/user/elemental/" + id, `{"lists_to_save":[`, `{"list_id":` + list + `}`, `]}`, "lists_to_save"},
		{"DELETE", media, `{"images":[`, `5`, `]}`, "images"},
		{"DELETE", media, `{"cover_images":[`, `5`, `]}`, "cover_images"},
		{"DELETE", media, `{"files":[`, `5`, `]}`, "files"},
		{"POST", "/v1/kb/search", `{"query":"q","filters":{"tenant_id":"ann","tag_ids":[`, `"5"`, `]}}`, "filters.tag_ids"},
		{"POST", "/v1/kb/chat", `{"query":"q","filters":{"tenant_id":"ann","tag_names":[`, `"5"`, `]}}`, "filters.tag_names"},
		{"POST", "/v1/kb/delete", `{"filters":{"tenant_id":"ann","tag_ids":[`, `"5"`, `]}}`, "filters.tag_ids"},
	} {
		body := func(n int) string {
			return tt.before + strings.TrimSuffix(strings.Repeat(tt.id+",", n), ",") + tt.after
		}
		if a := f.do(f.ann.key, tt.method, tt.path, body(100)); a.status >= 300 {
			t.Errorf("%s %s: 100 ids: %d %s", tt.method, tt.path, a.status, a.body)
		}
		if a := f.do(f.ann.key, tt.method, tt.path, body(101)); a.status != 400 || !strings.Contains(a.body, tt.field+": must have at most 100 entries") {
			t.Errorf("%s %s: 101 ids: %d %s", tt.method, tt.path, a.status, a.body)
		}
	}
}

// TestLimitsPage: docs/limits.md names every option that is a limit, with its default.
func TestLimitsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, nil)
	defaults, err := (&Options{}).withDefaults(f.lib)
	if err != nil {
		t.Fatal(err)
	}
	limits := 0
	for _, of := range []reflect.Type{reflect.TypeFor[Options](), reflect.TypeFor[quire.LibraryOptions](), reflect.TypeFor[quire.EngineOptions]()} {
		for i := range of.NumField() {
			name := of.Field(i).Name
			if !strings.HasPrefix(name, "Max") && of.Field(i).Type != reflect.TypeFor[time.Duration]() {
				continue
			}
			limits++
			_, row, found := strings.Cut(string(page), "\n| `"+name+"` |")
			if !found {
				t.Errorf("docs/limits.md says nothing of %v.%s", of, name)
				continue
			}
			if of == reflect.TypeFor[Options]() {
				row, _, _ := strings.Cut(row, "\n")
				if want := written(reflect.ValueOf(defaults).Field(i).Interface()); !strings.Contains(row, "| "+want+" |") {
					t.Errorf("docs/limits.md: the default of %s is %s: %s", name, want, row)
				}
			}
		}
	}
	t.Logf("%d limits", limits)
}

// written is a limit as the page has it.
func written(v any) string {
	switch v := v.(type) {
	case time.Duration:
		return fmt.Sprintf("%.0f s", v.Seconds())
	case int64:
		return fmt.Sprintf("%d MiB", v>>20)
	case int:
		if v >= 1000 {
			return fmt.Sprintf("%d,%03d", v/1000, v%1000)
		}
	}
	return fmt.Sprint(v)
}
