package quire

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// FuzzNested: whatever a body holds, read as CommonMark it has no heading of its own at
// the level of its item or above, and does not swallow the item behind it.
func FuzzNested(f *testing.F) {
	for _, seed := range []string{
		"", "plain", "# one", "## two ##", "a\n===", "a\nb\n---", "\u00a0\n===", "```\n# x", "~~~\n# x\n```", "- ```\n  ```\n# x",
		"1. a\n   ```\n# y", "> # x\n# y", "> ```\n# y", "<!--\n# x", "<pre>\n\n# x", "<div>\n```\n</div>\n\n# x", "<?\n# x", "<!X\n\n# x",
		"<![CDATA[\n# x", "    # code", "\t# code", "- a\n\n  # x", "-\n# x", "* * *\n# x", "[a]: b\n===", "``` a`b\n# x", "\\\n===", "a\r===",
		"+ ~~~\n\n\n# x", "1)\t```\n# x", "#", "#\tx", "   ### x", "| a |\n|---|\n| b |\n===", "<script>", "</pre>\n# x", "<b\n===",
	} {
		f.Add(seed, 2)
	}
	f.Fuzz(func(t *testing.T, body string, level int) {
		level = 1 + level&1
		const probe = "probe heading"
		source := []byte(nested(body, level) + "\n\n" + strings.Repeat("#", level) + " " + probe + "\n")
		doc := goldmark.New().Parser().Parse(text.NewReader(source))
		last, ok := doc.LastChild().(*ast.Heading)
		if !ok || last.Level != level || !strings.Contains(string(last.Lines().Value(source)), probe) {
			t.Fatalf("%q swallows what follows it:\n%s", body, source)
		}
		for n := doc.FirstChild(); n != last; n = n.NextSibling() {
			if h, ok := n.(*ast.Heading); ok && h.Level <= level {
				t.Fatalf("%q has a heading of level %d:\n%s", body, h.Level, source)
			}
		}
	})
}
