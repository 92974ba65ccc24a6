package pdf

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// layout makes lines of pieces of text that were put on a page one after the other.
type layout struct {
	b     strings.Builder
	begun bool
	x, y  float64 // the end of the last piece
	size  float64 // of its characters
}

// The distances that tell words, lines and paragraphs apart, in sizes of the characters.
const (
	wordGap      = 0.17
	lineStep     = 0.4
	paragraphGap = 1.75
)

// move says where the next piece begins, in a script of that size.
func (l *layout) move(x, y, size float64) {
	if !l.begun || size <= 0 || math.IsNaN(x+y) {
		return
	}
	em := max(size, l.size)
	switch dx, dy := x-l.x, l.y-y; {
	case dy > paragraphGap*em || dy < -paragraphGap*em:
		l.end("\n\n")
	case dy > lineStep*em || dy < -lineStep*em && dx < 0:
		l.end("\n")
	case dx < -em: // back on the same line: something else is said there
		l.end("\n")
	case dx > wordGap*size:
		l.end(" ")
	}
}

// end ends a word, line or paragraph, unless nothing was written since the last one.
func (l *layout) end(with string) {
	s := l.b.String()
	last, _ := utf8.DecodeLastRuneInString(s)
	switch {
	case s == "" || strings.HasSuffix(s, "\n\n"):
	case with == " " && unicode.IsSpace(last):
	case with == "\n" && last == '\n':
	case with == "\n\n" && last == '\n':
		l.b.WriteByte('\n')
	default:
		l.b.WriteString(with)
	}
}

// show writes a piece that ends at x, y.
func (l *layout) show(s string, x, y, size float64) {
	for _, r := range s {
		switch {
		case r == '\u00A0':
			l.b.WriteByte(' ')
		case r == '\n' || r == '\r' || r == '\t':
			l.end(" ")
		case unicode.IsControl(r):
		default:
			l.b.WriteRune(r)
		}
	}
	if s != "" {
		l.begun = true
	}
	l.x, l.y, l.size = x, y, size
}

var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")

// text returns what was laid out, without the hyphens that only end lines.
func (l *layout) text() string {
	lines := strings.Split(ligatures.Replace(l.b.String()), "\n")
	var b strings.Builder
	for i, line := range lines {
		line = strings.TrimRightFunc(line, unicode.IsSpace)
		cut, hyphen := strings.CutSuffix(line, "\u00AD")
		if !hyphen {
			cut, hyphen = strings.CutSuffix(line, "-")
		}
		before, _ := utf8.DecodeLastRuneInString(cut)
		if hyphen && i+1 < len(lines) && unicode.IsLetter(before) && startsLower(lines[i+1]) {
			b.WriteString(cut)
			continue
		}
		b.WriteString(line)
		if i+1 < len(lines) {
			b.WriteByte('\n')
		}
	}
	return strings.TrimSpace(b.String())
}

func startsLower(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}
