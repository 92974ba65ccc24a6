package markup

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// repeat repeats a piece up to about n bytes.
func repeat(piece string, n int) string { return strings.Repeat(piece, n/len(piece)) }

// repeated are pieces that, repeated, goldmark alone needs quadratic time or space
// for, or that look like it.
var repeated = []string{
	">", "> ", "- ", "1. ", "> - ", "[", "]", "![", "[a](", "[a](<b", "[a](b ", "[a](b (", "[a](b 'c\"\n", "[a][", "[a]: b\n", "[a\n", "[\\",
	"*", "*a ", "*a_ ", "a **b", "*a **a ", "~~a ", "*_", "********a ", "`` ` a", "<", "<a ", "<b a='", "<!-- ", "<? ", "<![CDATA[", "<a:b",
	"<script>\n", "<script>", "<b><i>", "<div>\n\n", "<table><tr><td>", "<topic>", "&", "\\", "a", "\x00", "\xff", "漢字。",
	"http: ", "https://a ", "www.a.b/(", "a@b ", "a.", "a|b\n", "|-\n", "a\n-\n\n", "\n", "a  \n", "```\n", "# a\n", "- a\n", "- a\n\n",
}

// composed are inputs of other shapes.
var composed = map[string]func(n int) string{
	"brackets in brackets": func(n int) string { return repeat("[", n/2) + repeat("]", n/2) },
	"images in images":     func(n int) string { return repeat("![", n/3) + repeat("](a)", 2*n/3) },
	"emphasis in emphasis": func(n int) string { return repeat("**a ", n/2) + repeat("b** ", n/2) },
	"one run of emphasis":  func(n int) string { return repeat("*", n/2) + "a" + repeat("*", n/2) },
	"mixed emphasis":       func(n int) string { return repeat("**a _b ~~c ", n/2) + repeat("~~ d_ e** ", n/2) },
	"backtick runs": func(n int) string {
		var b strings.Builder
		for i := 1; b.Len() < n; i++ {
			b.WriteString(strings.Repeat("`", i) + "a")
		}
		return b.String()
	},
	"one long link":  func(n int) string { return "[a](" + repeat("(", n) },
	"long reference": func(n int) string { return "[a]: " + repeat("b", n/2) + "\n\n" + repeat("[a]", n/2) },
	"wide table":     func(n int) string { return repeat("|a", n/2) + "\n" + repeat("|-", n/2) + "\n" },
	"short rows":     func(n int) string { return repeat("|a", 600) + "\n" + repeat("|-", 600) + "\n" + repeat("|\n", n) },
	"many short rows": func(n int) string {
		return repeat(repeat("|a", 512)+"\n"+repeat("|-", 512)+"\n"+repeat("|\n", 512)+"\n", n)
	},
	"escaped pipes":        func(n int) string { return "|a|\n|-|\n" + repeat("|`\\|`\n", n) },
	"unclosed scripts":     func(n int) string { return "a " + repeat("<script>", n/2) + repeat("</script ", n/2) },
	"crossed tags":         func(n int) string { return repeat("<b>", n/4) + repeat("</i></b>", n/2) },
	"deep, then blank":     func(n int) string { return repeat("- ", 80) + "a\n" + repeat("\n", n) },
	"deep, then few blank": func(n int) string { return repeat("- ", 80) + "a\n" + repeat(repeat("\n", 8)+repeat(" ", 32)+"a\n", n) },
	"deep, then lazy":      func(n int) string { return repeat("> ", 80) + "a\n" + repeat("b\n", n) },
	"stairs": func(n int) string {
		var b strings.Builder
		for i := range 40 {
			b.WriteString(strings.Repeat("  ", i) + "- a\n")
		}
		return repeat(b.String(), n)
	},
}

var hostileSize = flag.Int("hostile", 1<<17, "size of the inputs of TestHostile in bytes")

// A rendering that is not linear takes minutes or all memory here; the log tells
// what each needed. What is asserted is the size of the syntax tree.
func TestHostile(t *testing.T) {
	t.Parallel()
	run := func(name, body string) {
		start := time.Now()
		plain := len(Plain(body))
		middle := time.Now()
		document := len(Document(body))
		t.Logf("%-22q %4d kB: HTML and Plain %5d ms, %4d kB; Document %5d ms, %5d kB", name, len(body)>>10,
			middle.Sub(start).Milliseconds(), plain>>10, time.Since(middle).Milliseconds(), document>>10)

		tree, _ := parse(body)
		nodes, depth, deepest := 0, 0, 0
		_ = ast.Walk(tree, func(_ ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering {
				nodes, depth = nodes+1, depth+1
				deepest = max(deepest, depth)
			} else {
				depth--
			}
			return ast.WalkContinue, nil
		})
		if most := 2*len(body) + maxWork/cellWork; nodes > most {
			t.Errorf("%q: %d nodes, want at most %d", name, nodes, most)
		}
		if most := 2*maxDepth + maxRun*12_000; deepest > most { // 12,000 delimiters use up maxWork
			t.Errorf("%q: nodes nest %d levels deep, want at most %d", name, deepest, most)
		}
	}
	for _, piece := range repeated {
		run(piece, repeat(piece, *hostileSize))
	}
	for name, input := range composed {
		run(name, input(*hostileSize))
	}
}

// TestReferenceLines: a bracket that closes costs as much as its paragraph has lines, for
// goldmark goes through all of them.
func TestReferenceLines(t *testing.T) {
	t.Parallel()
	const brackets, lines = 100, 3000
	body := strings.Repeat("[a]\n", brackets) + strings.Repeat("b\n", lines-brackets)
	pc := parser.NewContext()
	markdownParser.Parse(text.NewReader([]byte(body)), parser.WithContext(pc))
	if got, want := effortOf(pc).work, brackets*lines; got < want {
		t.Errorf("%d brackets in %d lines cost %d, want at least %d", brackets, lines, got, want)
	}
}
