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
	textWidth    = 80  // characters of a line
	excerptChars = 200 // about as many characters of a source are shown
	sourceIndent = "    "
)

// printAnswer writes the answer and its sources for people. paths gives the file
// of an elemental.
func printAnswer(w io.Writer, r quire.ChatResponse, paths map[string]string) error {
	var b strings.Builder
	for line := range strings.Lines(printable(r.Answer)) {
		b.WriteString(wrap(strings.TrimRight(line, "\n"), ""))
	}
	if len(r.Sources) > 0 {
		b.WriteString("\nSources\n")
	}
	for i, hit := range r.Sources {
		c := hit.Chunk
		head := fmt.Sprintf("[%d] %s (%s), score %.3f", i+1, oneLine(c.Title), oneLine(paths[c.ElementalID]), hit.Score)
		b.WriteString("\n" + head + "\n")
		if len(c.Heading) > 0 {
			b.WriteString(wrap(oneLine(strings.Join(c.Heading, " > ")), sourceIndent))
		}
		b.WriteString(wrap(excerpt(unmarked(c.Text)), sourceIndent))
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

// excerpt is the beginning of a text on one line, cut between words, or inside a
// word that is long itself.
func excerpt(text string) string {
	line := []rune(strings.Join(strings.Fields(printable(text)), " "))
	if len(line) <= excerptChars {
		return string(line)
	}
	cut := excerptChars
	for cut > 0 && line[cut] != ' ' {
		cut--
	}
	if cut < excerptChars/2 {
		cut = excerptChars
	}
	return strings.TrimRight(string(line[:cut]), " ") + " …"
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
