package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// dropped are the elements that are not part of a page's text.
var dropped = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Nav: true, atom.Template: true, atom.Noscript: true, atom.Iframe: true,
	atom.Object: true, atom.Svg: true, atom.Canvas: true, atom.Button: true, atom.Select: true, atom.Datalist: true,
	atom.Textarea: true, atom.Input: true, atom.Dialog: true, atom.Audio: true, atom.Video: true,
	atom.Link: true, atom.Meta: true, atom.Base: true, atom.Title: true, atom.Noembed: true, atom.Noframes: true,
}

// hidden reports whether an element is none of the text that a reader gets to see.
func (p *page) hidden(n *html.Node) bool {
	switch {
	case dropped[n.DataAtom] && !p.kept(n):
		return true
	case hasAttribute(n, "hidden") && !strings.EqualFold(attribute(n, "hidden"), "until-found"):
		return true
	}
	return canConceal(n.DataAtom) && conceals(attribute(n, "style"))
}

// kept reports whether one of the dropped elements is shown after all.
func (p *page) kept(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Dialog:
		return hasAttribute(n, "open")
	case atom.Button: // see settleButtons
		return p.open[kindHeading]+p.open[kindTitle] > 0
	case atom.Template: // that of an element which shows it in its place
		mode := strings.ToLower(attribute(n, "shadowrootmode"))
		return mode == "open" || mode == "closed"
	}
	return false
}

// settleButtons shows the buttons of a heading or the like that has no other label: they open what is
// below it. Those beside a label are about it, such as one that copies it.
func settleButtons(title *html.Node, in *content) {
	var buttons []*html.Node
	for n := range title.Descendants() {
		if n.DataAtom == atom.Button {
			buttons = append(buttons, n)
		}
	}
	for _, n := range buttons {
		if in.label {
			n.Parent.RemoveChild(n)
		} else {
			unwrap(n.Parent, n)
		}
	}
	in.label = in.word
}

// canConceal reports whether the style of an element can hide it for good. Many pages hide all of
// themselves until they are loaded.
func canConceal(a atom.Atom) bool { return a != atom.Html && a != atom.Body }

// conceals reports whether a style hides its element.
func conceals(style string) bool {
	undisplayed, invisible := false, false
	for declaration := range strings.SplitSeq(style, ";") {
		name, value, _ := strings.Cut(declaration, ":")
		value, _, _ = strings.Cut(strings.ToLower(value), "!")
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "display":
			undisplayed = value == "none"
		case "visibility":
			invisible = value == "hidden" || value == "collapse"
		}
	}
	return undisplayed || invisible
}

// ornament reports whether an element is hidden from those who cannot see it and has no word either,
// such as an icon or the # beside a heading. Words are shown, in code every sign matters, and a cell
// has its column.
func (p *page) ornament(n *html.Node, in content) bool {
	if in.start == "" || in.word || inTable[n.DataAtom] || p.open[kindPre]+p.open[kindCode] > 0 {
		return false
	}
	k := kindOfNode(n)
	return k != kindPre && k != kindCode && strings.EqualFold(attribute(n, "aria-hidden"), "true")
}
