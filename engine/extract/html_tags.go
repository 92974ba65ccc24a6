package extract

import (
	"strings"

	"golang.org/x/net/html"
)

// pageTokenizer ends before a tag of more attributes than most: a tokenizer has all of a tag in
// memory, 32 bytes for each, or many times that while there come more. Text of a title or script
// that begins as a tag does is taken for one.
type pageTokenizer struct {
	*html.Tokenizer
	text string // of the page from the next token on
	most int
	many bool // it ended for that
}

// Next is that of the tokenizer.
func (z *pageTokenizer) Next() html.TokenType {
	if z.many = attributesOf(z.text, z.most) > z.most; z.many {
		return html.ErrorToken
	}
	kind := z.Tokenizer.Next()
	z.text = z.text[len(z.Raw()):]
	return kind
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// attributesOf counts the attributes of the tag that a text begins with, if it does, up to one more
// than most. Quotes hold a value behind "=" only.
func attributesOf(text string, most int) (attributes int) {
	if len(text) < 2 || text[0] != '<' || !letter(text[1]) && (text[1] != '/' || len(text) < 3 || !letter(text[2])) {
		return 0
	}
	between, value := false, false
	for i := 1; i < len(text) && attributes <= most; i++ {
		switch c := text[i]; c {
		case '>':
			return attributes
		case ' ', '\t', '\n', '\f', '\r', '/':
			between = true
		case '=':
			value = true
		default:
			if value && (c == '"' || c == '\'') {
				end := strings.IndexByte(text[i+1:], c)
				if end < 0 {
					return attributes
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
	return attributes
}
