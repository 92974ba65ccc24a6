package quire

import (
	"regexp"
	"strings"
)

// The lines of Markdown that could be taken for what is around it (CommonMark 0.31: ATX
// headings 4.2, setext headings 4.3, fences 4.5, HTML blocks 4.6, containers 5).
var (
	// A heading, also one in a list item or block quote; with more than six marks it is
	// text.
	headingLine = regexp.MustCompile(`^ {0,3}(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+|>[ \t]*)*#+(?:[ \t]|$)`)
	// What makes the paragraph before it a heading, or is escaped so that it does not.
	underline   = regexp.MustCompile(`^ {0,3}\\*(?:=+|-+)[ \t]*$`)
	fenceMarker = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})")

	container = regexp.MustCompile(`^[ \t]*(?:[-*+]|[0-9]{1,9}[.)]|>)`)
	// What may be a fence or heading inside of a container.
	innerFence   = regexp.MustCompile("^[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t>]*)*(?:```|~~~)")
	innerHeading = regexp.MustCompile(`^(?: {0,3}\t| {4})[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+|>[ \t]*)*(?:#+(?:[ \t]|$)|(?:=+|-+)[ \t]*$)|^[ \t]*>[ \t>]*(?:=+|-+)[ \t]*$`)

	anyHTML = regexp.MustCompile(`^ {0,3}<`)
	// A block that ends at its own end mark only, or a heading.
	openHTML = regexp.MustCompile(`(?i)^ {0,3}<(?:[!?]|(?:pre|script|style|textarea)(?:[\s>]|$))|<h[1-6]\b`)
	verbatim = regexp.MustCompile("^`{3,}markdown")
)

// nested prepares Markdown to stand below a heading of the given level: none of its own
// headings is at that level or above it, and what follows it is not part of it. It can be
// taken back exactly:
//
//   - a text that begins with a fence of backticks named markdown is what is inside;
//   - in others, outside of fences, headings have as many more marks as the level says, and
//     lines of = or - below a paragraph one more backslash.
func nested(s string, level int) string {
	return asText(func(w textSink) { writeNested(w, s, level) })
}

func writeNested(w textSink, s string, level int) {
	if needsFence(s) {
		writeFenced(w, s)
		return
	}
	var b blocks
	for line := range strings.Lines(s) { // not a slice, which may be many times longer than s
		switch b.next(line, level) {
		case '#':
			at := strings.IndexByte(line, '#')
			w.WriteString(line[:at])
			w.WriteString("################"[:level])
			line = line[at:]
		case '=':
			at := strings.IndexAny(line, `\=-`)
			w.WriteString(line[:at] + `\`)
			line = line[at:]
		}
		w.WriteString(line)
	}
}

// writeFenced writes a text inside of a fence that nothing in it can end.
func writeFenced(w textSink, s string) {
	longest, run := 2, 0
	for i := range len(s) {
		if run++; s[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	w.WriteString(fence + "markdown\n")
	w.WriteString(s)
	w.WriteString("\n" + fence)
}

// needsFence reports whether a text has what readers may see in different ways, or what
// only a whole parser could tell the end of.
func needsFence(s string) bool {
	if verbatim.MatchString(s) || rareBreaks.MatchString(s) {
		return true
	}
	var b blocks
	var containers, innerFences, innerHeadings, fences, html bool
	for line := range strings.Lines(s) {
		line = withoutBreak(line)
		if openHTML.MatchString(line) {
			return true
		}
		b.next(line, 0)
		containers = containers || container.MatchString(line)
		fences = fences || fenceMarker.MatchString(line)
		innerFences = innerFences || innerFence.MatchString(line) && !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~")
		innerHeadings = innerHeadings || innerHeading.MatchString(line)
		html = html || anyHTML.MatchString(line)
	}
	return b.fence != "" || containers && (innerFences || innerHeadings) || html && fences
}

// blocks is what the meaning of a line of Markdown depends on.
type blocks struct {
	fence     string // the one that is open
	paragraph bool   // one may be open
}

// next takes a line in. It returns '#' for a heading, '=' for what would make one of the
// paragraph before it, else ' '. Of headings level tells how much deeper they will be.
func (b *blocks) next(line string, level int) byte {
	line = withoutBreak(line)
	paragraph := b.paragraph
	b.paragraph = false
	marker := ""
	if m := fenceMarker.FindStringSubmatch(line); m != nil {
		marker = m[1]
	}
	switch {
	case b.fence != "":
		if closes(line, marker, b.fence) {
			b.fence = ""
		}
	case marker != "" && !(marker[0] == '`' && strings.Contains(strings.TrimLeft(line, " ")[len(marker):], "`")):
		b.fence = marker
	case headingLine.MatchString(line):
		before, marks, _ := strings.Cut(line, "#")
		n := 1 + len(marks) - len(strings.TrimLeft(marks, "#"))
		b.paragraph = n+level > 6 || strings.Trim(before, " ") != "" // which is text then, or may be
		return '#'
	default:
		b.paragraph = strings.Trim(line, " \t") != ""
		if paragraph && underline.MatchString(line) {
			return '='
		}
	}
	return ' '
}

// withoutBreak is a line without the break at its end.
func withoutBreak(line string) string {
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
}

// closes reports whether a line ends the open fence.
func closes(line, marker, fence string) bool {
	return marker != "" && marker[0] == fence[0] && len(marker) >= len(fence) &&
		strings.Trim(strings.TrimLeft(line, " ")[len(marker):], " \t") == "" // no more marks behind a space
}
