package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quirelib/quire"
)

const (
	textWidth    = 80 // characters of a line
	sourceIndent = "    "
)

// printAnswer writes the answer and its sources for people: those that it cites with the
// place that is cited, then those that were only looked at. paths gives the file of an
// elemental.
func printAnswer(w io.Writer, r quire.ChatResponse, paths map[string]string) error {
	var b strings.Builder
	for line := range strings.Lines(printable(r.Answer)) {
		b.WriteString(wrap(strings.TrimRight(line, "\n"), ""))
	}
	cited := citations(r.Answer)
	head := func(i int) string {
		c := r.Sources[i].Chunk
		return fmt.Sprintf("[%d] %s (%s), score %.3f\n", i+1, oneLine(c.Title), oneLine(paths[c.ElementalID]), r.Sources[i].Score)
	}
	title := "\nSources\n"
	for i, hit := range r.Sources {
		sentence, ok := cited[i+1]
		if !ok {
			continue
		}
		b.WriteString(title + "\n" + head(i))
		title = ""
		if heading := hit.Chunk.Heading; len(heading) > 0 {
			b.WriteString(wrap(oneLine(strings.Join(heading, " > ")), sourceIndent))
		}
		b.WriteString(wrap(excerpt(unmarked(hit.Chunk.Text), sentence), sourceIndent))
	}
	title = "\nFound too, and not cited\n\n"
	for i := range r.Sources {
		if _, ok := cited[i+1]; !ok {
			b.WriteString(title + head(i))
			title = ""
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// wrap breaks a line between words so that it fits textWidth where it can, and
// indents it. A line that begins with white space is taken for code and stays.
func wrap(line, indent string) string {
	if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
		return indent + line + "\n"
	}
	var b strings.Builder
	b.WriteString(indent)
	used := len(indent)
	for i, word := range strings.Fields(line) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > textWidth:
			b.WriteString("\n" + indent)
			used = len(indent)
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	b.WriteByte('\n')
	return b.String()
}

var (
	markdownHeading = regexp.MustCompile(`^#{1,6} .*\n+`)
	markdownLink    = regexp.MustCompile(`\[([^\[\]]+)\]\([^()\s]*\)`)
)

// unmarked takes out what gets in the way of reading a passage of Markdown: a
// heading above it, which is shown already, and the targets of links.
func unmarked(text string) string {
	if body := markdownHeading.ReplaceAllString(text, ""); strings.TrimSpace(body) != "" {
		text = body
	}
	return markdownLink.ReplaceAllString(text, "$1")
}

// printable takes out what would steer a terminal, such as escape sequences in a
// document.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return -1
		}
		return r
	}, s)
}
