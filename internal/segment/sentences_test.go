package segment

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"white space", " \n\u3000\n", nil},
		{"two", "One two. Three four!", []string{"One two.", "Three four!"}},
		{"no end", "no end", []string{"no end"}},
		{"closers", `He said "stop." Then (he left.) "Why?" **Bold.** End`, []string{`He said "stop."`, `Then (he left.)`, `"Why?"`, `**Bold.**`, `End`}},
		{"ellipses", "Wait... What? Yes?! wait… ok", []string{"Wait...", "What?", "Yes?!", "wait…", "ok"}},
		{"abbreviations", "Use tools, e.g. Make, i.e. GNU. See Fig. 3 or Dr. No et al. Then J. R. Smith, approx. 5.", []string{
			"Use tools, e.g. Make, i.e. GNU.", "See Fig. 3 or Dr. No et al. Then J. R. Smith, approx. 5."}},
		{"etc. before a capital", "Pens, etc. Ink too. Pens, etc. and ink.", []string{"Pens, etc.", "Ink too.", "Pens, etc. and ink."}},
		{"variables", "The value is x. The end.", []string{"The value is x.", "The end."}},
		{"items with numbers", "1. Check the cable. Then the plug.\n2. Switch it off.\n> 3. Done.", []string{"1. Check the cable.", "Then the plug.", "2. Switch it off.", "> 3. Done."}},
		{"numbers and names", "Go 1.26 has fmt.Println and node.js. Good.", []string{"Go 1.26 has fmt.Println and node.js.", "Good."}},
		{"code spans", "Run `a. B` or ``c. `D`. E`` now. Next ` open. End", []string{"Run `a. B` or ``c. `D`. E`` now.", "Next ` open.", "End"}},
		{"links", "See [Where is it? Here.](x.y/z) now. [a. B] ends. [c](open. D", []string{"See [Where is it? Here.](x.y/z) now.", "[a.", "B] ends.", "[c](open.", "D"}},
		{"across lines", "A sentence over\ntwo lines. Next\r\none.", []string{"A sentence over\ntwo lines.", "Next\r\none."}},
		{"blank line", "One\n\ntwo", []string{"One", "two"}},
		{"heading", "# A. B\ntext\n\nTitle\n---\nmore", []string{"# A. B", "text", "Title\n---", "more"}},
		{"items", "- one\n  more. Two\n- three\n\n  still", []string{"- one\n  more.", "Two", "- three", "still"}},
		{"fence", "See:\n\n```\na. B\n\nc! D\n```\nEnd.", []string{"See:", "```\na. B\n\nc! D\n```", "End."}},
		{"table", "a | b\n--|--\nx. Y | z\n1 | 2", []string{"a | b", "--|--", "x. Y | z", "1 | 2"}},
		{"Chinese", "第一句。第二句！「引用。」他說？最後", []string{"第一句。", "第二句！", "「引用。」", "他說？", "最後"}},
		{"variation selector", "句。\ufe00子", []string{"句。\ufe00子"}},
		{"Hindi", "पहला। दूसरा।", []string{"पहला।", "दूसरा।"}},
		{"invalid UTF-8", "a\xff. B\xc3", []string{"a\xff.", "B\xc3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, r := range Sentences(tt.text) {
				got = append(got, tt.text[r[0]:r[1]])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzSentences(f *testing.F) {
	for _, seed := range textSeeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var ranges [][2]int
		for _, b := range Blocks(text) {
			ranges = append(ranges, [2]int{b.Start, b.End})
		}
		checkCover(t, text, ranges)
		sentences := Sentences(text)
		checkCover(t, text, sentences)
		for _, r := range sentences {
			if s := text[r[0]:r[1]]; s != strings.TrimSpace(s) || s == "" {
				t.Errorf("sentence %q is not trimmed", s)
			}
		}
		checkFences(t, text, sentences)
	})
}

// checkCover fails unless the ranges ascend and leave out only white space.
func checkCover(t *testing.T, text string, ranges [][2]int) {
	t.Helper()
	at := 0
	for _, r := range append(ranges, [2]int{len(text), len(text)}) {
		if r[0] < at || r[1] < r[0] || r[1] > len(text) {
			t.Fatalf("range %v after %d", r, at)
		}
		if gap := strings.TrimSpace(text[at:r[0]]); gap != "" {
			t.Fatalf("%q is in no range", gap)
		}
		at = r[1]
	}
}

// checkFences fails if a sentence begins or ends inside a block of code.
func checkFences(t *testing.T, text string, sentences [][2]int) {
	t.Helper()
	for _, b := range Blocks(text) {
		end := b.Start + len(strings.TrimRightFunc(text[b.Start:b.End], unicode.IsSpace))
		for _, s := range sentences {
			if b.Kind == Code && (s[1] > b.Start && s[1] < end || s[0] > b.Start && s[0] < end && strings.TrimSpace(text[b.Start:s[0]]) != "") {
				t.Fatalf("sentence %q cuts code %q", text[s[0]:s[1]], text[b.Start:end])
			}
		}
	}
}

// TestSentencesAreLinear cuts texts that would take hours if each dot had all that is in
// front of it read again.
func TestSentencesAreLinear(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"1. ", "12. ", "- 1. ", "> 1. ", "a. ", "1.", "[1. ", "`1. "} {
		text := strings.Repeat(part, 1<<20/len(part))
		end := 0
		for _, s := range Sentences(text) {
			if s[0] < end || s[1] <= s[0] || s[1] > len(text) {
				t.Fatalf("%q: the range %v after %d", part, s, end)
			}
			end = s[1]
		}
	}
}
