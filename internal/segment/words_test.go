package segment

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       string // words, separated by spaces
	}{
		{"empty", "", ""},
		{"white space", " \t\n\u3000", ""},
		{"case", "The QUICK Fox", "the quick fox"},
		{"punctuation separates", "multi-agent node.js 20.04 don't foo_bar", "multi agent node js 20 04 don t foo bar"},
		{"apostrophes are the same", "don’t donʼt don't", "don t don t don t"},
		{"accents, composed", "Café naïve Ångström", "cafe naive angstrom"},
		{"accents, decomposed", "Cafe\u0301 nai\u0308ve", "cafe naive"},
		{"stacked accents", "tiếng Việt", "tieng viet"},
		{"letters without decomposition", "Straße Øre Łódź œuvre ıstanbul", "strasse ore lodz oeuvre istanbul"},
		{"dotted capital I", "İstanbul", "istanbul"},
		{"Greek", "Άλφα ΛΌΓΟΣ λόγος", "αλφα λογοσ λογοσ"},
		{"Cyrillic", "Ёлка йод", "елка иод"},
		{"Arabic points and stretching", "مُحَمَّد محمـــد", "محمد محمد"},
		{"Hebrew points", "שָׁלוֹם", "שלום"},
		{"Devanagari keeps its marks", "हिन्दी", "हिन्दी"},
		{"compatibility forms", "ﬁne Ｆｕｌｌ ① ² Ⅳ", "fine full 1 2 iv"},
		{"soft hyphen and joiners vanish", "co\u00adoperate zero\u200dwidth \ufeffmark", "cooperate zerowidth mark"},
		{"zero-width space separates", "two\u200bwords", "two words"},
		{"Han", "知識庫", "知 識 庫"},
		{"Latin in Han", "使用Go語言1.26版", "使 用 go 語 言 1 26 版"},
		{"kana", "データベースが々〆", "デ ー タ ベ ー ス が 々 〆"},
		{"half-width and decomposed kana", "ｶﾞ か\u3099", "ガ が"},
		{"zero among Han digits", "二〇二四", "二 零 二 四"},
		{"Hangul", "한국어 \u1112\u1161\u11ab", "한 국 어 한"},
		{"Thai clusters", "ที่นี่", "ที่ นี่"},
		{"Khmer cluster", "កា", "កា"},
		{"programming languages", "C C++ C# F# g++ .NET NET", "c cqplusqplus cqsharp fqsharp gqplusqplus qdotnet net net"},
		{"versions behind symbols", "C++17 C#, (C++)", "cqplusqplus 17 cqsharp cqplusqplus"},
		{"versions behind v", "v20.04 V1.2.3-rc v8 v2ray.1 vv2.0 av2.0 v20. v.2", "v20 20 04 v1 1 2 3 rc v8 v2ray 1 vv2 0 av2 0 v20 v 2"},
		{"symbols behind long words", "Notepad++ Disney+", "notepad qplusqplus disney qplus"},
		{"full-width symbols", "Ｃ＋＋ C♯", "cqplusqplus cqsharp"},
		{"symbols that belong to no name", "a+b 1+1 5+ page#top PR#12 #12 ++ c+++ x#y", "a b 1 1 5 page top pr 12 12 c x y"},
		{"dots that belong to no name", "ASP.NET example.net .network .gitignore end.", "asp net example net network gitignore end"},
		{"dot behind Han", "使用.NET", "使 用 qdotnet net"},
		{"emoji", "👩‍👩‍👧 rocket 🚀 1️⃣", "rocket 1"},
		{"lone marks", "\u0301 \u0301a", "a"},
		{"invalid UTF-8", "a\xffb\xc3", "a b"},
		{"NUL", "a\x00b", "a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(Words(tt.text), " "); got != tt.want {
				t.Errorf("Words(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestWordsCutsLongWords(t *testing.T) {
	t.Parallel()
	got := Words(strings.Repeat("A", 2*maxWord+3))
	want := []string{strings.Repeat("a", maxWord), strings.Repeat("a", maxWord), "aaa"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, word := range Words(strings.Repeat("क", 1000) + strings.Repeat("\u093f", 1000)) {
		if n := utf8.RuneCountInString(word); n > maxWord {
			t.Errorf("a word of %d characters", n)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, seed := range textSeeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := Words(text)
		for _, w := range words {
			checkWord(t, w)
		}
		// Folding what is folded changes nothing: an index may do it twice.
		if diff := cmp.Diff(words, Words(strings.Join(words, " "))); diff != "" {
			t.Errorf("Words is not idempotent on %q: %s", text, diff)
		}
	})
}

// checkWord fails unless w is a word that an index can hold.
func checkWord(t *testing.T, w string) {
	t.Helper()
	if w == "" || !utf8.ValidString(w) {
		t.Errorf("word %q is empty or not valid UTF-8", w)
	}
	for _, r := range w {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) {
			t.Errorf("word %q holds %q", w, r)
		}
	}
}

// textSeeds are texts that fuzzing starts from.
var textSeeds = []string{
	"", " ", "a", "C++ C# .NET c++17 notepad++", "multi-agent don't 20.04", "é e\u0301", "ǅ ﬁ ß ẞ",
	"知識Go庫 データ 한국어 ที่นี่ ភាសា", "\u0301\u200d\u200b", "a\xff\xfeb\xc3", "か\u034f\u3099", "ᄀ\u200dᅡ",
	"# Title\n\nText with *emphasis*. Another e.g. this one? Yes!\n\n```go\nx := 1\n\ny := 2\n```\n",
	"- one\n- two\n\n1. first\n2) second\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "Setext\n===\n\n> quote\n> ```\n> code\n> ```\n",
	"---\ntitle: x\n---\n\nBody\r\n\r\nMore\r", "~~~\nunclosed\n", "👩‍👩‍👧 family. 🇩🇪🇩", "中文句子。第二句！「引用。」結束",
}
