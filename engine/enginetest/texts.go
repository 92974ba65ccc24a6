package enginetest

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hostileTexts are legal input, however unlikely.
var hostileTexts = map[string]string{
	"a megabyte":         strings.Repeat("many words again and again. ", 1<<20/28),
	"a megabyte word":    strings.Repeat("x", 1<<20),
	"a megabyte of CJK":  strings.Repeat("日本語", 1<<20/9),
	"emoji":              "🙂👩‍👩‍👧🏳️‍🌈👍🏽 😀",
	"combining":          "e" + strings.Repeat("\u0301", 2000),
	"invalid UTF-8":      "caf\xe9 \xff\xfe \xf0\x9f\x99 end",
	"only invalid UTF-8": "\xff\xfe\xfd",
	"NUL":                "be\x00fore",
	"controls":           "\x01\x02\x1b[31mred\x1b[0m\x7f",
	"right to left":      "\u202eabc שלום مرحبا",
	"surrogate":          "\xed\xa0\x80",
	"newlines":           strings.Repeat("\n", 5000),
	"special tokens":     "[CLS] <|endoftext|> <s> </s> [MASK] <pad>",
	"BOM":                "\ufeffwith a mark",
}

// naughtyStrings reads the shared list of awkward strings, or takes the hostile
// texts if it is not there.
func naughtyStrings(t testing.TB) []string {
	file, err := sharedData("naughty/blns.json")
	if err != nil {
		t.Logf("%d strings of our own; shared/data is not beside the project", len(hostileTexts))
		return slices.Collect(maps.Values(hostileTexts))
	}
	var list []string
	if err := json.Unmarshal(file, &list); err != nil {
		t.Fatalf("the list of naughty strings: %v", err)
	}
	t.Logf("%d strings of shared/data", len(list))
	return list
}

// sharedData reads a file of shared/data, which lies beside the root of the module
// whose tests run, if it is there at all.
func sharedData(name string) ([]byte, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return os.ReadFile(filepath.Join(dir, "..", "shared", "data", name))
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, os.ErrNotExist
		}
		dir = parent
	}
}
