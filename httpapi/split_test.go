package httpapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checkSplit compares a split with what encoding/json makes of the text.
func checkSplit(t *testing.T, text []byte) {
	t.Helper()
	if checkJSON(text, usual, atOnce) != nil {
		return
	}
	switch raw := firstValue(text); raw[0] {
	case '{':
		var want map[string]json.RawMessage
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, members(raw)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	case '[':
		var want []json.RawMessage
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		got := elements(raw)
		if len(want) == 0 {
			want = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

var splitTexts = []string{
	`{}`, `[]`, ` [ ] `, `{"a":1}`, `[1]`, `[[]]`, `[{}]`, `{"a":{}}`, `[[],[]]`, `{"a":[],"b":{}}`,
	"\t[ 1 , \"a,b]\" ,\r\n[ \"\\\"]\" , {\"x\":[1,2,{}]} ] ,null,true ]\n",
	`{ "a" : "}\\" , "b\u0041\"" : [ "{" ] , "" : -1.5e+3 }`,
	`{"\u00e9\\":{"a":"\\\\\""},"x":[[["]"]]]}`,
	`[ { "a" : 1 } , { } , [ ] ]`,
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, text := range splitTexts {
		checkSplit(t, []byte(text))
	}
}

// TestSplitDeep splits what is nested as deep as a body may be.
func TestSplitDeep(t *testing.T) {
	t.Parallel()
	checkSplit(t, []byte(strings.Repeat(`{"a":[`, usual.depth/2)+strings.Repeat(`]}`, usual.depth/2)))
}

func FuzzSplit(f *testing.F) {
	for _, text := range splitTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(checkSplit)
}
