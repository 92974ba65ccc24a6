package extract

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxIndent is how deep lists and quotes nest in the result, maxIndented how many bytes they put
// before their lines in all: each level indents all its lines once more, so that a page could grow
// without measure.
const (
	maxIndent   = 16
	maxIndented = 8 << 20
)

// indent makes a list or quote one that can be written: with numbers of at most nine digits, as
// CommonMark has them, and none that there is no room to indent.
func (p *page) indent(n *html.Node, lines int) {
	width := len("- ")
	if n.DataAtom == atom.Ol {
		start, err := strconv.Atoi(attribute(n, "start"))
		if err != nil || start < 0 || start > 999_999_999-lines {
			start = 1
			removeAttributes(n, "start")
		}
		width = len(strconv.Itoa(start+lines)) + len(". ")
	}
	if width *= lines; width > p.indents {
		rename(n, atom.Div)
		return
	}
	p.indents -= width
}

// fitCode makes code fit into Markdown, where it cannot hold blocks: if there are any, these stay. Of
// what is formatted only kbd, samp and var have some: the others are closed before blocks.
func (p *page) fitCode(parent, n *html.Node, blocks bool) {
	switch {
	case blocks:
		unwrap(parent, n)
	case p.open[kindPre] == 0:
		spaceOut(parent, n)
	}
}

// fitLanguage makes the classes of code, of which one may say its language, fit into the line of a
// fence: on one line, and without the characters of the fence.
func fitLanguage(n *html.Node) {
	for i, a := range n.Attr {
		if a.Key == "class" {
			n.Attr[i].Val = strings.Join(strings.Fields(strings.ReplaceAll(a.Val, "`", "")), " ")
		}
	}
}

// spaceOut puts spaces before and after code that begins and ends with some: the converter drops them.
func spaceOut(parent, n *html.Node) {
	var b strings.Builder
	for c := range n.Descendants() {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.DataAtom == atom.Br:
			b.WriteByte('\n')
		}
	}
	const spaces = " \t\r\n"
	text := b.String()
	if strings.Trim(text, spaces) == "" {
		return
	}
	if strings.IndexByte(spaces, text[0]) >= 0 {
		parent.InsertBefore(newText(" "), n)
	}
	if strings.IndexByte(spaces, text[len(text)-1]) >= 0 {
		parent.InsertBefore(newText(" "), n.NextSibling)
	}
}

// linesOf is how many lines an element adds to those of what is in it at most. Round a block two are
// empty, and what comes after it begins one; a code block has two fences.
func linesOf(n *html.Node) int {
	switch a := n.DataAtom; {
	case a == atom.Pre:
		return 6
	case blocks[a], inTable[a]:
		return 4
	}
	return 1
}

// separate puts a block in code on lines of its own, and a cell apart from the one before. It returns
// how many lines that makes.
func separate(parent, n *html.Node) (lines int) {
	prev, next := n.PrevSibling, n.NextSibling
	begun := prev != nil && !strings.HasSuffix(strings.TrimRight(prev.Data, " "), "\n")
	switch {
	case begun && isCell(n):
		parent.InsertBefore(newText(" "), n)
	case begun && blocks[n.DataAtom]:
		parent.InsertBefore(newText("\n"), n)
		lines++
	}
	if blocks[n.DataAtom] && next != nil && !blocks[next.DataAtom] && !strings.HasPrefix(next.Data, "\n") {
		parent.InsertBefore(newText("\n"), next)
		lines++
	}
	return lines
}

// power writes an exponent that begins so as one: 2^10, not 210, and 10^-3. An ordinal such as 1st
// stays, and so does a sign alone.
func power(parent, n *html.Node, start string) {
	switch start {
	case "", "st", "nd", "rd", "th":
	default:
		first, size := utf8.DecodeRuneInString(start)
		if strings.ContainsRune("-−–+±", first) {
			first, _ = utf8.DecodeRuneInString(start[size:])
		}
		if isWord(first) {
			parent.InsertBefore(newText("^"), n)
		}
	}
}

// join makes one of texts, and of formatted texts of a kind, that are side by side. The converter
// joins texts one by one, which takes quadratic time, and formatted texts also across blocks.
func (p *page) join(n *html.Node) {
	mergeTexts(n)
	for c := n.FirstChild; c != nil && p.ctx.Err() == nil; c = c.NextSibling {
		for next := c.NextSibling; next != nil && alike(c, next); next = c.NextSibling {
			n.RemoveChild(next)
			move(next, c)
		}
		p.join(c)
	}
}

// alike reports whether two elements are formatted alike: what is bold and italic side by side
// cannot be told apart in Markdown.
func alike(a, b *html.Node) bool {
	kindA, kindB := kindOf[a.DataAtom], kindOf[b.DataAtom]
	switch kindA {
	case kindBold, kindItalic:
		return kindB == kindBold || kindB == kindItalic
	case kindStruck, kindCode:
		return kindA == kindB
	}
	return false
}
