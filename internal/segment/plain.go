package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain returns a piece of Markdown, such as a heading or a sentence, as one line
// of plain text: without the marks of headings, quotations, list items, table rows,
// emphasis and code and without plain HTML tags, with links and images as their texts,
// and with every run of white space as one space. It only removes: the words and
// their order stay.
func Plain(markdown string) string {
	var joined strings.Builder // marks of emphasis and links may begin on one line and end on the next
	for start, end := range lines(markdown, 0) {
		line, _ := stripQuotes(markdown[start:end], end-start)
		line = strings.TrimSpace(line)
		if line == "" || start > 0 && underlineLevel(line) > 0 || isDelimiterRow(line) {
			continue
		}
		joined.WriteString(stripBlockMarks(line))
		joined.WriteByte(' ')
	}
	return strings.Join(strings.Fields(plainInline(strings.TrimSuffix(joined.String(), " "))), " ")
}

// stripBlockMarks removes what makes a line a heading, list item or table row.
func stripBlockMarks(line string) string {
	if n := headingLevel(line); n > 0 {
		line = strings.TrimSpace(line[n:])
		if i := strings.LastIndex(line, " {#"); i >= 0 && strings.HasSuffix(line, "}") {
			line = line[:i] // an anchor, as many site generators write it
		}
		if body := strings.TrimRight(line, "#"); body == "" || strings.HasSuffix(body, " ") {
			return body
		}
		return line
	}
	if rest := stripMarkers(line); rest != "" {
		line = rest
	}
	if strings.HasPrefix(line, "|") {
		line = strings.Trim(line, "| ")
	}
	return line
}

// plainInline removes the inline marks of a text.
func plainInline(line string) string {
	if !strings.ContainsAny(line, "`*_~[]\\<") {
		return line
	}
	p := inline{text: line, drop: make([]bool, len(line))}
	for i := 0; i < len(line); {
		i = p.step(i)
	}
	var out strings.Builder
	for i := range len(line) {
		if !p.drop[i] {
			out.WriteByte(line[i])
		}
	}
	return out.String()
}

// inline marks the bytes of a line that are only markup.
type inline struct {
	text     string
	drop     []bool
	brackets []int     // where "[" are open
	emphasis [3][4]int // where the last open run of each mark and length ends; 0: none
}

// step handles what is at i and returns where to go on.
func (p *inline) step(i int) int {
	switch c := p.text[i]; c {
	case '\\':
		if i+1 < len(p.text) && p.text[i+1] < utf8.RuneSelf && unicode.In(rune(p.text[i+1]), unicode.P, unicode.S) {
			p.dropRange(i, i+1)
			return i + 2
		}
	case '`':
		n := runLength(p.text[i:])
		length := codeLength(p.text[i:])
		if length > n {
			p.dropRange(i, i+n)
			p.dropRange(i+length-n, i+length)
		}
		return i + length
	case '[':
		p.brackets = append(p.brackets, i)
	case ']':
		return p.closeBracket(i)
	case '<':
		if n := tagLength(p.text[i:]); n > 0 {
			p.dropRange(i, i+n)
			return i + n
		}
	case '*', '_', '~':
		n := runLength(p.text[i:])
		p.emphasise(i, n)
		return i + n
	}
	return i + 1
}

func (p *inline) dropRange(start, end int) {
	for i := start; i < end; i++ {
		p.drop[i] = true
	}
}

// closeBracket handles the "]" at i: behind the text of a link or image it drops
// all but that text, behind a footnote's mark everything.
func (p *inline) closeBracket(i int) int {
	if len(p.brackets) == 0 {
		return i + 1
	}
	open := p.brackets[len(p.brackets)-1]
	p.brackets = p.brackets[:len(p.brackets)-1]
	if strings.HasPrefix(p.text[open:], "[^") {
		p.dropRange(open, i+1)
		return i + 1
	}
	n := targetLength(p.text[i+1:])
	if n == 0 {
		return i + 1
	}
	p.dropRange(open, open+1)
	if open > 0 && p.text[open-1] == '!' {
		p.dropRange(open-1, open)
	}
	p.dropRange(i, i+1+n)
	return i + 1 + n
}

// targetLength returns the length of the target of a link, "(..)" or "[..]", at the
// start of text; 0 if there is none.
func targetLength(text string) int {
	const near = 2000 // bounds the search, which a hostile text could repeat at every byte
	if text == "" || text[0] != '(' && text[0] != '[' {
		return 0
	}
	depth := 0
	for i := range min(len(text), near) {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// emphasise handles the run of n emphasis marks at i: if it closes an open run of
// the same mark and length both are dropped, if it can open one it is remembered.
func (p *inline) emphasise(i, n int) {
	if n > 3 || p.text[i] == '~' && n != 2 {
		return
	}
	before, _ := utf8.DecodeLastRuneInString(p.text[:i])
	after, _ := utf8.DecodeRuneInString(p.text[i+n:])
	spaceBefore := i == 0 || unicode.IsSpace(before)
	spaceAfter := i+n == len(p.text) || unicode.IsSpace(after)
	if p.text[i] == '_' && isWordRune(before) && isWordRune(after) {
		return // part of a name
	}
	open := &p.emphasis[strings.IndexByte("*_~", p.text[i])][n]
	switch {
	case !spaceBefore && *open > 0:
		p.dropRange(*open-n, *open)
		p.dropRange(i, i+n)
		*open = 0
	case !spaceAfter:
		*open = i + n
	}
}

// plainTags are the HTML tags that Plain removes: those that only format.
var plainTags = map[string]bool{
	"a": true, "b": true, "br": true, "code": true, "del": true, "div": true, "em": true, "i": true, "img": true, "ins": true,
	"kbd": true, "p": true, "s": true, "small": true, "span": true, "strong": true, "sub": true, "sup": true, "u": true,
}

// tagLength returns the length of the HTML tag at the start of text if Plain
// removes it, else 0.
func tagLength(text string) int {
	const near = 500
	end := strings.IndexByte(text[:min(len(text), near)], '>')
	if end < 0 {
		return 0
	}
	name := strings.TrimPrefix(text[1:end], "/")
	if i := strings.IndexAny(name, " \t/"); i >= 0 {
		name = name[:i]
	}
	if !plainTags[strings.ToLower(name)] {
		return 0
	}
	return end + 1
}
