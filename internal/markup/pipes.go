package markup

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// tablePipes takes the backslash off the pipes in the code spans of table cells,
// where it only keeps the cell together (GFM section 4.10). The transformer that
// goldmark has for this looks at all such cells for each one.
type tablePipes struct{}

func (tablePipes) Transform(doc *ast.Document, r text.Reader, _ parser.Context) {
	inCell := false
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case east.KindTableCell:
			inCell = entering // cells do not nest
		case ast.KindCodeSpan:
			if entering && inCell {
				unescapePipes(n, r.Source())
			}
		}
		return ast.WalkContinue, nil
	}) // the walker never fails
}

// unescapePipes splits the texts of a code span where they have a backslash to
// leave out.
func unescapePipes(span ast.Node, source []byte) {
	for c := span.FirstChild(); c != nil; c = c.NextSibling() {
		t, ok := c.(*ast.Text)
		if !ok {
			continue
		}
		at := bytes.Index(source[t.Segment.Start:t.Segment.Stop], []byte(`\|`))
		if at < 0 {
			continue
		}
		rest := ast.NewRawTextSegment(t.Segment.WithStart(t.Segment.Start + at + 1))
		t.Segment = t.Segment.WithStop(t.Segment.Start + at)
		span.InsertAfter(span, t, rest)
	}
}
