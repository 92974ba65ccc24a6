package extract

import (
	"context"
	"io"
	"strings"

	"github.com/quirelib/quire"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The limits of a page, which its tokens show before it is parsed.
const (
	maxTags           = 250_000 // elements; a start and an end of each
	maxPageAttributes = 4 * maxTags
	maxTagAttributes  = 10_000 // of one tag, for which the tokenizer keeps some 300 bytes each
)

// formatting are the elements that the parser opens again in each new block until they
// are closed (HTML, 13.2.4.3).
var formatting = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.Big: true, atom.Code: true, atom.Em: true, atom.Font: true, atom.I: true,
	atom.Nobr: true, atom.S: true, atom.Small: true, atom.Strike: true, atom.Strong: true, atom.Tt: true, atom.U: true,
}

// plainName begins the names that formatting elements have while they are parsed.
const plainName = "x-"

// pageReader ends with the context.
type pageReader struct {
	ctx context.Context
	io.Reader
}

func (r pageReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// errTags refuses a page with too much in its tags.
var errTags = quire.Errorf(quire.CodeTooLarge, "is HTML with too many elements or attributes")

// boundHTML returns a page of the same text that takes time and memory linear in its length to
// parse, or refuses one with too much in its tags. It takes time and memory linear in the text.
//
// A short page may be an endless one to the parser, which opens formatting elements again in each
// block, and copies all attributes of html and body with each further one. So formatting elements
// get names that mean nothing to the parser, which [restoreFormatting] takes back, and html and
// body occur once. What is a tag at all depends on the tree in SVG and MathML, so that these are
// left out but for the text of formulas: without them the parser reads what is read here.
func boundHTML(ctx context.Context, text string) (string, error) {
	z := pageTokenizer{Tokenizer: html.NewTokenizer(pageReader{ctx, strings.NewReader(text)}), text: text, most: maxTagAttributes}
	bounded := rewrite{text: text}
	in := foreign{tokenizer: z.Tokenizer}
	roots := map[atom.Atom]bool{}
	tags, attributes := 0, 0
	for {
		at := len(text) - len(z.text)
		kind := z.Next()
		to := len(text) - len(z.text)
		switch {
		case z.many || tags > 2*maxTags || attributes > maxPageAttributes:
			return "", errTags
		case kind == html.ErrorToken: // the tokenizer takes any text; only its reader makes it fail
			if in.depth > 0 {
				bounded.cut(at, len(text))
			}
			return bounded.end(), ctx.Err()
		}
		var name []byte
		end := kind == html.EndTagToken
		if end || kind == html.StartTagToken || kind == html.SelfClosingTagToken {
			var more bool
			tags++
			name, more = z.TagName()
			for ; more; attributes++ {
				_, _, more = z.TagAttr()
			}
		}
		switch a := atom.Lookup(name); {
		case in.skips(kind, string(name)), roots[a] && !end:
			bounded.cut(at, to)
		case a == atom.Html, a == atom.Body:
			roots[a] = roots[a] || !end
		case formatting[a]:
			bounded.rename(at, a == atom.A, end)
		}
	}
}

// rewrite is a text with some of it left out and some added, in the order of the text.
type rewrite struct {
	text string
	done int // up to where it is in out
	out  strings.Builder
	link bool // one is open
}

// rename renames the formatting element whose tag begins at a place. A link ends where the next
// one begins, as it does for the parser.
func (r *rewrite) rename(at int, link, end bool) {
	if link {
		if r.link && !end {
			r.insert(at, "</"+plainName+"a>")
		}
		r.link = !end
	}
	if end {
		at++
	}
	r.insert(at+len("<"), plainName)
}

func (r *rewrite) insert(at int, text string) {
	r.out.WriteString(r.text[r.done:at])
	r.out.WriteString(text)
	r.done = at
}

// cut leaves a comment in the place of what is left out, so that what was before and after it
// makes no tag together.
func (r *rewrite) cut(from, to int) {
	if r.done < from || r.done == 0 {
		r.insert(from, "<!---->")
	}
	r.done = to
}

func (r *rewrite) end() string {
	if r.done == 0 {
		return r.text
	}
	r.insert(len(r.text), "")
	return r.out.String()
}

// restoreFormatting gives the formatting elements their names back.
func restoreFormatting(doc *html.Node) {
	for n := range doc.Descendants() {
		if name, plain := strings.CutPrefix(n.Data, plainName); plain && n.Type == html.ElementNode {
			if a := atom.Lookup([]byte(name)); formatting[a] {
				n.DataAtom, n.Data = a, name
			}
		}
	}
}
