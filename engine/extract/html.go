package extract

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"unicode"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
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

// newConverter makes a converter for one document: its table plugin keeps state.
func newConverter() *converter.Converter {
	c := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)),
		strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal),
			table.WithHeaderPromotion(true),
			table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
			table.WithPresentationTables(true),
		),
	))
	c.Register.TextTransformer(readableAngles, converter.PriorityLate+1)
	return c
}

// interrupted is what a conversion panics with when its context has ended: the converter
// itself does not look at that, and its steps cannot return an error.
type interrupted struct{}

// convert writes a page as Markdown.
func convert(ctx context.Context, doc *html.Node) (markdown []byte, err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case interrupted{}:
			markdown, err = nil, ctx.Err()
		default:
			panic(p)
		}
	}()
	c := newConverter()
	interruptible(ctx, c)
	return c.ConvertNode(doc)
}

// interruptible looks at the context before each step, node and character to escape.
func interruptible(ctx context.Context, c *converter.Converter) {
	look := func() {
		if ctx.Err() != nil {
			panic(interrupted{})
		}
	}
	for _, priority := range []int{converter.PriorityEarly, converter.PriorityStandard, converter.PriorityStandard + 20, converter.PriorityLate} {
		c.Register.PreRenderer(func(converter.Context, *html.Node) { look() }, priority-1)
		c.Register.TextTransformer(func(_ converter.Context, text string) string {
			look()
			return text
		}, priority-1)
		c.Register.PostRenderer(func(_ converter.Context, text []byte) []byte {
			look()
			return text
		}, priority-1)
	}
	c.Register.Renderer(func(converter.Context, converter.Writer, *html.Node) converter.RenderStatus {
		look()
		return converter.RenderTryNext
	}, converter.PriorityEarly-1)
	c.Register.UnEscaper(func([]byte, int) int {
		look()
		return -1
	}, converter.PriorityEarly-1)
}

// readableAngles puts back the angle brackets that the base plugin escapes, where
// they cannot be taken for a tag or a quote: a < b is better to read, to search and to
// cite than a &lt; b.
func readableAngles(_ converter.Context, text string) string {
	opened := false // something that may be a tag
	var b strings.Builder
	for {
		at := strings.IndexByte(text, '&')
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:at])
		text = text[at:]
		switch {
		case strings.HasPrefix(text, "&lt;"):
			text = text[len("&lt;"):]
			if opened = opened || startsTag(text); opened {
				b.WriteString("&lt;")
			} else {
				b.WriteByte('<')
			}
		case strings.HasPrefix(text, "&gt;"):
			text = text[len("&gt;"):]
			if opened || lineStart(b.String()) {
				b.WriteString("&gt;")
			} else {
				b.WriteByte('>')
			}
		default:
			b.WriteByte('&')
			text = text[1:]
		}
	}
}

// startsTag reports whether a '<' before s may start a tag. At the end of a text
// nobody knows what follows.
func startsTag(s string) bool {
	return s == "" || strings.IndexByte("/!?", s[0]) >= 0 || unicode.IsLetter(rune(s[0]))
}

// lineStart reports whether what is written next would start a line.
func lineStart(s string) bool {
	s = strings.TrimRight(s, " \t")
	return s == "" || s[len(s)-1] == '\n'
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
