package feature

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire/internal/segment"
)

// countsOf is what a Counter is to find in texts.
func countsOf(texts ...string) []Count {
	counts := []Count{}
	at := map[string]int{}
	for _, text := range texts {
		for _, t := range Terms(segment.Words(text), Weigher{Word: func(_, _ string) float32 { return Plain }}) {
			i, known := at[t.Text]
			if !known {
				i = len(counts)
				at[t.Text] = i
				counts = append(counts, Count{Text: t.Text})
			}
			counts[i].Count += t.Count
		}
	}
	return counts
}

var counted = []string{
	"", "Sends the send, sending", "上海 b 上海市", "海", "node.js v20.04 C++ .NET", "ก็ าด ก", "the THE Thé", "한국어 テスト one テ",
}

func TestCounter(t *testing.T) {
	t.Parallel()
	c := NewCounter()
	for range 2 { // what is remembered is the same as what is found
		for i, text := range counted {
			for n := range i + 1 {
				c.Add(counted[n])
			}
			if diff := cmp.Diff(countsOf(counted[:i+1]...), c.Counts()); diff != "" {
				t.Errorf("up to %q (-terms +counted):\n%s", text, diff)
			}
		}
	}
}

// TestCounterForgets: more different words than it remembers neither stay nor are mixed up.
func TestCounterForgets(t *testing.T) {
	t.Parallel()
	c := NewCounter()
	var b strings.Builder
	for n := range maxRemembered + 1 {
		fmt.Fprint(&b, " w", n)
	}
	c.Add(b.String())
	if got := c.Counts(); len(got) != maxRemembered+1 || got[maxRemembered].Text != fmt.Sprint("w", maxRemembered) {
		t.Errorf("%d terms", len(got))
	}
	if len(c.words)+len(c.numbers)+len(c.terms) > 0 {
		t.Errorf("%d words and %d terms are still known", len(c.words), len(c.terms))
	}
	c.Add("w7 w9 w7")
	if diff := cmp.Diff([]Count{{"w7", 2}, {"w9", 1}}, c.Counts()); diff != "" {
		t.Error(diff)
	}
}

func FuzzCounter(f *testing.F) {
	for i, text := range counted {
		f.Add(text, counted[len(counted)-1-i])
	}
	f.Fuzz(func(t *testing.T, one, other string) {
		c := NewCounter()
		for range 2 {
			c.Add(one)
			c.Add(other)
			if diff := cmp.Diff(countsOf(one, other), c.Counts()); diff != "" {
				t.Errorf("%q, %q (-terms +counted):\n%s", one, other, diff)
			}
		}
	})
}
