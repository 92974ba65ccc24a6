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

// maxJSON is how many comments may have the title in them.
const maxJSON = 10

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
// get names that mean nothing to the parser, which [restoreFormatting] takes back, and are opened
// again here, as far as there is room; and html and body occur once. Comments, which may be very many,
// are left out. What is a tag at all depends on the tree in SVG and MathML, so that these are left
// out but for the text of formulas: without them the parser reads what is read here.
func boundHTML(ctx context.Context, text string) (string, error) {
	z := pageTokenizer{Tokenizer: html.NewTokenizer(pageReader{ctx, strings.NewReader(text)}), text: text, most: maxTagAttributes}
	out := rewrite{text: text}
	formats := newOpenFormats(&out)
	in := newForeign(z.Tokenizer, &formula{out: &out, formats: formats})
	b := bound{z: &z, out: &out, in: in, formats: formats, roots: map[root]bool{}}
	tags, attributes := 0, 0
	for {
		t, n := z.token()
		if t.name != "" {
			tags++
			attributes += n
		}
		switch {
		case z.many || tags+out.marks > 2*maxTags || attributes > maxPageAttributes:
			return "", errTags
		case t.kind == html.ErrorToken: // the tokenizer takes any text; only its reader makes it fail
			in.close(t.at)
			out.cut(t.at, len(text))
			return out.end(), ctx.Err()
		}
		b.token(t)
	}
}

// bound rewrites a page token by token.
type bound struct {
	z       *pageTokenizer
	out     *rewrite
	in      *foreign
	formats *openFormats
	roots   map[root]bool // that the page has had
	raw     bool          // the next text is that of an element that has no elements, such as a script
	json    int           // comments with JSON there were
}

// root is html or body. A further one only adds its attributes, of which one matters.
type root struct {
	atom   atom.Atom
	hidden bool
}

func (b *bound) token(t token) {
	raw := b.raw
	b.raw = false
	switch what := b.in.token(t); {
	case what == leftOut, (t.kind == html.TextToken || shows[t.atom]) && b.formats.hide():
		b.out.cut(t.at, t.to)
	case what == escaped:
		b.escaped(t)
	case t.kind == html.TextToken && !raw:
		b.formats.text(t.at, b.out.text[t.at:t.to])
	case t.kind == html.CommentToken:
		b.comment(t)
	case t.name != "":
		b.tag(t)
	}
}

// escaped writes text that may look like tags.
func (b *bound) escaped(t token) {
	text := string(b.z.Text())
	if strings.TrimSpace(text) != "" {
		b.formats.fill(t.at)
	}
	b.out.cut(t.at, t.to)
	b.out.add(html.EscapeString(text))
}

// comment leaves out all comments but the first few that may have the title ([page.metadata]).
func (b *bound) comment(t token) {
	if b.json < maxJSON && strings.HasPrefix(b.out.text[t.at:t.to], "<!--{") {
		b.json++
		return
	}
	b.out.cut(t.at, t.to)
}

func (b *bound) tag(t token) {
	start := t.kind != html.EndTagToken
	b.raw = start && rawText[t.atom]
	_, formats := formatting[t.atom]
	switch {
	case formats:
		b.formats.tag(t)
	case strings.HasPrefix(t.name, plainName), // no page has these, but one that means harm
		start && (t.atom == atom.Html || t.atom == atom.Body) && !b.root(root{t.atom, t.hidden}):
		b.out.cut(t.at, t.to)
	default:
		b.formats.beside(t)
	}
}

// root reports whether a page has to have a root.
func (b *bound) root(r root) bool {
	if b.roots[r] || b.roots[root{r.atom, true}] {
		return false
	}
	b.roots[r], b.roots[root{r.atom, false}] = true, true
	return true
}
