package markup

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// Plain renders Markdown as plain text: no markup, no HTML tags, entities decoded.
// Code and the text of links and images stay. Paragraphs, headings, lists, code
// blocks and tables have a blank line between them; the items of a tight list and
// the rows of a table are on lines of their own; table cells are separated by a
// tab. The result has no white space around it.
func Plain(markdown string) string {
	if len(markdown) > maxInput {
		return strings.TrimSpace(validUTF8(markdown))
	}
	return textOf(HTML(markdown))
}

// lineBreaks is how many line breaks an element has before and after it.
var lineBreaks = map[string]int{
	"li": 1, "tr": 1, "dt": 1, "dd": 1, "div": 1, "caption": 1, "summary": 1, "figcaption": 1,
	"p": 2, "h1": 2, "h2": 2, "h3": 2, "h4": 2, "h5": 2, "h6": 2, "pre": 2, "blockquote": 2, "hr": 2, "table": 2, "ul": 2, "ol": 2,
	"dl": 2, "article": 2, "aside": 2, "section": 2, "figure": 2, "details": 2,
}

// textOf returns the text of sanitised HTML.
func textOf(clean string) string {
	t := textWriter{}
	z := html.NewTokenizer(strings.NewReader(clean))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return string(bytes.TrimSpace(t.out))
		case html.TextToken:
			t.text(z.Token().Data)
		case html.StartTagToken:
			t.start(z.Token())
		case html.EndTagToken:
			t.end(z.Token().Data)
		}
	}
}

// textWriter collects text with the breaks between blocks.
type textWriter struct {
	out    []byte
	breaks int  // line breaks due before the next text
	layout bool // white space that comes next is layout of the HTML
	cells  int  // of this row so far
	pre    int  // open pre elements
	lists  int  // open lists
}

func (t *textWriter) start(tag html.Token) {
	switch tag.Data {
	case "pre":
		t.block("pre")
		t.pre++
	case "ul", "ol":
		t.block(tag.Data)
		t.lists++
	case "tr":
		t.block("tr")
		t.cells = 0
	case "td", "th":
		if t.cells > 0 {
			t.flush()
			t.out = append(t.out, '\t')
		}
		t.cells++
		t.layout = true
	case "br":
		t.breaks, t.layout = min(t.breaks+1, 2), true
	case "img":
		for _, a := range tag.Attr {
			if a.Key == "alt" {
				t.text(a.Val)
			}
		}
	default:
		t.block(tag.Data)
	}
}

func (t *textWriter) end(name string) {
	switch name {
	case "pre":
		t.pre--
	case "ul", "ol":
		t.lists--
	case "td", "th":
		t.layout = true
	}
	t.block(name)
}

// block notes the break that an element makes, if it makes one.
func (t *textWriter) block(name string) {
	n := lineBreaks[name]
	if n == 0 {
		return
	}
	if t.lists > 0 && (name == "ul" || name == "ol") {
		n = 1
	}
	t.breaks, t.layout = max(t.breaks, n), true
}

// flush writes the breaks that are due.
func (t *textWriter) flush() {
	if t.breaks > 0 {
		// The tabs of empty cells stay.
		if t.out = bytes.TrimRight(t.out, " \r\n"); len(t.out) > 0 {
			t.out = append(t.out, "\n\n"[:t.breaks]...)
		}
	}
	t.breaks = 0
}

func (t *textWriter) text(s string) {
	if t.pre == 0 && t.layout {
		if s = strings.TrimLeft(s, " \t\r\n"); s == "" {
			return
		}
	}
	t.layout = false
	t.flush()
	t.out = append(t.out, s...)
}
