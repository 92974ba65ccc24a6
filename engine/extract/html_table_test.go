package extract

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	gfm "github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"
)

// TestPagesThatGrow converts small pages that would become large ones: what is too much
// is laid out without a table or an address, and the words stay.
func TestPagesThatGrow(t *testing.T) {
	for name, page := range map[string]string{
		"a wide row and a long column": "<table><tr>" + strings.Repeat("<td>x", 10_000) + strings.Repeat("<tr><td>last", 20_000) + "</table>",
		"spans to the side":            "<table>" + strings.Repeat("<tr><td>last", 50_000) + "<tr><td colspan=5000>x</table>",
		"spans down":                   "<table><tr>" + strings.Repeat("<td rowspan=900 colspan=10>x", 1) + strings.Repeat("<tr><td>last", 100_000) + "</table>",
		"a link that is opened again":  `<div><a href="http://x.y/` + strings.Repeat("a", 1<<20) + `"></div>` + strings.Repeat("<p>last</p>", 4000),
		"a title that is opened again": `<div><a href="http://x.y/" title="` + strings.Repeat("a", 1<<20) + `"></div>` + strings.Repeat("<p>last</p>", 4000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		_, text, err := fromHTML(t.Context(), page)
		runtime.ReadMemStats(&after)
		if err != nil || !strings.Contains(text, "last") {
			t.Errorf("%s: %v, %d bytes", name, err, len(text))
		}
		allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
		t.Logf("%s: %d bytes became %d, %d MiB allocated in all, in %v", name, len(page), len(text), allocated, time.Since(began).Round(time.Millisecond))
		if len(text) > 32<<20 || allocated > 2000 {
			t.Errorf("%s: %d bytes became %d, %d MiB were allocated", name, len(page), len(text), allocated)
		}
	}
}

func TestTableSize(t *testing.T) {
	t.Parallel()
	_, text, err := fromHTML(t.Context(), "<table><tr><th>a<th>b<tr><td rowspan=2>c<td>d<tr><td>e</table>")
	if err != nil || !strings.Contains(text, "| a") {
		t.Errorf("%q, %v: want a table", text, err)
	}
}

// What a cell of Markdown cannot hold is written so that it can, and nothing goes into another cell.
func TestCells(t *testing.T) {
	t.Parallel()
	wantPages(t, []pageTest{
		{"bars in code", "<table><tr><td><code>a|b</code><td>c<tr><td><kbd>|</kbd><td><var>d||e</var></table>", "| `a\\|b` | c |\n|---|---|\n| `\\|` | `d\\|\\|e` |"},
		{"backslashes and bars", `<table><tr><td><code>a\|b\</code><td>c\|d\\|e\</table>`, "| `a\\\\|b\\` | c\\\\\\|d\\\\\\\\\\|e\\\\ |\n|---|---|"},
		{"bars in marked code", "<table><tr><td><code>a<b>|</b>b<samp>|c</samp></code><td><a href=http://x><code>d|e</code></a></table>", "| `a\\|b\\|c` | [`d\\|e`](http://x) |\n|---|---|"},
		{"bars in links", `<table><tr><td><a href="http://x/a|b?c|d#e|f" title="g|h">i|j</a><td>k</table>`, "| [i\\|j](http://x/a%7Cb?c%7Cd#e%7Cf \"g\\|h\") | k |\n|---|---|"},
		{"bars in pictures", `<table><tr><td><img src=a alt="b|c"><td>d</table>`, "| b\\|c | d |\n|---|---|"},
		{"bars beside tables", "<code>a|b</code> c|d <table><tr><td><code>e|f</code><ul><li><code>g|h</code></ul></table>", "`a|b` c|d\n\n`e|f`\n\n- `g|h`"},
		{"bars in a table of two", "<table><tr><td><code>a|b</code><table><tr><th>e<tr><td><code>c|d</code></table></table>", "`a|b`\n\n| e |\n|---|\n| `c\\|d` |"},

		{"breaks in cells", "<table><tr><td>a<br><br>  <br>b<td><br>c<br><tr><td><b>d<br>e</b><br>f<td><code>g<br><br>h</code></table>", "| a b | c |\n|---|---|\n| **d e** f | `g h` |"},
		{"breaks in a layout", "<table><tr><td>a<br>b<td><ul><li>c<br>d</ul></table>", "a  \nb\n\n- c  \n  d"},
		{"breaks in a table of one", "<table><tr><td>a<br>b<table><tr><td>c<br>d</table></table>", "a  \nb\n\nc  \nd"},

		{"header in a layout", "<table><tr><td>a<td><table><tr><th>b<th>c<tr><td>d<br>e<td>f</table></table>", "a\n\n| b | c |\n|---|---|\n| d e | f |"},
		{"rows in a layout", "<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table><td>e</table>", "| a | b |\n|---|---|\n| c | d |\n\ne"},
		{"layout in a layout", "<table><tr><td><table><tr><td>a<td>b</table><table><tr><td>c<tr><td>d</table><table><tr><th>e<td>f</table></table>", "a\n\nb\n\nc\n\nd\n\ne\n\nf"},
		{"table in layouts", "<table><tr><td><table><tr><td>a<table><tr><th>b<tr><td>c</table>d</table></table>", "a\n\n| b |\n|---|\n| c |\n\nd"},
	})
}

// TestCellsAreRead: the cells of a table are those that a reader of Markdown sees, with the text of the page.
func TestCellsAreRead(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"|", "||", "a|b", `\|`, `a\|b`, `\`, "`|`", "a `|", "|a|"} {
		for _, open := range []string{"<code>", "<b><code>", "<kbd>", "<a href=http://x><code>", "", "<b>"} {
			_, text, err := fromHTML(t.Context(), "<table><tr><th>x<th>y<tr><td>"+open+word+"<td>last</table>")
			if err != nil {
				t.Fatal(err)
			}
			if got, want := cellsIn(text), []string{"x", "y", word, "last"}; !cmp.Equal(got, want) {
				t.Errorf("%s%s: %s: %s", open, word, text, cmp.Diff(want, got))
			}
		}
	}
}

// cellsIn are the texts of the cells in Markdown, as HTML has them.
func cellsIn(markdown string) (cells []string) {
	var page bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(gfm.GFM)).Convert([]byte(markdown), &page); err != nil {
		return nil
	}
	doc, err := html.Parse(&page)
	if err != nil {
		return nil
	}
	for n := range doc.Descendants() {
		if isCell(n) {
			cells = append(cells, textOf(n))
		}
	}
	return cells
}
