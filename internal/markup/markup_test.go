package markup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// One table for the three renderings shows that they agree.
var renderings = []struct {
	name, markdown, html, plain, document string
}{
	{"empty", "", "", "", ``},
	{"blank", " \n\t\n", "", "", ``},
	{"paragraphs", "a\nb\n\nc", "<p>a\nb</p>\n<p>c</p>\n", "a\nb\n\nc",
		`p(a\nb) p(c)`},
	{"headings", "# a *b*\n\nc\n---", "<h1>a <em>b</em></h1>\n<h2>c</h2>\n", "a b\n\nc",
		`heading{level:1}(a |em:b) heading{level:2}(c)`},
	{"emphasis", "*a **b*** ~~c~~ __d__", "<p><em>a <strong>b</strong></em> <del>c</del> <strong>d</strong></p>\n", "a b c d",
		`p(em:a |em,strong:b| |strike:c| |strong:d)`},
	{"code span", "`a <b> &amp; *c*`", "<p><code>a &lt;b&gt; &amp;amp; *c*</code></p>\n", "a <b> &amp; *c*",
		`p(code:a <b> &amp; *c*)`},
	{"fence", "```go\nx := 1\n\n\ty\n```", "<pre><code class=\"language-go\">x := 1\n\n\ty\n</code></pre>\n", "x := 1\n\n\ty",
		`codeBlock{language:go}(x := 1\n\n\ty)`},
	{"indented code", "    <a>\n      b", "<pre><code>&lt;a&gt;\n  b\n</code></pre>\n", "<a>\n  b",
		`codeBlock{language:<nil>}(<a>\n  b)`},
	{"empty fence", "```\n```", "<pre><code></code></pre>\n", "", `codeBlock{language:<nil>}()`},
	{"link", "[a *b*](http://x.org/?a=b&c \"t\\\"\") <http://y.org>", "<p><a href=\"http://x.org/?a=b&amp;c\" title=\"t&#34;\" rel=\"nofollow noopener\">a <em>b</em></a> " +
		"<a href=\"http://y.org\" rel=\"nofollow noopener\">http://y.org</a></p>\n", "a b http://y.org",
		`p(link[http://x.org/?a=b&c t"]:a |link[http://x.org/?a=b&c t"],em:b| |link[http://y.org <nil>]:http://y.org)`},
	{"bare link", "www.x.org, a@b.org", "<p><a href=\"http://www.x.org\" rel=\"nofollow noopener\">www.x.org</a>, " +
		"<a href=\"mailto:a@b.org\" rel=\"nofollow noopener\">a@b.org</a></p>\n", "www.x.org, a@b.org",
		`p(link[http://www.x.org <nil>]:www.x.org|, |link[mailto:a@b.org <nil>]:a@b.org)`},
	{"reference", "[a][B] [b]\n\n[b]: /c 'd'", "<p><a href=\"/c\" title=\"d\" rel=\"nofollow noopener\">a</a> <a href=\"/c\" title=\"d\" rel=\"nofollow noopener\">b</a></p>\n", "a b",
		`p(link[/c d]:a| |link[/c d]:b)`},
	{"image", "![a *b* `c`](d.png)", "<p><img src=\"d.png\" alt=\"a b c\"></p>\n", "a b c",
		`p(image{alt:a b c src:d.png title:<nil>})`},
	{"breaks", "a  \nb\\\nc<br>d", "<p>a<br>\nb<br>\nc<br>d</p>\n", "a\nb\nc\nd",
		`p(a|hardBreak|b|hardBreak|c|hardBreak|d)`},
	{"bullets", "- a\n- b\n  - c\n- d", "<ul>\n<li>a</li>\n<li>b\n<ul>\n<li>c</li>\n</ul>\n</li>\n<li>d</li>\n</ul>\n", "a\nb\nc\nd",
		`bulletList(listItem(p(a)) listItem(p(b) bulletList(listItem(p(c)))) listItem(p(d)))`},
	{"ordered and loose", "3. a\n\n4. b", "<ol start=\"3\">\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ol>\n", "a\n\nb",
		`orderedList{start:3}(listItem(p(a)) listItem(p(b)))`},
	{"item without paragraph", "- ```\n  a\n  ```\n-\n- # b", "<ul>\n<li>\n<pre><code>a\n</code></pre>\n</li>\n<li></li>\n<li>\n<h1>b</h1>\n</li>\n</ul>\n", "a\n\nb",
		`bulletList(listItem(p() codeBlock{language:<nil>}(a)) listItem(p()) listItem(p() heading{level:1}(b)))`},
	{"tasks", "- [x] a\n- [ ] b", "<ul>\n<li><input checked=\"\" disabled=\"\" type=\"checkbox\"> a</li>\n<li><input disabled=\"\" type=\"checkbox\"> b</li>\n</ul>\n", "a\nb",
		`bulletList(listItem{checked:true}(p(a)) listItem{checked:false}(p(b)))`},
	{"quote", "> a\n>\n> > b\n\n>", "<blockquote>\n<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>\n</blockquote>\n<blockquote>\n</blockquote>\n", "a\n\nb",
		`blockquote(p(a) blockquote(p(b))) blockquote(p())`},
	{"rule", "a\n\n***\n\nb", "<p>a</p>\n<hr>\n<p>b</p>\n", "a\n\nb", `p(a) horizontalRule p(b)`},
	{"table", "|a|b|\n|:-|--|\n|*`c\\|d\\\\|\\|`*| |\n||e|", "<table>\n<thead>\n<tr>\n<th align=\"left\">a</th>\n<th>b</th>\n</tr>\n</thead>\n" +
		"<tbody>\n<tr>\n<td align=\"left\"><em><code>c|d\\||</code></em></td>\n<td></td>\n</tr>\n<tr>\n<td align=\"left\"></td>\n<td>e</td>\n</tr>\n</tbody>\n</table>\n", "a\tb\nc|d\\||\t\n\te",
		`table(tableRow(tableHeader{align:left}(p(a)) tableHeader(p(b))) tableRow(tableCell{align:left}(p(em,code:c|d\||)) tableCell(p())) tableRow(tableCell{align:left}(p()) tableCell(p(e))))`},
	{"escapes and references", "\\*a\\* &lt;b&gt; \\&amp; &copy; &nosuch; &#0;", "<p>*a* &lt;b&gt; &amp;amp; © &amp;nosuch; \ufffd</p>\n", "*a* <b> &amp; © &nosuch; \ufffd",
		"p(*a* <b> &amp; © &nosuch; \ufffd)"},
	{"placeholders", "#[a b] and #c\n\n#d", "<p>#[a b] and #c</p>\n<p>#d</p>\n", "#[a b] and #c\n\n#d", `p(#[a b] and #c) p(#d)`},

	{"raw HTML", "a <b onclick=x>b</b> <kbd>c</kbd>", "<p>a <b>b</b> <kbd>c</kbd></p>\n", "a b c", `p(a b c)`},
	{"raw block", "<div class=x><p>a</p>\n<ul><li>b<li>c</ul></div>", "<div><p>a</p>\n<ul><li>b</li><li>c</li></ul></div>", "a\n\nb\nc",
		`p(a) p(b\nc)`},
	{"details", "<details open><summary>a</summary>\n\n*b*\n\n</details>", "<details open=\"\"><summary>a</summary>\n<p><em>b</em></p>\n</details>", "a\n\nb",
		`p(a) p(em:b)`},
	{"unbalanced", "a <b>c\n\n</div></td> d", "<p>a <b>c</b></p>\n d", "a c\n\nd", `p(a c) p(d)`},
	{"open attribute", "<div class=\"\n\nb", "<p>b</p>\n", "b", `p(b)`},
	{"comment", "a <!-- b --> c\n\n<!--\nd\n\n-->\n", "<p>a  c</p>\n\n", "a  c", `p(a  c)`},
	{"script", "a <script>b</script> c\n\n<script>\n\nd</script>\n\n<style>e</style>", "<p>a  c</p>\n\n", "a  c", `p(a  c)`},
	{"unclosed script", "a <script> b\n\n<script>\n\nc", "<p>a &lt;script&gt; b</p>\n<p>&lt;script&gt;</p>\n<p>c</p>\n", "a <script> b\n\n<script>\n\nc",
		`p(a <script> b) p(<script>) p(c)`},
	{"unclosed title", "the <title> tag\n\n<textarea>\n\nb", "<p>the &lt;title&gt; tag</p>\n<p>&lt;textarea&gt;</p>\n<p>b</p>\n", "the <title> tag\n\n<textarea>\n\nb",
		`p(the <title> tag) p(<textarea>) p(b)`},
	{"other tags are text", "to <topic> in </topic>\n\n<rules>\n*a*\n</rules>", "<p>to &lt;topic&gt; in &lt;/topic&gt;</p>\n<p>&lt;rules&gt;\n<em>a</em>\n&lt;/rules&gt;</p>\n",
		"to <topic> in </topic>\n\n<rules>\na\n</rules>", `p(to <topic> in </topic>) p(<rules>\n|em:a|\n</rules>)`},

	{"URLs that are not allowed", "[a](javascript:b) [c](data:text/html,d) [e](&#106;avascript:f) [g](vbscript:h) [i](file:///j) ![k](javascript:l)",
		"<p>a c e g i <img alt=\"k\"></p>\n", "a c e g i k", `p(a c e g i k)`},
	{"URLs that are allowed", "[a](HTTPS://b) [c](mailto:d@e) [f](/g#h) [i](#j) [k](?l:m) [n](o/p:q)",
		"<p><a href=\"https://b\" rel=\"nofollow noopener\">a</a> <a href=\"mailto:d@e\" rel=\"nofollow noopener\">c</a> <a href=\"/g#h\" rel=\"nofollow noopener\">f</a> " +
			"<a href=\"#j\" rel=\"nofollow noopener\">i</a> <a href=\"?l:m\" rel=\"nofollow noopener\">k</a> <a href=\"o/p:q\" rel=\"nofollow noopener\">n</a></p>\n", "a c f i k n",
		`p(link[HTTPS://b <nil>]:a| |link[mailto:d@e <nil>]:c| |link[/g#h <nil>]:f| |link[#j <nil>]:i| |link[?l:m <nil>]:k| |link[o/p:q <nil>]:n)`},
	{"image data", "![a](data:image/png;base64,AAAA) ![b](data:image/svg+xml;base64,AAAA) [c](data:image/png;base64,AAAA)",
		"<p><img src=\"data:image/png;base64,AAAA\" alt=\"a\"> <img alt=\"b\"> c</p>\n", "a b c",
		`p(image{alt:a src:data:image/png;base64,AAAA title:<nil>}| b c)`},
}

func TestRenderings(t *testing.T) {
	t.Parallel()
	for _, tt := range renderings {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.html, HTML(tt.markdown)); diff != "" {
				t.Errorf("HTML(%q) (-want +got):\n%s", tt.markdown, diff)
			}
			if diff := cmp.Diff(tt.plain, Plain(tt.markdown)); diff != "" {
				t.Errorf("Plain(%q) (-want +got):\n%s", tt.markdown, diff)
			}
			if diff := cmp.Diff(tt.document, outline(t, Document(tt.markdown))); diff != "" {
				t.Errorf("Document(%q) (-want +got):\n%s", tt.markdown, diff)
			}
		})
	}
}

func TestSanitize(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, fragment, want string }{
		{"text", "a < b & c", "a &lt; b &amp; c"},
		{"plain text with a rel", ` rel="nofollow"`, ` rel=&#34;nofollow&#34;`},
		{"no ids and names", `<p id=a name=b>c</p><a name=d>e</a>`, "<p>c</p>e"},
		{"own rel and target go", `<a href="/x" rel="opener" target="_blank">a</a>`, `<a href="/x" rel="nofollow noopener">a</a>`},
		{"styles", `<p style="color:red" class="x">a</p><style>b</style>`, "<p>a</p>"},
		{"frames", `<iframe src="/x">a</iframe><object data=b>c</object>d`, "acd"},
		{"forms", `<form action=/x><input name=a><button>b</button></form>`, "b"},
		{"only disabled boxes", `<input type="text" value=x>`, ""},
		{"stray end tags", "a</p></div>b</br>c", "abc"},
		{"open tags", "<div><b>a", "<div><b>a</b></div>"},
		{"crossed tags", "<b><i>a</b>c</i>", "<b><i>a</i></b>c"},
		{"implied ends", "<table><tr><td>a<td>b<tr><th>c</table>", "<table><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></table>"},
		{"self-closing is open", "<div/>a", "<div>a</div>"},
		{"void", "a<br/>b<hr>c<img src=d />", `a<br>b<hr>c<img src="d">`},
		{"protocol-relative", `<img src="//x/y">`, `<img src="//x/y">`},
		{"control characters", "<a href=\"java\tscript:a\">b</a><a href=\"\x01javascript:a\">c</a>", "bc"},
		{"foreign content", `<svg><a xlink:href="javascript:b"><text>c</text></a></svg><math><mi>d</mi></math>`, "cd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Sanitize(tt.fragment)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Sanitize(%q) (-want +got):\n%s", tt.fragment, diff)
			}
			if again := Sanitize(got); again != got {
				t.Errorf("sanitised again: %q, want %q", again, got)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	t.Run("nesting", func(t *testing.T) {
		got := HTML(strings.Repeat("> ", maxDepth+2) + "a")
		if n := strings.Count(got, "<blockquote>"); n != maxDepth {
			t.Errorf("%d quotes, want %d", n, maxDepth)
		}
		if !strings.Contains(got, "<p>&gt; &gt; a</p>") {
			t.Errorf("the text of what nests deeper is missing: %s", got)
		}
		got = HTML(strings.Repeat("- ", maxDepth+2) + "a")
		if n := strings.Count(got, "<ul>"); n != maxDepth || !strings.Contains(got, "- - a") {
			t.Errorf("%d lists, want %d: %s", n, maxDepth, got)
		}
	})
	t.Run("a deep list goes on", func(t *testing.T) {
		var b strings.Builder
		for i := range maxDepth + 4 {
			b.WriteString(strings.Repeat("  ", i) + "- a\n")
		}
		b.WriteString("- end\n\nafter")
		if got := HTML(b.String()); !strings.HasSuffix(got, "<li>end</li>\n</ul>\n<p>after</p>\n") {
			t.Errorf("what follows is not parsed: %s", got)
		}
	})
	t.Run("runs of emphasis", func(t *testing.T) {
		run := strings.Repeat("*", maxRun+1)
		if got, want := HTML(run+"a"+run), "<p>"+run+"a"+run+"</p>\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("many delimiters are fine", func(t *testing.T) {
		got := HTML(strings.Repeat("*a* [b](c)\n", 1000))
		if n := strings.Count(got, "<em>"); n != 1000 {
			t.Errorf("%d emphases, want 1000", n)
		}
		if n := strings.Count(got, "<a "); n != 1000 {
			t.Errorf("%d links, want 1000", n)
		}
	})
	t.Run("short rows", func(t *testing.T) {
		const columns = 100
		table := strings.Repeat("|a", columns) + "\n" + strings.Repeat("|-", columns) + "\n"
		if got := HTML(table + strings.Repeat("|\n", 10)); strings.Count(got, "<td>") != 10*columns {
			t.Errorf("%d cells, want %d", strings.Count(got, "<td>"), 10*columns)
		}
		if got := HTML(table + strings.Repeat("|\n", 100_000)); strings.Contains(got, "<table>") {
			t.Error("a table of ten million cells that are not there was made")
		}
	})
	t.Run("size", func(t *testing.T) {
		body := "*a* <b>\n" + strings.Repeat("x", maxInput)
		if got := HTML(body); !strings.HasPrefix(got, "<pre>*a* &lt;b&gt;\nxxx") {
			t.Errorf("HTML begins %.40q", got)
		}
		if got := Plain(body); got != body {
			t.Errorf("Plain begins %.40q", got)
		}
		if got := outline(t, Document(body)); !strings.HasPrefix(got, `codeBlock{language:<nil>}(*a* <b>\nxxx`) {
			t.Errorf("Document begins %.60q", got)
		}
	})
	t.Run("blank lines", func(t *testing.T) {
		few := "```\na" + strings.Repeat("\n", 1000) + "b\n```"
		if got := Plain(few); strings.Count(got, "\n") != 1000 {
			t.Errorf("%d line breaks, want 1000", strings.Count(got, "\n"))
		}
		many := "```\na" + strings.Repeat("\n", 100_000) + "b\n```"
		if got := Plain(many); strings.Count(got, "\n") != maxBlank+1 {
			t.Errorf("%d line breaks, want %d", strings.Count(got, "\n"), maxBlank+1)
		}
	})
}
