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
		"json in scripts":  `<svg/><script>{"html":"<b>bold<\/b>"}</script><p>text`,
	} {
		_, text, err := fromHTML(t.Context(), "<h1>Manual</h1>"+strings.Repeat(section, sections))
		if got := strings.Count(text, "text"); err != nil || got < sections {
			t.Errorf("%s: %v, %d words of %d sections", name, err, got, sections)
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
			if nodes++; n.Namespace != "" || formatting[n.DataAtom] || len(n.Attr) > 1000 {
				t.Fatalf("%.300q has %s %q", page, n.Namespace, n.Data)
			}
		}
		if most := 10 + 4*strings.Count(page, "<"); nodes > most { // tables and documents have some that are not written
			t.Fatalf("%.300q makes %d nodes, more than %d", page, nodes, most)
		}
	}
	t.Logf("%d pages, none with svg, math or formatting elements when it is parsed", len(pages))
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
		"<svg>all of it":   "",
		"<title>Of <b> and <svg></title><p>one <i>two</i> <U>three</U>": "one *two* three",
		"<body a><p>one<body b><html lang=en><p>two":                    "one\n\ntwo",
		"<p>one <a href=http://a>two <a href=http://b>three</a> four":   "one [two](http://a) [three](http://b) four",
		"<p>`<b>`one</p> <pre><code>a <b>c</b></code></pre><x-b>d":      "\\`**\\`one**\n\n```\na c\n```\n\n**d**",
	} {
		_, text, err := fromHTML(t.Context(), page)
		if err != nil || text != want {
			t.Errorf("%s: %q, %v, want %q", page, text, err, want)
		}
	}
}
