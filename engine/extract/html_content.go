package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
)

// content is what is known of what is in an element.
type content struct {
	start  string // its first letters, at most startLetters, without spaces
	word   bool   // it has a letter or digit
	label  bool   // it has a letter, and not only in buttons
	blocks bool   // it has one of notInCell
	lined  bool   // it has one of blocks
	lines  int    // how many lines it takes at most
}

const startLetters = 3

func (c *content) add(next content) {
	for _, letter := range next.start {
		if utf8.RuneCountInString(c.start) < startLetters {
			c.start += string(letter)
		}
	}
	c.word = c.word || next.word
	c.label = c.label || next.label
	c.blocks = c.blocks || next.blocks
	c.lined = c.lined || next.lined
	c.lines += next.lines
}

// text is what is known of a text where the page is cleaned.
func (p *page) text(text string) (c content) {
	if p.open[kindPre] > 0 {
		c.lines = strings.Count(text, "\n")
	}
	letters := 0
	for _, letter := range text {
		if unicode.IsSpace(letter) {
			continue
		}
		if letters < startLetters {
			c.start += string(letter)
			letters++
		}
		c.word = c.word || isWord(letter)
		if c.label = c.label || unicode.IsLetter(letter); c.label && letters == startLetters {
			break
		}
	}
	return c
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

var markers = strings.NewReplacer(string(marker.MarkerEscaping), "", string(marker.MarkerCodeBlockNewline), "")

// unmarked is a text without the characters by which the converter marks what it escapes, and
// line breaks in code.
func unmarked(text string) string {
	if strings.IndexByte(text, byte(marker.MarkerEscaping)) < 0 && !strings.ContainsRune(text, marker.MarkerCodeBlockNewline) {
		return text
	}
	return markers.Replace(text)
}
