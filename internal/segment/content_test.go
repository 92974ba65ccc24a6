package segment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStem(t *testing.T) {
	t.Parallel()
	tests := []struct{ stem, forms string }{
		{"send", "send sends sending"},
		{"defer", "defer defers deferred deferring"},
		{"iter", "iterate iterates iterated iteration iterations iterating iterator"},
		{"close", "close closes closed"},
		{"initi", "initial initialize initializes initialized initialization"},
		{"map", "map maps mapped mapping"},
		{"valu", "value values valued valuing"},
		{"receiv", "receive receives received receiving receiver"},
		{"run", "run runs running"},
		{"execut", "execute executes executed executing execution"},
		{"relat", "relate relates related relational"},
		// Each step of the algorithm.
		{"caress", "caresses caress"},
		{"poni", "ponies pony"},
		{"agre", "agree agreed"},
		{"feed", "feed"},
		{"plaster", "plastered"},
		{"bled", "bled"},
		{"sing", "sing"},
		{"size", "sized"},
		{"fall", "falling"},
		{"hiss", "hissing"},
		{"fail", "failing"},
		{"file", "filing"},
		{"happi", "happy happiness"},
		{"sky", "sky"},
		{"condit", "conditional"},
		{"vietnam", "vietnamization"},
		{"conform", "conformabli conformably"},
		{"radic", "radically radical"},
		{"oper", "operator operate operation"},
		{"hope", "hopefulness hopeful"},
		{"triplic", "triplicate"},
		{"electr", "electrical electricity"},
		{"reviv", "revival"},
		{"adjust", "adjustment adjustable"},
		{"replac", "replacement"},
		{"adopt", "adoption"},
		{"onion", "onion"},
		{"rate", "rate"},
		{"ceas", "cease"},
		{"control", "control controll controlling"},
		{"roll", "roll"},
		{"yyi", "yyy"},
		// Not for the stemmer.
		{"is", "is"},
		{"go1s", "go1s"},
		{"élues", "élues"},
		{strings.Repeat("as", maxWord), strings.Repeat("as", maxWord)},
	}
	for _, tt := range tests {
		for form := range strings.FieldsSeq(tt.forms) {
			if got := Stem(form); got != tt.stem {
				t.Errorf("Stem(%q) = %q, want %q", form, got, tt.stem)
			}
		}
	}
}

func FuzzStem(f *testing.F) {
	for _, seed := range []string{"", "sses", "yyyy", "eed", "ing", "ational", "ll", "generalizations", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, word string) {
		stem := Stem(word)
		if word != "" && stem == "" {
			t.Errorf("Stem(%q) is empty", word)
		}
		if len(stem) > len(word)+1 {
			t.Errorf("Stem(%q) = %q is longer than the word", word, stem)
		}
	})
}

func TestContent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "?", []string{}},
		{"question", "What happens on a send to a closed channel?", []string{"happen", "send", "close", "channel"}},
		{"contractions", "Don't they've", []string{"don", "t", "thei", "ve"}},
		{"stop words only", "What is it?", []string{"what", "is", "it"}},
		{"negation counts", "not all", []string{"not", "all"}},
		{"CJK", "知識 base", []string{"知", "識", "base"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, Content(tt.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIsStopWord(t *testing.T) {
	t.Parallel()
	for _, w := range []string{"the", "which", "is", "doesn"} {
		if !IsStopWord(w) {
			t.Errorf("%q is no stop word", w)
		}
	}
	for _, w := range []string{"", "The", "channel", "not", "before"} {
		if IsStopWord(w) {
			t.Errorf("%q is a stop word", w)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       int
	}{
		{"empty", "", 0},
		{"word", "word", 1},
		{"long word", "longer", 2},
		{"prose", "The quick, brown fox.", 6},
		{"digits", "2024", 2},
		{"letters and digits", "utf8", 2},
		{"rule", "--------", 2},
		{"marks", "a+=b;", 5},
		{"Cyrillic", "слово", 3},
		{"Han", "知識庫。", 4},
		{"emoji", "🚀🚀", 2},
		{"white space", strings.Repeat(" ", 32), 2},
		{"invalid UTF-8", "\xff\xff", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Tokens(tt.text); got != tt.want {
				t.Errorf("Tokens(%q) = %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}

func FuzzTokens(f *testing.F) {
	for _, seed := range textSeeds {
		f.Add(seed, len(seed)/2)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		n := Tokens(text)
		if n < 0 || n > len(text) {
			t.Fatalf("Tokens(%q) = %d", text, n)
		}
		if at >= 0 && at <= len(text) {
			// A cut costs at most the two runs it begins; it never saves any but white space.
			cut := Tokens(text[:at]) + Tokens(text[at:])
			if cut > n+4 || cut < n-1 {
				t.Errorf("Tokens(%q) = %d, cut at %d it is %d", text, n, at, cut)
			}
		}
	})
}
