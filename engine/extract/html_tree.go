package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mergeTexts makes one text of neighbours, in one go.
func mergeTexts(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.TextNode || c.NextSibling == nil || c.NextSibling.Type != html.TextNode {
			continue
		}
		var b strings.Builder
		b.WriteString(c.Data)
		for next := c.NextSibling; next != nil && next.Type == html.TextNode; next = c.NextSibling {
			b.WriteString(next.Data)
			n.RemoveChild(next)
		}
		c.Data = b.String()
	}
}

// replace puts text in the place of n.
func replace(parent, n *html.Node, text string) {
	if text != "" {
		parent.InsertBefore(newText(text), n)
	}
	parent.RemoveChild(n)
}

// unwrap puts the children of n in its place.
func unwrap(parent, n *html.Node) {
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
		parent.InsertBefore(c, n)
	}
	parent.RemoveChild(n)
}

// move puts the children of an element at the end of another.
func move(from, to *html.Node) {
	for c := from.FirstChild; c != nil; c = from.FirstChild {
		from.RemoveChild(c)
		to.AppendChild(c)
	}
}

// wrap puts the children of n into a new element.
func wrap(n *html.Node, kind atom.Atom) {
	in := newElement(kind)
	move(n, in)
	n.AppendChild(in)
}

func newElement(kind atom.Atom) *html.Node {
	return &html.Node{Type: html.ElementNode, DataAtom: kind, Data: kind.String()}
}

func newText(text string) *html.Node { return &html.Node{Type: html.TextNode, Data: text} }

func rename(n *html.Node, kind atom.Atom) { n.DataAtom, n.Data = kind, kind.String() }

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasAttribute(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

func removeAttributes(n *html.Node, keys ...string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return slices.Contains(keys, a.Key) })
}

// textOf returns the text in n.
func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.TrimSpace(b.String())
}
