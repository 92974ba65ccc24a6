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
// place that is cited, then those that were only looked at with their beginning. paths gives the file of an
// elemental.
func printAnswer(w io.Writer, r quire.ChatResponse, paths map[string]string) error {
	var b strings.Builder
	for line := range strings.Lines(printable(r.Answer)) {
		b.WriteString(wrap(strings.TrimRight(line, "\n"), ""))
	}
	cited := citations(r.Answer)
	for _, part := range []struct {
		title string
		cited bool
	}{{"Sources", true}, {"Found too, and not cited", false}} {
		title := "\n" + part.title + "\n"
		for i, hit := range r.Sources {
			if sentence, ok := cited[i+1]; ok == part.cited {
				b.WriteString(title + "\n" + sourceText(i+1, hit, paths, sentence))
				title = ""
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sourceText is a source with its place: where the sentence stands that was cited from it, or
// else how it begins.
func sourceText(number int, hit quire.SearchHit, paths map[string]string, sentence string) string {
	c := hit.Chunk
	text := fmt.Sprintf("[%d] %s, score %.3f\n", number, documentName(c.Title, paths[c.ElementalID]), hit.Score)
	if len(c.Heading) > 0 {
		text += wrap(oneLine(strings.Join(c.Heading, " > ")), sourceIndent)
	}
	return text + wrap(excerpt(unmarked(c.Text), sentence), sourceIndent)
}

// documentName is the title of a document with its path, once where the title was made of it.
func documentName(title, path string) string {
	title, path = oneLine(title), oneLine(path)
	if strings.HasSuffix(title, path) {
		return title
	}
	return title + " (" + path + ")"
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
