package engine

import (
	"strings"

	"github.com/quirelib/quire/internal/segment"
)

// rows returns the candidates of a table: its rows, each cell behind the header of its
// column, for a row alone does not say what its cells are. The headers are a heading,
// unless they are all there is.
func rows(source int, table string) []candidate {
	var lines []string
	for _, s := range segment.Sentences(table) {
		lines = append(lines, table[s[0]:s[1]])
	}
	if len(lines) < 3 {
		var out []candidate
		for _, line := range lines {
			out = append(out, newCandidate(source, prose, line))
		}
		return out
	}
	headers := cells(lines[0]) // behind them is the line that makes it a table
	head := newCandidate(source, heading, lines[0])
	head.row = true
	out := []candidate{head}
	for _, line := range lines[2:] {
		out = append(out, row(source, headers, cells(line)))
	}
	return out
}

// row returns a row as a candidate. Its headers are above it: all rows have them.
func row(source int, headers, cells []string) candidate {
	c := newCandidate(source, prose, strings.Join(cells, " | "))
	c.row = true
	c.above = stems(matchWords(strings.Join(headers, " ")))
	var parts []string
	for i, cell := range cells {
		switch {
		case !strings.ContainsFunc(cell, isWordChar):
		case i < len(headers) && strings.ContainsFunc(headers[i], isWordChar):
			parts = append(parts, strings.TrimRight(headers[i], ":： ")+": "+cell)
		default:
			parts = append(parts, cell)
		}
	}
	c.text = withoutMarkers(strings.Join(parts, "; "))
	return c
}

// cells returns the cells of a row, without markup. A "|" behind a backslash is part of
// one.
func cells(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	if !strings.HasSuffix(line, `\|`) {
		line = strings.TrimSuffix(line, "|")
	}
	var out []string
	start := 0
	for i := range len(line) {
		if line[i] == '|' && (i == 0 || line[i-1] != '\\') {
			out = append(out, plainCell(line[start:i]))
			start = i + 1
		}
	}
	return append(out, plainCell(line[start:]))
}

// plainCell removes the backslash in front of a "|" first, which counts in code, too.
func plainCell(cell string) string { return segment.Plain(strings.ReplaceAll(cell, `\|`, "|")) }
