package feature

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire/internal/segment"
)

func TestTerms(t *testing.T) {
	t.Parallel()
	weigher := Weigher{Word: func(word, stem string) float32 { return float32(len(word) - len(stem) + 1) }, Pair: 0.5}
	for name, tt := range map[string]struct {
		text string
		want []Term
	}{
		"nothing": {"", nil},
		"words": {"Sends the send", []Term{
			{Text: "send", Count: 2, Weight: 2, HasGrams: true},
			{Text: "the", Count: 1, Weight: stopWeight},
			{Text: "send send", Count: 1, Weight: 0.75},
		}},
		"characters": {"上海 b", []Term{
			{Text: "上", Count: 1, Weight: charWeight},
			{Text: "海", Count: 1, Weight: charWeight},
			{Text: "上海", Count: 1, Weight: Plain},
			{Text: "b", Count: 1, Weight: 1, HasGrams: true},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, Terms(segment.Words(tt.text), weigher)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTermsWithoutPairs(t *testing.T) {
	t.Parallel()
	got := Terms([]string{"red", "fish"}, Weigher{Word: func(_, _ string) float32 { return Plain }})
	if len(got) != 2 {
		t.Errorf("%v", got)
	}
}

func TestSymbols(t *testing.T) {
	t.Parallel()
	want := []Term{{Text: "?", Count: 2, Weight: Plain}, {Text: "!", Count: 1, Weight: Plain}}
	if diff := cmp.Diff(want, Symbols("? !\n?")); diff != "" {
		t.Error(diff)
	}
}

// TestAddTerms checks that a vector holds what the weights say: with so many
// components no two features meet.
func TestAddTerms(t *testing.T) {
	t.Parallel()
	v := make(Vector, 1<<20)
	v.AddTerms([]Term{{Text: "abc", Count: 3, Weight: 2, HasGrams: true}, {Text: "a b", Count: 1, Weight: 0.5}}, 0.5)
	counts := make(map[float64]int)
	for _, x := range v {
		if x != 0 {
			counts[math.Round(math.Abs(float64(x))*1e4)/1e4]++
		}
	}
	word := 2 * (1 + math.Log(3))
	grams := 6.0 // <ab abc bc> <abc abc> <abc>
	want := map[float64]int{
		math.Round(word*1e4) / 1e4:                      1,
		math.Round(word*0.5/math.Sqrt(grams)*1e4) / 1e4: 6,
		0.5: 1,
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Error(diff)
	}
}

func TestScale(t *testing.T) {
	t.Parallel()
	v := Vector{3, 0, -4}
	if !v.Scale(10) {
		t.Error("a vector with a direction was not scaled")
	}
	if diff := cmp.Diff(Vector{6, 0, -8}, v); diff != "" {
		t.Error(diff)
	}
	if v := make(Vector, 3); v.Scale(1) || v[0] != 0 {
		t.Errorf("a zero vector became %v", v)
	}
}
