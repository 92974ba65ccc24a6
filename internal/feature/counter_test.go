package feature

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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

var unnumbered = cmpopts.IgnoreFields(Count{}, "Number")

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
			if diff := cmp.Diff(countsOf(counted[:i+1]...), c.Counts(), unnumbered); diff != "" {
				t.Errorf("up to %q (-terms +counted):\n%s", text, diff)
			}
		}
	}
}

// TestCounterRemembers: a term has the same number in every text.
func TestCounterRemembers(t *testing.T) {
	t.Parallel()
	c := NewCounter()
	c.Add("red fish")
	c.Counts()
	c.Add("two fishes, reds")
	if diff := cmp.Diff([]Count{{"two", 2, 1}, {"fish", 1, 1}, {"red", 0, 1}}, c.Counts()); diff != "" {
		t.Error(diff)
	}
	if c.Known() != 5 {
		t.Errorf("%d words are known, want 5", c.Known())
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
			if diff := cmp.Diff(countsOf(one, other), c.Counts(), unnumbered); diff != "" {
				t.Errorf("%q, %q (-terms +counted):\n%s", one, other, diff)
			}
		}
	})
}
