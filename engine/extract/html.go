package extract

import (
	"encoding/json"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quirelib/quire"
)

// fromHTML converts a page to Markdown: headings, lists, tables and preformatted
// text keep their form; scripts, styles, forms and navigation go.
func fromHTML(page string) (Document, error) {
	// The parser refuses elements nested deeper than 512, which also keeps everything
	// that walks the tree from running out of stack.
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return Document{}, quire.Errorf(quire.CodeInvalid, "is HTML nested deeper than this reader goes").WithCause(err)
	}
	doc := Document{Title: pageTitle(root), Format: FormatHTML}
	prune(root)
	conv := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(commonmark.WithHeadingStyle(commonmark.HeadingStyleATX)), table.NewTablePlugin(),
	))
	text, err := conv.ConvertNode(root)
	if err != nil {
		return Document{}, quire.Errorf(quire.CodeInvalid, "is HTML that cannot be converted").WithCause(err)
	}
	doc.Text = strings.ToValidUTF8(strings.ReplaceAll(string(text), "\x00", ""), "\ufffd")
	return doc, nil
}

// pageTitle is the text of the first <title>, else of the first <h1>, else the
// Title of a leading comment that holds a JSON object, where Go's own documents and
// some site generators keep it.
func pageTitle(root *html.Node) string {
	for _, tag := range []atom.Atom{atom.Title, atom.H1} {
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && n.DataAtom == tag && n.Namespace == "" {
				if t := oneLine(innerText(n)); t != "" {
					return t
				}
			}
		}
	}
	return commentTitle(root)
}

func commentTitle(root *html.Node) string {
	first := root.FirstChild
	if first == nil || first.Type != html.CommentNode {
		return ""
	}
	var meta struct{ Title string }
	if json.Unmarshal([]byte(first.Data), &meta) != nil {
		return "" // a comment for people
	}
	return oneLine(meta.Title)
}

func innerText(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// noText are the elements that hold nothing to read.
var noText = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Iframe: true, atom.Object: true,
	atom.Embed: true, atom.Svg: true, atom.Math: true, atom.Canvas: true, atom.Form: true, atom.Button: true, atom.Select: true,
	atom.Nav: true, atom.Title: true,
}

// prune removes the elements without text, and comments.
func prune(root *html.Node) {
	var drop []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.CommentNode || n.Type == html.ElementNode && noText[n.DataAtom] {
			drop = append(drop, n)
		}
	}
	for _, n := range drop {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
}
