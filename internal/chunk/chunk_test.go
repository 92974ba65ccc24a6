package chunk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

// countWords makes the tests readable: a token is a run without white space.
func countWords(text string) int { return len(strings.Fields(text)) }

func TestSplit(t *testing.T) {
	t.Parallel()
	small := Options{Target: 8, Cap: 12, Tokens: countWords}
	tests := []struct {
		name    string
		text    string
		options Options
		want    []string // path: text
	}{
		{"empty", "", small, nil},
		{"white space", " \n\t\n\u3000", small, nil},
		{"one paragraph", "\n a b\nc \n", small, []string{": a b\nc"}},
		{"packs paragraphs", "a b c\n\nd e f\n\ng h i\n\nj k", small, []string{": a b c\n\nd e f", ": g h i\n\nj k"}},
		{"packs sentences", "A b c d. E f g h. I j k l.", small, []string{": A b c d. E f g h.", ": I j k l."}},
		{"sections", "# A\na\n\n## B\nb\n\n# C\nc", small, []string{"A: # A\na", "A/B: ## B\nb", "C: # C\nc"}},
		{"headings without text", "# A\n## B\n### C\nc\n## D\n## E\n", small, []string{"A/B/C: # A\n## B\n### C\nc", "A/D: ## D", "A/E: ## E"}},
		{"skipped levels", "### A\na\n# B\nb\n### C\nc", small, []string{"A: ### A\na", "B: # B\nb", "B/C: ### C\nc"}},
		{"plain headings", "A *b* `c`\n===\n#\nd", small, []string{"A b c: A *b* `c`\n===", ": #\nd"}},
		{"text before headings", "a b\n# B\nb", small, []string{": a b", "B: # B\nb"}},
		{"a title before headings", "a\n# B\nb\n# C\nc", small, []string{"B: a\n# B\nb", "C: # C\nc"}},
		{"a title before small sections", "a\n# B\nb\n## C\nc\n# D\nd", Options{Target: 100, Cap: 100, Tokens: countWords}, []string{"B: a\n# B\nb", "B/C: ## C\nc", "D: # D\nd"}},
		{"code is whole up to the cap", "1 2 3\n\n```\na b\n\nc d\ne f g h\n```\n4 5", small, []string{": 1 2 3", ": ```\na b\n\nc d\ne f g h\n```", ": 4 5"}},
		{"code keeps its lead-in", "See:\n\n```\na b\n\nc d\ne f g h\n```\n", small, []string{": See:\n\n```\na b\n\nc d\ne f g h\n```"}},
		{"long code is cut between lines", "```\na b c\nd e f\n\ng h i\nj k l\n```\n", small, []string{": ```\na b c\nd e f", ": g h i\nj k l\n```"}},
		{"heading with long code", "# A\n```\n1 2 3 4\n5 6 7 8\n9 10\n```", small, []string{"A: # A\n```\n1 2 3 4", "A: 5 6 7 8\n9 10\n```"}},
		{"table is whole", "1 2 3\n\n|a|b|\n|-|-|\n|c d e|f g h|\n|i|j|\n", small, []string{": 1 2 3", ": |a|b|\n|-|-|\n|c d e|f g h|\n|i|j|"}},
		{"small rest", "a b c d e f g h.\n\nI.", small, []string{": a b c d e f g h.\n\nI."}},
		{"long sentence", "a b c d e f g h i j k l m n o p q", small, []string{": a b c d e f g h", ": i j k l m n o p q"}},
		{"small front matter", "---\na: b\n---\n# T\nt", Options{Target: 24, Cap: 24, Tokens: countWords}, []string{"T: ---\na: b\n---\n# T\nt"}},
		{"front matter", "---\na: b c\n---\n# T\nt", small, []string{": ---\na: b c\n---", "T: # T\nt"}},
		{"overlap", "A b c. D e. F g h. I j k. L.", Options{Target: 8, Cap: 8, Overlap: 3, Tokens: countWords},
			[]string{": A b c. D e. F g h.", ": F g h. I j k. L."}},
		{"no overlap over a heading", "A b c. D e.\n# F\nf", Options{Target: 5, Cap: 8, Overlap: 3, Tokens: countWords}, []string{": A b c. D e.", "F: # F\nf"}},
		{"characters", "知識庫知識庫", Options{Target: 4, Cap: 4, Tokens: utf8.RuneCountInString}, []string{": 知識庫知", ": 識庫"}},
		{"clusters", "e\u0301e\u0301e\u0301", Options{Target: 5, Cap: 5, Tokens: utf8.RuneCountInString}, []string{": e\u0301e\u0301", ": e\u0301"}},
		{"cluster over the cap", "a\u0301\u0301\u0301b", Options{Target: 2, Cap: 2, Tokens: utf8.RuneCountInString}, []string{": a\u0301", ": \u0301\u0301", ": b"}},
		{"space with a mark", "a \u0301b", Options{Target: 2, Cap: 2, Tokens: utf8.RuneCountInString}, []string{": a", ":  \u0301", ": b"}},
		{"tokens that do not add up", "a b.\n\nc d.", Options{Target: 4, Cap: 4, Tokens: func(s string) int { return len(s) }}, []string{": a b.", ": c d."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, s := range Split(tt.text, tt.options) {
				got = append(got, strings.Join(s.Heading, "/")+": "+tt.text[s.Start:s.End])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			check(t, tt.text, tt.options)
		})
	}
}

func TestHeadingText(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"markup", "## [The `go` tool](x) {#go}", "The go tool"},
		{"invalid UTF-8", "# a\xff\xc3b", "ab"},
		{"long", "# " + strings.Repeat("a", 5000), strings.Repeat("a", 200)},
		{"long in clusters", "# a" + strings.Repeat("👩‍👩‍👧", 100), "a" + strings.Repeat("👩‍👩‍👧", 11)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := headingText(tt.text); got != tt.want {
				t.Errorf("headingText(%.40q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	tests := []struct{ give, want Options }{
		{Options{}, Options{Target: 256, Cap: 512}},
		{Options{Target: 600}, Options{Target: 600, Cap: 600}},
		{Options{Cap: 100}, Options{Target: 100, Cap: 100}},
		{Options{Target: 9, Cap: 5, Overlap: 7}, Options{Target: 5, Cap: 5, Overlap: 4}},
		{Options{Target: -1, Cap: -1, Overlap: -1}, Options{Target: 256, Cap: 512}},
	}
	for _, tt := range tests {
		got := tt.give.withDefaults()
		if got.Tokens == nil || got.Target != tt.want.Target || got.Cap != tt.want.Cap || got.Overlap != tt.want.Overlap {
			t.Errorf("%+v became %+v", tt.give, got)
		}
	}
}

// check fails unless Split keeps its promises on text.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string, o Options) {
	t.Helper()
	spans := Split(text, o)
	o = o.withDefaults()
	bounds := clusterBounds(text)
	covered, last := 0, -1
	for _, s := range spans {
		if s.Start <= last || s.End <= s.Start || s.End > len(text) {
			t.Fatalf("span %d..%d after %d in %d bytes", s.Start, s.End, last, len(text))
		}
		last = s.Start
		part := text[s.Start:s.End]
		if strings.TrimSpace(part) == "" {
			t.Fatalf("span %q is blank", part)
		}
		if s.Start > covered && strings.TrimSpace(text[covered:s.Start]) != "" {
			t.Fatalf("%q is in no span", text[covered:s.Start])
		}
		covered = max(covered, s.End)
		if n := o.Tokens(part); n > o.Cap && utf8.RuneCountInString(part) > 1 {
			t.Fatalf("span %q has %d tokens, the cap is %d", part, n, o.Cap)
		}
		for _, at := range []int{s.Start, s.End} {
			if start, inside := bounds[at]; inside && o.Tokens(text[start[0]:start[1]]) <= o.Cap {
				t.Fatalf("%d is inside the cluster %q", at, text[start[0]:start[1]])
			}
		}
		for _, h := range s.Heading {
			if h == "" || len(h) > 200 || !utf8.ValidString(h) {
				t.Fatalf("heading %q", h)
			}
		}
	}
	if rest := strings.TrimSpace(text[covered:]); rest != "" {
		t.Fatalf("%q is in no span", rest)
	}
}

// clusterBounds maps every offset inside a grapheme cluster to the cluster.
func clusterBounds(text string) map[int][2]int {
	inside := make(map[int][2]int)
	for g := uniseg.NewGraphemes(text); g.Next(); {
		from, to := g.Positions()
		for at := from + 1; at < to; at++ {
			inside[at] = [2]int{from, to}
		}
	}
	return inside
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		"", "# A\n\ntext. More text.\n\n```go\ncode\n\nmore\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
		"知識庫知識庫。データベース", "👩‍👩‍👧👩‍👩‍👧🇩🇪🇩🇪🇩", "a\r\nb\r\n\r\n# c\r\n", "\xff\xfe\xc3 \xe2\x82",
		" \u0301a \u0600 b\u200d", "---\na: b\n---\n# t", "> - # x\n> ```\n> y", "## A\n# B\n### C\nlong " + strings.Repeat("word ", 50),
		strings.Repeat("x", 300), "e" + strings.Repeat("\u0301", 50), "\u1100\u1161\u11a8가나다",
	} {
		f.Add(seed, uint8(8), uint8(12), uint8(3), uint8(0))
		f.Add(seed, uint8(1), uint8(1), uint8(0), uint8(2))
	}
	f.Fuzz(func(t *testing.T, text string, target, cap, overlap, counter uint8) {
		counters := []func(string) int{nil, countWords, utf8.RuneCountInString, func(s string) int { return len(s) }, func(s string) int { return 100 / (len(s) + 1) }}
		check(t, text, Options{Target: int(target), Cap: int(cap), Overlap: int(overlap), Tokens: counters[int(counter)%len(counters)]})
	})
}

// TestSplitMarkdown builds documents out of blocks: what looks like Markdown finds
// other mistakes than random bytes.
func TestSplitMarkdown(t *testing.T) {
	t.Parallel()
	block := rapid.SampledFrom([]string{
		"# Title", "## Sub *title*", "Setext\n---", "A sentence. Another one, e.g. this! And 知識庫。第二句。", "- item\n- item two\n\n  more",
		"```\ncode here\n\nmore code\n```", "| a | b |\n|---|---|\n| 1 | 2 |", "> quoted\n> text", "1. one\n2. two", "***", "    indented\n\n    code",
		"👩‍👩‍👧 family 🇩🇪", strings.Repeat("long ", 40), strings.Repeat("字", 60), "\r\n", "```\nopen",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(block).Draw(t, "blocks"), rapid.SampledFrom([]string{"\n\n", "\n", "\r\n\r\n"}).Draw(t, "separator"))
		limit := rapid.IntRange(1, 60).Draw(t, "cap")
		target := rapid.IntRange(1, limit).Draw(t, "target")
		check(t, text, Options{Target: target, Cap: limit, Overlap: rapid.IntRange(0, target-1).Draw(t, "overlap")})
	})
}

// TestSplitHostile measures inputs that are quadratic or deep for a parser. The
// time allowed is many times what a linear splitter needs.
func TestSplitHostile(t *testing.T) {
	size := 512 << 10 // quadratic would be some 10^11 steps
	if testing.Short() {
		size = 128 << 10
	}
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	tests := []struct{ name, text string }{
		{"one word", repeat("x")},
		{"Han", repeat("字")},
		{"family emoji", repeat("👩‍👩‍👧")},
		{"one cluster", "e" + repeat("\u0301")},
		{"spaces", "a" + repeat(" ") + "b"},
		{"ideographic spaces", "字" + repeat("\u3000") + "字"},
		{"quotation marks", repeat(">")},
		{"spaced quotation marks", repeat("> ")},
		{"brackets", repeat("[")},
		{"links", repeat("[a](")},
		{"backticks", repeat("`")},
		{"backtick runs", repeat("`a``b")},
		{"nested items", repeat("- ")},
		{"emphasis", repeat("*a _b ")},
		{"headings", repeat("# a\n")},
		{"deeper headings", repeat("# a\n## b\n### c\n#### d\n##### e\n###### f\n")},
		{"one heading", "# " + repeat("a [b")},
		{"tiny paragraphs", repeat("a\n\n")},
		{"open fences", repeat("```\n~~~\n")},
		{"table", "|a|\n|-|\n" + repeat("|b|\n")},
		{"dots", repeat(". ")},
		{"words", repeat("word ")},
		{"sentences", repeat("A word. ")},
		{"invalid UTF-8", repeat("\xff")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			spans := Split(tt.text, Options{})
			took := time.Since(start)
			t.Logf("%d bytes, %d spans, %v", len(tt.text), len(spans), took.Round(time.Millisecond))
			if took > 5*time.Minute {
				t.Errorf("took %v", took)
			}
			if len(spans) == 0 {
				t.Error("no span")
			}
		})
	}
}

// A cluster over the cap, behind a heading, is cut once.
func TestSplitClusterOverTheCap(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 2, 3} {
		check(t, "## Sub *title*\n\n👩\u200d👩\u200d👧 family 🇩🇪", Options{Target: limit, Cap: limit})
	}
}

// One line of 5 MB, in words and without any, is cut like any other text.
func TestSplitLongLine(t *testing.T) {
	t.Parallel()
	size := 5 << 20
	if testing.Short() {
		size >>= 3
	}
	for _, part := range []string{"A few words, and more. ", "字"} {
		text := strings.Repeat(part, size/len(part))
		check(t, text, Options{})
		t.Logf("%d bytes of %q: %d spans", len(text), part, len(Split(text, Options{})))
	}
}

// TestSplitDocuments splits the pages of a real documentation site.
func TestSplitDocuments(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../../shared/data/markdown-docs/*")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skip("../shared/data/markdown-docs is not there")
	}
	files, spans, tokens := 0, 0, 0
	err = filepath.WalkDir("../../../shared/data/markdown-docs", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		check(t, string(text), Options{})
		files++
		for _, s := range Split(string(text), Options{}) {
			spans++
			tokens += Options{}.withDefaults().Tokens(string(text[s.Start:s.End]))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("chunk: %d Markdown files, %d spans, %d tokens a span\n", files, spans, tokens/max(spans, 1))
}

func BenchmarkSplit(b *testing.B) {
	text := strings.Repeat("# Title\n\nA sentence of some words. Another one follows here, with `code`.\n\n- item one\n- item two\n\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Split(text, Options{})
	}
}
