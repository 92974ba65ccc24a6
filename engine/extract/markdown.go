package extract

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/quirelib/quire/internal/markup"
	"github.com/quirelib/quire/internal/segment"
)

// fromMarkdown returns the title and the text without front matter, if there is
// anything else.
func fromMarkdown(text string) (title, body string) {
	title, body = frontMatter(text)
	if strings.TrimSpace(body) == "" {
		return title, text
	}
	if title == "" {
		title = firstHeading(body)
	}
	return title, body
}

var titleField = regexp.MustCompile(`(?m)^title:[ \t]*(.+?)[ \t]*$`)

// frontMatter takes off the front matter, and returns the title in it.
func frontMatter(text string) (title, body string) {
	end := segment.FrontMatterEnd(text)
	if end == 0 {
		return "", text
	}
	matter, body := text[:end], strings.TrimPrefix(text[end:], "\n")
	if m := titleField.FindStringSubmatch(matter); m != nil {
		title = m[1]
		if n := len(title); n >= 2 && (title[0] == '"' || title[0] == '\'') && title[n-1] == title[0] {
			title = title[1 : n-1]
		}
	}
	return title, body
}

var (
	atxHeading = regexp.MustCompile(`^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	underline  = regexp.MustCompile(`^ {0,3}(?:=+|-+)[ \t]*$`)
	fence      = regexp.MustCompile("^ {0,3}(```+|~~~+)")
)

// firstHeading returns the text of the first heading outside of fenced code.
func firstHeading(text string) string {
	open, before := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := fence.FindStringSubmatch(line); m != nil {
			if open == "" {
				open = m[1]
			} else if strings.HasPrefix(m[1], open) {
				open = ""
			}
			before = ""
			continue
		}
		if open != "" {
			continue
		}
		if m := atxHeading.FindStringSubmatch(line); m != nil {
			return markup.Plain(m[1])
		}
		if before != "" && underline.MatchString(line) {
			return markup.Plain(before)
		}
		before = strings.TrimSpace(line)
	}
	return ""
}

// titleLine returns the first line of a plain text if it looks like a title: short,
// without punctuation at its end, and followed by a blank line or a line of dashes.
func titleLine(text string) string {
	line, rest, ok := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	line = strings.TrimSpace(line)
	if !ok || strings.TrimSpace(rest) == "" || line == "" || utf8.RuneCountInString(line) > 100 || strings.ContainsAny(line[len(line)-1:], ".,;:") {
		return ""
	}
	next, _, _ := strings.Cut(rest, "\n")
	if strings.Trim(next, "=-~* \t") != "" {
		return ""
	}
	return line
}
