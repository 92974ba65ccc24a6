package quire

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// sampleTable has what could be taken for something else.
func sampleTable() *table {
	t := &table{
		columns: []ListRecord{{ID: 1, Title: "Title: x"}, {ID: 2, Title: "two\nlines"}, {ID: 3, Title: "**bold** <b>"}},
		rows:    []ListRecord{{ID: 4, Title: "1. # first"}, {ID: 5, Title: "Body:"}, {ID: 6, Title: "bare"}},
	}
	t.cells = map[crossing]ElementalRecord{
		{1, 4}: {Body: "a\n2. Body:\n   two lines: forged\n- **two lines:** forged"},
		{2, 4}: {Body: "# no heading\n===\n```\n## open"},
		{3, 4}: {Body: "- item\u2028# last"},
		{1, 5}: {Body: "`"}, {3, 5}: {Body: ""},
	}
	return t
}

func TestTableContent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		got  string
		want string
	}{
		{"rows", tableContentOf(sampleTable(), GroupByRow).text(), "1. 1. # first\n" +
			"   \"Title: x\": a\n     2. Body:\n        two lines: forged\n     - **two lines:** forged\n" +
			"   \"two\\nlines\": # no heading\n     ===\n     ```\n     ## open\n" +
			"   **bold** <b>: - item\u2028     # last\n" +
			"2. Body:\n   \"Title: x\": `\n3. bare"},
		{"columns", tableContentOf(sampleTable(), GroupByColumn).text(), "1. Title: x\n" +
			"   1. # first: a\n     2. Body:\n        two lines: forged\n     - **two lines:** forged\n   \"Body:\": `\n" +
			"2. \"two\\nlines\"\n   1. # first: # no heading\n     ===\n     ```\n     ## open\n" +
			"3. **bold** <b>\n   1. # first: - item\u2028     # last\nEmpty row: bare"},
		{"Markdown", tableContentOf(sampleTable(), GroupByRow).markdown(2), `### 1. \# first

- **Title: x:**

  a
  2. Body:
     two lines: forged
  - **two lines:** forged
- **two lines:**

  ` + "````markdown" + `
  # no heading
  ===
  ` + "```" + `
  ## open
  ` + "````" + `
- **\*\*bold\*\* \<b>:**

  ` + "```markdown\n  - item\u2028# last\n  ```" + `

### Body:

- **Title: x:** ` + "`" + `

### bare`},
		{"nothing", tableContentIn(&Elemental{}, GroupByRow).text(), ""},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// FuzzTableContent parses the Markdown of tables: whatever titles and texts hold, it has
// the structure of the table. TestTableTextIsUnambiguous reads the text back.
func FuzzTableContent(f *testing.F) {
	f.Add("row", "column", "text", "other", byte(0))
	f.Add("1. row", "a: b", "x\n2. row\n   a: b: c", "```\n# open", byte(2))
	f.Add("# row #", "**c**", "x\r\n- **c:** forged\r\n\r\n## forged", "<!--", byte(5))
	f.Add(`"quoted": x`, `"`, "\u2028", "\n", byte(1))
	f.Add("&amp;", "[a](b)", "    code\n\ttab", "> quote\nlazy", byte(6))
	f.Add("!", "-", "<div>\n\n- **-:** x", "[a]: b\n\nc", byte(3))
	f.Fuzz(func(t *testing.T, row, column, one, two string, level byte) {
		var probs problems
		for _, s := range []string{row, column} {
			checkLabel(&probs, "", strings.TrimSpace(s))
		}
		for _, s := range []string{one, two} {
			checkText(&probs, "", s, 1<<20)
		}
		if len(probs) > 0 {
			return // nothing that gets into a table
		}
		full := &table{columns: []ListRecord{{ID: 1, Title: column}, {ID: 2, Title: row}}, rows: []ListRecord{{ID: 3, Title: row}, {ID: 4, Title: column}}}
		full.cells = map[crossing]ElementalRecord{{1, 3}: {Body: one}, {2, 3}: {Body: two}, {1, 4}: {Body: two}}
		for _, by := range []GroupBy{GroupByRow, GroupByColumn} {
			checkTableMarkdown(t, tableContentOf(full, by), int(level%6)+1)
		}
	})
}

// checkTableMarkdown checks that Markdown has the blocks and cells of a table as its
// structure and nothing beside them.
func checkTableMarkdown(t *testing.T, content tableContent, level int) {
	t.Helper()
	source := []byte(content.markdown(level))
	md := goldmark.New()
	node := md.Parser().Parse(text.NewReader(source)).FirstChild()
	render := func(n ast.Node) string {
		var b bytes.Buffer
		if err := md.Renderer().Render(&b, source, n); err != nil {
			t.Fatal(err)
		}
		return html.UnescapeString(regexp.MustCompile(`</?(h[1-6]|strong)>`).ReplaceAllString(b.String(), ""))
	}
	for _, block := range content.blocks {
		heading, ok := node.(*ast.Heading)
		if !ok || heading.Level != min(6, level+1) || strings.TrimSpace(render(heading)) != oneLine(block.title) {
			t.Fatalf("no heading for %q, but %T in:\n%s", block.title, node, source)
		}
		if node = node.NextSibling(); len(block.cells) == 0 {
			continue
		}
		list, ok := node.(*ast.List)
		if !ok || list.ChildCount() != len(block.cells) {
			t.Fatalf("no list of %d cells, but %T in:\n%s", len(block.cells), node, source)
		}
		item := list.FirstChild()
		for _, c := range block.cells {
			label := item.FirstChild().FirstChild()
			if strong, ok := label.(*ast.Emphasis); !ok || strong.Level != 2 || render(label) != oneLine(c.crossed.title+c.crossed.suffix())+":" {
				t.Fatalf("no label %q, but %T %q in:\n%s", c.crossed.title, label, render(label), source)
			}
			item = item.NextSibling()
		}
		node = node.NextSibling()
	}
	for range content.unused {
		if _, ok := node.(*ast.Paragraph); !ok {
			t.Fatalf("no line for what is empty, but %T in:\n%s", node, source)
		}
		node = node.NextSibling()
	}
	if node != nil {
		t.Errorf("%T follows the table in:\n%s", node, source)
	}
}
