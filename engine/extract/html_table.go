package extract

import (
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

// layOut makes a table fit into Markdown, whose cells are one line: a line break in
// a cell becomes a space, and a table with blocks in its cells is no table but a
// way to arrange them. Nor is one that would not fit into maxFilled.
func (p *page) layOut(table *html.Node) {
	blocks := false
	for n := range table.Descendants() {
		blocks = blocks || notInCell[n.DataAtom]
		if n.DataAtom == atom.Br {
			*n = html.Node{Parent: n.Parent, PrevSibling: n.PrevSibling, NextSibling: n.NextSibling, Type: html.TextNode, Data: " "}
		}
	}
	if !blocks {
		rows, widest := tableSize(table)
		if p.cells -= rows * widest; p.cells >= 0 {
			return
		}
		p.cells = 0
	}
	for n := range table.Descendants() {
		if inTable[n.DataAtom] {
			n.DataAtom, n.Data, n.Attr = atom.Div, "div", nil
		}
	}
	table.DataAtom, table.Data, table.Attr = atom.Div, "div", nil
}

var notInCell = map[atom.Atom]bool{
	atom.Pre: true, atom.Ul: true, atom.Ol: true, atom.Blockquote: true, atom.Table: true, atom.Hr: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true,
}

var inTable = map[atom.Atom]bool{
	atom.Tr: true, atom.Td: true, atom.Th: true, atom.Thead: true, atom.Tbody: true, atom.Tfoot: true, atom.Caption: true,
}

// tableSize returns how many rows a table has, and how many cells the widest of them.
func tableSize(table *html.Node) (rows, widest int) {
	above := 0            // cells of rows above that reach into the row
	ends := map[int]int{} // of these, how many end above a row
	for n := range table.Descendants() {
		if n.DataAtom != atom.Tr {
			continue
		}
		above -= ends[rows]
		width := above
		for cell := range n.ChildNodes() {
			if cell.DataAtom != atom.Td && cell.DataAtom != atom.Th {
				continue
			}
			columns, height := spanOf(cell, "colspan"), spanOf(cell, "rowspan")
			width += columns
			if height > 1 {
				above += columns
				ends[rows+height] += columns
			}
		}
		widest = max(widest, width)
		rows++
	}
	return rows, widest
}

// spanOf is how many columns or rows a cell takes, within bounds.
func spanOf(cell *html.Node, key string) int {
	v, err := strconv.Atoi(attribute(cell, key))
	if err != nil {
		return 1
	}
	return max(1, min(v, maxSpans))
}

// span limits how many cells a cell may become.
func (p *page) span(n *html.Node) {
	cells := spanOf(n, "colspan") * spanOf(n, "rowspan")
	if p.spans -= cells - 1; p.spans < 0 {
		p.spans = 0
		n.Attr = nil
	}
}
