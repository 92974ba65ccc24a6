package extract

import (
	"iter"
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxSpans is how many cells of a document may come from cells that span several
// columns or rows.
const maxSpans = 10_000

// maxFilled is how many cells the tables of a document have, each row as many as the widest
// of its table: the converter fills them up. A page has fewer elements than this, so that
// only one whose rows differ very much is over it.
const maxFilled = 1_000_000

// notInCell are the blocks that no cell can hold, nor formatted text.
var notInCell = map[atom.Atom]bool{
	atom.Pre: true, atom.Ul: true, atom.Ol: true, atom.Li: true, atom.Blockquote: true, atom.Table: true, atom.Hr: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true,
}

var inTable = map[atom.Atom]bool{
	atom.Tr: true, atom.Td: true, atom.Th: true, atom.Thead: true, atom.Tbody: true, atom.Tfoot: true, atom.Caption: true,
}

// layOut makes a table fit into Markdown, whose cells are one line: a table with blocks in its
// cells, such as another table, is no table but a way to arrange them, and so is what is in one and
// looks like no table of its own. Nor is one without text, or one that would not fit into maxFilled.
func (p *page) layOut(parent, table *html.Node, in *content) {
	arrange(parent, table)
	if !in.blocks && in.start != "" && (p.open[kindTable] == 0 || tabular(table)) {
		rows, widest := 0, 0
		for group := range table.ChildNodes() {
			p.spread(group)
			for row := range rowsOf(group) {
				widest = max(widest, cellsOf(row, rows > 0))
				rows++
			}
		}
		if p.cells -= rows * widest; p.cells >= 0 {
			fitCells(table)
			return
		}
		p.cells = 0
	}
	in.blocks = in.blocks || p.open[kindTable] > 0
	asBlocks(table)
	for group := range table.ChildNodes() {
		asBlocks(group)
		for row := range group.ChildNodes() {
			asBlocks(row)
			for cell := range row.ChildNodes() {
				asBlocks(cell)
			}
		}
	}
}

// tabular reports whether a table that is in another one has several rows of several cells, or rows
// and a header.
func tabular(table *html.Node) bool {
	rows, wide, header := 0, 0, false
	for group := range table.ChildNodes() {
		for row := range rowsOf(group) {
			cells := 0
			for cell := range row.ChildNodes() {
				if isCell(cell) {
					cells++
				}
				header = header || cell.DataAtom == atom.Th
			}
			rows++
			if cells > 1 {
				wide++
			}
		}
	}
	return wide > 1 || header && rows > 1
}

func asBlocks(n *html.Node) {
	if n.DataAtom == atom.Table || inTable[n.DataAtom] {
		rename(n, atom.Div)
		n.Attr = nil
	}
}

// arrange puts the parts of a table in the order in which they are shown: captions, which are
// paragraphs of their own, the head, the rows and the foot.
func arrange(parent, table *html.Node) {
	var head, foot *html.Node
	for part := table.FirstChild; part != nil; {
		next := part.NextSibling
		switch {
		case part.DataAtom == atom.Caption:
			table.RemoveChild(part)
			rename(part, atom.Div)
			parent.InsertBefore(part, table)
		case part.DataAtom == atom.Thead && head == nil:
			head = part
		case part.DataAtom == atom.Tfoot && foot == nil:
			foot = part
		}
		part = next
	}
	if head != nil {
		table.RemoveChild(head)
		table.InsertBefore(head, table.FirstChild)
	}
	if foot != nil {
		table.RemoveChild(foot)
		table.AppendChild(foot)
	}
}

// rowsOf are the rows of a part of a table.
func rowsOf(group *html.Node) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		for row := range group.ChildNodes() {
			if row.DataAtom == atom.Tr && !yield(row) {
				return
			}
		}
	}
}

// cellsOf counts the cells of a row. Those below the first row are none of a header: the converter
// would put the row before the others.
func cellsOf(row *html.Node, below bool) (cells int) {
	for cell := range row.ChildNodes() {
		if isCell(cell) {
			cells++
			if below {
				rename(cell, atom.Td)
			}
		}
	}
	return cells
}

// cellFrom returns the first cell of n and its siblings after it.
func cellFrom(n *html.Node) *html.Node {
	for n != nil && !isCell(n) {
		n = n.NextSibling
	}
	return n
}

func isCell(n *html.Node) bool { return n.DataAtom == atom.Td || n.DataAtom == atom.Th }

// reach is where a cell reaches into rows below its own.
type reach struct{ column, columns, rows int }

// spread puts empty cells where cells of a group of rows span others, so that each has its column.
// A span ends with its group, and after the last cell of a row none is needed. The converter would
// do this in quadratic time, and add rows.
func (p *page) spread(group *html.Node) {
	var above []reach
	for row := range rowsOf(group) {
		above = p.spreadRow(row, above)
	}
}

// spreadRow does so in a row below cells that reach into it, and returns those that reach further,
// all in the order of their columns.
func (p *page) spreadRow(row *html.Node, above []reach) (below []reach) {
	column := 0
	take := func(r reach) {
		if p.spans -= r.columns; p.spans < 0 {
			p.spans = 0
		} else if r.rows > 1 {
			below = append(below, reach{r.column, r.columns, r.rows - 1})
		}
	}
	for cell := cellFrom(row.FirstChild); cell != nil; {
		for ; len(above) > 0 && above[0].column <= column; above = above[1:] {
			take(above[0])
			for ; column < above[0].column+above[0].columns; column++ {
				row.InsertBefore(newElement(atom.Td), cell)
			}
		}
		r := p.reachOf(cell, column)
		if r.rows > 1 {
			below = append(below, reach{r.column, r.columns, r.rows - 1})
		}
		column += r.columns
		next := cellFrom(cell.NextSibling)
		for ; next != nil && r.columns > 1; r.columns-- {
			row.InsertBefore(newElement(atom.Td), next)
		}
		cell = next
	}
	for _, r := range above {
		take(r)
	}
	return below
}

// reachOf returns how many columns and rows a cell takes, and makes it take one. Once there are
// maxSpans it takes no more.
func (p *page) reachOf(cell *html.Node, column int) reach {
	r := reach{column, spanOf(cell, "colspan"), spanOf(cell, "rowspan")}
	removeAttributes(cell, "colspan", "rowspan")
	if p.spans -= r.columns - 1; p.spans < 0 {
		p.spans = 0
		r.columns, r.rows = 1, 1
	}
	return r
}

// spanOf is how many columns or rows a cell takes, within bounds.
func spanOf(cell *html.Node, key string) int {
	v, err := strconv.Atoi(attribute(cell, key))
	if err != nil {
		return 1
	}
	return max(1, min(v, maxSpans))
}
