package extract

import (
	"bytes"
	"context"
	"strings"
	"unicode"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

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
	c.Register.RendererFor("blockquote", converter.TagTypeBlock, renderQuote, converter.PriorityEarly)
	c.Register.TextTransformer(readableAngles, converter.PriorityLate+1)
	c.Register.UnEscaper(bracketEscaper(maxBracketed), converter.PriorityStandard-1)
	c.Register.UnEscaper(escapeTildes, converter.PriorityStandard-1)
	return c
}

// maxBracketed is how many bytes after opening brackets are looked at in a document.
const maxBracketed = 16 << 20

// bracketEscaper escapes an opening bracket where one that closes follows in the paragraph, such as that
// of the link it is in. The converter looks only at the line, in quadratic time for many brackets in a
// long one: beyond most bytes that are looked at all are escaped.
func bracketEscaper(most int) converter.HandleUnEscapeFunc {
	return func(chars []byte, index int) int {
		if chars[index] != '[' {
			return -1
		}
		if most <= 0 {
			return 1
		}
		rest := chars[index:]
		if end := bytes.Index(rest, []byte("\n\n")); end >= 0 {
			rest = rest[:end]
		}
		most -= len(rest)
		if bytes.IndexByte(rest, ']') < 0 {
			return -1
		}
		return 1
	}
}

// escapeTildes escapes a tilde beside those of struck text, with which it would begin a block of code.
func escapeTildes(chars []byte, index int) int {
	before := index - 2 // the mark of the tilde is between
	if chars[index] == '~' && (before >= 0 && chars[before] == '~' || index+1 < len(chars) && chars[index+1] == '~') {
		return 1
	}
	return -1
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

// startsTag reports whether a '<' before s may start a tag, comment or declaration. At the end of a
// text nobody knows what follows. A mark stands before what may have to be escaped.
func startsTag(s string) bool {
	s = strings.TrimPrefix(s, string(marker.MarkerEscaping))
	if declares, ok := strings.CutPrefix(s, "!"); ok { // <!> is none
		s = strings.TrimPrefix(declares, string(marker.MarkerEscaping))
		return s == "" || s[0] == '-' || s[0] == '[' || unicode.IsLetter(rune(s[0]))
	}
	return s == "" || strings.IndexByte("/?", s[0]) >= 0 || unicode.IsLetter(rune(s[0]))
}

// lineStart reports whether what is written next would start a line.
func lineStart(s string) bool {
	s = strings.TrimRight(s, " \t")
	return s == "" || s[len(s)-1] == '\n'
}
