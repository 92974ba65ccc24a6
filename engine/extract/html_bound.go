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
	maxTags           = 250_000
	maxPageAttributes = 4 * maxTags
	maxRebuilt        = 2_000_000 // formatting elements that the parser may have to open again
)

// formatting are the elements that the parser opens again in each new block until they
// are closed (HTML, 13.2.4.3).
var formatting = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.Big: true, atom.Code: true, atom.Em: true, atom.Font: true, atom.I: true,
	atom.Nobr: true, atom.S: true, atom.Small: true, atom.Strike: true, atom.Strong: true, atom.Tt: true, atom.U: true,
}

// scopes are the elements inside of which an end tag may not close what is open outside.
var scopes = map[atom.Atom]bool{
	atom.Td: true, atom.Th: true, atom.Caption: true, atom.Applet: true, atom.Object: true, atom.Marquee: true,
	atom.Template: true, atom.Select: true, atom.Svg: true, atom.Math: true, atom.Frameset: true,
}

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
var errTags = quire.Errorf(quire.CodeTooLarge, "is HTML with too many elements or attributes, or too many that are never closed")

// boundHTML refuses a page that would take too much to parse. It takes time linear in
// the text, and memory for the attributes of one tag.
func boundHTML(ctx context.Context, text string) error {
	z := pageTokenizer{Tokenizer: html.NewTokenizer(pageReader{ctx, strings.NewReader(text)}), text: text, most: maxPageAttributes}
	tags, attributes, open, rebuilt := 0, 0, 0, 0
	closable := map[atom.Atom]int{}
	foreign := false // there was svg or math, in which style, title and others have elements
	for {
		kind := z.Next()
		if z.many {
			return errTags
		}
		if kind == html.ErrorToken {
			return ctx.Err() // the tokenizer takes any text; only its reader makes it fail
		}
		if kind == html.StartTagToken || kind == html.EndTagToken || kind == html.SelfClosingTagToken {
			tags++
			word, more := z.TagName()
			for ; more; attributes++ {
				_, _, more = z.TagAttr()
			}
			a := atom.Lookup(word)
			if foreign = foreign || a == atom.Svg || a == atom.Math; foreign {
				z.NextIsNotRawText()
			}
			switch {
			case scopes[a]:
				clear(closable)
			case formatting[a] && kind != html.EndTagToken:
				open++
				closable[a]++
			case formatting[a] && closable[a] > 0:
				open--
				closable[a]--
			}
		}
		if rebuilt += open; tags > 2*maxTags || attributes > maxPageAttributes || rebuilt > maxRebuilt {
			return errTags
		}
	}
}
