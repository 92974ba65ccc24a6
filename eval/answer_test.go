package eval

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNormalise(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "The Quay": "quay", "  An  apple,\na  day! ": "apple day", "U.S.": "us", "theatre": "theatre",
		"$1,200": "1200", "mother-in-law": "motherinlaw", "Ünter «Ä»": "ünter «ä»", ".": "", "a the an": "",
	} {
		if got := Normalise(in); got != want {
			t.Errorf("Normalise(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNormaliseTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		once := Normalise(rapid.String().Draw(t, "text"))
		if twice := Normalise(once); twice != once {
			t.Fatalf("%q, then %q", once, twice)
		}
	})
}

func TestHoldsAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		answers    []string
		want       bool
	}{
		{"in other spelling", "It opened in the Old Town, in 1871. [1]", []string{"old town"}, true},
		{"one of several", "It was nine crowns.", []string{"9 crowns", "nine crowns"}, true},
		{"whole words only", "It was 1871.", []string{"187"}, false},
		{"over a line break", "the ice\nhouse", []string{"ice house"}, true},
		{"a marker is no number", "Many came. [12]", []string{"12"}, false},
		{"nor are several", "Many came. [1, 2]", []string{"12", "1 2", "2"}, false},
		{"nor is a range", "It is old [1-3]. So is that [1 – 3]", []string{"13", "1", "3"}, false},
		{"a range joins nothing", "seven [1–2] days", []string{"seven days"}, true},
		{"a marker joins nothing", "ice [1] house", []string{"ice house"}, true},
		{"other order", "house of ice", []string{"ice house"}, false},
		{"no answers", "anything", nil, false},
		{"an answer of nothing", "anything", []string{"the"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := HoldsAnswer(tt.text, tt.answers); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}
