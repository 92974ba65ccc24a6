package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences returns the byte ranges of the sentences of a text in Markdown or
// plain prose, in order and without surrounding white space. Together they cover
// all that is not white space.
//
// A sentence ends at ".", "!", "?" or "…" and what closes behind it (quotes,
// brackets, emphasis), where white space follows; at "。", "！" and "？" also without.
// A "." does not end one behind an abbreviation ("e.g.", "Dr."), an initial or in front
// of a lower-case letter, and no mark does inside `code` or a [link](..). The [Blocks] of the text end
// sentences too; a heading, a block of code, front matter and a table row are each one
// sentence, whatever is in them.
func Sentences(text string) [][2]int {
	var s sentenceScanner
	for _, b := range Blocks(text) {
		switch b.Kind {
		case Paragraph, Item:
			s.prose(text[:b.End], b.Start)
		case Table:
			for start, end := range lines(text[:b.End], b.Start) {
				s.add(text, start, end)
			}
		default:
			s.add(text, b.Start, b.End)
		}
	}
	return s.ranges
}

// sentenceScanner collects ranges.
type sentenceScanner struct{ ranges [][2]int }

// add adds the range, trimmed, unless it is empty.
func (s *sentenceScanner) add(text string, start, end int) {
	trimmed := strings.TrimLeftFunc(text[start:end], unicode.IsSpace)
	start = end - len(trimmed)
	end = start + len(strings.TrimRightFunc(trimmed, unicode.IsSpace))
	if start < end {
		s.ranges = append(s.ranges, [2]int{start, end})
	}
}

// prose adds the sentences of text from start on.
func (s *sentenceScanner) prose(text string, start int) {
	for i := start; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch r {
		case '`':
			i += codeLength(text[i:])
			continue
		case '[':
			i += linkLength(text[i:])
			continue
		}
		i += size
		if !isTerminator(r) {
			continue
		}
		mark := i - size
		i = skipClosers(text, i)
		if endsSentence(text, start, mark, i, r) {
			s.add(text, start, i)
			start = i
		}
	}
	s.add(text, start, len(text))
}

// isTerminator reports whether r may end a sentence.
func isTerminator(r rune) bool {
	switch r {
	case '.', '!', '?', '…', '。', '！', '？', '｡', '।', '؟', '۔':
		return true
	}
	return false
}

// endsWithoutSpace reports whether the terminator r needs no white space behind it.
func endsWithoutSpace(r rune) bool {
	return r == '。' || r == '！' || r == '？' || r == '｡'
}

// skipClosers returns the end of the terminators and closing marks at text[i:].
func skipClosers(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isTerminator(r) && !strings.ContainsRune(`"'*_)]}’”»）」』】〉》`, r) {
			break
		}
		i += size
	}
	return i
}

// codeLength returns the length of the code span at the start of text, or of its
// opening mark if nothing near closes it.
func codeLength(text string) int {
	const near = 300 // bounds the search, which a hostile text could repeat at every byte
	n := runLength(text)
	mark := text[:n]
	rest := text[n:min(len(text), n+near)]
	for i := 0; i < len(rest); {
		j := strings.IndexByte(rest[i:], '`')
		if j < 0 {
			break
		}
		i += j
		run := runLength(rest[i:])
		if run == len(mark) {
			return n + i + run
		}
		i += run
	}
	return n
}

// linkLength returns the length of the link "[..](..)" at the start of text, or of its
// opening bracket if it is none, or a long one.
func linkLength(text string) int {
	const near = 300 // bounds the search, as in codeLength
	text = text[:min(len(text), near)]
	closed := strings.IndexByte(text, ']')
	if closed < 0 || !strings.HasPrefix(text[closed:], "](") {
		return 1
	}
	end := strings.IndexByte(text[closed:], ')')
	if end < 0 {
		return 1
	}
	return closed + end + 1
}

// endsSentence reports whether the terminator r at text[mark], whose closing marks
// end at i, ends the sentence that began at start.
func endsSentence(text string, start, mark, i int, r rune) bool {
	rest := strings.TrimLeftFunc(text[i:], unicode.IsSpace)
	if rest == "" {
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case len(rest) == len(text)-i:
		// A mark or joiner would combine with the terminator.
		return endsWithoutSpace(r) && !unicode.In(next, unicode.M, unicode.Cf)
	case r != '.':
		return true
	case unicode.IsLower(next):
		return false
	}
	return !isAbbreviation(text[start:mark]) && !isItemNumber(text[start:i])
}

// isItemNumber reports whether a text is only the number of a list item, which belongs to the
// sentence behind it.
func isItemNumber(text string) bool {
	const longest = 24 // a hostile text could have it read again at every dot
	if len(text) > longest {
		return false
	}
	line, _ := stripQuotes(text, len(text))
	return stripMarkers(strings.TrimSpace(line)) == ""
}

// isAbbreviation reports whether the dot behind text belongs to its last word: one
// letter, letters with dots between them, or one out of a list.
func isAbbreviation(text string) bool {
	const longest = 12
	word := text[max(0, len(text)-longest):]
	i := strings.LastIndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '.' && r != utf8.RuneError })
	word = strings.ToLower(word[i+1:])
	if word == "" || i < 0 && len(text) > longest {
		return false
	}
	if utf8.RuneCountInString(word) == 1 {
		// "I" and a variable at the end of a sentence are rarer than an initial.
		return text[len(text)-1] >= 'A' && text[len(text)-1] <= 'Z'
	}
	return abbreviations[word]
}

// abbreviations are words whose dot does not end a sentence in front of a capital
// letter, in lower case and without the last dot.
var abbreviations = func() map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(`
		e.g i.e cf vs viz al approx ca resp incl excl eq eqs fig figs sec sect ch chap vol ed eds pp
		mr mrs ms dr prof st sr jr gen col capt lt rev hon u.s u.k ph.d b.sc m.sc
		jan feb mar apr jun jul aug sep sept oct nov dec
	`) {
		set[w] = true
	}
	return set
}()
