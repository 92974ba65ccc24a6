package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is the length of the longest word in characters. A longer run of
// letters becomes several adjacent words, in the index and in a query alike.
const maxWord = 128

// How symbols that belong to a name are spelled inside a word. A "q" that no "u"
// follows keeps them apart from ordinary text.
const (
	spelledPlus  = "qplus"
	spelledSharp = "qsharp"
	spelledNet   = "qdotnet"
)

// Words returns the words of text in order, folded for full-text indexing.
//
// Folding is Unicode compatibility composition (NFKC), lower case, and no accents
// or points on Latin, Greek, Cyrillic, Arabic and Hebrew letters; "ß" is "ss",
// "ø" is "o". Invisible characters such as the soft hyphen vanish. A word is a run
// of letters, marks and digits; everything else separates, so that "multi-agent",
// "node.js", "20.04", "don't" and "foo_bar" are two words each. A run of more than
// 128 characters is cut into words of 128.
//
// Scripts that are written without spaces give one word per character, so that a
// phrase of them finds any substring: each Han, Hiragana, Katakana, Bopomofo and
// Hangul character, and each Thai, Lao, Khmer and Myanmar letter with its marks.
//
// Symbols survive where they belong to a name. One or two "+" or one "#" behind a
// word of one or two characters become part of it, spelled "qplus" and "qsharp":
// "C++" is "cqplusqplus" and "C#" is "cqsharp". Behind a longer word ("Notepad++")
// they are a word of their own. They do not count when a letter or digit follows
// ("a+b", "page#top"); only "++" may have a digit behind it ("C++17"). ".NET" that
// is not the end of another word is "qdotnet", and "net" behind it, so that either finds
// it. A number behind a "v" with a dot and more behind it is a word of its own as well:
// "v20.04" is "v20", "20" and "04", in which "20.04" is found.
func Words(text string) []string {
	var words []string
	Each(text, func(word []byte) { words = append(words, string(word)) })
	return words
}

// Each calls fn with each of the [Words] of text, without making a string of it. fn must
// not keep or change the word.
func Each(text string, fn func(word []byte)) {
	s := scanner{take: fn}
	s.scan(text)
}

// scanner finds the words of a text.
type scanner struct {
	take  func(word []byte)
	taken int
	limit int // stop at this many words; 0: never

	cur    []byte // the word being read, folded
	chars  int    // number of characters in cur
	alone  bool   // cur is a character of a script written without spaces
	points bool   // the last letter in cur keeps the marks that follow it
	ascii  bool   // cur is ASCII
}

// scan takes the words of text. It returns whether the text ends inside a word
// of an alphabetic script, one that more typing could prolong.
func (s *scanner) scan(text string) (open bool) {
	text = strings.ReplaceAll(norm.NFKC.String(text), "♯", "#")
	for i := 0; i < len(text); {
		if s.limit > 0 && s.taken >= s.limit {
			s.cur = s.cur[:0]
			return false
		}
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
			s.wide(r)
		} else if letter := asciiFold[r]; letter != 0 {
			s.narrow(letter)
		} else {
			size = s.symbol(text, i)
		}
		i += size
	}
	open = len(s.cur) > 0 && !s.alone
	s.end()
	return open
}

// narrow adds an ASCII letter or digit, already in lower case.
func (s *scanner) narrow(letter byte) {
	if s.alone || s.chars >= maxWord {
		s.end()
	}
	s.start()
	s.cur = append(s.cur, letter)
	s.chars++
	s.points = false
}

// wide adds a character that is not ASCII, or ends the word if it separates.
func (s *scanner) wide(r rune) {
	switch {
	case isIgnorable(r):
	case unicode.IsMark(r):
		// Without a letter in front a mark is nothing to search for.
		if len(s.cur) > 0 && s.points && s.chars < maxWord {
			s.add(r)
		}
	case isSpaceless(r):
		s.end()
		s.start()
		s.alone, s.points = true, true
		s.add(foldRune(r))
	case isWordRune(r):
		if s.alone || s.chars >= maxWord {
			s.end()
		}
		s.start()
		s.letter(r)
	default:
		s.end()
	}
}

// letter adds a letter or digit of an alphabetic script in folded form.
func (s *scanner) letter(r rune) {
	s.points = !losesMarks(r)
	if !s.points {
		r = baseOf(r)
	}
	r = foldRune(r)
	if to, ok := foldString[r]; ok {
		s.cur = append(s.cur, to...)
		s.chars++
		return
	}
	s.add(r)
}

// start begins a word unless one is being read.
func (s *scanner) start() {
	if len(s.cur) == 0 {
		s.chars, s.alone, s.ascii = 0, false, true
	}
}

// add appends one character to the word being read.
func (s *scanner) add(r rune) {
	s.cur = utf8.AppendRune(s.cur, r)
	s.chars++
	s.ascii = s.ascii && r < utf8.RuneSelf
}

// end finishes the word being read, if any.
func (s *scanner) end() {
	if len(s.cur) == 0 {
		return
	}
	word := s.cur
	if !s.ascii {
		// Dropping what stood between two characters may have made them composable.
		word = norm.NFC.Bytes(word)
	}
	s.found(word)
	s.cur = s.cur[:0]
	s.chars, s.alone = 0, false
}

// found takes a word.
func (s *scanner) found(word []byte) {
	s.taken++
	s.take(word)
}

// symbol handles the ASCII symbol or space at text[i] and returns how many bytes
// it took.
func (s *scanner) symbol(text string, i int) int {
	inWord := len(s.cur) > 0 && !s.alone
	switch text[i] {
	case '.':
		const net = ".net"
		if !inWord && len(text)-i >= len(net) && strings.EqualFold(text[i:i+len(net)], net) && !wordFollows(text[i+len(net):]) {
			s.end()
			s.found([]byte(spelledNet))
			s.found([]byte("net"))
			return len(net)
		}
		if number := s.version(); number != "" && i+1 < len(text) && isDigit(text[i+1]) {
			s.end()
			s.found([]byte(number))
			return 1
		}
	case '+', '#':
		run := runLength(text[i:])
		if inWord && s.keepsSymbol(text[i:i+run], text[i+run:]) {
			s.appendSymbol(text[i : i+run])
		}
		s.end()
		return run
	}
	s.end()
	return 1
}

// version returns the number if the word being read is one behind a "v", else "".
func (s *scanner) version() string {
	if len(s.cur) < 2 || s.alone || s.cur[0] != 'v' {
		return ""
	}
	for _, b := range s.cur[1:] {
		if !isDigit(b) {
			return ""
		}
	}
	return string(s.cur[1:])
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// keepsSymbol reports whether a run of "+" or "#" behind the word being read
// belongs to a name, rest being the text behind it.
func (s *scanner) keepsSymbol(run, rest string) bool {
	if first := s.cur[0]; first >= '0' && first <= '9' {
		return false
	}
	switch run {
	case "++":
		r, _ := utf8.DecodeRuneInString(rest)
		return !wordFollows(rest) || unicode.IsDigit(r)
	case "+", "#":
		return !wordFollows(rest)
	}
	return false
}

// appendSymbol spells a run of "+" or "#" as part of the word being read, or as
// a word behind it if that is long.
func (s *scanner) appendSymbol(run string) {
	if s.chars > 2 {
		s.end()
		s.start()
	}
	for _, c := range run {
		if c == '+' {
			s.cur = append(s.cur, spelledPlus...)
		} else {
			s.cur = append(s.cur, spelledSharp...)
		}
	}
}

// runLength returns how often the first byte of text is repeated at its start.
func runLength(text string) int {
	n := 1
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return n
}

// wordFollows reports whether text begins with a character that would continue
// a word of an alphabetic script.
func wordFollows(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return isWordRune(r) && !isSpaceless(r) || unicode.IsMark(r)
}
