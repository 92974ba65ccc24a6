package placeholder

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// isURLWord reports whether c may be part of a scheme or a host name.
func isURLWord(c byte) bool {
	return isAlnum(c) || c == '.' || c == '-' || c == '+'
}

// skipWord passes the word here, and if a URL starts with it, notes where that
// ends.
func (s *scanner) skipWord() {
	start := s.at
	for s.at < len(s.text) && isURLWord(s.text[s.at]) {
		s.at++
	}
	word, rest := s.text[start:s.at], s.text[s.at:]
	if isURLStart(word, rest) || strings.HasPrefix(rest, "/") && isPathStart(s.text[:start], word) {
		s.url = urlEnd(s.text, s.at)
	}
	if s.at == start {
		s.at++ // a slash
	}
}

// isURLStart reports whether word and what follows it begin an absolute URL or a
// host name with a path.
func isURLStart(word, rest string) bool {
	if strings.HasPrefix(rest, "://") && word != "" && !(word[0] >= '0' && word[0] <= '9') {
		return true
	}
	if len(word) > 4 && strings.EqualFold(word[:4], "www.") {
		return true
	}
	// A port between host and path.
	if strings.HasPrefix(rest, ":") {
		rest = strings.TrimLeft(rest[1:min(len(rest), 7)], "0123456789")
	}
	dot := strings.IndexByte(word, '.')
	return dot > 0 && word[len(word)-1] != '.' && strings.HasPrefix(rest, "/")
}

// isPathStart reports whether a slash after word begins a relative reference: /a,
// ./a or ../a at the start of a token.
func isPathStart(before, word string) bool {
	if word != "" && word != "." && word != ".." {
		return false
	}
	return before == "" || strings.IndexByte(" \t\n\"'<=", before[len(before)-1]) >= 0 // an opened '(' is linkTarget's
}

// urlEnd returns where the URL that the given place is in ends: at a space, at a
// character that delimits URLs, or at a bracket that was opened before it.
func urlEnd(text string, at int) int {
	round, square := 0, 0
	for i, r := range text[at:] {
		switch r {
		case '(':
			round++
		case ')':
			round--
		case '[':
			square++
		case ']':
			square--
		case '<', '>', '"', '`', '|':
			return at + i
		}
		if round < 0 || square < 0 || unicode.IsSpace(r) || unicode.IsControl(r) ||
			r >= 0x80 && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			return at + i
		}
	}
	return len(text)
}

// linkTarget returns the end of the target of an inline link whose '(' is at the
// given place, 0 if this is no link.
func (s *scanner) linkTarget(open int) int {
	if open >= s.parens.end {
		s.matchParens(open)
	}
	i, found := slices.BinarySearchFunc(s.closer, uint32(open), func(p pair, open uint32) int { return cmp.Compare(p.open, open) })
	if found && s.closer[i].close > 0 {
		return int(s.closer[i].close)
	}
	// Not closed before a space: a link only if a title or the ')' follows it.
	if s.titled {
		return s.parens.end
	}
	return 0
}

// matchParens finds the partner of every parenthesis in the run without spaces that
// begins at the given place, all at once, so that many unclosed links do not make
// for as many walks.
func (s *scanner) matchParens(at int) {
	n := strings.IndexAny(s.text[at:], " \t\r\n")
	if n < 0 {
		n = len(s.text) - at
	}
	s.parens = span{at, at + n}
	after := strings.TrimLeft(s.text[at+n:], " \t")
	s.titled = after != "" && strings.IndexByte(`"'()`, after[0]) >= 0

	s.closer = s.closer[:0]
	var opened []uint32 // places in closer
	for i := at; i < s.parens.end; i++ {
		switch s.text[i] {
		case '\\':
			if i+1 < s.parens.end && isASCIIPunct(s.text[i+1]) {
				i++
			}
		case '(':
			opened = append(opened, uint32(len(s.closer)))
			s.closer = append(s.closer, pair{open: uint32(i)})
		case ')':
			if len(opened) > 0 {
				s.closer[opened[len(opened)-1]].close = uint32(i)
				opened = opened[:len(opened)-1]
			}
		}
	}
}
