package quire_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirelib/quire"
)

// TestMatcher: however many tags the filters have, a chunk matches if it has one of them.
func TestMatcher(t *testing.T) {
	t.Parallel()
	tags := rapid.Custom(func(t *rapid.T) []string {
		var out []string
		for range rapid.IntRange(0, 20).Draw(t, "tags") {
			out = append(out, fmt.Sprint(rapid.IntRange(1, 60).Draw(t, "tag")))
		}
		return out
	})
	common := func(a, b []string) bool {
		return len(a) == 0 || slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
	}
	rapid.Check(t, func(t *rapid.T) {
		f := quire.Filters{TenantID: "t", TagIDs: tags.Draw(t, "ids"), TagNames: tags.Draw(t, "names"), Source: rapid.SampledFrom([]string{"", "file"}).Draw(t, "source")}
		match := f.Matcher()
		for range 3 {
			c := &quire.Chunk{TenantID: "t", TagIDs: tags.Draw(t, "its ids"), TagNames: tags.Draw(t, "its names"), Source: rapid.SampledFrom([]string{"document", "file"}).Draw(t, "its source")}
			want := common(f.TagIDs, c.TagIDs) && common(f.TagNames, c.TagNames) && (f.Source == "" || f.Source == c.Source)
			if match(c) != want || f.Match(c) != want {
				t.Fatalf("%+v and %+v: %v and %v, want %v", f, c, match(c), f.Match(c), want)
			}
		}
	})
}
