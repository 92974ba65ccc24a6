package extract

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"golang.org/x/net/html"
)

func TestBoundHTML(t *testing.T) {
	t.Parallel()
	attributes := strings.Repeat(" a", maxTagAttributes+1)
	for name, page := range map[string]string{
		"foreign":        "<svg><style>" + strings.Repeat("<g/>", 600_000),
		"heading":        strings.Repeat("<h1>x", 600_000),
		"attributes":     strings.Repeat("<p a b c d e f g h>", 200_000),
		"of one":         "<p" + attributes + ">",
		"of one, quoted": "<p ='" + attributes + ">",
	} {
		if _, err := boundHTML(t.Context(), page); quire.CodeOf(err) != quire.CodeTooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, page := range map[string]string{
		"words":   "<p>a < b, <b>and</b> " + strings.Repeat("word ", 2_000_000),
		"script":  "<script>for(i=0;i<n;i++){} rows=[" + strings.Repeat(`{"a": 1, "b": 2},`, 300_000) + "]</script>",
		"styles":  "<style>/* a<b */" + strings.Repeat("p { color: red }\n", 250_000) + "</style>",
		"comment": "<!-- the <img tag " + strings.Repeat("a word ", 700_000) + "-->",
		"path":    `<svg><path d="` + strings.Repeat("L 1.5 2.5 ", 600_000) + `"/></svg>`,
		"json":    `<p data-rows='[` + strings.Repeat(`{"a": 1, "b": 2},`, 300_000) + `]'>`,
		"picture": `<img src="data:image/png;base64,` + strings.Repeat("iVBOR/", 900_000) + `">`,
		"closed":  strings.Repeat("<p><b>x</b> <a href=y>z</a></p>", 50_000),
	} {
		if _, err := boundHTML(t.Context(), page); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Ordinary pages that the parser makes much of, or that once seemed so, are read.
func TestOrdinaryPages(t *testing.T) {
	t.Parallel()
	const sections = 2000
	words := strings.Repeat("<p>text <em>with</em> <code>words</code> in it.</p>\n", 10)
	for name, section := range map[string]string{
		"icons in links":   `<h2><a class="anchor" href="#s"><svg viewBox="0 0 16 16"><path d="M1 1"/></svg></a>Section</h2>` + words,
		"font round table": `<font size=2><table><tr><td>cell</td></tr></table></font>` + words,
		"open anchors":     `<a name=s><h2>Section</h2>` + words,
		"open bold items":  `<li><b>text`,
		"closed anchors":   `<a name="s"/><h2>Section</h2><p>See <a href="http://a">this</a> text.</p>`,
		"anchor in it":     `<a name=s><h2>Section</a></h2><p>text`,
		"font round block": `<font size=4><center>text</font></center>`,
		"bold round block": `<b><div>text</b></div>`,
		"bold paragraph":   `<b><p>text</b></p>`,
		"quote":            `<i><blockquote>text</i></blockquote>`,
		"code":             `<code><pre>text</code></pre>`,
		"link round block": `<a href="http://a"><div>text</a></div>`,
		"bold button":      `<b><button>x</b></button>text`,
		"bold cell":        `<table><b><tr><td>text</b></td></tr></table>`,
		"open nobr":        `<nobr>text `,
		"open font":        `<font size=2>text<br>`,
		"open link":        `<a href=http://a>text<br>`,
		"closed bold":      `<p>text</p><b/>`,
		"json in scripts":  `<svg/><script>{"html":"<b>bold<\/b>"}</script><p>text`,
	} {
		_, text, err := fromHTML(t.Context(), "<h1>Manual</h1>"+strings.Repeat(section, sections))
		if got := strings.Count(text, "text"); err != nil || got < sections {
			t.Errorf("%s: %v, %d words of %d sections", name, err, got, sections)
		}
	}
}

// Formatting that goes over several blocks is that of the text in each, and takes nothing of them.
func TestFormatting(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"<b><p>Note</b></p><table><tr><td>one<td>two</table>":                                                                  "**Note**\n\n| one | two |\n|---|---|",
		"<b><table><tr><td>one<td>two</table></b>three":                                                                        "| **one** | **two** |\n|---|---|\n\nthree",
		"<code><div>x = 1</code></div><h2>Section</h2><p>para <a href=http://x>link</a></p><ul><li>item</ul><pre>a\n  b</pre>": "`x = 1`\n\n## Section\n\npara [link](http://x)\n\n- item\n\n```\na\n  b\n```",
		"<a href=http://x><div>link</a></div><p>one</p><table><tr><td>two</table>":                                             "[link](http://x)\n\none\n\n| two |\n|---|",
		"<a href=http://x><h3>one</h3> <p>two</p> <hr></a>three":                                                               "### [one](http://x)\n\n[two](http://x)\n\n* * *\n\nthree",
		"<code><pre>one</code></pre><p>two":                                                                                    "```\none\n```\n\ntwo",
		"<p><b>one<p>two</b> three<p>four":                                                                                     "**one**\n\n**two** three\n\nfour",
		"<p>a <b>b <i>c</b> d</i> e":                                                                                           "a **b *c*** *d* e",
		"<p>a <b>b <b>c</b> d</b> e":                                                                                           "a **b c d** e",
		"<p>a</b> </i>b</a>":                                                                                                   "a b",
		"<table><tr><td><b>one<td>two<tr><td><i>three</table>four</b></i>":                                                     "| **one** | two |\n|---|---|\n| *three* |  |\n\nfour",
		"<p><b>one<table><tr><td>two</b>three</table>four":                                                                     "**one**\n\n| **twothree** |\n|---|\n\n**four**",
		"<template><b></template><object><i><td></object>one":                                                                  "one",
		"<p>one <a href=http://a><b><div>two</div></b></a>":                                                                    "one\n\n[**two**](http://a)",
		"<p><a name=a>one</a> <a href=http://b>two<a name=c>three</a> four</a>":                                                "one [two](http://b)three four",
		"<font hidden><p>no<p><font>no</font><img alt=no><xmp>no</xmp></font>one<b hidden>no":                                  "one",
		"<p>one<b>two<b hidden>no</b>three</b>four":                                                                            "one**twothree**four",
		"<b>one<table><tr><td><b>two</b>three</table>four</b>five":                                                             "**one**\n\n| **twothree** |\n|---|\n\n**four**five",
		"<p>one<a href=http://a><svg/></a>two":                                                                                 "one[](http://a)two",
		"<p><a href=http://a><wbr><div>one</div></a>":                                                                          "[one](http://a)",
		"<b><title>one</title><style>no</style><p>two":                                                                         "**two**",
		"<quire-b>one</quire-b><x-code>two</x-code>":                                                                           "onetwo",
		"<b>one<pre> two</b>\n</pre>":                                                                                          "**one**\n\n```\n two\n```",
		"<p>a&lt<b></b>b a<<u>b</u> c&am<u>p;</u>":                                                                             "a&lt;b a&lt;b c&amp;",
	} {
		_, text, err := fromHTML(t.Context(), page)
		if err != nil || text != want {
			t.Errorf("%s: %q, %v, want %q", page, text, err, want)
		}
	}
}

// Formatting is opened again as long as there is room; no text is lost after that, nor shown that is hidden.
func TestFormattingWithoutRoom(t *testing.T) {
	t.Parallel()
	link := `<a href="http://` + strings.Repeat("x", 2_000) + `">`
	for before, words := range map[string]int{link: 20_000, link + "<b><i>": 20_000, link + "<b hidden>": 0, "<b><i><s><tt>": 20_000} {
		page := before + strings.Repeat("<p>word", 20_000)
		bounded, err := boundHTML(t.Context(), page)
		if most := 4*len(page) + maxReopened; err != nil || len(bounded) > most {
			t.Errorf("%.20s: %d bytes of %d, %v", before, len(bounded), len(page), err)
		}
		_, text, err := fromHTML(t.Context(), page)
		if n := strings.Count(text, "word"); err != nil || n != words {
			t.Errorf("%.20s: %d words, want %d, %v", before, n, words, err)
		}
		if strings.HasSuffix(text, ")") {
			t.Errorf("%.20s: there is room for everything", before)
		}
	}
}

// Nothing of a comment is parsed, and little of what keeps the text around it apart.
func TestComments(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"</>", "a</>", "a<?b>", "a<!-- b -->", "a<!b>", "<!--{-->", "a</ b>"} {
		bounded, err := boundHTML(t.Context(), "<p>"+strings.Repeat(piece, 100_000))
		if n := strings.Count(bounded, "<"); err != nil || n > 1+maxJSON {
			t.Errorf("%s: %d tags and comments, %v", piece, n, err)
		}
	}
	if _, err := boundHTML(t.Context(), strings.Repeat("a<</>", 600_000)); quire.CodeOf(err) != quire.CodeTooLarge {
		t.Error(err)
	}
	for page, want := range map[string]string{
		`<!--{no--><!--{"Title": "T"}--><!--{"Title": "U"}--><p>one</>two<!-- no -->three`: "T: onetwothree",
		`<p>a<</>b&am<!-- -->p; &am<!-- --> p;&<!-- -->lt;`:                                ": a&lt;b&amp; &am p;&lt;",
	} {
		title, text, err := fromHTML(t.Context(), page)
		if got := title + ": " + text; err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", page, got, err, want)
		}
	}
}

// hostileFormatting are elements that the parser would open again and again: 400 times 2,000.
func hostileFormatting() string {
	var b strings.Builder
	b.WriteString("<p>")
	for i := range 400 {
		fmt.Fprintf(&b, "<b a=%d>", i)
	}
	return b.String() + strings.Repeat("</p><p>x", 2_000)
}

// Whatever stands before them, elements that the parser would open again are none to it, and no
// page is parsed with SVG or MathML in it, where what is a tag depends on the tree.
func TestBoundedPagesAreLinear(t *testing.T) {
	t.Parallel()
	pages := []string{}
	for _, before := range []string{
		"", "<svg></svg><style><!--</style>", "<svg></svg><script>a<b c='</script>", "<svg><![CDATA[><!--]]></svg>", "<svg><style>", "<svg><title>", "<svg><foreignObject>",
		"<svg><desc><style></style>", "<math><mtext><style></style>", "<math><annotation-xml encoding=text/html><style>", "<svg></p><style></style>", "<select><svg>", "<table><svg><style><td>",
		"<title><svg></title>", "<template><svg></template>", "<svg><svg></svg><style><!--</style>", "<svg/><style><!--</style>", "<math><![CDATA[<b>]]></math>", "a<<svg></svg>b>",
	} {
		pages = append(pages, before+hostileFormatting())
	}
	for _, root := range []string{"html", "body"} {
		var b strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&b, "<%s a%d>", root, i)
		}
		pages = append(pages, b.String())
	}
	pieces := []string{
		"<svg>", "</svg>", "<SVG a='", "<math>", "</math>", "<style>", "</style>", "<title>", "</title>", "<script>", "</script>", "<!--", "-->", "<![CDATA[", "]]>", "<p>", "</p>", "<b>", "</b>",
		"<a>", "</a>", "<foreignObject>", "</foreignObject>", "<desc>", "<mtext>", "</mtext>", "<annotation-xml encoding='text/html'>", "<table>", "<td>", "</table>", "<select>", "</select>", "<template>",
		"</template>", "<", ">", "svg>", "x", "'", "\"", "<textarea>", "</textarea>", "<noscript>", "<body a>", "<frameset>", "<mglyph>", "</br>", "<font>", "<svg/>", "<html b>", "</body>", "<plaintext>",
		"<div>", "</div>", "<i hidden>", "</i>", "<a href=b>", "<quire-b>", "</quire-b>", "<button>", "</button>", "<caption>", "<object>", "</object>", "<li>", "<span>", "</span>", "<br>", "&am", "p;",
		"</>", "<input>", "<col>", "</td>", "</font>", "<h1>", "<option>", "<img>", "<head>", "</head>", "<mi>", "</mi>", "<title/>", "<script/>", "<nobr>", "<dd>", "</dl>", "<rt>", "</select>", "<mfrac>", "</mfrac>", "<msup>", "<msqrt>", "<mrow>", "</mrow>", "<annotation>",
	}
	random := rand.New(rand.NewPCG(3, 14))
	for range 20_000 {
		var b strings.Builder
		for range random.IntN(30) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		pages = append(pages, b.String())
	}
	for _, page := range pages {
		bounded, err := boundHTML(t.Context(), page)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := html.Parse(strings.NewReader(bounded))
		if err != nil {
			continue // nested too deep
		}
		nodes := 0
		for n := range doc.Descendants() {
			_, formats := formatting[n.DataAtom]
			if nodes++; n.Namespace != "" || formats || len(n.Attr) > 1000 || strings.HasPrefix(n.Data, plainName) && holdsBlocks(n) {
				t.Fatalf("%.300q has %s %q", page, n.Namespace, n.Data)
			}
		}
		if most := 10 + 4*strings.Count(page, "<"); nodes > most { // tables and documents have some that are not written
			t.Fatalf("%.300q makes %d nodes, more than %d", page, nodes, most)
		}
	}
	t.Logf("%d pages, none with svg, math or formatting elements when it is parsed", len(pages))
}

// holdsBlocks reports whether an element has a block in it, or one of its own kind.
func holdsBlocks(n *html.Node) bool {
	for in := range n.Descendants() {
		if parserBlocks[in.DataAtom] || in.Data == n.Data {
			return true
		}
	}
	return false
}

// What is left out of a page takes no text along.
func TestTextBesideDrawings(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"<p>one<svg><text>two</text></svg>three":                                "onethree",
		"<p>one<svg><path d='x'/><p>two three":                                  "one\n\ntwo three",
		"<p>one<svg/>two<svg><svg/></svg>three":                                 "onetwothree",
		"<p>one<svg><style>a<b</style><title>t</title></svg>two":                "onetwo",
		"<p>one<svg><style/></svg>two<b>three</b>":                              "onetwo**three**",
		"<p>one<svg><foreignObject><p>no</p></foreignObject></svg>two":          "onetwo",
		"<p>one<svg><![CDATA[<p>no]]></svg>two":                                 "onetwo",
		"<p>one<math><mi>two</mi><mspace/><mo>&lt;</mo></math>three":            "onetwo&lt;three",
		"<p>one<math><mi>two<p>three</math>four":                                "onetwo\n\nthreefour",
		"<p hidden>no</p><p hidden=until-found>one</p><dialog>no</dialog>":      "one",
		"<dialog open>one</dialog><dialog hidden=until-found open>two</dialog>": "one\n\ntwo",
		"a<<svg></svg>b>c": "a&lt;b&gt;c",
		// A drawing ends where what it is in ends.
		"<div><svg><path></div>one":                                                                     "one",
		"<button><svg><path d=M0></button><p>one":                                                       "one",
		"<nav><a><svg></a></nav><main>one</main>":                                                       "one",
		"<template><svg></template><p>one":                                                              "one",
		"<table><tr><td><svg><path></td><td>one":                                                        "|  | one |\n|---|---|",
		"<table><tr><td><svg><title>no</td><td>one":                                                     "|  | one |\n|---|---|",
		"<h2>one<svg></h2>two":                                                                          "## one\n\ntwo",
		"<table><caption><svg>no</table>one":                                                            "one",
		"<my-icon><svg></my-icon>one":                                                                   "one",
		"<p>one<svg><g></g></g></div><text>no</text></svg>two":                                          "onetwo",
		"<div>one<svg><foreignObject><div>no</div></div>no</foreignObject></svg>two":                    "onetwo",
		"<table><tr><td><math><mi>x</td><td>y</td></tr></table><script>no</script>one<style>no</style>": "| x | y |\n|---|---|\n\none",
		"<table><tr><td><math><mi>x<td>y</table>":                                                       "| x | y |\n|---|---|",
		"<p>one<svg><font color=red>two":                                                                "onetwo",
		"<p>one<svg><font>no</svg>two":                                                                  "onetwo",
		// What HTML holds in drawings is HTML, and what drawings hold in that are drawings.
		"<p>one<math><foreignObject><p>two":                                                   "one\n\ntwo",
		"<p>one<svg><foreignObject><svg><title/><style/></svg><p>no</foreignObject></svg>two": "onetwo",
		"<p>one<svg><title>no <b>no</b></title><text>no</text></svg>two":                      "onetwo",
		"<p>one<svg><desc><p>no</desc><text>no</text></svg>two":                               "onetwo",
		"<p>one<svg><desc><style>a<b</style><title>no</title></desc>no</svg>two":              "onetwo",
		"<p>one<svg><math><mi><p>two":                                                         "one\n\ntwo",
		// Of formulas only the text is text.
		"<p>a<math><script>no</script><style>no{}</style><mi>x</mi></math>b":                                          "axb",
		"<p>a<math hidden><mi>no</mi></math>b<math><mrow hidden><mi>no</mi></mrow><mi>x":                              "abx",
		"<p>a<math><mtext><template>no</template><select><option>no</select><textarea>no</textarea>x</mtext></math>b": "axb",
		"<p>a<math><mtext hidden><p>no</p></mtext><mi>x</mi></math>b":                                                 "axb",
		"<p>a<math><mi>x</mi><annotation-xml><svg><text>no</text></svg></annotation-xml></math>b":                     "axb",
		"<p>a<math><mi><![CDATA[x<b>&]]></mi></math>b":                                                                "ax&lt;b&gt;&b",
		"<p>a<math><mtext><title><b>x</b></title></mtext></math>b":                                                    "ab",
		"<p>a<math><mtext>if <kbd>x</kbd> or <b>y</b></mtext><mi>z</mi></math>":                                       "aif x or **y**z",
		"<p>a<math><annotation-xml encoding=Text/HTML><i>x</i></annotation-xml></math>b":                              "ab",
		"<p><b>one<p><math><mi><![CDATA[x]]></mi></math>":                                                             "**one**\n\n**x**",
		"<p>a<math><mi>x</mi><![CDATA[y<p>z]]></math>":                                                                "axy&lt;p&gt;z",
		"<p>one<math><mi>two</p>three":                                                                                "onetwo\n\nthree",
		"<p>a<math><annotation-xml><svg><desc><p>no</desc></svg></annotation-xml></math>b":                            "ab",
		"<p>a<math hidden><annotation-xml encoding=text/html><p>no</p></annotation-xml></math>b":                      "ab",
		"<p>a<math><mtext><input>x<wbr>y</mtext></math>b":                                                             "axyb",
		"<p>a<math><mtext><button/>no</mtext></math>b":                                                                "ab",
		"<p>one<body><body hidden>two":                                                                                "",
		"<svg>all of it":                                                                                              "",
		"<title>Of <b> and <svg></title><p>one <i>two</i> <U>three</U>":                                               "one *two* three",
		"<body a><p>one<body b><html lang=en><p>two":                                                                  "one\n\ntwo",
		"<p>one <a href=http://a>two <a href=http://b>three</a> four":                                                 "one [two](http://a) [three](http://b) four",
		"<p>`<b>`one</p> <pre><code>a <b>c</b></code></pre><x-b>d":                                                    "\\`**\\`one**\n\n```\na c\n```\n\n**d**",
	} {
		_, text, err := fromHTML(t.Context(), page)
		if err != nil || text != want {
			t.Errorf("%s: %q, %v, want %q", page, text, err, want)
		}
	}
}
