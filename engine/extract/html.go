package extract

import (
	"context"
	"encoding/json"
	"strings"

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
	p := page{ctx: ctx, spans: maxSpans, cells: maxFilled, addresses: maxAddresses, indents: maxIndented}
	p.clean(doc)
	p.join(doc)
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

// page collects what a pass over a page finds.
type page struct {
	ctx                     context.Context // of the pass; nothing more is cleaned when it has ended
	title, comment, heading string
	spans                   int        // left of maxSpans
	cells                   int        // left of maxFilled
	addresses               int        // left of maxAddresses
	indents                 int        // left of maxIndented
	open                    [kinds]int // elements round what is cleaned
}

// clean prepares the children of n for the converter. The parser bounds its
// recursion. What it looks at of what is in n it gets from below, and what has no meaning
// goes from above, so that it takes no longer for what is nested deep.
func (p *page) clean(n *html.Node) (all content) {
	for c := n.FirstChild; c != nil && p.ctx.Err() == nil; {
		next := c.NextSibling
		switch c.Type {
		case html.CommentNode:
			p.metadata(c.Data)
			n.RemoveChild(c)
		case html.TextNode:
			c.Data = unmarked(c.Data)
			all.add(p.text(c.Data))
		case html.ElementNode:
			if c.DataAtom == atom.Title && p.title == "" {
				p.title = textOf(c)
			}
			p.adapt(c)
			switch {
			case p.hidden(c):
				n.RemoveChild(c)
			case p.redundant(c):
				next = p.unwrapHere(n, c, &all)
			default:
				all.add(p.element(n, c))
			}
		}
		c = next
	}
	return all
}

// unwrapHere puts the children of an element in its place, and returns what is next to be cleaned.
func (p *page) unwrapHere(parent, n *html.Node, all *content) (next *html.Node) {
	if p.open[kindPre] > 0 {
		all.lines += separate(parent, n)
	}
	if next = n.FirstChild; next == nil {
		next = n.NextSibling
	}
	unwrap(parent, n)
	return next
}

// element prepares an element and what is in it.
func (p *page) element(parent, n *html.Node) content {
	switch n.DataAtom {
	case atom.Img:
		alt := unmarked(attribute(n, "alt"))
		replace(parent, n, alt)
		return p.text(alt)
	case atom.Br:
		return content{lines: 1}
	}
	for i := range n.Attr {
		n.Attr[i].Val = unmarked(n.Attr[i].Val)
	}
	k := kindOfNode(n)
	if k == kindPre || k == kindCode {
		fitLanguage(n)
	}
	p.open[k]++
	in := p.clean(n)
	p.open[k]--
	in.lines += linesOf(n)
	p.finish(parent, n, &in)
	in.blocks = in.blocks || notInCell[n.DataAtom]
	in.lined = in.lined || blocks[n.DataAtom]
	return in
}

// finish does what it takes to know what is in an element.
func (p *page) finish(parent, n *html.Node, in *content) {
	if p.ornament(n, *in) {
		replace(parent, n, " ")
		*in = content{}
		return
	}
	switch kindOfNode(n) {
	case kindTitle:
		if p.open[kindHeading]+p.open[kindTitle] == 0 {
			settleButtons(n, in)
		}
	case kindHeading:
		settleButtons(n, in)
		switch {
		case in.start == "":
			rename(n, atom.Div) // nothing would be written, and what is beside it glued
		case p.heading == "":
			p.heading = textOf(n)
		}
	case kindPlace:
		if in.start != "" && !in.word { // such as the ¶ beside a heading
			parent.RemoveChild(n)
			*in = content{}
			return
		}
		unwrap(parent, n)
	case kindSpan:
		if in.lined {
			rename(n, atom.Div)
			break
		}
		unwrap(parent, n)
	case kindCode:
		p.fitCode(parent, n, in.blocks)
	case kindList, kindQuote:
		p.indent(n, in.lines)
		if in.start == "" && !in.blocks {
			rename(n, atom.Div)
		}
	case kindPre:
		if n.FirstChild == nil {
			rename(n, atom.Div) // an empty one would be written
		}
	case kindTable:
		p.layOut(parent, n, in)
	}
	p.finishNamed(parent, n, in)
}

// finishNamed does so for elements of a name.
func (p *page) finishNamed(parent, n *html.Node, in *content) {
	switch n.DataAtom {
	case atom.Head:
		parent.RemoveChild(n)
	case atom.Button:
		in.label = false
	case atom.Sup:
		power(parent, n, in.start)
	case atom.Dt:
		rename(n, atom.P)
		if !in.blocks {
			wrap(n, atom.Strong)
		}
	case atom.Dd, atom.Summary:
		rename(n, atom.Div)
	case atom.Div:
		if p.open[kindCode] > 0 {
			in.lines += separate(parent, n)
		}
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
