package quire

import (
	"encoding/json"
	"strconv"
	"strings"
)

// tableBlock is one row of a table with its cells by column, or one column with its
// cells by row. Empty cells are left out.
type tableBlock struct {
	title string
	cells []tableEntry
}

// tableEntry is a cell under the title of what its block crosses.
type tableEntry struct{ label, text string }

// tableContent is the content of a table in knowledge text.
type tableContent []tableBlock

// tableContentOf arranges the content of a table.
func tableContentOf(t *table, by GroupBy) tableContent {
	outer, inner := t.rows, t.columns
	if by == GroupByColumn {
		outer, inner = inner, outer
	}
	content := make(tableContent, len(outer))
	for i, o := range outer {
		content[i].title = o.Title
		for _, n := range inner {
			at := crossing{n.ID, o.ID}
			if by == GroupByColumn {
				at = crossing{o.ID, n.ID}
			}
			if text := t.cells[at].Body; text != "" {
				content[i].cells = append(content[i].cells, tableEntry{n.Title, text})
			}
		}
	}
	return content
}

// tableContentIn arranges the content of a table that was already read with its
// details; without them there is none.
func tableContentIn(e *Elemental, by GroupBy) tableContent {
	if e.Details == nil {
		return nil
	}
	t := table{cells: make(map[crossing]ElementalRecord)}
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

// text lays the content out as numbered blocks, each cell on a line "label: text" that
// is indented below the title of its block. Titles are on one line, and the further
// lines of a text are indented deeper than its label, so that each line can only be
// what it is.
func (content tableContent) text() string {
	var b strings.Builder
	for i, block := range content {
		number := strconv.Itoa(i+1) + ". "
		b.WriteString(number + oneLine(block.title) + "\n")
		for _, c := range block.cells {
			b.WriteString(labelled(tableLabel(c.label), c.text, strings.Repeat(" ", len(number))))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// tableLabel is a title that stands before a colon: in quotes if it has a colon itself,
// or begins with a quote.
func tableLabel(title string) string {
	title = oneLine(title)
	if !strings.Contains(title, ":") && !strings.HasPrefix(title, `"`) {
		return title
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(title) // a string can be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// markdown lays the content out below a heading of the given level: a heading for each
// block, a list item for each cell. What is inside of a list item cannot end it as long
// as it is indented (CommonMark 0.31, section 5.2).
func (content tableContent) markdown(level int) string {
	blocks := make([]string, len(content))
	for i, block := range content {
		lines := []string{strings.Repeat("#", min(6, level+1)) + " " + markdownLabel(block.title)}
		if len(block.cells) > 0 {
			lines = append(lines, "")
		}
		for _, c := range block.cells {
			lines = append(lines, "- **"+markdownLabel(c.label)+":**"+markdownItem(c.text, level+1))
		}
		blocks[i] = strings.Join(lines, "\n")
	}
	return strings.Join(blocks, "\n\n")
}

// markdownItem is a text that follows a label in a list item. One of several lines
// begins on a line of its own, so that it may begin with a fence or a list. All line
// breaks of Unicode count, as in indentRest.
func markdownItem(text string, level int) string {
	text = breaksToLF.Replace(text)
	if !strings.Contains(text, "\n") {
		return " " + text
	}
	lines := strings.Split(nested(text, level), "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) != "" {
			lines[i] = "  " + line
		}
	}
	return "\n\n" + strings.Join(lines, "\n")
}

var breaksToLF = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// markdownLabel is a title on one line without the characters that mean something in
// Markdown.
func markdownLabel(title string) string { return markdownEscapes.Replace(oneLine(title)) }

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `\<`, `&`, `\&`, `#`, `\#`)
