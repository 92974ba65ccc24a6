package extract

import (
	"encoding/xml"
	"errors"
	"strconv"
	"strings"
)

// maxListLevel is the deepest level of a list that is kept.
const maxListLevel = 8

// The limits of tables: columns of one that are kept, and cells of all.
const (
	maxCells    = 200
	maxAllCells = 1_000_000
)

var errTooMuchText = errors.New("more text than is allowed")

// document is a DOCX on its way to Markdown.
type document struct {
	styles   map[string]style
	numbered map[place]bool
	maxText  int

	out     strings.Builder
	cells   int     // of all tables so far
	pars    []*par  // that are open: text boxes have paragraphs in a paragraph
	tables  []*grid // that are open
	skipped int     // elements that are open whose text does not count
	inText  bool
	counts  map[place]int // of list items so far
	inList  bool          // the last block is a list item
	level   int           // of that
}

// par is a paragraph.
type par struct {
	text  strings.Builder
	style string
	list  string
	level int
	depth int // an outline level by itself, from 1
}

// grid is a table; its cells collect what is in them.
type grid struct {
	rows [][]string
	cell []string // blocks of the open cell
	span int      // columns of the open cell
}

// skippedText are elements with text that the reader of the document does not see, or
// sees from another one.
var skippedText = map[string]bool{"Fallback": true, "del": true, "moveFrom": true, "instrText": true, "pPrChange": true}

// readBody reads word/document.xml.
func (d *document) readBody(in *xml.Decoder) error {
	d.counts = map[place]int{}
	return walk(in, d.start, d.end, func(s string) {
		if d.inText && d.skipped == 0 {
			d.write(s)
		}
	})
}

func (d *document) write(s string) {
	if len(d.pars) > 0 {
		d.pars[len(d.pars)-1].text.WriteString(s)
	}
}

func (d *document) start(e xml.StartElement) error {
	if skippedText[e.Name.Local] {
		d.skipped++
	}
	if d.skipped > 0 {
		return nil
	}
	switch e.Name.Local {
	case "p":
		d.pars = append(d.pars, &par{level: -1})
	case "t":
		d.inText = true
	case "tab", "ptab":
		d.write(" ")
	case "br", "cr":
		d.write("\n")
	case "noBreakHyphen":
		d.write("-")
	case "tbl":
		d.tables = append(d.tables, &grid{})
	}
	if n := len(d.tables); n > 0 {
		d.tables[n-1].start(e)
	}
	if n := len(d.pars); n > 0 {
		d.pars[n-1].property(e)
	}
	return nil
}

// property takes in what an element says of the paragraph that it is in.
func (p *par) property(e xml.StartElement) {
	switch value := attr(e, "val"); e.Name.Local {
	case "pStyle":
		p.style = value
	case "numId":
		p.list = value
	case "ilvl":
		p.level, _ = strconv.Atoi(value)
	case "outlineLvl":
		if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < 6 {
			p.depth = n + 1
		}
	}
}

func (g *grid) start(e xml.StartElement) {
	switch e.Name.Local {
	case "tr":
		g.rows = append(g.rows, nil)
	case "tc":
		g.cell, g.span = nil, 1
	case "gridSpan":
		if n, err := strconv.Atoi(attr(e, "val")); err == nil {
			g.span = min(max(n, 1), maxCells)
		}
	}
}

func (d *document) end(name string) error {
	if d.skipped > 0 {
		if skippedText[name] {
			d.skipped--
		}
		return nil
	}
	switch name {
	case "t":
		d.inText = false
	case "p":
		if last := len(d.pars) - 1; last >= 0 {
			p := d.pars[last]
			d.pars = d.pars[:last]
			d.paragraph(p)
		}
	case "tc":
		if n := len(d.tables); n > 0 {
			d.cells += d.tables[n-1].endCell()
		}
	case "tr":
		d.cells++ // also without any
	case "tbl":
		if last := len(d.tables) - 1; last >= 0 {
			t := d.tables[last]
			d.tables = d.tables[:last]
			d.endTable(t)
		}
	}
	if d.out.Len() > d.maxText || d.cells > maxAllCells {
		return errTooMuchText
	}
	return nil
}

// paragraph writes a paragraph that has ended.
func (d *document) paragraph(p *par) {
	text := strings.TrimSpace(p.text.String())
	if text == "" {
		return
	}
	if n := len(d.tables); n > 0 {
		t := d.tables[n-1]
		t.cell = append(t.cell, text)
		return
	}
	s := d.styleOf(p.style)
	switch heading, list := max(p.depth, s.heading), p.list; {
	case heading > 0:
		d.block(strings.Repeat("#", heading) + " " + oneLine(text))
	case list == "" && s.list != "" || list != "" && list != "0":
		if list == "" {
			list = s.list
		}
		d.item(place{list, min(max(p.level, 0), maxListLevel)}, text)
	default:
		d.block(literalLines(text))
	}
}

// block writes a block apart from the one before it.
func (d *document) block(s string) {
	if d.out.Len() > 0 {
		d.out.WriteString("\n\n")
	}
	d.out.WriteString(s)
	d.inList = false
}

// item writes an item of a list. It is at most one level deeper than the one before it:
// deeper ones would be code in Markdown.
func (d *document) item(at place, text string) {
	marker := "- "
	if d.numbered[at] {
		d.counts[at]++
		marker = strconv.Itoa(d.counts[at]) + ". "
	}
	for deeper := at.level + 1; deeper <= maxListLevel; deeper++ {
		delete(d.counts, place{at.list, deeper})
	}
	level := 0
	if d.inList {
		level = min(at.level, d.level+1)
		d.out.WriteString("\n" + strings.Repeat("    ", level) + marker + oneLine(text))
	} else {
		d.block(marker + oneLine(text))
	}
	d.inList, d.level = true, level
}

// endCell adds the cell to its row, with empty ones for the further columns that it
// spans, and returns how many that makes.
func (g *grid) endCell() int {
	if len(g.rows) == 0 {
		return 0
	}
	row := &g.rows[len(g.rows)-1]
	text := strings.Join(g.cell, "\n\n")
	g.cell = nil
	n := max(0, min(g.span, maxCells-len(*row)))
	for range n {
		*row = append(*row, text)
		text = ""
	}
	return n
}

// endTable writes a table that has ended. What has only one column is a frame around
// text, and a table in a cell is text of that cell.
func (d *document) endTable(g *grid) {
	columns := 0
	for _, row := range g.rows {
		columns = max(columns, len(row))
	}
	if n := len(d.tables); n > 0 {
		outer := d.tables[n-1]
		for _, row := range g.rows {
			outer.cell = append(outer.cell, strings.Join(row, " "))
		}
		return
	}
	first := true
	for _, row := range g.rows {
		if d.out.Len() > d.maxText {
			return
		}
		switch {
		case columns > 1 && first:
			d.block(tableRow(row, columns) + "\n" + strings.Repeat("| --- ", columns) + "|")
		case columns > 1:
			d.out.WriteString("\n" + tableRow(row, columns))
		default:
			if text := strings.TrimSpace(strings.Join(row, "")); text != "" {
				d.block(literalLines(text))
			}
		}
		first = false
	}
}

func tableRow(row []string, columns int) string {
	var b strings.Builder
	for i := range columns {
		cell := ""
		if i < len(row) {
			cell = strings.ReplaceAll(oneLine(row[i]), "|", `\|`)
		}
		b.WriteString("| " + cell + " ")
	}
	return b.String() + "|"
}

func (d *document) markdown() string { return d.out.String() }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
