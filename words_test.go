package quire

import (
	"strings"
	"testing"
)

// TestWordsOfOneWord: of a word that a text has millions of times, so many are indexed as any book
// has; all others are.
func TestWordsOfOneWord(t *testing.T) {
	t.Parallel()
	const times = 4 * maxOccurrences
	got := strings.Fields(words(strings.Repeat("a ", times) + "harbour " + strings.Repeat("b ", maxOccurrences) + strings.Repeat("a-a ", 10) + "ferry"))
	counts := map[string]int{}
	for _, w := range got {
		counts[w]++
	}
	if len(counts) != 4 || counts["a"] != maxOccurrences || counts["b"] != maxOccurrences || counts["harbour"] != 1 || counts["ferry"] != 1 {
		t.Errorf("%v, want %d of a and b each, and the two others", counts, maxOccurrences)
	}
	// Different words are not taken for one.
	var many strings.Builder
	for i := range 300_000 {
		many.WriteString("w" + itoa(i) + " ")
	}
	if n := len(strings.Fields(words(many.String()))); n != 300_000 {
		t.Errorf("%d of 300,000 different words", n)
	}
}
