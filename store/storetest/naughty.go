package storetest

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// naughtyStrings returns the awkward texts and, if ../shared is there as seen from
// the root of the module under test, the Big List of Naughty Strings.
func naughtyStrings(t *testing.T) []string {
	texts := slices.Sorted(maps.Values(awkward))
	raw, err := os.ReadFile(filepath.Join(moduleRoot(t), "..", "shared", "data", "naughty", "blns.json"))
	if err != nil {
		t.Logf("without the shared strings: %v", err)
		return texts
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatalf("blns.json: %v", err)
	}
	for _, s := range list {
		if !strings.Contains(s, "\x00") { // which no text of a Store has
			texts = append(texts, s)
		}
	}
	return texts
}

// moduleRoot returns the nearest folder upwards that has a go.mod.
func moduleRoot(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("there is no go.mod in any folder upwards")
		}
		dir = up
	}
}
