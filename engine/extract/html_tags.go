package extract

import "strings"

// manyAttributes reports whether a tag of a page has more attributes than that, before the
// tokenizer has them in memory: 32 bytes for each, or many times that while there come more. It
// goes by tags, comments and raw text as the tokenizer does (HTML, 13.2.5), or sees more tags.
func manyAttributes(page string, most int) bool {
	foreign := 0 // open svg and math elements, in which all text has tags
	for at := strings.IndexByte(page, '<'); at >= 0; {
		rest := page[at:]
		switch {
		case strings.HasPrefix(rest, "<!--"):
			at += commentLength(rest)
		case len(rest) > 1 && letter(rest[1]) || len(rest) > 2 && rest[1] == '/' && letter(rest[2]):
			length, attributes := tagLength(rest, most)
			if attributes > most {
				return true
			}
			switch {
			case named(rest[1:], "svg") || named(rest[1:], "math"):
				foreign++
			case foreign > 0 && (named(rest[2:], "svg") || named(rest[2:], "math")):
				foreign--
			}
			at += length
			if foreign == 0 {
				at += rawLength(rest, length)
			}
		default:
			at++
		}
		next := strings.IndexByte(page[at:], '<')
		if next < 0 {
			return false
		}
		at += next
	}
	return false
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// commentLength is how long the comment is that a text begins with. A short one ends in its own
// beginning.
func commentLength(text string) int {
	for at := len("<!"); ; at++ {
		dashes := strings.Index(text[at:], "--")
		if dashes < 0 {
			return len(text)
		}
		at += dashes
		for _, mark := range []string{"-->", "--!>"} {
			if strings.HasPrefix(text[at:], mark) {
				return at + len(mark)
			}
		}
	}
}

// tagLength is how long the tag is that a text begins with, and how many attributes it has; if
// these are more than most it does not look further. Quotes hold a value behind "=" only.
func tagLength(text string, most int) (length, attributes int) {
	between, value := false, false
	for i := 1; i < len(text) && attributes <= most; i++ {
		switch c := text[i]; c {
		case '>':
			return i + 1, attributes
		case ' ', '\t', '\n', '\f', '\r', '/':
			between = true
		case '=':
			value = true
		default:
			if value && (c == '"' || c == '\'') {
				end := strings.IndexByte(text[i+1:], c)
				if end < 0 {
					return len(text), attributes
				}
				i += end + 1
				between, value = true, false
				continue
			}
			if between && !value {
				attributes++
			}
			between, value = false, false
		}
	}
	return len(text), attributes
}

// rawTags are the elements whose text holds no tags.
var rawTags = []string{"iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp"}

// rawLength is how long the text is behind the tag of that length that a text begins with, up to
// the end tag, if it holds no tags.
func rawLength(text string, tag int) int {
	for _, name := range rawTags {
		if named(text[1:], name) {
			return untilEndTag(text[tag:], name)
		}
	}
	return 0
}

// named reports whether a text begins with a name and what may follow one.
func named(text, name string) bool {
	return len(text) > len(name) && strings.EqualFold(text[:len(name)], name) && strings.IndexByte(" \t\n\f\r/>", text[len(name)]) >= 0
}

func untilEndTag(text, name string) int {
	for at := 0; ; at += 2 {
		next := strings.Index(text[at:], "</")
		if next < 0 {
			return len(text)
		}
		if at += next; named(text[at+2:], name) {
			return at
		}
	}
}
