package quire

import (
	"regexp"
	"strings"
)

// markdownLayout writes headings instead of labels: a list is level 1, its items
// are level 2. Headings inside bodies are moved below that, fences that a body
// leaves open are closed, so that a body cannot begin or swallow an item.
type markdownLayout struct{}

func (markdownLayout) title(s string) string {
	if s == "" {
		return ""
	}
	return "# " + oneLine(s) + "\n"
}

func (markdownLayout) description(s string) string {
	if s == "" {
		return ""
	}
	return "\n" + nested(s, 1) + "\n"
}

func (m markdownLayout) item(_ int, o KnowledgeObject) string { return m.object(o, 2) }

// object writes an elemental under a heading of the given level.
func (markdownLayout) object(o KnowledgeObject, level int) string {
	var b strings.Builder
	paragraph := func(s string) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s)
		b.WriteByte('\n')
	}
	for _, e := range o {
		value := plainValue(e.Value)
		if content, ok := e.Value.(tableContent); ok {
			if text := content.markdown(level); text != "" {
				paragraph(text)
			}
		}
		switch {
		case value == "":
		case e.Key == "Title":
			paragraph(strings.Repeat("#", level) + " " + oneLine(value))
		case e.Key == "Body" || e.Key == "Description":
			paragraph(nested(value, level))
		default:
			paragraph("**" + e.Key + ":** " + nested(value, level))
		}
	}
	return b.String()
}

// oneLine folds all white space, because a heading ends with its line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

var (
	atxHeading  = regexp.MustCompile(`^ {0,3}#{1,6}([ \t]|$)`)
	setextLine  = regexp.MustCompile(`^ {0,3}(=+|-+)[ \t]*$`)
	fenceMarker = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})")

	// An HTML block of these kinds ends at its own end mark only (CommonMark 4.6).
	openHTML = regexp.MustCompile(`(?i)^ {0,3}<(?:[!?]|(?:pre|script|style|textarea)(?:[\s>]|$))`)
	anyHTML  = regexp.MustCompile(`^ {0,3}<`)
	// A list item or block quote, in which what is open ends with it.
	container = regexp.MustCompile(`^[ \t]*(?:[-*+]|[0-9]{1,9}[.)]|>)`)
	// A fence that may be inside of one.
	innerFence = regexp.MustCompile("^[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t>]*)*(?:```|~~~)")
)

// nested prepares Markdown to stand below a heading of the given level: none of its own
// headings is at that level or above it, and what follows it is not part of it.
func nested(s string, level int) string {
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"), "\n")
	if mayStayOpen(lines) {
		return "> " + strings.Join(lines, "\n> ")
	}
	return deepened(lines, level)
}

// mayStayOpen reports whether the lines have what only a whole parser could tell the
// end of. As a block quote they end where it ends, whatever they hold.
func mayStayOpen(lines []string) bool {
	var containers, innerFences, fences, html bool
	for _, line := range lines {
		if openHTML.MatchString(line) {
			return true
		}
		containers = containers || container.MatchString(line)
		fences = fences || fenceMarker.MatchString(line)
		innerFences = innerFences || innerFence.MatchString(line) && !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~")
		html = html || anyHTML.MatchString(line)
	}
	return containers && innerFences || html && fences
}

// deepened moves the headings of Markdown below the given level and closes a fence that
// it leaves open (CommonMark 0.31: ATX headings 4.2, setext headings 4.3, fences 4.5).
func deepened(lines []string, level int) string {
	var b strings.Builder
	fence, paragraph := "", false
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		marker := ""
		if m := fenceMarker.FindStringSubmatch(line); m != nil {
			marker = m[1]
		}
		switch {
		case fence != "":
			if closes(line, marker, fence) {
				fence = ""
			}
		case marker != "" && !(marker[0] == '`' && strings.Contains(strings.TrimLeft(line, " ")[len(marker):], "`")):
			fence = marker
		case atxHeading.MatchString(line):
			line = deeper(line, level)
		case paragraph && setextLine.MatchString(line):
			at := strings.IndexAny(line, "=-")
			line = line[:at] + `\` + line[at:]
		}
		paragraph = fence == "" && strings.Trim(line, " \t") != "" && !atxHeading.MatchString(line)
		b.WriteString(line)
	}
	if fence != "" {
		b.WriteString("\n" + fence)
	}
	return b.String()
}

// closes reports whether a line ends the open fence.
func closes(line, marker, fence string) bool {
	return marker != "" && marker[0] == fence[0] && len(marker) >= len(fence) &&
		strings.Trim(line, " \t"+marker[:1]) == ""
}

// deeper moves an ATX heading below the given level, to level 6 at most; a heading
// that is at level 6 stays.
func deeper(line string, level int) string {
	at := strings.IndexByte(line, '#')
	n := len(line[at:]) - len(strings.TrimLeft(line[at:], "#"))
	return line[:at] + strings.Repeat("#", min(6, n+level)) + line[at+n:]
}
