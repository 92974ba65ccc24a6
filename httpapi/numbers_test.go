package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

// TestNumbers puts numbers that are too large, too small, of another kind or written in
// another way to wherever one is read.
func TestNumbers(t *testing.T) {
	t.Parallel()
	const engine, content = `{"query":"q","filters":{"tenant_id":"ann"},"limit":%s}`, `{"title":"Of a certain price","type_id":3,"category_id":18,"template":"x",%s:%s}`
	places := []struct {
		method, path, body string // %s in path or body is where the number goes
		good               string // numbers that are taken
		bad                string // and refused
	}{
		{"GET", "/v1/lists?page=%s", "", "1 2 21474836 01", "0 -1 1.5 1e2 %22%31%22 +1 %2B1 0x1 21474837 2147483648 9223372036854775807 9223372036854775808 18446744073709551617 99999999999999999999 NaN null true 1,0 1_0 ٣"},
		{"GET", "/v1/lists?size=%s", "", "1 100", "0 -1 101 1.0 1e2 2147483648 4294967297 9223372036854775808 NaN 0x10"},
		{"GET", "/v1/user/elementals?type_id=%s", "", "1 3", "0 -1 1.0 2147483648 4294967299 x"},
		{"GET", "/v1/user/elementals?tag_id=%s", "", "1 9007199254740991", "0 -1 01 1.0 9007199254740992 9223372036854775808 x"},
		{"POST", "/v1/kb/search", engine, "1 10 10.0 1e1 100 1E+2 0.1e2", `0 -1 -0 101 2.5 1e9 1e400 -1e400 1e-400 9223372036854775808 18446744073709551617 "10" true [] {}`},
		{"POST", "/v1/user/elemental", strings.Replace(content, "%s", `"price"`, 1), "0 1 9223372036854775807 null", `-1 9223372036854775808 18446744073709551616 1.5 1.0 1e2 1e400 "1" true []`},
		{"POST", "/v1/user/elemental", strings.Replace(content, "%s", `"more_type_id":1,"visibility"`, 1), "1 2", `0 3 -1 1.0 12 "1" 1e0`},
		{"POST", "/v1/user/list", `{"title":"x","content_type":%s}`, "1", `0 -1 1.0 4294967297 "1" 1e0`},
	}
	good, bad := 0, 0
	onEachStore(t, func(f *fixture) {
		t := f.t
		ask := func(method, path, body, number string) answer {
			if body != "" {
				return f.do(f.ann.key, method, path, fmt.Sprintf(body, number))
			}
			return f.do(f.ann.key, method, fmt.Sprintf(path, number), "")
		}
		for _, p := range places {
			for n := range strings.FieldsSeq(p.good) {
				if a := ask(p.method, p.path, p.body, n); a.status >= 300 {
					t.Errorf("%s %s %s with %s: %d %s", p.method, p.path, p.body, n, a.status, a.body)
				}
				good++
			}
			for n := range strings.FieldsSeq(p.bad) {
				if a := ask(p.method, p.path, p.body, n); a.status != 400 && a.status != 422 {
					t.Errorf("%s %s %s with %s: %d %s", p.method, p.path, p.body, n, a.status, a.body)
				}
				bad++
			}
		}
	})
	if t.Failed() {
		return
	}
	t.Logf("B7: %d numbers in %d places on 2 stores: %d of %d refused, %d of %d taken", good+bad, len(places), bad, bad, good, good)
}

// TestIDs writes ids as numbers and strings: they are taken exactly, in one form each.
func TestIDs(t *testing.T) {
	t.Parallel()
	tried := 0
	onEachStore(t, func(f *fixture) {
		t := f.t
		try := func(method, path, body string, status int) answer {
			tried++
			return f.do(f.ann.key, method, path, body).want(status)
		}
		create := `{"title":"An elemental with an id","type_id":3,"category_id":18,"template":"x","id":%s}`
		for _, c := range []struct{ id, want string }{ // as JSON; "": refused
			{`1`, "1"}, {`"01"`, "01"}, {`9007199254740993`, "9007199254740993"}, {`"18446744073709551617"`, "18446744073709551617"}, {`123456789012345678901234567890`, "123456789012345678901234567890"},
			{`-5`, "-5"}, {`"a.b-c_D"`, "a.b-c_D"}, {`1.0`, ""}, {`1e3`, ""}, {`true`, ""}, {`[1]`, ""}, {`{"id":1}`, ""}, {`"a b"`, ""}, {`"a/b"`, ""}, {`".."`, ""}, {`"é"`, ""}, {`"types"`, ""},
			{`"` + strings.Repeat("1", 64) + `"`, strings.Repeat("1", 64)}, {strings.Repeat("1", 65), ""},
		} {
			if c.want == "" {
				try("POST", "/v1/user/elemental", fmt.Sprintf(create, c.id), 400)
				continue
			}
			if got := try("POST", "/v1/user/elemental", fmt.Sprintf(create, c.id), 201).str("response.id"); got != c.want {
				t.Errorf("the id %s came back as %q", c.id, got)
			}
			if got := f.do(f.ann.key, "GET", "/v1/elemental/"+c.want, "").want(200).str("response.id"); got != c.want {
				t.Errorf("the id %s was read as %q", c.id, got)
			}
		}
		try("POST", "/v1/user/elemental", fmt.Sprintf(create, `"1"`), 409) // the number 1 is there
		try("POST", "/v1/user/list", `{"title":"of one","item_ids":[{"prompt_id":9007199254740993}]}`, 201).has("response.items.0.id", `"9007199254740993"`)
		try("POST", "/v1/user/list", `{"title":"of none","item_ids":[{"prompt_id":9007199254740992}]}`, 400)
		list, tag := f.list(f.ann, "A list"), f.tag(f.ann, "A tag")
		put := "/v1/user/elemental/1"
		for _, id := range []string{list, `"` + list + `"`} {
			try("PUT", put, `{"lists_to_save":[{"list_id":`+id+`}]}`, 200)
		}
		for _, id := range []string{tag, `"` + tag + `"`} {
			try("PUT", put, `{"tagIds":[`+id+`]}`, 200).has("response.tags.0.id", `"`+tag+`"`)
		}
		for _, id := range []string{tag + ".0", `"0` + tag + `"`, `" ` + tag + `"`, tag + "e0", "-" + tag, "0", "9007199254740992", "9007199254740993", "9223372036854775808", `""`, "null", "true"} {
			try("PUT", put, `{"tagIds":[`+id+`]}`, 400)
		}
	})
	if t.Failed() {
		return
	}
	t.Logf("B8: %d of %d ids as numbers and strings on 2 stores taken exactly or refused", tried, tried)
}

// TestTitleLengths counts characters, whatever they are made of, on both stores.
func TestTitleLengths(t *testing.T) {
	t.Parallel()
	tests := []struct {
		title string
		ok    bool
	}{
		{strings.Repeat("文", 9), false}, {strings.Repeat("文", 10), true}, {strings.Repeat("文", 100), true}, {strings.Repeat("文", 101), false},
		{strings.Repeat("e\u0301", 5), true}, {strings.Repeat("e\u0301", 4), false}, {strings.Repeat("é", 9), false}, {strings.Repeat("é", 100), true},
		{"a" + strings.Repeat("👨‍👩‍👧‍👦", 14), true}, {"a" + strings.Repeat("👨‍👩‍👧‍👦", 15), false}, {strings.Repeat("😀", 9) + "a", true}, {strings.Repeat("😀", 10), false},
		{strings.Repeat(" ", 12), false}, {strings.Repeat("\u00a0", 12), false}, {"   nine char   ", false}, {"   ten chars.   ", true}, {"0123456789", false}, {"012345678x", true},
		{strings.Repeat("x", 9), false}, {strings.Repeat("x", 10), true}, {strings.Repeat("x", 100), true}, {strings.Repeat("x", 101), false}, {"a" + strings.Repeat("\u0300", 99), true}, {"", false},
	}
	right := 0
	onEachStore(t, func(f *fixture) {
		for _, tt := range tests {
			a := f.do(f.ann.key, "POST", "/v1/user/elemental", `{"title":`+quoted(tt.title)+`,"type_id":3,"category_id":18,"template":"x"}`)
			if (a.status == 201) != tt.ok || a.status != 201 && a.status != 400 {
				f.t.Errorf("%q: status %d, accepted should be %v", tt.title, a.status, tt.ok)
				continue
			}
			if want := strings.TrimSpace(tt.title); tt.ok && a.str("response.title") != want {
				f.t.Errorf("%q came back as %q", tt.title, a.str("response.title"))
				continue
			}
			right++
		}
	})
	if t.Failed() {
		return
	}
	t.Logf("B11: %d of %d titles counted in characters on 2 stores", right, 2*len(tests))
}

// TestTooManyIDs names more ids, values and search terms than a database takes as parameters
// or as terms of an expression.
func TestTooManyIDs(t *testing.T) {
	t.Parallel()
	const many = 40_000
	tried := 0
	for _, limit := range []int{0, 2 * many} { // as it is, and as an application may set it
		for name, open := range map[string]func(*testing.T) quire.Store{"memory": openMemory, "sqlite": openSQLite} {
			f := newFixtureWith(t, open(t), nil, quire.LibraryOptions{MaxIDs: limit, MaxBatch: 2 * many}).withEngine(nil, nil)
			id, list := f.elemental(f.ann, "An elemental in a list", ""), f.list(f.ann, "A list")
			ids := func(format string) string {
				var b strings.Builder
				for i := range many {
					fmt.Fprintf(&b, ","+format, i+1)
				}
				return "[" + b.String()[1:] + "]"
			}
			for _, tt := range []struct {
				method, path, body string
				status             int // with the limit out of the way
			}{
				{"POST", "/v1/kb/search", `{"query":"list","filters":{"tenant_id":"ann","tag_ids":` + ids("%d") + `}}`, 200},
				{"POST", "/v1/kb/delete", `{"filters":{"tenant_id":"ann","tag_names":` + ids(`"%d"`) + `}}`, 200},
				{"POST", "/v1/user/list", `{"title":"x","item_ids":` + ids(`{"prompt_id":%d}`) + `}`, 400},
				{"PUT", "/v1/user/list/" + list, `{"item_ids":` + ids(`{"prompt_id":"`+id+`","orderIndex":%d}`) + `}`, 200},
				{"DELETE", "/v1/user/list/" + list + "/elementals", `{"item_ids":` + ids(`{"prompt_id":%d}`) + `}`, 204},
				{"PUT", "/v1/user/elemental/" + id, `{"lists_to_save":` + ids(`{"list_id":%d}`) + `}`, 400},
				{"PUT", "/v1/user/elemental/" + id, `{"tagIds":` + ids(`%d`) + `}`, 400},
				{"DELETE", "/v1/user/elemental/" + id + "/files", `{"images":` + ids(`%d`) + `}`, 200},
				{"GET", "/v1/elementals?search=" + strings.Repeat("elemental+OR+", 1_200) + "list", "", 200},
			} {
				want := tt.status
				if limit == 0 && tt.body != "" {
					want = 400
				}
				if a := f.do(f.ann.key, tt.method, tt.path, tt.body); a.status != want {
					t.Errorf("%s: %s %.60s with a limit of %d: %d, want %d: %.300s", name, tt.method, tt.path, limit, a.status, want, a.body)
				}
				tried++
			}
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("B12: %d of %d requests with %d ids or 1,200 terms on 2 stores answered or refused as they should be", tried, tried, many)
}
