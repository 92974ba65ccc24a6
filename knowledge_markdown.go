package quire

import (
	"iter"
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

func (m markdownLayout) item(w textSink, _ int, o KnowledgeObject) { m.object(w, o, 2) }

// object writes an elemental under a heading of the given level.
func (markdownLayout) object(w textSink, o KnowledgeObject, level int) {
	separator := ""
	paragraph := func(start, nestedText string) {
		w.WriteString(separator + start)
		writeNested(w, nestedText, level)
		w.WriteString("\n")
		separator = "\n"
	}
	for _, e := range o {
		value := plainValue(e.Value)
		if content, ok := e.Value.(tableContent); ok {
			if text := content.markdown(level); text != "" {
				paragraph(text, "")
			}
		}
		switch {
		case value == "":
		case e.Key == "Title":
			paragraph(strings.Repeat("#", level)+" "+oneLine(value), "")
		case e.Key == "Body" || e.Key == "Description":
			paragraph("", value)
		default:
			paragraph("**"+e.Key+":** ", value)
		}
	}
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
	return asText(func(w textSink) { writeNested(w, s, level) })
}

func writeNested(w textSink, s string, level int) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	// Not a slice of lines, which may be many times longer than s.
	if !mayStayOpen(strings.SplitSeq(s, "\n")) {
		writeDeepened(w, strings.SplitSeq(s, "\n"), level)
		return
	}
	separator := "> "
	for line := range strings.SplitSeq(s, "\n") {
		w.WriteString(separator)
		w.WriteString(line)
		separator = "\n> "
	}
}

// mayStayOpen reports whether the lines have what only a whole parser could tell the
// end of. As a block quote they end where it ends, whatever they hold.
func mayStayOpen(lines iter.Seq[string]) bool {
	var containers, innerFences, fences, html bool
	for line := range lines {
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

// writeDeepened moves the headings of Markdown below the given level and closes a fence that
// it leaves open (CommonMark 0.31: ATX headings 4.2, setext headings 4.3, fences 4.5).
func writeDeepened(w textSink, lines iter.Seq[string], level int) {
	fence, paragraph, separator := "", false, ""
	for line := range lines {
		w.WriteString(separator)
		separator = "\n"
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
		w.WriteString(line)
	}
	if fence != "" {
		w.WriteString("\n" + fence)
	}
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
