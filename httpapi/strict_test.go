package httpapi

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quirelib/quire"
)

// usual are the limits of the zero Options.
var usual = jsonLimits{depth: 64, fields: 500_000, elements: 500_000}

// atOnce holds memory without waiting.
func atOnce(int) error { return nil }

func TestCheckJSON(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", usual.depth) + strings.Repeat("]", usual.depth)
	tests := []struct{ name, body, want string }{
		{"object", `{"a":1,"b":[{"a":2},{"a":3}]}`, ""},
		{"same key in siblings and children", `[{"a":{"a":1}},{"a":1}]`, ""},
		{"key as value", `{"a":"a","b":"a"}`, ""},
		{"scalar", ` "x" `, ""},
		{"at the depth limit", deep, ""},
		{"pair of surrogates", `"\ud83d\ude00"`, ""},
		{"escaped quote and backslash", `{"\"\\":"\"\\\\","b":"\/\b\f\n\r\t"}`, ""},
		{"not NUL", `"\u0001\\u0000"`, ""},

		{"empty", "", "the body is empty"},
		{"blank", " \n\t", "the body is empty"},
		{"duplicate", `{"a":1,"a":2}`, `the key "a" occurs twice`},
		{"duplicate by escape", `{"a":1,"\u0061":2}`, `the key "a" occurs twice`},
		{"duplicate deep", `[[{"x":{"k":1,"k":1}}]]`, `the key "k" occurs twice`},
		{"duplicate empty key", `{"":1,"":2}`, `the key "" occurs twice`},
		{"long duplicate is cut", `{"` + strings.Repeat("ä", 90) + `":1,"` + strings.Repeat("ä", 90) + `":2}`, "…"},
		{"too deep", "[" + deep + "]", "nested deeper than 64"},
		{"NUL", `"a\u0000b"`, "NUL"},
		{"NUL in a key", `{"a\u0000":1}`, "NUL"},
		{"raw NUL", "\"a\x00b\"", "malformed JSON at byte"},
		{"lone high surrogate", `"\ud800"`, "surrogate"},
		{"lone low surrogate", `"\udc00"`, "surrogate"},
		{"high surrogate before text", `"\ud800x"`, "surrogate"},
		{"high surrogate before another escape", `"\ud800\n"`, "surrogate"},
		{"two high surrogates", `"\ud800\ud800"`, "surrogate"},
		{"invalid UTF-8", "\"\xff\"", "not valid UTF-8"},
		{"trailing data", `{}{}`, "malformed JSON at byte 3"},
		{"byte order mark", "\ufeff{}", "malformed JSON"},
		{"comment", `{}//`, "malformed JSON"},
		{"NaN", `[NaN]`, "malformed JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := checkJSON([]byte(tt.body), usual, atOnce)
			if tt.want == "" {
				if err != nil {
					t.Fatalf("checkJSON(%q) = %v, want nil", tt.body, err)
				}
				return
			}
			if quire.CodeOf(err) != quire.CodeInvalid || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("checkJSON(%q) = %v, want ErrInvalid with %q", tt.body, err, tt.want)
			}
		})
	}
}

// TestJSONSuite runs a public set of parser cases: n_ must be refused, y_ accepted
// but for duplicate keys and NUL, i_ is free but must not be changed silently.
func TestJSONSuite(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../../shared/data/json/test_parsing/*.json")
	if len(files) == 0 {
		t.Skip("skipped: ../shared/data/json is not there")
	}
	refusedOnPurpose := map[string]bool{
		"y_object_duplicated_key.json":           true,
		"y_object_duplicated_key_and_value.json": true,
		"y_object_escaped_null_in_key.json":      true,
		"y_string_null_escape.json":              true,
	}
	var refused, accepted, onPurpose, free int
	for _, file := range files {
		name := filepath.Base(file)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		ok := checkJSON(data, usual, atOnce) == nil
		switch {
		case name[0] == 'i':
			free++
		case name[0] == 'n':
			if ok {
				t.Errorf("%s: accepted", name)
			}
			refused++
		case refusedOnPurpose[name]:
			if ok {
				t.Errorf("%s: accepted", name)
			}
			onPurpose++
		default:
			if !ok {
				t.Errorf("%s: refused: %v", name, checkJSON(data, usual, atOnce))
			}
			accepted++
		}
	}
	t.Logf("JSON parser cases: %d n_ refused, %d y_ accepted, %d y_ refused on purpose, %d i_ without a panic", refused, accepted, onPurpose, free)
	if refused < 100 || accepted < 50 || onPurpose != len(refusedOnPurpose) {
		t.Error("the set is not complete")
	}
}

// FuzzCheckJSON holds what decoding relies on: what is accepted is valid JSON whose
// strings and keys survive encoding/json unchanged.
func FuzzCheckJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"\ud83d\ude00",null]}`, `{"a":1,"a":2}`, `"\ud800"`, `[[[]]]`, "\"\xff\"", `{"":{"":""}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if checkJSON(data, usual, atOnce) != nil {
			return
		}
		if !json.Valid(data) || !utf8.Valid(data) {
			t.Fatalf("accepted %q", data)
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			return // numbers beyond float64
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(again, []byte(`\u0000`)) && !bytes.Contains(again, []byte(`\\u0000`)) {
			t.Fatalf("NUL in %q", data)
		}
		if bytes.ContainsRune(again, utf8.RuneError) && !bytes.ContainsRune(data, utf8.RuneError) && !bytes.Contains(bytes.ToLower(data), []byte(`\ufffd`)) {
			t.Fatalf("a string of %q changed: %q", data, again)
		}
		if err := checkJSON(again, usual, atOnce); err != nil {
			t.Fatalf("%q re-encoded as %q: %v", data, again, err)
		}
	})
}
