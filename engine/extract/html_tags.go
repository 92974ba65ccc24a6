package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// token is what is looked at of a token of a page.
type token struct {
	kind   html.TokenType
	at, to int    // where it is in the page
	name   string // of a tag, else ""
	atom   atom.Atom
	hidden bool // an attribute hides it
	href   bool // it has an address
	html   bool // it is the start of an annotation of a formula in HTML
	font   bool // it has an attribute that only a font of HTML has
}

// attribute notes what an attribute says.
func (t *token) attribute(key, value []byte) {
	switch string(key) {
	case "hidden":
		t.hidden = t.hidden || !strings.EqualFold(string(value), "until-found")
	case "style":
		t.hidden = t.hidden || canConceal(t.atom) && conceals(string(value))
	case "href":
		t.href = len(value) > 0 && t.atom == atom.A
	case "color", "face", "size":
		t.font = t.atom == atom.Font
	case "encoding":
		t.html = t.name == "annotation-xml" && (strings.EqualFold(string(value), "text/html") || strings.EqualFold(string(value), "application/xhtml+xml"))
	}
}

// pageTokenizer ends before a tag of more attributes than most: a tokenizer has all of a tag in
// memory, with a map of their names. Text of a title or script that begins as a tag does is taken
// for one.
type pageTokenizer struct {
	*html.Tokenizer
	text string // of the page from the next token on
	at   int    // where that is in the page
	most int
	many bool // it ended for that
}

// Next is that of the tokenizer.
func (z *pageTokenizer) Next() html.TokenType {
	if z.many = attributesOf(z.text, z.most) > z.most; z.many {
		return html.ErrorToken
	}
	kind := z.Tokenizer.Next()
	z.text = z.text[len(z.Raw()):]
	z.at += len(z.Raw())
	return kind
}

// token reads the next token, and how many attributes it has.
func (z *pageTokenizer) token() (t token, attributes int) {
	t.at = z.at
	t.kind = z.Next()
	t.to = z.at
	if t.kind != html.StartTagToken && t.kind != html.EndTagToken && t.kind != html.SelfClosingTagToken {
		return t, 0
	}
	name, more := z.TagName()
	if t.atom = atom.Lookup(name); t.atom != 0 {
		t.name = t.atom.String()
	} else {
		t.name = string(name)
	}
	for ; more; attributes++ {
		var key, value []byte
		key, value, more = z.TagAttr()
		t.attribute(key, value)
	}
	return t, attributes
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r' }

// attributesOf counts the attributes of the tag that a text begins with, if it does, up to one more
// than most, as the tokenizer reads them, also those that are named twice.
func attributesOf(text string, most int) (attributes int) {
	if len(text) < 2 || text[0] != '<' || !letter(text[1]) && (text[1] != '/' || len(text) < 3 || !letter(text[2])) {
		return 0
	}
	t := tagText{text: text, at: 2}
	t.to(func(c byte) bool { return space(c) || c == '/' || c == '>' })
	for attributes <= most {
		t.skipSpace()
		if t.next() == '>' || t.ended() {
			return attributes
		}
		if t.attribute() {
			attributes++
		}
	}
	return attributes
}

// tagText is the text of a tag, read up to at.
type tagText struct {
	text string
	at   int
}

func (t *tagText) ended() bool { return t.at >= len(t.text) }

// next is the next byte, or 0 at the end.
func (t *tagText) next() byte {
	if t.ended() {
		return 0
	}
	return t.text[t.at]
}

func (t *tagText) to(stop func(c byte) bool) {
	for !t.ended() && !stop(t.text[t.at]) {
		t.at++
	}
}

func (t *tagText) skipSpace() { t.to(func(c byte) bool { return !space(c) }) }

// attribute reads a name and a value, if there is one, and reports whether there is a name. A name
// may begin with "=", and a value without quotes may have "/" in it.
func (t *tagText) attribute() (named bool) {
	start := t.at
	t.to(func(c byte) bool { return space(c) || c == '/' || c == '>' || c == '=' && t.at > start })
	named = t.at > start
	t.skipSpace()
	switch t.next() {
	case '/':
		t.at++
		return named
	case '=':
		t.at++
	default:
		return named
	}
	t.skipSpace()
	switch quote := t.next(); quote {
	case '>':
	case '"', '\'':
		t.at++
		t.to(func(c byte) bool { return c == quote })
		t.at++
	default:
		t.to(func(c byte) bool { return space(c) || c == '>' })
	}
	return named
}
