package quire

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A marker cites sources by number: [2], also [1, 3] and [1-3]. White space is
// allowed between the parts, and only ASCII digits count.

// markerLimit bounds what the filter holds back, in bytes. A hundred sources fit into
// one marker.
const markerLimit = 1024

// markerFilter passes a streamed answer on without markers that have no source. It
// works character by character, so that its output does not depend on how the
// answer is cut into pieces. Bytes that are no UTF-8 become U+FFFD; invisible characters
// are left out, so that none can hide a marker.
type markerFilter struct {
	sources int // valid numbers are 1..sources
	part    []byte
	sight   sight
	// held ends the output so far and may still become a marker; opens are the places
	// of its open brackets. There is more than one when a bracket was opened inside
	// another: if the inner marker is dropped, the outer one may be completed by what
	// follows, and must be judged too. passed is how much was given up in front of held;
	// places count it too, so that giving up moves none of them.
	held   []byte
	opens  []int
	passed int
	out    []byte
	last   byte // of what was shown so far; 0 at the beginning
	// swallow says that a marker was dropped after white space, so that a space now would
	// be one too many.
	swallow bool
	// space is one that stands in front of what is held or comes next, and is shown with it;
	// dropped, that a marker behind it was left out, so that a full stop may follow that
	// wants no space in front.
	space, dropped bool
}

// write takes the next piece and returns what can be shown by now.
func (f *markerFilter) write(piece string) string {
	f.part = append(f.part, piece...)
	for len(f.part) > 0 && utf8.FullRune(f.part) {
		f.next()
	}
	return f.take()
}

// end returns what was held back to the end.
func (f *markerFilter) end() string {
	for len(f.part) > 0 {
		f.next()
	}
	f.space = f.space && !f.dropped
	f.release()
	return f.take()
}

// next moves one character from part to the output.
func (f *markerFilter) next() {
	r, size := utf8.DecodeRune(f.part)
	f.part = f.part[size:]
	if !f.sight.sees(r) {
		return
	}
	swallow := f.swallow
	f.swallow = false
	switch {
	case swallow && r == ' ':
	case r == '[':
		f.opens = append(f.opens, f.passed+len(f.held))
		f.held = append(f.held, '[')
	case len(f.opens) == 0:
		f.space = f.space && !(f.dropped && endsClause(r))
		f.release()
		if f.space = r == ' '; !f.space {
			f.out = utf8.AppendRune(f.out, r)
		}
	case r == ']':
		f.close()
	default:
		f.held = utf8.AppendRune(f.held, r)
		if !inMarker(r) {
			f.release()
		}
	}
	f.bound()
}

// close ends the innermost bracket.
func (f *markerFilter) close() {
	last := len(f.opens) - 1
	at := f.opens[last] - f.passed
	numbers, all, ok := parseMarker(string(f.held[at+1:]), f.sources)
	switch {
	case ok && len(numbers) == 0:
		f.held, f.opens = f.held[:at], f.opens[:last]
		f.swallow = strings.IndexByte("\x00 \n\t", f.shownLast()) >= 0
		f.dropped = f.space
		return
	case ok && !all:
		f.held = appendNumbers(append(f.held[:at], '['), numbers)
	}
	f.held = append(f.held, ']')
	f.release() // a bracket with a bracket inside is no marker
}

// appendNumbers writes numbers, three and more that follow each other as a range: however many
// a short one stood for, what is shown is not much longer.
func appendNumbers(out []byte, numbers []int) []byte {
	for i := 0; i < len(numbers); i++ {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = strconv.AppendInt(out, int64(numbers[i]), 10)
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		if last-i >= 2 {
			out = strconv.AppendInt(append(out, '-'), int64(numbers[last]), 10)
			i = last
		}
	}
	return out
}

// shownLast is the last byte before what comes next.
func (f *markerFilter) shownLast() byte {
	switch {
	case len(f.held) > 0:
		return f.held[len(f.held)-1]
	case f.space:
		return ' '
	case len(f.out) > 0:
		return f.out[len(f.out)-1]
	}
	return f.last
}

// release gives up all that is held: it is no marker.
func (f *markerFilter) release() {
	f.releaseSpace()
	f.out = append(f.out, f.held...)
	f.held, f.opens, f.passed = f.held[:0], f.opens[:0], 0
}

func (f *markerFilter) releaseSpace() {
	if f.space {
		f.out = append(f.out, ' ')
	}
	f.space, f.dropped = false, false
}

// endsClause reports whether a character stands right behind a word.
func endsClause(r rune) bool { return strings.ContainsRune(".,;:!?…)\n", r) }

// bound keeps held inside its limit by giving up the outermost bracket. The bracket
// is left out, so that nothing can complete it later.
func (f *markerFilter) bound() {
	for len(f.held) > markerLimit {
		next := len(f.held)
		if len(f.opens) > 1 {
			next = f.opens[1] - f.passed
		}
		f.releaseSpace()
		f.out = append(f.out, f.held[1:next]...)
		f.held, f.opens = f.held[next:], f.opens[1:]
		f.passed += next
	}
}

func (f *markerFilter) take() string {
	s := string(f.out)
	if s != "" {
		f.last = s[len(s)-1]
	}
	f.out = f.out[:0]
	return s
}

// inMarker reports whether a marker can hold the character.
func inMarker(r rune) bool {
	return '0' <= r && r <= '9' || strings.ContainsRune(",;-–", r) || unicode.IsSpace(r)
}

// parseMarker reads the inside of a bracket. ok tells whether it is a marker at all,
// numbers are those from 1 to sources that it cites, each once, all whether it cites no others.
func parseMarker(inside string, sources int) (numbers []int, all, ok bool) {
	items := strings.FieldsFunc(spaceless(inside), func(r rune) bool {
		return r == ',' || r == ';' || unicode.IsSpace(r)
	})
	all = true
	seen := make([]bool, sources+1)
	for _, item := range items {
		// A range without one of its ends stands for the other.
		ends := strings.Trim(item, "-")
		all = all && ends == item
		if ends == "" {
			continue
		}
		ok = true
		from, to, isRange := strings.Cut(ends, "-")
		if !isRange {
			to = from
		}
		if !isDigits(from) || !isDigits(to) {
			return nil, false, false
		}
		lo, hi := number(from), number(to)
		if lo < 1 || hi > sources || lo > hi {
			all = false
		}
		for n := max(lo, 1); n <= min(hi, sources); n++ {
			if !seen[n] {
				seen[n] = true
				numbers = append(numbers, n)
			}
		}
	}
	return numbers, all, ok
}

// spaceless takes the white space around dashes away and makes every dash a hyphen.
func spaceless(s string) string {
	parts := strings.Split(strings.ReplaceAll(s, "–", "-"), "-")
	for i, p := range parts {
		if i > 0 {
			p = strings.TrimLeftFunc(p, unicode.IsSpace)
		}
		if i < len(parts)-1 {
			p = strings.TrimRightFunc(p, unicode.IsSpace)
		}
		parts[i] = p
	}
	return strings.Join(parts, "-")
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// number reads digits; what is too large is larger than any number of sources.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return maxResults + 1
	}
	return n
}

// neutralMarkers writes bracketed numbers of a source text so that they cannot be
// taken for markers, neither by who reads the answer that quotes them nor by the
// filter: [12] becomes \[12\], which Markdown shows as it was, and a link stays one.
func neutralMarkers(text string) string {
	var out strings.Builder
	open := -1 // place of the last bracket that may begin a marker
	digit := false
	begin := 0
	for i, r := range text {
		switch {
		case r == '[':
			open, digit = i, false
		case open < 0:
		case r == ']':
			if digit {
				out.WriteString(text[begin:open])
				number := `\[` + text[open+1:i] + `\]`
				if strings.HasPrefix(text[i+1:], "(") { // the text of a link
					number = "[" + number + "]"
				}
				out.WriteString(number)
				begin = i + 1
			}
			open = -1
		case !inMarker(r):
			open = -1
		case '0' <= r && r <= '9':
			digit = true
		}
	}
	out.WriteString(text[begin:])
	return out.String()
}
