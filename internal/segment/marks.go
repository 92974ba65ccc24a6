package segment

import "strings"

// The functions of this file recognise the marks of Markdown in one line whose
// quotation marks, indentation and trailing space are removed.

// closer is what ends a block of code: a fence or an HTML tag.
type closer struct {
	mark  byte   // '`' or '~'
	count int    // how many of mark at least
	tag   string // "</pre>", "-->"
	depth int    // of the quotation that the block is in
}

// rawTags are the HTML tags whose content is kept as it is, with what ends it.
var rawTags = []struct{ open, end string }{
	{"<!--", "-->"}, {"<pre", "</pre>"}, {"<script", "</script>"}, {"<style", "</style>"}, {"<textarea", "</textarea>"},
}

// openingMark returns what will end the code that a line opens, or nothing if it
// opens none.
func openingMark(line string, depth int) closer {
	if len(line) < 3 {
		return closer{}
	}
	switch line[0] {
	case '`', '~':
		n := runLength(line)
		if n < 3 || line[0] == '`' && strings.Contains(line[n:], "`") {
			return closer{}
		}
		return closer{mark: line[0], count: n, depth: depth}
	case '<':
		for _, t := range rawTags {
			if n := len(t.open); len(line) >= n && strings.EqualFold(line[:n], t.open) &&
				(t.open == "<!--" || len(line) == n || strings.IndexByte(" \t>", line[n]) >= 0) {
				return closer{tag: t.end, depth: depth}
			}
		}
	}
	return closer{}
}

// ends reports whether a line ends the code.
func (c closer) ends(line string) bool {
	if c.tag != "" {
		return containsFold(line, c.tag)
	}
	line = strings.Trim(line, " \t")
	return len(line) >= c.count && line[0] == c.mark && runLength(line) == len(line)
}

// containsFold reports whether line contains tag, whose letters are in lower case.
func containsFold(line, tag string) bool {
	for {
		i := strings.IndexByte(line, tag[0])
		if i < 0 || len(line)-i < len(tag) {
			return false
		}
		if strings.EqualFold(line[i:i+len(tag)], tag) {
			return true
		}
		line = line[i+1:]
	}
}

// stripQuotes removes up to limit quotation marks from the start of a line and
// returns how many there were.
func stripQuotes(line string, limit int) (rest string, depth int) {
	for depth < limit {
		trimmed := strings.TrimLeft(line, " ")
		if len(line)-len(trimmed) > 3 || !strings.HasPrefix(trimmed, ">") {
			break
		}
		line = strings.TrimPrefix(trimmed[1:], " ")
		depth++
	}
	return line, depth
}

// indentOf returns the width of the white space that a line begins with, a tab
// counting as four.
func indentOf(line string) int {
	width := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			width++
		case '\t':
			width += 4
		default:
			return width
		}
	}
	return width
}

// headingLevel returns the level of an ATX heading, 0 for any other line.
func headingLevel(line string) int {
	if line[0] != '#' {
		return 0
	}
	n := runLength(line)
	if n > 6 || n < len(line) && line[n] != ' ' && line[n] != '\t' {
		return 0
	}
	return n
}

// underlineLevel returns the level of the heading that a line underlines, 0 if it
// is no underline.
func underlineLevel(line string) int {
	if runLength(line) < len(line) {
		return 0
	}
	switch line[0] {
	case '=':
		return 1
	case '-':
		return 2
	}
	return 0
}

// isRule reports whether a line is a thematic break.
func isRule(line string) bool {
	if c := line[0]; c != '-' && c != '*' && c != '_' {
		return false
	}
	count := 0
	for i := range len(line) {
		switch line[i] {
		case line[0]:
			count++
		case ' ', '\t':
		default:
			return false
		}
	}
	return count >= 3
}

// isDelimiterRow reports whether a line is the second one of a table, such as
// "|---|:-:|".
func isDelimiterRow(line string) bool {
	dashes, pipes := 0, 0
	for i := range len(line) {
		switch line[i] {
		case '-':
			dashes++
		case '|':
			pipes++
		case ':', ' ', '\t':
		default:
			return false
		}
	}
	return dashes > 0 && pipes > 0
}

// markerLength returns the length of the list marker that a line begins with,
// without the space behind it; 0 if there is none.
func markerLength(line string) int {
	n := 0
	for n < len(line) && n < 9 && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	switch {
	case n == len(line):
		return 0
	case n == 0 && strings.IndexByte("-+*", line[0]) >= 0, n > 0 && (line[n] == '.' || line[n] == ')'):
		n++
	default:
		return 0
	}
	if n < len(line) && line[n] != ' ' && line[n] != '\t' {
		return 0
	}
	return n
}

// stripMarkers removes the list markers that a line begins with.
func stripMarkers(line string) string {
	for line != "" {
		n := markerLength(line)
		if n == 0 {
			break
		}
		line = strings.TrimLeft(line[n:], " \t")
	}
	return line
}
