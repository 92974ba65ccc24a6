package markup

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// goldmark needs quadratic time or space for some inputs that nobody writes by
// hand. The types in this file wrap its parsers: where a construct goes beyond a
// limit, they leave it as the text that it is made of, and everything else is
// parsed as ever.
const (
	// maxInput is the size up to which Markdown is parsed at all, in bytes.
	maxInput = 2 << 20
	// maxDepth is how deep lists and block quotes nest.
	maxDepth = 16
	// maxBlank is how many blank lines in a row are kept once a document has more than
	// tooBlank of them beyond that: goldmark notes every one for every open list.
	maxBlank, tooBlank = 8, 1 << 14
	// maxRun is the length of a run of emphasis characters; each two of a longer run
	// would be one more level of nesting.
	maxRun = 8
	// freeDelimiters is how many brackets and emphasis characters of one paragraph
	// cost nothing; every further one costs as much as there were before it, because
	// goldmark may look at all of them again.
	freeDelimiters = 256
	// freeLink is how many bytes a link that comes to nothing may look at for free.
	freeLink = 512
	// maxWork is the sum of all those costs in one document.
	maxWork = 1 << 26
	// cellWork is the cost of a table cell that is not in the source, but that a short
	// row gets.
	cellWork = 256
	// referenceWork is the cost of a byte that a link takes over from its definition.
	referenceWork = 16
	// maxReferenceLines is the length of a paragraph that may hold link definitions.
	maxReferenceLines = 2048
)

// effort is what the parser has spent on one document.
type effort struct {
	work       int // on the document
	delimiters int // in the paragraph
	document   closers
	paragraph  closers
}

var effortKey = parser.NewContextKey()

func effortOf(pc parser.Context) *effort {
	return pc.ComputeIfAbsent(effortKey, func() any { return &effort{document: closers{}} }).(*effort)
}

// afford takes n off what is left of the work, if there is as much.
func (e *effort) afford(n int) bool {
	if e.work+n > maxWork {
		return false
	}
	e.work += n
	return true
}

// charge notes work that was done.
func (e *effort) charge(n int) { e.work += max(n, 0) }

// delimiter counts one more bracket or emphasis run of the paragraph.
func (e *effort) delimiter() bool {
	e.delimiters++
	return e.afford(max(e.delimiters-freeDelimiters, 0))
}

// squeeze shortens long runs of blank lines if there are enormously many.
func squeeze(source []byte) []byte {
	run, dropped := 0, 0
	kept := make([]byte, 0, len(source))
	for line := range bytes.Lines(source) {
		if len(bytes.TrimSpace(line)) > 0 {
			run = 0
		} else if run++; run > maxBlank {
			dropped++
			continue
		}
		kept = append(kept, line...)
	}
	if dropped <= tooBlank {
		return source
	}
	return kept
}

// tooDeep reports whether no list or block quote may be opened in parent.
func tooDeep(parent ast.Node) bool {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		switch n.Kind() {
		case ast.KindList, ast.KindBlockquote:
			depth++
		}
	}
	return depth >= maxDepth
}

type shallowQuote struct{ parser.BlockParser }

func (q shallowQuote) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if tooDeep(parent) {
		return nil, parser.NoChildren
	}
	return q.BlockParser.Open(parent, r, pc)
}

type shallowList struct{ parser.BlockParser }

func (l shallowList) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	// The parser keeps state between its calls, so it has to see all of them.
	node, state := l.BlockParser.Open(parent, r, pc)
	if node != nil && tooDeep(parent) {
		return nil, parser.NoChildren
	}
	return node, state
}

type cheapLink struct{ parser.InlineParser }

func (l cheapLink) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	e := effortOf(pc)
	line, here := block.PeekLine()
	bracket := line[0] != '!' || len(line) > 1 && line[1] == '['
	if bracket && !e.delimiter() {
		return nil
	}
	node := l.InlineParser.Parse(parent, block, pc)
	if line[0] != ']' {
		return node
	}
	// The name of a reference is looked for among all lines of the paragraph.
	e.charge(parent.Lines().Len())
	if node == nil && len(line) > 1 && line[1] == '(' {
		e.charge(paragraphEnd(parent) - here.Start - freeLink)
	}
	// A short reference can stand for a long URL, any number of times.
	e.charge(referenceWork * referenceSize(node))
	return node
}

// CloseBlock is called at the end of every paragraph.
func (l cheapLink) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	l.InlineParser.(parser.CloseBlocker).CloseBlock(parent, block, pc)
	e := effortOf(pc)
	e.delimiters, e.paragraph = 0, nil
}

// referenceSize returns the length of what a link or image takes over from a link
// definition.
func referenceSize(n ast.Node) int {
	switch n := n.(type) {
	case *ast.Link:
		if n.Reference != nil {
			return len(n.Destination) + len(n.Title)
		}
	case *ast.Image:
		if n.Reference != nil {
			return len(n.Destination) + len(n.Title)
		}
	}
	return 0
}

// paragraphEnd returns where the source of a paragraph ends.
func paragraphEnd(n ast.Node) int {
	lines := n.Lines()
	return lines.At(lines.Len() - 1).Stop
}

type cheapDelimiter struct{ parser.InlineParser }

func (d cheapDelimiter) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if line, segment := block.PeekLine(); line[0] != '~' {
		n := len(line) - len(bytes.TrimLeft(line, string(line[:1])))
		if n > maxRun {
			block.Advance(n)
			return ast.NewTextSegment(segment.WithStop(segment.Start + n))
		}
	}
	if !effortOf(pc).delimiter() {
		return nil
	}
	return d.InlineParser.Parse(parent, block, pc)
}

type cheapReferences struct{ parser.ParagraphTransformer }

func (c cheapReferences) Transform(node *ast.Paragraph, r text.Reader, pc parser.Context) {
	if node.Lines().Len() <= maxReferenceLines {
		c.ParagraphTransformer.Transform(node, r, pc)
	}
}

type cheapTable struct{ parser.ParagraphTransformer }

func (c cheapTable) Transform(node *ast.Paragraph, r text.Reader, pc parser.Context) {
	if missing := missingCells(node.Lines(), r.Source()); missing > 0 && !effortOf(pc).afford(missing*cellWork) {
		return
	}
	c.ParagraphTransformer.Transform(node, r, pc)
}

// missingCells returns how many cells a table in lines would get that are not in
// the source.
func missingCells(lines *text.Segments, source []byte) int {
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		row := line.Value(source)
		if len(bytes.Trim(row, "|-: \t\r\n")) > 0 || bytes.IndexByte(row, '-') < 0 {
			continue
		}
		columns, present := bytes.Count(row, []byte{'|'})+1, 0
		for j := i + 1; j < lines.Len(); j++ {
			line := lines.At(j)
			present += min(columns, bytes.Count(line.Value(source), []byte{'|'})+1)
		}
		return columns*(lines.Len()-i-1) - present
	}
	return 0
}
