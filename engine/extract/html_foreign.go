package extract

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// leaving are the elements that end SVG and MathML where they begin (HTML, 13.2.6.5).
var leaving = map[atom.Atom]bool{
	atom.B: true, atom.Big: true, atom.Blockquote: true, atom.Body: true, atom.Br: true, atom.Center: true, atom.Code: true,
	atom.Dd: true, atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Em: true, atom.Embed: true, atom.H1: true, atom.H2: true,
	atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Head: true, atom.Hr: true, atom.I: true, atom.Img: true,
	atom.Li: true, atom.Listing: true, atom.Menu: true, atom.Meta: true, atom.Nobr: true, atom.Ol: true, atom.P: true,
	atom.Pre: true, atom.Ruby: true, atom.S: true, atom.Small: true, atom.Span: true, atom.Strong: true, atom.Strike: true,
	atom.Sub: true, atom.Sup: true, atom.Table: true, atom.Tt: true, atom.U: true, atom.Ul: true, atom.Var: true,
}

// foreign follows a tokenizer through the elements of SVG and MathML of a page. It need not be
// exact: the page is rewritten without whatever it says, and never has a tag of svg or math.
type foreign struct {
	tokenizer *html.Tokenizer
	depth     int  // open elements svg and math
	math      bool // the first of them is math
	html      int  // open elements foreignObject, which hold HTML
}

// skips reports whether a token is left out. name is that of a tag, else "".
func (f *foreign) skips(kind html.TokenType, name string) bool {
	root := name == "svg" || name == "math"
	a := atom.Lookup([]byte(name))
	switch {
	case f.depth == 0 && !root:
		return false
	case kind == html.StartTagToken || kind == html.SelfClosingTagToken:
		if f.html == 0 && leaving[a] {
			f.leave()
			return false
		}
		if kind == html.StartTagToken {
			f.start(name, root)
		}
		if f.html == 0 {
			f.tokenizer.NextIsNotRawText() // style, title and others have elements there
		}
	case kind == html.EndTagToken:
		if f.html == 0 && (a == atom.P || a == atom.Br) {
			f.leave()
			return false
		}
		f.end(name, root)
	case kind == html.TextToken:
		return !f.math || f.html > 0 || bytes.HasPrefix(f.tokenizer.Raw(), []byte("<!")) // CDATA is text
	}
	return true
}

func (f *foreign) start(name string, root bool) {
	if root {
		if f.depth++; f.depth == 1 {
			f.math = name == "math"
			f.tokenizer.AllowCDATA(true)
		}
	}
	if name == "foreignobject" {
		f.html++
	}
}

func (f *foreign) end(name string, root bool) {
	if name == "foreignobject" {
		f.html = max(0, f.html-1)
	}
	if root {
		if f.depth = max(0, f.depth-1); f.depth == 0 {
			f.leave()
		}
	}
}

func (f *foreign) leave() {
	f.depth, f.html = 0, 0
	f.tokenizer.AllowCDATA(false)
}
