package markup

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdownParser reads CommonMark and the GitHub extensions with the limits of
// limits.go. It is safe for concurrent use.
var markdownParser = parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallowList{parser.NewListParser()}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(shallowQuote{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(knownBlock{parser.NewHTMLBlockParser()}, 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	),
	parser.WithInlineParsers(
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(cheapLink{parser.NewLinkParser()}, 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(knownTag{parser.NewRawHTMLParser()}, 400),
		util.Prioritized(cheapDelimiter{parser.NewEmphasisParser()}, 500),
		util.Prioritized(cheapDelimiter{extension.NewStrikethroughParser()}, 500),
		util.Prioritized(extension.NewLinkifyParser(), 999),
	),
	parser.WithParagraphTransformers(
		util.Prioritized(cheapReferences{parser.LinkReferenceParagraphTransformer}, 100),
		util.Prioritized(cheapTable{extension.NewTableParagraphTransformer()}, 200),
	),
	parser.WithASTTransformers(
		util.Prioritized(tablePipes{}, 0),
	),
)

// htmlRenderer writes HTML that the sanitiser has yet to see.
var htmlRenderer = renderer.NewRenderer(renderer.WithNodeRenderers(
	util.Prioritized(blockHTML{}, 100),
	util.Prioritized(extension.NewTableHTMLRenderer(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), 500),
	util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
	util.Prioritized(extension.NewTaskCheckBoxHTMLRenderer(), 500),
	// Raw HTML and all URLs pass: one place decides about them, the sanitiser.
	util.Prioritized(html.NewRenderer(html.WithUnsafe()), 1000),
))

// parse returns the syntax tree of markdown and the source that it refers to.
func parse(markdown string) (ast.Node, []byte) {
	source := squeeze([]byte(validUTF8(markdown)))
	return markdownParser.Parse(text.NewReader(source)), source
}

// validUTF8 replaces what is not UTF-8 and the NUL, which no rendering can carry.
func validUTF8(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

// blockHTML renders a block of raw HTML, sanitised by itself: an attribute or an
// element that it leaves open cannot swallow what follows the block.
type blockHTML struct{}

func (blockHTML) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, err := w.Write(policy.SanitizeBytes(rawBlock(source, n.(*ast.HTMLBlock))))
			return ast.WalkSkipChildren, err
		}
		return ast.WalkContinue, nil
	})
}

// rawBlock returns the source of a block of raw HTML.
func rawBlock(source []byte, n *ast.HTMLBlock) []byte {
	var b bytes.Buffer
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(source))
	}
	if n.HasClosure() {
		b.Write(n.ClosureLine.Value(source))
	}
	return b.Bytes()
}
