package extract

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	gfm "github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

func TestHTML(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, page, want string }{
		{"what is dropped", "<nav>a</nav><script>b</script><style>c</style><p hidden>d</p><button>e</button><template>f</template><!-- g -->h", "h"},
		{"emphasis", "<p>a <i>b</i> <strong>c</strong> <del>d</del> <code>e *f*</code>", "a *b* **c** ~~d~~ `e *f*`"},
		{"escapes", "<p>1. a *b* [c](d) # e", "1\\. a \\*b* \\[c](d) # e"},
		{"angle brackets", "<p>a &lt; b &gt; c &lt;= d &amp;&amp; &lt;e&gt; f", "a < b > c <= d && &lt;e&gt; f"},
		{"no comment by accident", "<p>&lt;!-- a --&gt; b<p>&lt;!DOCTYPE c&gt; d<p>&lt;?e?&gt; &lt;/f&gt;<p>&lt;![CDATA[g]]&gt;<p>1 &lt; 2 &lt;- &lt;= &lt;_ &lt;&gt; &lt;!&gt; &lt;!=<p>h &lt;!<b>a</b><p>h &lt;<b>!--</b>",
			"&lt;!-- a --&gt; b\n\n&lt;!DOCTYPE c&gt; d\n\n&lt;?e?&gt; &lt;/f&gt;\n\n&lt;!\\[CDATA\\[g]]&gt;\n\n1 < 2 <- <= <_ <> <!> <!=\n\nh &lt;!**a**\n\nh &lt;**!--**"},
		{"no quote by accident", "<p>&gt; a", "&gt; a"},
		{"links", `<p><a href="#a">b</a> <a href="/c">d</a> <a href="https://e">f</a> <a href="javascript:g">h</a> <a name=i></a>j`, "b d [f](https://e) h j"},
		{"permalink", `<h2>a<a href="#a">¶</a></h2>`, "## a"},
		{"images", `<p>a <img src=b alt="c d"> <img src=e>f`, "a c d f"},
		{"exponents", "<p>2<sup>10</sup> x<sup>n</sup> 1<sup>st</sup> a<sup>*</sup>", "2^10 x^n 1st a*"},
		{"code block", "<pre><code class=language-go>a &lt; b\n\n\tc</code></pre>", "```go\na < b\n\n\tc\n```"},
		{"marked code", "<pre>a <b>b</b> <a href=#c>c</a>\n  <span>d</span></pre>", "```\na b c\n  d\n```"},
		{"code with a fence", "<pre>```\na\n```</pre>", "````\n```\na\n```\n````"},
		{"lists", "<ol><li>a<ul><li>b</ul><li>c<pre>d</pre></ol>", "1. a\n   \n   - b\n2. c\n   \n   ```\n   d\n   ```"},
		{"definitions", "<dl><dt>a <code>b</code><dd>c<dt>d<dd><p>e<p>f</dl>", "**a `b`**\n\nc\n\n**d**\n\ne\n\nf"},
		{"table", "<table><tr><th>a<th>b<tr><td>c<br>d<td>e|f</table>", "| a | b |\n|---|---|\n| c d | e\\|f |"},
		{"table without header", "<table><tr><td>a<td>b<tr><td>c<td>d</table>", "| a | b |\n|---|---|\n| c | d |"},
		{"spans", "<table><tr><th colspan=2>a<tr><td rowspan=2>b<td>c<tr><td>d</table>", "| a |  |\n|---|---|\n| b | c |\n|  | d |"},
		{"table as layout", "<table><tr><td>a<td><ul><li>b</ul></table>", "a\n\n- b"},
		{"deep lists", strings.Repeat("<ul><li>", maxIndent+1) + "a", strings.Repeat("- ", maxIndent) + "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Text("a.html", []byte(tt.page), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Text); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The documents that come with Go: their headings and code come through, and no
// markup is left.
func TestGoDocuments(t *testing.T) {
	t.Parallel()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "doc", "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("this Go has no doc folder; TestHTML covers the rules")
	}
	texts := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		doc, err := Text(file, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = doc.Text
		wantHeadings, wantCode := inPage(t, data)
		headings, code, raw := inMarkdown(doc.Text)
		if diff := cmp.Diff(wantHeadings, headings); diff != "" {
			t.Errorf("%s: headings (-page +Markdown):\n%s", name, diff)
		}
		if diff := cmp.Diff(wantCode, code); diff != "" {
			t.Errorf("%s: code (-page +Markdown):\n%s", name, diff)
		}
		if raw != nil {
			t.Errorf("%s: tags are left: %q", name, raw)
		}
		t.Logf("%s: %q, %d kB, %d headings, %d code blocks", name, doc.Title, len(doc.Text)>>10, len(headings), len(code))
	}
	if spec, ok := texts["go_spec.html"]; ok {
		for _, s := range []string{
			"## Introduction\n", "\n### Characters\n", "\n#### Integer overflow\n",
			"A send on a closed channel proceeds by causing a run-time panic.",
			"A receive operation on a closed channel can always proceed immediately",
			"by 2^exp", "computed modulo 2^*n*",
		} {
			if !strings.Contains(spec, s) {
				t.Errorf("go_spec.html: %q is missing", s)
			}
		}
	}
}

// inPage returns the headings ("## text") and the texts of the pre elements.
func inPage(t *testing.T, page []byte) (headings, code []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		switch {
		case n.Type == html.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6':
			headings = append(headings, strings.Repeat("#", int(n.Data[1]-'0'))+" "+strings.Join(strings.Fields(textOf(n)), " "))
		case n.Type == html.ElementNode && n.Data == "pre":
			var b strings.Builder
			for c := range n.Descendants() {
				if c.Type == html.TextNode {
					b.WriteString(c.Data)
				}
			}
			code = append(code, strings.Trim(b.String(), "\n"))
		}
	}
	return headings, code
}

// inMarkdown returns the same of Markdown, and the raw HTML in it.
func inMarkdown(markdown string) (headings, code, raw []string) {
	source := []byte(markdown)
	tree := goldmark.New(goldmark.WithExtensions(gfm.GFM)).Parser().Parse(text.NewReader(source))
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			var b strings.Builder
			_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
				if t, ok := c.(*ast.Text); ok && entering {
					b.Write(t.Value(source))
				}
				return ast.WalkContinue, nil
			})
			headings = append(headings, strings.Repeat("#", n.Level)+" "+strings.ReplaceAll(b.String(), `\`, ""))
		case *ast.FencedCodeBlock:
			code = append(code, strings.Trim(string(n.Lines().Value(source)), "\n"))
		case *ast.HTMLBlock:
			raw = append(raw, string(n.Lines().Value(source)))
		case *ast.RawHTML:
			raw = append(raw, string(n.Segments.Value(source)))
		}
		return ast.WalkContinue, nil
	})
	return headings, code, raw
}

// Hostile pages. A conversion that is not linear takes minutes here; the log tells
// how long each took. What is asserted is the size of the result.
func TestHostile(t *testing.T) {
	t.Parallel()
	const size = 1 << 16
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	pages := map[string]string{
		"spans":              repeat("<table><tr><td colspan=1000 rowspan=1000>x<td>y</table>"),
		"wide table":         "<table><tr>" + repeat("<td>x"),
		"tables in tables":   strings.Repeat("<table><tr><td>", 120) + repeat("x<br>"),
		"deep divs":          strings.Repeat("<div>", 500) + repeat("<p>x"),
		"deep lists":         strings.Repeat("<ul><li>x", 200) + repeat("a<br>"),
		"deep quotes":        strings.Repeat("<blockquote>", 400) + repeat("a<br>"),
		"deep exponents":     strings.Repeat("<sup>", 400) + repeat("a"),
		"many attributes":    "<p " + repeat("a=b ") + ">x",
		"a fence of ticks":   "<pre>" + repeat("`") + "</pre>",
		"a span of ticks":    "<code>" + repeat("`a") + "</code>",
		"one line of breaks": repeat("a<br>"),
	}
	for _, piece := range []string{"<p>a", "<a>x", "<b>x", "<div>", "<p><font>x", "<b><i><p>x</b>", "<table>x", "<tr><td>x", "<li>a", "<dt>b<dd>c",
		"<select><option>x", "<!--{-->", "<sup>1</sup>", "<i>a</i>b", "<pre>a</pre>", "* _ ", "[a](b", "&lt;a", "&gt; ", "a <b> </b>", "<h1>a", "<svg>", "<"} {
		pages[piece] = repeat(piece)
	}
	for name, page := range pages {
		start := time.Now()
		doc, err := Text("a.html", []byte(page), nil)
		t.Logf("%-20q %4d ms, %5d kB, %v", name, time.Since(start).Milliseconds(), len(doc.Text)>>10, err)
		if most := 10*len(page) + 100*maxSpans; len(doc.Text) > most {
			t.Errorf("%q: %d bytes became %d", name, len(page), len(doc.Text))
		}
	}
}

// pageTest is a page and the Markdown that it becomes.
type pageTest struct{ name, page, want string }

// wantPages wants each page to become its Markdown.
func wantPages(t *testing.T, tests []pageTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got, err := fromHTML(t.Context(), tt.page)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
