package extract

import (
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// escapedBar marks a bar as one to be escaped, as the converter does.
const escapedBar = string(marker.MarkerEscaping) + "|"

// fitCells makes what is in the cells of a table fit into its lines: a line break is a space, and a
// bar is no end of a cell. In text the converter escapes bars, but not in code, nor in the titles of
// links.
func fitCells(table *html.Node) {
	var breaks []*html.Node
	for n := range table.Descendants() {
		switch {
		case n.DataAtom == atom.Br:
			breaks = append(breaks, n)
		case kindOf[n.DataAtom] == kindCode:
			escapeCode(n)
		case kindOf[n.DataAtom] == kindLink:
			escapeLink(n)
		}
	}
	for _, n := range breaks {
		replace(n.Parent, n, " ")
	}
}

// escapeCode marks the bars of code. None has any other code in it.
func escapeCode(code *html.Node) {
	for n := range code.Descendants() {
		if n.Type == html.TextNode {
			n.Data = strings.ReplaceAll(n.Data, "|", escapedBar)
		}
	}
}

// escapeLink marks the bars in the title of a link, and writes those of its address as addresses do.
func escapeLink(link *html.Node) {
	for i, a := range link.Attr {
		switch a.Key {
		case "title":
			link.Attr[i].Val = strings.ReplaceAll(a.Val, "|", escapedBar)
		case "href":
			link.Attr[i].Val = strings.ReplaceAll(a.Val, "|", "%7C")
		}
	}
}
