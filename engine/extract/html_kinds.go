package extract

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// kind is what an element is in Markdown.
type kind int

const (
	kindOther kind = iota
	kindBold
	kindItalic
	kindStruck
	kindCode
	kindLink
	kindPlace // a link to a place in the page
	kindSpan
	kindHeading
	kindPre
	kindList
	kindQuote
	kindTable
	kindTitle // of what comes after it
	kinds     // how many there are
)

var kindOf = map[atom.Atom]kind{
	atom.B: kindBold, atom.Strong: kindBold, atom.I: kindItalic, atom.Em: kindItalic,
	atom.S: kindStruck, atom.Del: kindStruck, atom.Strike: kindStruck,
	atom.Code: kindCode, atom.A: kindLink, atom.Span: kindSpan,
	atom.H1: kindHeading, atom.H2: kindHeading, atom.H3: kindHeading, atom.H4: kindHeading, atom.H5: kindHeading, atom.H6: kindHeading,
	atom.Pre: kindPre, atom.Ul: kindList, atom.Ol: kindList, atom.Blockquote: kindQuote, atom.Table: kindTable,
	atom.Summary: kindTitle, atom.Dt: kindTitle,
}

// shownAs are the elements that a browser shows as it does others which the converter knows.
var shownAs = map[string]atom.Atom{
	"center": atom.Div, "legend": atom.Div, "option": atom.Div, "optgroup": atom.Div,
	"search": atom.Div, "marquee": atom.Div, "dir": atom.Ul, "menu": atom.Ul,
	"listing": atom.Pre, "xmp": atom.Pre, "plaintext": atom.Pre,
	"kbd": atom.Code, "samp": atom.Code, "tt": atom.Code, "var": atom.Code,
}

// blocks are the elements that begin a line.
var blocks = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Caption: true, atom.Details: true, atom.Dialog: true,
	atom.Dd: true, atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Fieldset: true, atom.Figcaption: true, atom.Figure: true,
	atom.Footer: true, atom.Form: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true,
	atom.Header: true, atom.Hgroup: true, atom.Hr: true, atom.Li: true, atom.Main: true, atom.Ol: true, atom.P: true,
	atom.Pre: true, atom.Section: true, atom.Summary: true, atom.Table: true, atom.Tr: true, atom.Ul: true,
}

// adapt gives an element the name of one that the converter can write where it is.
func (p *page) adapt(n *html.Node) {
	if as, ok := shownAs[n.Data]; ok {
		rename(n, as)
	}
	a, k := n.DataAtom, kindOf[n.DataAtom]
	switch {
	case p.open[kindPre] > 0: // see redundant
	case p.open[kindCode] > 0 && blocks[a] && !notInCell[a] && !inTable[a]:
		rename(n, atom.Div) // the only one that code has on a line of its own
	case p.open[kindHeading]+p.open[kindStruck] > 0:
		p.flatten(n)
	case (k == kindList || k == kindQuote) && p.open[kindList]+p.open[kindQuote] >= maxIndent:
		rename(n, atom.Div)
	}
}

// flatten makes a block fit into a heading or text that is struck out, which have to hold it in
// lines of text.
func (p *page) flatten(n *html.Node) {
	switch k := kindOf[n.DataAtom]; {
	case n.DataAtom == atom.Hr:
		rename(n, atom.Br)
	case k == kindPre:
		wrap(n, atom.Code)
		rename(n, atom.Div)
	case k == kindHeading, k == kindList, k == kindQuote, k == kindTable, n.DataAtom == atom.Li, inTable[n.DataAtom]:
		rename(n, atom.Div)
	}
}

// maxSpanned is how many spans are round each other where one with blocks is taken for one.
const maxSpanned = 8

// redundant reports whether an element adds nothing to what is in it: its children take its place.
// So does nothing that is formatted in the same way already, no block in a code block, and no link
// that leads nowhere without its page. Of one to a place in the page this is known later: it loses
// its attributes.
func (p *page) redundant(n *html.Node) bool {
	if p.open[kindPre] > 0 && (isCell(n) || blocks[n.DataAtom]) {
		return true
	}
	if n.DataAtom == atom.Template { // see kept
		return true
	}
	switch k := kindOf[n.DataAtom]; k {
	case kindBold, kindItalic, kindStruck, kindCode:
		return p.open[k] > 0
	case kindSpan:
		return p.open[k] >= maxSpanned
	case kindLink:
		href := strings.TrimSpace(attribute(n, "href"))
		if p.leads(href, attribute(n, "title")) {
			return false
		}
		n.Attr = nil
		return !strings.HasPrefix(href, "#")
	}
	return false
}

// kindOfNode is the kind of an element that is not redundant.
func kindOfNode(n *html.Node) kind {
	k := kindOf[n.DataAtom]
	if k == kindLink && n.Attr == nil {
		return kindPlace
	}
	return k
}

// maxAddresses is how long the addresses and titles of all links are together. A link that is
// not closed is opened again in every block, so that a page could grow without measure.
const maxAddresses = 4 << 20

// leads reports whether an address leads somewhere, and there is room for it.
func (p *page) leads(href, title string) bool {
	length := len(href) + len(title)
	if length > p.addresses {
		return false
	}
	u, err := url.Parse(href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return false
	}
	p.addresses -= length
	return true
}
