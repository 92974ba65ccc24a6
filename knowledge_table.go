package quire

import (
	"regexp"
	"strconv"
	"strings"
)

// tableBlock is one row of a table with its cells by column, or one column with its
// cells by row. Empty cells are left out.
type tableBlock struct {
	title string
	cells []tableEntry
}

// tableEntry is a cell under the name of what its block crosses.
type tableEntry struct {
	crossed tableName
	text    string
}

// tableName names a row or column at the cells that cross it. Those that share their
// title are told apart by their place.
type tableName struct {
	title string
	place int // from 1; 0 if no other has the title
}

// tableContent is the content of a table in knowledge text.
type tableContent struct {
	body   string // the table's own
	blocks []tableBlock
	unused []tableName // what no block has a cell of
	kind   string      // "row" or "column": what unused are
}

// tableContentOf arranges the content of a table.
func tableContentOf(t *table, by GroupBy) tableContent {
	outer, inner := t.rows, t.columns
	if by == GroupByColumn {
		outer, inner = inner, outer
	}
	names := tableNames(inner)
	content := tableContent{body: t.rec.Body, blocks: make([]tableBlock, len(outer)), kind: TableColumn}
	if by == GroupByColumn {
		content.kind = TableRow
	}
	used := make([]bool, len(inner))
	for i, o := range outer {
		content.blocks[i].title = o.Title
		for k, n := range inner {
			at := crossing{n.ID, o.ID}
			if by == GroupByColumn {
				at = crossing{o.ID, n.ID}
			}
			if text := t.cells[at].Body; text != "" {
				used[k] = true
				content.blocks[i].cells = append(content.blocks[i].cells, tableEntry{names[k], text})
			}
		}
	}
	for k, name := range names {
		if !used[k] {
			content.unused = append(content.unused, name)
		}
	}
	return content
}

// tableNames names rows or columns.
func tableNames(lists []ListRecord) []tableName {
	count := make(map[string]int, len(lists))
	for _, l := range lists {
		count[l.Title]++
	}
	names := make([]tableName, len(lists))
	for i, l := range lists {
		names[i].title = l.Title
		if count[l.Title] > 1 {
			names[i].place = i + 1
		}
	}
	return names
}

// tableContentIn arranges the content of a table that was already read with its
// details; without them there is none.
func tableContentIn(e *Elemental, by GroupBy) tableContent {
	if e.Details == nil {
		return tableContent{body: e.Body}
	}
	t := table{rec: e.ElementalRecord, cells: make(map[crossing]ElementalRecord)}
	for _, column := range e.Details.Columns {
		t.columns = append(t.columns, column.ListRecord)
		for _, c := range column.Cells {
			t.cells[crossingOf(c.ElementalRecord)] = c.ElementalRecord
		}
	}
	for _, row := range e.Details.Rows {
		t.rows = append(t.rows, row.ListRecord)
	}
	return tableContentOf(&t, by)
}

// text lays the content out: what the table says itself behind "Text:", then numbered
// blocks, each cell on a line "column: text" or "row: text" that is indented below the
// title of its block, then "Empty column:" or "Empty row:" lines. The further lines of a
// text are indented deeper than its label, so that each line can only be what it is.
func (content tableContent) text() string {
	var length lengthSink // first: a text of line breaks becomes many times as long
	content.writeText(&length)
	var b strings.Builder
	b.Grow(int(length))
	content.writeText(&b)
	return strings.TrimSuffix(b.String(), "\n")
}

// writeText writes text, with a line break at its end.
func (content tableContent) writeText(w textSink) {
	writeLabelled(w, "Text", content.body, "", "")
	for i, block := range content.blocks {
		number := strconv.Itoa(i+1) + ". "
		w.WriteString(number + tableTitle(block.title) + "\n")
		for _, c := range block.cells {
			indent := strings.Repeat(" ", len(number))
			writeLabelled(w, c.crossed.label(), c.text, indent, indent)
		}
	}
	for _, name := range content.unused {
		w.WriteString("Empty " + content.kind + ": " + name.label() + "\n")
	}
}

// lengthSink counts what is written to it.
type lengthSink int

func (n *lengthSink) Write(p []byte) (int, error) {
	*n += lengthSink(len(p))
	return len(p), nil
}

func (n *lengthSink) WriteString(s string) (int, error) {
	*n += lengthSink(len(s))
	return len(s), nil
}

// label is the name as it stands before a colon.
func (n tableName) label() string {
	title := n.title
	if strings.Contains(title, ":") || placed.MatchString(title) {
		title = strconv.Quote(title)
	} else {
		title = tableTitle(title)
	}
	return title + n.suffix()
}

// suffix is the place of one that shares its title.
func (n tableName) suffix() string {
	if n.place == 0 {
		return ""
	}
	return " [" + strconv.Itoa(n.place) + "]"
}

// placed matches a title that looks as if it had a place.
var placed = regexp.MustCompile(`\[\d+\]$`)

// tableTitle is a title on one line: quoted as in Go if it has more, if white space around
// it would be lost, or if it begins with a quote.
func tableTitle(title string) string {
	if title == "" || title != strings.TrimSpace(title) || strings.HasPrefix(title, `"`) || indentRest(title, " ") != title {
		return strconv.Quote(title)
	}
	return title
}

// markdown lays the content out below a heading of the given level: the table's own text
// in a fence, a heading for each block, a list item for each cell, a line for what is
// empty. What is inside of a list item cannot end it as long as it is indented (CommonMark
// 0.31, section 5.2).
func (content tableContent) markdown(level int) string {
	var parts []string
	if content.body != "" {
		parts = append(parts, asText(func(w textSink) { writeFenced(w, content.body) }))
	}
	for _, block := range content.blocks {
		lines := []string{strings.Repeat("#", min(6, level+1)) + " " + markdownLabel(block.title)}
		if len(block.cells) > 0 {
			lines = append(lines, "")
		}
		for _, c := range block.cells {
			lines = append(lines, "- **"+markdownLabel(c.crossed.title+c.crossed.suffix())+":**"+markdownItem(c.text, level+1))
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	for _, name := range content.unused {
		parts = append(parts, "Empty "+content.kind+": "+markdownLabel(name.title+name.suffix()))
	}
	return strings.Join(parts, "\n\n")
}

// markdownItem is a text that follows a label in a list item. One of several lines
// begins on a line of its own, so that it may begin with a fence or a list. All of
// lineBreaks count, as in indentRest.
func markdownItem(text string, level int) string {
	if breaksToLF.Replace(text) == text && !strings.Contains(text, "\n") {
		return " " + text
	}
	var b strings.Builder
	b.WriteString("\n\n")
	for line := range strings.Lines(nested(text, level)) {
		if withoutBreak(line) != "" {
			b.WriteString("  ")
		}
		b.WriteString(line)
	}
	return b.String()
}

var breaksToLF = breaksTo(func(string) string { return "\n" })

// markdownLabel is a title on one line without the characters that mean something in
// Markdown.
func markdownLabel(title string) string { return markdownEscapes.Replace(oneLine(title)) }

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `\<`, `&`, `\&`, `#`, `\#`)
