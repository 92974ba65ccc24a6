package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mergeTexts makes one text of neighbours, in one go: the converter joins them one
// by one, which takes quadratic time.
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
		parent.InsertBefore(&html.Node{Type: html.TextNode, Data: text}, n)
	}
	parent.RemoveChild(n)
}

// wrap puts the children of n into a new element.
func wrap(n *html.Node, kind atom.Atom) {
	in := &html.Node{Type: html.ElementNode, DataAtom: kind, Data: kind.String()}
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
		in.AppendChild(c)
	}
	n.AppendChild(in)
}

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
