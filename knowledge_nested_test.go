package quire

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// FuzzNested: whatever a body holds, read as CommonMark it has no heading of its own at
// the level of its item or above, not inside of something else either, and does not
// swallow the item behind it.
func FuzzNested(f *testing.F) {
	for _, seed := range []string{
		"", "plain", "# one", "## two ##", "a\n===", "a\nb\n---", "\u00a0\n===", "```\n# x", "~~~\n# x\n```", "- ```\n  ```\n# x",
		"1. a\n   ```\n# y", "> # x\n# y", "> ```\n# y", "<!--\n# x", "<pre>\n\n# x", "<div>\n```\n</div>\n\n# x", "<?\n# x", "<!X\n\n# x",
		"<![CDATA[\n# x", "    # code", "\t# code", "- a\n\n  # x", "-\n# x", "* * *\n# x", "[a]: b\n===", "``` a`b\n# x", "\\\n===", "a\r===",
		"+ ~~~\n\n\n# x", "1)\t```\n# x", "#", "#\tx", "   ### x", "| a |\n|---|\n| b |\n===", "<script>", "</pre>\n# x", "<b\n===", "> a\n> ===", "- a\n  ===", "- a\n\n      # x", "-   a\n    ---",
		"> - # x", "1. > # x", "text\n2. # x\n===", "#### x\n===", "##### x\n---", "- > a\n  > ===", "```markdown\nx\n```", "```\nx\n```\n---",
	} {
		f.Add(seed, 2)
	}
	f.Fuzz(func(t *testing.T, body string, level int) {
		level = 1 + level&3
		const probe = "probe heading"
		source := []byte(nested(body, level) + "\n\n" + strings.Repeat("#", level) + " " + probe + "\n")
		doc := goldmark.New().Parser().Parse(text.NewReader(source))
		last, ok := doc.LastChild().(*ast.Heading)
		if !ok || last.Level != level || !strings.Contains(string(last.Lines().Value(source)), probe) {
			t.Fatalf("%q swallows what follows it:\n%s", body, source)
		}
		err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if h, ok := n.(*ast.Heading); ok && entering && n != last && h.Level <= level {
				t.Fatalf("%q has a heading of level %d:\n%s", body, h.Level, source)
			}
			return ast.WalkContinue, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
