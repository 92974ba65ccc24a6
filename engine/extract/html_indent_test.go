package extract

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Whatever makes lines is counted as often as it makes one: no page takes more indentation than it
// is said to.
func TestIndentationIsCounted(t *testing.T) {
	t.Parallel()
	const room = 1 << 30
	lists := strings.Repeat("<ol start=99999999><li>", 8) + strings.Repeat("<blockquote>", 7)
	for _, piece := range []string{
		"x<p>", "<p>x", "<p>x</p>", "x<p>y</p>", "x<hr>", "<hr>", "x<br>", "<br>", "x\n", "<div>x</div>x", "<pre>x</pre>", "x<pre>y</pre>", "<pre>\n\nx\n\ny\n</pre>", "<pre>x<hr>y</pre>", "x<h1>y</h1>", "<li>x",
		"x<li><p>y", "<tr><td>x", "<td>x", "x<table><tr><td>y</table>", "<table><tr><td>x<td><hr></table>", "<table><caption>x</caption><tr><td>y</table>", "<dt>x<dd>y", "<code>x<p>y</code>", "<kbd>x<p>y</kbd>",
		"<s>x<p>y</s>", "<b>x<br>y</b>", "<center>x</center>y", "x<ul></ul>", "<ul><li>x</ul>", "x<blockquote>y</blockquote>", "<img alt='x\n'>", "<a href=http://x>x<br>y</a>", "<x-a>x</x-a>", "<nav>x</nav>y",
		"<template>x</template>y", "<details>x</details>", "<summary>x</summary>y", "<optgroup><option>x</optgroup>", "<xmp>x</xmp>", "<button>x</button>", "<b>x</b><i>y</i>", "<ul><b>x</b><ul>y</ul></ul>", "<x-a>x</x-a><x-b>y</x-b>", "<ul>x<br>y</ul>", "<figure>x<figcaption>y</figcaption></figure>", "<fieldset>x<legend>y</legend></fieldset>",
		"<table><thead><td>x<tbody><td>y<tfoot><td>z<hr></table>", "<dialog open>x</dialog>y", "<h1>x<pre>y</pre></h1>", "<h1><hr>x</h1>", "<ol><li><ol><li>x</ol></ol>", "<span>x<p>y</p></span>", "<a href=http://x><p>x</p>y</a>",
		"<a href=#x><p>x</p>y</a>", "<var>x<h1>y</h1></var>", "<s>x<pre>y\nz</pre></s>", "<del>x<hr>y</del>", "<dl>x<dt><p>y</dl>", "<sup><p>x</sup>", "<address>x<main>y</main></address>",
	} {
		for _, open := range []string{"", "<pre>", "<table><tr><td>", "<table><tr><td><hr>", "<kbd>", "<del>", "<ul><li>"} {
			page := lists + open + repeated(piece, 2<<10)
			p, text := written(t, page, room)
			if most := room - p.indents + 4*len(page); len(text) > most {
				t.Errorf("%s%s: %d bytes became %d, and %d of them were said to indent", open, piece, len(page), len(text), room-p.indents)
			}
		}
	}
}

// written is what becomes of a page that has room for so much indentation.
func written(t *testing.T, text string, room int) (page, string) {
	t.Helper()
	text, err := boundHTML(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	restoreFormatting(doc)
	p := page{ctx: t.Context(), spans: maxSpans, cells: maxFilled, addresses: maxAddresses, indents: room}
	p.clean(doc)
	p.join(doc)
	out, err := convert(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	return p, string(out)
}
