package quire

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Objects are written as they are marshalled, whatever is in their texts and wherever
// these are cut.
func TestWriteObject(t *testing.T) {
	t.Parallel()
	cases := 0
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"word ", "\n", "<b>&\"\\", "日本", "😀", "\xe6", "\xf0\x9f", "\x00", "\u2028", strings.Repeat("é", 1<<14-1), strings.Repeat("a", 32<<10-2), strings.Repeat("\x80", 40_000)})
		text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "") })
		var o KnowledgeObject
		for range rapid.IntRange(0, 3).Draw(t, "entries") {
			o = append(o, KnowledgeEntry{text.Draw(t, "key"), text.Draw(t, "value")})
		}
		o = append(o, KnowledgeEntry{"Images", []string{"<a>"}}, KnowledgeEntry{"Files", []KnowledgeObject{{{"Name", "x"}}}})
		o = o[rapid.IntRange(0, len(o)).Draw(t, "from"):]
		want, err := o.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		got := asText(func(w textSink) { err = writeObject(w, o) })
		if err != nil || got != string(want) {
			t.Fatalf("error %v; written %.200q, want %.200q", err, got, want)
		}
		cases++
	})
	t.Logf("compared %d objects", cases)
}
