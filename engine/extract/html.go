package extract

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// fromHTML returns the title of a page and its text as Markdown. It ends soon after ctx
// does, and then returns its error.
func fromHTML(ctx context.Context, text string) (title, markdown string, err error) {
	if text, err = boundHTML(ctx, text); err != nil {
		return "", "", err
	}
	doc, err := html.Parse(pageReader{ctx, strings.NewReader(text)})
	if ctx.Err() != nil {
		return "", "", ctx.Err()
	}
	if err != nil {
		// The parser takes any text; only its limit of nesting makes it fail.
		return "", "", invalid("is HTML that nests elements more than 512 levels deep")
	}
	restoreFormatting(doc)
	p := page{ctx: ctx, spans: maxSpans, cells: maxFilled, addresses: maxAddresses}
	p.clean(doc)
	out, err := convert(ctx, doc)
	if ctx.Err() != nil {
		return "", "", ctx.Err()
	}
	if err != nil {
		return "", "", invalid("is HTML that cannot be converted")
	}
	for _, t := range []string{p.title, p.comment, p.heading} {
		if title == "" {
			title = strings.TrimSpace(t)
		}
	}
	return title, string(out), nil
}

// maxAddresses is how long the addresses and titles of all links are together. The parser
// opens a link that is not closed again in every block, so that a page could grow without
// measure.
const maxAddresses = 4 << 20

// maxIndent is how deep lists and quotes nest in the result. Each level indents all
// its lines once more, so that a page could grow without measure.
const maxIndent = 16

// page collects what a pass over a page finds.
type page struct {
	ctx                     context.Context // of the pass; nothing more is cleaned when it has ended
	title, comment, heading string
	spans                   int // left of maxSpans
	cells                   int // left of maxFilled
	addresses               int // left of maxAddresses
	indent                  int // open lists and quotes
}

// dropped are the elements that are not part of a page's text.
var dropped = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Nav: true, atom.Template: true, atom.Noscript: true, atom.Iframe: true,
	atom.Object: true, atom.Svg: true, atom.Canvas: true, atom.Button: true, atom.Select: true, atom.Datalist: true,
	atom.Textarea: true, atom.Input: true, atom.Dialog: true, atom.Audio: true, atom.Video: true,
}

// clean prepares the children of n for the converter. The parser bounds its
// recursion.
func (p *page) clean(n *html.Node) {
	for c := n.FirstChild; c != nil && p.ctx.Err() == nil; {
		next := c.NextSibling
		switch c.Type {
		case html.CommentNode:
			p.metadata(c.Data)
			n.RemoveChild(c)
		case html.ElementNode:
			p.element(n, c)
		}
		c = next
	}
	mergeTexts(n)
}

// hidden reports whether an element is none of the text that a reader gets to see.
func hidden(n *html.Node) bool {
	if dropped[n.DataAtom] {
		return n.DataAtom != atom.Dialog || !hasAttribute(n, "open")
	}
	return hasAttribute(n, "hidden") && !strings.EqualFold(attribute(n, "hidden"), "until-found")
}

func (p *page) element(parent, n *html.Node) {
	if hidden(n) {
		parent.RemoveChild(n)
		return
	}
	if n.DataAtom == atom.Title && p.title == "" {
		p.title = textOf(n)
	}
	switch n.DataAtom {
	case atom.Ul, atom.Ol, atom.Blockquote:
		if p.indent++; p.indent > maxIndent {
			n.DataAtom, n.Data = atom.Div, "div"
		}
		p.clean(n)
		p.indent--
	default:
		p.clean(n)
	}
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if p.heading == "" {
			p.heading = textOf(n)
		}
	case atom.A:
		p.link(parent, n)
	case atom.Img:
		replace(parent, n, attribute(n, "alt"))
	case atom.Sup:
		power(parent, n)
	case atom.Dt:
		n.DataAtom, n.Data = atom.P, "p"
		wrap(n, atom.Strong)
	case atom.Dd:
		n.DataAtom, n.Data = atom.Div, "div"
	case atom.Td, atom.Th:
		p.span(n)
	case atom.Table:
		p.layOut(n)
	}
}

// metadata takes the title from a comment with JSON in it, which the pages of the
// Go project begin with instead of having a head.
func (p *page) metadata(comment string) {
	var m struct{ Title string }
	if p.comment == "" && strings.HasPrefix(comment, "{") && json.Unmarshal([]byte(comment), &m) == nil {
		p.comment = m.Title
	}
}

// link leaves only the text of a link that leads nowhere without its page, or for whose
// address there is no room, and nothing of one without any letter or digit, such as the ¶
// beside a heading.
func (p *page) link(parent, n *html.Node) {
	href := strings.TrimSpace(attribute(n, "href"))
	if length := len(href) + len(attribute(n, "title")); length <= p.addresses {
		p.addresses -= length
		if u, err := url.Parse(href); err == nil && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "mailto") {
			return
		}
	}
	if text := textOf(n); text != "" && !strings.ContainsFunc(text, isWord) && strings.HasPrefix(href, "#") {
		parent.RemoveChild(n)
		return
	}
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
		parent.InsertBefore(c, n)
	}
	parent.RemoveChild(n)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// power writes an exponent as one: 2^10, not 210. An ordinal such as 1st stays.
func power(parent, n *html.Node) {
	switch text := textOf(n); text {
	case "", "st", "nd", "rd", "th":
	default:
		if strings.ContainsFunc(text[:1], isWord) {
			parent.InsertBefore(&html.Node{Type: html.TextNode, Data: "^"}, n)
		}
	}
}
