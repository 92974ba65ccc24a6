package segment

import (
	"iter"
	"strings"
)

// Kind is what a [Block] is.
type Kind int

// The kinds of blocks.
const (
	Paragraph   Kind = iota // prose, also in a quotation or behind the first lines of a list item
	Heading                 // "# Title", or a title underlined with = or -
	Item                    // a list item up to the next item or blank line
	Code                    // fenced or indented code, or <pre>, <script>, <style>, <textarea> and comments
	Table                   // header, delimiter row and rows
	Rule                    // a thematic break
	FrontMatter             // YAML between two "---" lines at the start of the text
)

// Block is a run of whole lines of a Markdown text.
type Block struct {
	Kind  Kind
	Start int // byte offset of the first line, its indentation included
	End   int // byte offset behind the last line, its line ending not included
	Level int // of a heading, 1..6; else 0
}

// Blocks returns the blocks of a Markdown text in order. They do not overlap, and
// between them is only white space.
//
// It is a line scanner, not a CommonMark parser: it knows the boundaries that
// matter to whoever cuts a text (ATX and setext headings, fences, tables, list
// items, quotations), keeps no tree, and so takes time linear in the text and
// constant stack however deep a hostile text nests. Headings inside quotations and
// list items are paragraphs, for they do not structure the document.
func Blocks(text string) []Block {
	b := blockScanner{text: text}
	from := b.frontMatter()
	for start, end := range lines(text, from) {
		b.line(start, end)
	}
	b.close()
	return b.blocks
}

// lines yields the byte range of each line of text from an offset on, without its
// ending: LF, CRLF or CR.
func lines(text string, from int) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for from < len(text) {
			end, next := len(text), len(text)
			if i := strings.IndexAny(text[from:], "\r\n"); i >= 0 {
				end = from + i
				next = end + 1
				if text[end] == '\r' && next < len(text) && text[next] == '\n' {
					next++
				}
			}
			if !yield(from, end) {
				return
			}
			from = next
		}
	}
}

// blockScanner is the state of Blocks between two lines.
type blockScanner struct {
	text   string
	blocks []Block

	open     Block // being read, if isOpen
	isOpen   bool
	depth    int    // of quotation, in the last line
	lastLine int    // where the last line of open begins
	until    closer // what ends the open code block; zero: a line that is not indented
	inList   bool   // indented lines belong to a list item
}

// begin ends the open block and opens another.
func (b *blockScanner) begin(kind Kind, start, end int) {
	b.close()
	b.open, b.isOpen = Block{Kind: kind, Start: start, End: end}, true
	b.lastLine = start
}

// extend adds a line to the open block.
func (b *blockScanner) extend(start, end int) {
	b.open.End = end
	b.lastLine = start
}

// close ends the open block, if any.
func (b *blockScanner) close() {
	if b.isOpen {
		b.blocks = append(b.blocks, b.open)
	}
	b.isOpen = false
	b.until = closer{}
}

// single adds a block of one line.
func (b *blockScanner) single(kind Kind, start, end, level int) {
	b.begin(kind, start, end)
	b.open.Level = level
	b.close()
}

// isOpenAs reports whether a block of the kind is open.
func (b *blockScanner) isOpenAs(kind Kind) bool { return b.isOpen && b.open.Kind == kind }

// frontMatter takes the front matter and returns where the rest begins.
func (b *blockScanner) frontMatter() int {
	end := FrontMatterEnd(b.text)
	if end > 0 {
		b.single(FrontMatter, 0, end, 0)
	}
	return end
}

// FrontMatterEnd returns the byte offset behind the front matter of a Markdown text, the
// ending of its last line not included; 0 if there is none. Between two lines "---" at the
// start of a text is front matter if the first line looks like YAML: else the upper one is
// a thematic break.
func FrontMatterEnd(text string) int {
	opened, first := false, true
	for start, end := range lines(text, 0) {
		line := strings.TrimRight(text[start:end], " \t")
		switch {
		case !opened && line != "---":
			return 0
		case !opened:
			opened = true
		case first && !strings.Contains(line, ":"):
			return 0
		case line == "---" || line == "...":
			return end
		default:
			first = false
		}
	}
	return 0
}

// line takes one line.
func (b *blockScanner) line(start, end int) {
	if b.until != (closer{}) && b.codeLine(start, end) {
		return
	}
	content, depth := stripQuotes(b.text[start:end], len(b.text))
	deeper := depth > b.depth
	b.depth = depth
	indent := indentOf(content)
	content = strings.TrimSpace(content)
	if content == "" {
		b.blank(start, end)
		return
	}
	if b.isOpenAs(Code) && indent < 4 || deeper {
		b.close()
	}
	if b.structure(start, end, indent, content) {
		return
	}
	b.prose(start, end, indent, content)
}

// codeLine takes a line of code that an explicit mark ends. It returns false if
// the line does not belong to the code, because the quotation ended before it.
func (b *blockScanner) codeLine(start, end int) bool {
	content, depth := stripQuotes(b.text[start:end], b.until.depth)
	if depth < b.until.depth {
		b.close()
		return false
	}
	b.extend(start, end)
	if b.until.ends(content) {
		b.close()
	}
	return true
}

// blank takes a line that is empty but for quotation marks.
func (b *blockScanner) blank(start, end int) {
	quoted := b.depth > 0 && strings.TrimSpace(b.text[start:end]) != ""
	switch {
	case b.isOpen && quoted:
		b.extend(start, end)
	case b.isOpenAs(Code): // more of it may follow
		return
	case quoted:
		b.begin(Paragraph, start, end)
	}
	b.close()
}

// structure takes a line that is, begins or continues something other than prose,
// and reports whether it did.
func (b *blockScanner) structure(start, end, indent int, content string) bool {
	outline := b.depth == 0 && indent < 4 && !(b.inList && indent >= 2)
	code := openingMark(content, b.depth)
	switch {
	case code != (closer{}) && (indent < 4 || b.inList):
		b.begin(Code, start, end)
		b.until = code
		if code.tag != "" && code.ends(content) {
			b.close()
		}
	case outline && b.isOpenAs(Paragraph) && underlineLevel(content) > 0:
		b.extend(start, end)
		b.open.Kind, b.open.Level = Heading, underlineLevel(content)
		b.close()
	case outline && headingLevel(content) > 0:
		b.inList = false
		b.single(Heading, start, end, headingLevel(content))
	case indent < 4 && isRule(content):
		b.single(Rule, start, end, 0)
	case (b.isOpenAs(Paragraph) || b.isOpenAs(Item)) && isDelimiterRow(content) && strings.Contains(b.text[b.lastLine:b.open.End], "|"):
		b.table(start, end)
	case indent >= 4 && !b.inList && !b.isOpenAs(Paragraph) && !b.isOpenAs(Table):
		if b.isOpenAs(Code) {
			b.extend(start, end)
		} else {
			b.begin(Code, start, end)
		}
	default:
		return false
	}
	return true
}

// table turns the last line of the open block into the header of a table.
func (b *blockScanner) table(start, end int) {
	header := b.lastLine
	if header > b.open.Start {
		b.open.End = len(strings.TrimRight(b.text[:header], "\r\n"))
		b.begin(Table, header, end)
	} else {
		b.open.Kind = Table
	}
	b.extend(start, end)
}

// prose takes a line of a paragraph, list item or table row.
func (b *blockScanner) prose(start, end, indent int, content string) {
	switch {
	case b.beginsItem(content):
		b.inList = true
		rest := stripMarkers(content)
		b.begin(Item, start, end)
		if code := openingMark(rest, b.depth); code.tag == "" && code != (closer{}) {
			b.open.Kind, b.until = Code, code
		}
	case b.isOpen && b.open.Kind != Code:
		b.extend(start, end)
	default:
		if indent < 2 {
			b.inList = false
		}
		b.begin(Paragraph, start, end)
	}
}

// beginsItem reports whether a line begins a list item. In the middle of a
// paragraph only some do: "the year\n1986. A good one" is no list.
func (b *blockScanner) beginsItem(line string) bool {
	n := markerLength(line)
	if n == 0 || !b.isOpenAs(Paragraph) || b.inList {
		return n > 0
	}
	return n < len(line) && (n == 1 || line[:n] == "1." || line[:n] == "1)")
}
