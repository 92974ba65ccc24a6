package placeholder

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scan yields the placeholders of body in order.
func scan(body string) iter.Seq[span] {
	return func(yield func(span) bool) {
		for b := range blocks(body) {
			text := body[b.start:b.end]
			if strings.IndexByte(text, '#') < 0 {
				continue
			}
			s := scanner{text: text, ticks: tickRuns(text)}
			for p, ok := s.next(); ok; p, ok = s.next() {
				if !yield(span{b.start + p.start, b.start + p.end}) {
					return
				}
			}
		}
	}
}

// scanner walks over one part of inline text.
type scanner struct {
	text   string
	at     int           // next byte to look at
	last   int           // end of the last placeholder
	url    int           // words before this place are part of a URL
	ticks  map[int][]int // starts of backtick runs not yet passed, by length
	parens span          // the run without spaces that closer and titled are about
	closer []pair        // the '(' of the run, in ascending order
	titled bool          // a link title or ')' follows the run
}

// pair is where a '(' stands and where it is closed; 0 if nowhere. Four bytes for each are enough
// for all texts that fit into memory several times.
type pair struct{ open, close uint32 }

// tickRuns returns where the runs of backticks start, by their length.
func tickRuns(text string) map[int][]int {
	runs := map[int][]int{}
	for at := 0; at < len(text); {
		i := strings.IndexByte(text[at:], '`')
		if i < 0 {
			break
		}
		at += i
		_, n := fenceRun(text[at:])
		runs[n] = append(runs[n], at)
		at += n
	}
	return runs
}

// next returns the next placeholder.
func (s *scanner) next() (span, bool) {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '\\' && s.at+1 < len(s.text) && isASCIIPunct(s.text[s.at+1]):
			s.at += 2
		case c == '`':
			s.skipCode()
		case c == '#':
			if p, ok := s.hash(); ok {
				return p, true
			}
		case c == ']' && strings.HasPrefix(s.text[s.at:], "]("):
			s.url = max(s.url, s.linkTarget(s.at+1))
			s.at += 2
		case s.at >= s.url && (isURLWord(c) || c == '/'):
			s.skipWord()
		default:
			s.at++
		}
	}
	return span{}, false
}

// skipCode passes the code span that starts here, or just its backticks if
// nothing closes it.
func (s *scanner) skipCode() {
	_, n := fenceRun(s.text[s.at:])
	s.at += n
	runs := s.ticks[n]
	for len(runs) > 0 && runs[0] < s.at {
		runs = runs[1:]
	}
	s.ticks[n] = runs
	if len(runs) > 0 {
		s.at = runs[0] + n
	}
}

// hash looks at the '#' here and passes it and what belongs to it.
func (s *scanner) hash() (span, bool) {
	start := s.at
	for s.at < len(s.text) && s.text[s.at] == '#' {
		s.at++
	}
	if s.at-start > 1 || s.at == len(s.text) {
		return span{}, false
	}
	end := bracketed(s.text, s.at)
	if end == 0 && start >= s.url {
		end = s.word(start)
	}
	if end == 0 {
		return span{}, false
	}
	s.at, s.last = end, end
	return span{start, end}, true
}

// bracketed returns the end of the [name] at the given place, 0 if there is none.
func bracketed(text string, at int) int {
	if text[at] != '[' {
		return 0
	}
	blank, count := true, 0
	for i, r := range text[at+1:] {
		switch {
		case r == ']':
			if blank {
				return 0
			}
			return at + 1 + i + 1
		case r == '[' || r == '`' || unicode.IsControl(r) && r != '\t' || count == MaxName:
			return 0
		}
		blank = blank && unicode.IsSpace(r)
		count++
	}
	return 0
}

// word returns the end of the #word whose '#' is at the given place, 0 if there is
// none.
func (s *scanner) word(hash int) int {
	if s.glued(hash) {
		return 0
	}
	name, count := s.text[hash+1:], 0
	for i, r := range name {
		if !unicode.IsLetter(r) && (i == 0 || !isNamePart(r)) {
			name = name[:i]
			break
		}
		if count++; count > MaxName {
			return 0
		}
	}
	name = unemphasised(s.text[:hash], name)
	end := hash + 1 + len(name)
	if name == "" || isColour(name) || isReference(s.text, hash, end) || isTargetBefore(s.text[:hash]) {
		return 0
	}
	return end
}

// glued reports whether the '#' at the given place follows a word directly.
func (s *scanner) glued(hash int) bool {
	if hash == s.last {
		return false
	}
	before := strings.TrimRight(s.text[:hash], "_") // _#word_ is emphasis
	r, _ := utf8.DecodeLastRuneInString(before)
	return isWordRune(r) && !unicode.In(r, unspaced...)
}

// unspaced are the scripts that are written without spaces between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

func isNamePart(r rune) bool { return isWordRune(r) || r == '-' }

// unemphasised takes the '_' off the end of name that close an emphasis opened
// directly before it.
func unemphasised(before, name string) string {
	for strings.HasSuffix(before, "_") && strings.HasSuffix(name, "_") {
		before, name = before[:len(before)-1], name[:len(name)-1]
	}
	return name
}

// isColour reports whether a word is a hexadecimal colour without its '#'.
func isColour(name string) bool {
	switch len(name) {
	case 3, 4, 6, 8:
		return strings.Trim(name, "0123456789abcdefABCDEF") == ""
	}
	return false
}

// isReference reports whether the word is the inside of a character reference such
// as &#x1F600;.
func isReference(text string, hash, end int) bool {
	return hash > 0 && text[hash-1] == '&' && end < len(text) && text[end] == ';' &&
		(text[hash+1] == 'x' || text[hash+1] == 'X') &&
		strings.Trim(text[hash+2:end], "0123456789abcdefABCDEF") == ""
}

// isTargetBefore reports whether what follows is a link target because of where it
// stands in HTML or CSS.
func isTargetBefore(before string) bool {
	tail := strings.ToLower(before[max(0, len(before)-6):])
	for _, t := range []string{`href="`, `href='`, `href=`, `src="`, `src='`, `src=`, `url(`, `url("`, `url('`} {
		if strings.HasSuffix(tail, t) {
			return true
		}
	}
	return false
}

func isASCIIPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !isAlnum(c)
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
