package extract

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// foreign follows a tokenizer through the elements of SVG and MathML of a page. It need not be
// exact: the page is rewritten without whatever it says, and never has a tag of svg or math. Where
// it is not, text is rather shown than lost: an end tag ends what it names with all that is in it.
type foreign struct {
	tokenizer *html.Tokenizer
	formula   *formula
	open      []foreignElement // that are open in a drawing or formula; none outside
	inside    map[string]int   // how many of each name are in open
	points    int              // how many of them hold HTML
	outside   map[string]int   // elements around it that have not been closed
}

type foreignElement struct {
	name  string
	space string // svg or math, or none for HTML
	point bool   // it holds HTML, such as a title
	drop  bool   // no text of it is text of the page

	children int // that began in it, if that matters
}

// verdict is what a token is a part of.
type verdict int

const (
	ofPage verdict = iota
	leftOut
	escaped // CDATA, or text of an element that is left out and has only text
)

func newForeign(tokenizer *html.Tokenizer, formula *formula) *foreign {
	return &foreign{tokenizer: tokenizer, formula: formula, inside: map[string]int{}, outside: map[string]int{}}
}

func (f *foreign) token(t token) (what verdict) {
	root := t.atom == atom.Svg || t.atom == atom.Math
	f.formula.at = t.at
	switch {
	case len(f.open) == 0 && !root:
		what = ofPage
	case t.kind == html.StartTagToken, t.kind == html.SelfClosingTagToken:
		what = f.start(t, root)
	case t.kind == html.EndTagToken:
		what = f.end(t)
	case t.kind == html.TextToken && !f.top().drop:
		return f.text()
	default:
		return leftOut
	}
	if what == ofPage && t.name != "" {
		f.count(t)
	}
	return what
}

// text reads text of a formula.
func (f *foreign) text() verdict {
	if f.formula.text(string(f.tokenizer.Raw()), f.top()) {
		return leftOut
	}
	if top := f.top(); top.space == "" && rawText[atom.Lookup([]byte(top.name))] || bytes.HasPrefix(f.tokenizer.Raw(), []byte("<!")) {
		return escaped
	}
	return ofPage
}

// count notes what is open around a drawing.
func (f *foreign) count(t token) {
	switch {
	case t.kind != html.EndTagToken:
		f.outside[t.name]++
	case f.outside[t.name] > 0:
		f.outside[t.name]--
	}
}

// top is the element that the next token is in; of the page, if there is none.
func (f *foreign) top() foreignElement {
	if len(f.open) == 0 {
		return foreignElement{}
	}
	return f.open[len(f.open)-1]
}

// holdsHTML reports whether a tag that starts is one of HTML.
func (f *foreign) holdsHTML() bool { return f.top().space == "" || f.top().point }

func (f *foreign) start(t token, root bool) verdict {
	for (leaving[t.atom] || t.font) && !f.holdsHTML() {
		f.pop(len(f.open) - 1)
	}
	if f.holdsHTML() {
		return f.startHTML(t, root)
	}
	f.tokenizer.NextIsNotRawText() // style, title and others have elements there
	space := f.top().space
	if t.atom == atom.Svg && f.top().name == "annotation-xml" {
		space = "svg"
	}
	f.push(t, space)
	return leftOut
}

// startHTML reads the start of an element of HTML. In a formula whose text is shown it is shown
// as well.
func (f *foreign) startHTML(t token, root bool) verdict {
	ofTable := tableParts[t.atom] && f.inside["table"] == 0
	switch {
	case root:
		f.push(t, t.name)
	case len(f.open) == 0:
		return ofPage
	case ofTable && f.outside["table"] > 0, leaving[t.atom] && !f.top().drop:
		f.pop(0)
		return ofPage
	case !ofTable && !void[t.atom]:
		t.kind = html.StartTagToken // only voids end where they begin
		f.push(t, "")
	}
	return leftOut
}

func (f *foreign) push(t token, space string) {
	drop := f.top().drop || space == "svg" || t.hidden || dropped[t.atom] || space == "math" && notShown[t.name]
	if len(f.open) == 0 {
		f.formula.ended = false
	} else if !drop {
		f.formula.start(t.name, &f.open[len(f.open)-1], len(f.open))
	}
	if t.kind == html.SelfClosingTagToken {
		f.formula.end(len(f.open))
		return
	}
	f.open = append(f.open, foreignElement{
		name: t.name, space: space, point: holdsHTML[space+" "+t.name] || t.html && space == "math", drop: drop,
	})
	f.inside[t.name]++
	if f.top().point {
		f.points++
	}
	f.tokenizer.AllowCDATA(space != "")
}

// pop ends all but the first elements.
func (f *foreign) pop(left int) {
	for ; len(f.open) > left; f.open = f.open[:len(f.open)-1] {
		f.formula.end(len(f.open) - 1)
		f.inside[f.top().name]--
		if f.top().point {
			f.points--
		}
	}
	f.tokenizer.AllowCDATA(f.top().space != "")
}

// close ends all elements at the end of the page.
func (f *foreign) close(at int) {
	f.formula.at = at
	f.pop(0)
}

// end reads an end tag: of an element in the drawing, or of one around it, which ends the drawing,
// too, but in HTML that is in a drawing only if it ends a part of a table (HTML, 13.2.6.5 and the
// scopes of 13.2.4.2).
func (f *foreign) end(t token) verdict {
	if f.inside[t.name] > 0 {
		last := len(f.open) - 1
		for f.open[last].name != t.name {
			last--
		}
		f.pop(last)
		return leftOut
	}
	around := f.outside[t.name] > 0 || t.atom == atom.P || t.atom == atom.Br
	ofTable := tableParts[t.atom] || t.atom == atom.Table
	if len(f.open) > 0 && around && (f.points == 0 || ofTable || !f.top().drop) {
		f.pop(0)
		return ofPage
	}
	return leftOut
}

// holdsHTML are the elements, with what they are of, that hold HTML (HTML, 13.2.6: integration points).
var holdsHTML = map[string]bool{
	"svg foreignobject": true, "svg desc": true, "svg title": true,
	"math mi": true, "math mo": true, "math mn": true, "math ms": true, "math mtext": true,
}

// leaving are the elements that end SVG and MathML where they begin (HTML, 13.2.6.5).
var leaving = map[atom.Atom]bool{
	atom.B: true, atom.Big: true, atom.Blockquote: true, atom.Body: true, atom.Br: true, atom.Center: true, atom.Code: true,
	atom.Dd: true, atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Em: true, atom.Embed: true, atom.H1: true, atom.H2: true,
	atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Head: true, atom.Hr: true, atom.I: true, atom.Img: true,
	atom.Li: true, atom.Listing: true, atom.Menu: true, atom.Meta: true, atom.Nobr: true, atom.Ol: true, atom.P: true,
	atom.Pre: true, atom.Ruby: true, atom.S: true, atom.Small: true, atom.Span: true, atom.Strong: true, atom.Strike: true,
	atom.Sub: true, atom.Sup: true, atom.Table: true, atom.Tt: true, atom.U: true, atom.Ul: true, atom.Var: true,
}
