package quire

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                          "",
		"plain text\n\tof two":      "plain text\n\tof two",
		"a\U000e0041\U000e007fb":    "ab",
		"a\u200bb\u2060c\ufeffd":    "abcd",
		"soft\u00adhyphen":          "softhyphen",
		"\u202eback\u202c\u2066":    "back",
		"\x1b[31m\x00\x7f\u0080x":   "[31mx",
		"❤\ufe0f\u200d🔥":            "❤\ufe0f\u200d🔥", // one emoji of two
		"👩🏽\u200d💻":                 "👩🏽\u200d💻",
		"می\u200cخواهم":             "می\u200cخواهم", // a joiner that Persian needs
		"क्\u200dष":                 "क्\u200dष",
		"\u0600\u06dd١":             "\u0600\u06dd١",
		"e\u0301":                   "e\u0301",
		"a\ufe0f\ufe0e\ufe0fb":      "a\ufe0fb", // a second selector has no effect
		"a\u200d\u200c\u200d\u200d": "a\u200d",
		"\ufe0f\u200dx":             "x",
		"x\U000e0100\U000e01efy":    "xy",
		"\xff\u200b":                "\ufffd",
	} {
		if got := visible(text); got != want {
			t.Errorf("%+q is %+q, want %+q", text, got, want)
		}
	}
}

// TestVisibleOfAny: nothing that is seen goes, and what is left is left alone.
func TestVisibleOfAny(t *testing.T) {
	t.Parallel()
	odd := []rune("ab\n\u200b\u200c\u200d\ufe0f\ufe0e\U000e0041\U000e0101\u202e\u00ad🔥م")
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.SampledFrom(odd)).Draw(t, "odd")) + rapid.String().Draw(t, "any")
		got := visible(text)
		if again := visible(got); again != got {
			t.Fatalf("%+q becomes %+q", got, again)
		}
		count := func(s string) (n int) {
			for _, r := range s {
				if unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
					n++
				}
			}
			return n
		}
		if count(got) != count(text) || !utf8.ValidString(got) {
			t.Fatalf("%+q becomes %+q", text, got)
		}
	})
}

// TestMarkersHidden: an invisible character inside of a marker does not carry it past the
// filter, wherever the answer is cut.
func TestMarkersHidden(t *testing.T) {
	t.Parallel()
	answer := "yes [1\u200b]\U000e0041, no [\u20609\U000e00399]."
	for cut := range len(answer) {
		f := markerFilter{sources: 1}
		if got := f.write(answer[:cut]) + f.write(answer[cut:]) + f.end(); got != "yes [1], no ." && got != "yes [1], no." {
			t.Fatalf("cut at %d: %+q", cut, got)
		}
	}
}
