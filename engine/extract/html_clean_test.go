package extract

import "testing"

func TestCleanHTML(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, page, want string }{
		{"not shown", "<p>a<noembed><p>no</p></noembed><noframes>no</noframes><title>no</title>b", "ab"},
		{"between texts", "a<link>b <meta> c<base>d", "ab cd"},
		{"shown as blocks", "<center>a</center><center>b</center><details><summary>c</summary>d</details><fieldset><legend>e</legend>f</fieldset><optgroup>g<option>h</optgroup><search>i</search>j<marquee>k</marquee>", "a\n\nb\n\nc\n\nd\n\ne\n\nf\n\ng\n\nh\n\ni\n\nj\n\nk"},
		{"shown as lists", "<dir><li>a<li>b</dir><p>c<menu><li>d</menu>", "- a\n- b\n\nc\n\n- d"},
		{"shown as code", "a<xmp><b>b</b></xmp><listing>c\n <b>d</b></listing>", "a\n\n```\n<b>b</b>\n```\n\n```\nc\n d\n```"},
		{"no code", "<p>a<pre></pre>b", "a\n\nb"},
		{"nothing in blocks", "a<h2></h2>b<ul> </ul>c<ol></ol>d<h3><br></h3>e<blockquote></blockquote>f<code>g<h2></h2>h</code>", "a\n\nb\n\nc\n\nd\n\ne\n\nf`g`\n\n`h`"},
		{"plain text", "<p>a<plaintext></p><b>", "a\n\n```\n</p><b>\n```"},
		{"formatted in two blocks", "<div><b>a</b><span></span></div><b>b</b><div><i>c</i><i>d</i></div><i>e</i>", "**a**\n\n**b**\n\n*cd*\n\n*e*"},
		{"formatted alike", "<b>a<b>b</b></b><strong>c</strong> <i>d</i><em>e</em> <s>f</s><del>g</del> <code>h</code><kbd>i</kbd>", "**abc** *de* ~~fg~~ `hi`"},

		{"table in bold", "<b><table><tr><td>a<td>b</table></b>", "| **a** | **b** |\n|---|---|"},
		{"table in italics", "<em>c<table><tr><td>a<td>b</table></em>", "*c*\n\n| *a* | *b* |\n|---|---|"},
		{"table struck out", "<s><table><tr><td>a<td>b</table></s>", "| ~~a~~ | ~~b~~ |\n|---|---|"},
		{"table in a link", "<a href=http://x><table><tr><td>a<td>b</table></a>", "| [a](http://x) | [b](http://x) |\n|---|---|"},
		{"table in a heading", "<h2><table><tr><td>a<td>b</table></h2>", "## a b"},
		{"table in a term", "<dl><dt><table><tr><td>a<td>b</table><dd>c</dl>", "| a | b |\n|---|---|\n\nc"},
		{"table in code", "<code><table><tr><td>a<td>b</table></code>", "| `a` | `b` |\n|---|---|"},
		{"list in bold", "<b>a<ul><li>b<li>c</ul></b>", "**a**\n\n- **b**\n- **c**"},
		{"items in bold", "<ul><b><li>a</li><li>b</li></b></ul>", "- **a**\n- **b**"},
		{"list in a heading", "<h2>a<ul><li>b<li>c</ul></h2>", "## a b c"},
		{"rule in a heading", "<h2>a<hr>b</h2><b>c<hr>d</b>", "## a b\n\n**c**\n\n* * *\n\n**d**"},
		{"code block in a heading", "<h2>a<pre>b</pre>c</h2>", "## a `b` c"},
		{"code block in bold", "<b>a<pre>b\nc</pre></b>", "**a**\n\n```\nb\nc\n```"},
		{"languages", "<pre class='a\nlanguage-go\n\tb'>c</pre><pre><code class='lang-`d`\ne'>f</code></pre>", "```go\nc\n```\n\n```d\nf\n```"},
		{"code block in code", "<code class=language-go><pre>a</pre></code>", "```go\na\n```"},
		{"heading in a heading", "<h1>a<div><h2>b</h2></div>c</h1>", "# a b c"},
		{"heading in bold", "<b><h2>a</h2>b</b>", "## **a**\n\n**b**"},
		{"heading in a link", "<a href=http://x><h2>a</h2></a>", "## [a](http://x)"},
		{"heading struck out", "<del><h2>a</h2></del>", "~~a~~"},
		{"blocks in code", "<code><p>a</p><p>b</p>c</code>", "`a`\n\n`b`\n\n`c`"},
		{"blocks in a code block", "<pre>a<div>b</div>c<p>d</p><ul><li>e<li>f</ul>g<table><tr><td>h<td>i<tr><td>j</table></pre>", "```\na\nb\nc\nd\ne\nf\ng\nh i\nj\n```"},
		{"bold to the end", "<p>a</p><b>b<p>c</p><table><tr><td>d<td>e</table><ul><li>f</ul>", "a\n\n**b**\n\n**c**\n\n| **d** | **e** |\n|---|---|\n\n- **f**"},

		{"row before a header", "<table><tr><td>a<tr><th>b<th>c</table>", "| a |  |\n|---|---|\n| b | c |"},
		{"caption", "<table><caption>a</caption><tr><td>b</table>", "a\n\n| b |\n|---|"},
		{"captions", "<table><caption>a</caption><caption>b</caption><tr><td>c</table>", "a\n\nb\n\n| c |\n|---|"},
		{"foot and head", "<table><tfoot><tr><td>a<tbody><tr><td>b<thead><tr><td>c<tr><th>d</table>", "| c |\n|---|\n| d |\n| b |\n| a |"},
		{"rowspan beyond the table", "<table>\n<tr><td rowspan=30>a<td>b\n<tr><td>c\n</table>", "| a | b |\n|---|---|\n|  | c |"},
		{"rowspan beyond the head", "<table><thead><tr><th rowspan=2>a<th>b<tbody><tr><td>c<td>d</table>", "| a | b |\n|---|---|\n| c | d |"},
		{"colspan beyond the table", "<table><tr><td colspan=100>a<tr><td>b<td>c</table>", "| a |  |\n|---|---|\n| b | c |"},
		{"spans", "<table>\n<tr><td rowspan=2 colspan=2>a <td>b\n<tr> <td>c\n<tr><td>d<td rowspan=9 colspan=2>e\n<tr><td>f<td>g</table>", "| a |  | b |  |\n|---|---|---|---|\n|  |  | c |  |\n| d | e |  |  |\n| f |  |  | g |"},
		{"table without text", "<table><tr><td><td></table>a", "a"},
		{"table in a table", "<table><tr><td>a<td><table><tr><td>b<td>c</table></table>", "a\n\nb\n\nc"},
		{"breaks in cells", "<table><tr><td>a<br>b<br><br>c</table>", "| a b c |\n|---|"},

		{"exponents", "x<sup>α</sup> x<sup>№</sup> 1<sup> st </sup> 2<sup>2<sup>n</sup></sup> 2<sup><b></b>stop</sup>", "x^α x№ 1 st 2^2^n 2^stop"},
		{"exponents with signs", "10<sup>-3</sup> 10<sup>−3</sup> 10<sup>–3</sup> 10<sup>+3</sup> x<sup>-n</sup> Na<sup>+</sup> a<sup>-</sup> b<sup>--</sup> b<sup>-<b>3</b></sup>",
			"10^-3 10^−3 10^–3 10^+3 x^-n Na+ a- b-- b^-**3**"},
		{"spaces in code", "<code>go </code>build<kbd> x</kbd> <tt>y<i> </i></tt>z<var><br>v</var> <code> </code> <pre><code> y </code></pre>", "`go` build `x` `y` z `v` ` `\n\n```\n y \n```"},
		{"characters of the converter", "<p>a&#7;*b&#xF002;# c<pre>d&#7;*e&#xF002;f</pre><a href=http://x title='a&#7;'>g</a>", "a\\*b# c\n\n```\nd*ef\n```\n\n[g](http://x \"a\")"},
		{"number signs", `<h1>C\#</h1><h2>a #</h2><h2>a \#</h2>`, "# C\\\\#\n\n## a \\#\n\n## a \\\\#"},
		{"brackets", "<p>[0, n) [a](b) [<b>c</b>] [<br>]", "\\[0, n) \\[a](b) \\[**c**] [  \n]"},
		{"numbers of lists", "<ol start=7><li>a</ol>b<ol start=-1><li>c</ol>d<ol start=999999999><li>e<li>f</ol>g<ol start=99999999999999999999><li>h</ol>", "7. a\n\nb\n\n1. c\n\nd\n\n1. e\n2. f\n\ng\n\n1. h"},
		{"links in links", "<a href=http://x>a<div><a href=http://y>b</a></div>c</a>", "[a](http://x)\n\n[b](http://y)\n\nc"},
		{"places", "<h2>a<a href=#a>¶</a></h2><a href=#b><b>b</b></a><a href=#c><div><a href=#d>c</a></div></a>", "## a\n\n**b**\n\nc"},
	} {
		if _, text, err := fromHTML(t.Context(), tt.page); err != nil || text != tt.want {
			t.Errorf("%s: %s\n got %q, %v\nwant %q", tt.name, tt.page, text, err, tt.want)
		}
	}
}
