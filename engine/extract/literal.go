package extract

import (
	"regexp"
	"strings"
)

// structural are the starts of lines that would give a text a structure which it does not
// have: headings, rules and underlines, fences, tables, quotes.
var structural = regexp.MustCompile("^(?:#{1,6}(?:[ \t]|$)|`{3,}|~{3,}|=+[ \t]*$|-+[ \t]*$|\\||>)")

// literal makes a line of plain text one of Markdown.
func literal(line string) string {
	line = strings.TrimLeft(line, " \t") // or it is code
	if structural.MatchString(line) {
		return `\` + line
	}
	return line
}

// literalLines is literal for each line of a text.
func literalLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = literal(line)
	}
	return strings.Join(lines, "\n")
}
