package segment

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuery(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       [][]string
		prefix     bool
	}{
		{"empty", "", nil, false},
		{"blank", " \t ", nil, false},
		{"symbols only", "*** \"' NEAR( )", [][]string{{"near"}}, false},
		{"words", "deferred calls", [][]string{{"deferred"}, {"calls"}}, true},
		{"finished word", "deferred calls ", [][]string{{"deferred"}, {"calls"}}, false},
		{"phrase", "multi-agent node.js!", [][]string{{"multi", "agent"}, {"node", "js"}}, false},
		{"decomposed", "cafe\u0301", [][]string{{"cafe"}}, true},
		{"CJK", "知識庫", [][]string{{"知", "識", "庫"}}, false},
		{"mixed", "Go語言 x", [][]string{{"go", "語", "言"}, {"x"}}, true},
		{"CJK then Latin", "語言Go", [][]string{{"語", "言", "go"}}, true},
		{"begun symbol name", "c+", [][]string{{"cqplus"}}, true},
		{"begun symbol name that is finished", "c+ ", [][]string{{"cqplus"}}, false},
		{"begun symbol behind a long word", "notepad+", [][]string{{"notepad", "qplus"}}, true},
		{"symbols of no name", "1+ c+++", [][]string{{"1"}, {"c"}}, false},
		{"dotted name", ".NET", [][]string{{"qdotnet", "net"}}, false},
		{"begun version", "v20.0", [][]string{{"v20", "20", "0"}}, true},
		{"symbol name", "C++", [][]string{{"cqplusqplus"}}, false},
		{"last piece without a word", "word ---", [][]string{{"word"}}, false},
		{"Devanagari", "हिन्दी", [][]string{{"हिन्दी"}}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, prefix := Query(tt.text)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if prefix != tt.prefix {
				t.Errorf("prefix = %v", prefix)
			}
		})
	}
}

// numbered repeats a text with a number in it, another one each time.
func numbered(format string, times int) string {
	var b strings.Builder
	for i := range times {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// Each phrase is looked for once; the last one, which may go on, besides.
func TestQueryOfEqualPhrases(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][][]string{
		"a b a c-d B c-d ":         {{"a"}, {"b"}, {"c", "d"}},
		"a b a":                    {{"a"}, {"b"}, {"a"}},
		strings.Repeat("a ", 1000): {{"a"}},
	} {
		got, _ := Query(text)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestQueryCaps(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text     string
		phrases, words int
	}{
		{"phrases", numbered("w%d ", 1000), maxQueryPhrases, maxQueryPhrases},
		{"words of one phrase", strings.Repeat("字", 1000), 1, maxQueryWords},
		{"words", numbered("a-b-c-d-e-f-g-h-i-j%d ", 1000), 26, maxQueryWords},
		{"two words at the cap", strings.Repeat("a-", maxQueryWords-1) + "abc++", 1, maxQueryWords},
		{"bytes", strings.Repeat(" ", maxQueryBytes-3) + "abcdef", 0, 0},
		{"bytes inside a character", strings.Repeat(" ", maxQueryBytes-7) + "a bc 字", 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			phrases, prefix := Query(tt.text)
			if len(phrases) != tt.phrases || len(slices.Concat(phrases...)) != tt.words {
				t.Errorf("%d phrases of %d words, want %d of %d", len(phrases), len(slices.Concat(phrases...)), tt.phrases, tt.words)
			}
			if prefix {
				t.Error("prefix is true for a query that was cut")
			}
		})
	}
}

func FuzzQuery(f *testing.F) {
	for _, seed := range textSeeds {
		f.Add(seed)
	}
	f.Add(strings.Repeat("字", 300) + "C++")
	f.Fuzz(func(t *testing.T, text string) {
		phrases, prefix := Query(text)
		words := Words(text)
		total := 0
		for _, phrase := range phrases {
			if len(phrase) == 0 {
				t.Fatalf("an empty phrase in %q", phrases)
			}
			total += len(phrase)
			for _, w := range phrase {
				checkWord(t, w)
			}
			// Phrases come in the order of the text.
			at := indexPhrase(words, phrase)
			if at < 0 {
				t.Fatalf("phrase %q is not in %q", phrase, words)
			}
			words = words[at+len(phrase):]
		}
		if len(phrases) > maxQueryPhrases || total > maxQueryWords {
			t.Errorf("%d phrases, %d words", len(phrases), total)
		}
		if prefix && len(words) > 0 && total < maxQueryWords {
			t.Errorf("prefix, but words %q follow", words)
		}
	})
}

// indexPhrase returns where phrase begins in words, -1 if nowhere.
func indexPhrase(words, phrase []string) int {
	for i := range len(words) - len(phrase) + 1 {
		if slices.Equal(words[i:i+len(phrase)], phrase) {
			return i
		}
	}
	return -1
}
