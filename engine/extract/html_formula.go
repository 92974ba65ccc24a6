package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// formula writes what the elements of MathML say that have no letters of their own: 1/2 for a
// fraction, x^2 and x_2, √2, with brackets round what is more than one thing. Only when the second
// one comes it is known that there are several, so that brackets are put in then.
type formula struct {
	out     *rewrite
	formats *openFormats
	at      int        // the token that is read, in the page
	list    []argument // that are open, each in the one before
	ended   bool       // one of them has since the last thing
}

// argument is a part of a fraction or the like.
type argument struct {
	depth    int    // of its element
	sign     string // that is written before it if there is something in it
	end      string // that is written after it
	bare     bool   // it needs no brackets
	apart    bool   // what it begins is not to be read with what is before it: 3 1/2
	things   int    // in it: none, one, or more
	from     int    // where the first of them is in the result
	brackets bool   // it has some
}

// signed reports whether a sign comes next.
func (a argument) signed() bool { return a.things == 0 && a.sign != "" }

// sign is what stands before each of the elements in another one.
type sign struct {
	second, more string
	bare         bool // they need no brackets
}

var signs = map[string]sign{
	"mfrac": {second: "/"}, "msup": {second: "^"}, "msub": {second: "_"}, "msubsup": {second: "_", more: "^"},
	"munder": {second: "_"}, "munderover": {second: "_", more: "^"}, "mroot": {second: "^(1/"},
	"mtable": {second: "; ", more: "; ", bare: true}, "mtr": {second: " ", more: " ", bare: true},
}

// notShown are the elements of a formula that a reader does not see.
var notShown = map[string]bool{"annotation": true, "annotation-xml": true, "mphantom": true}

// primes are written after what they belong to without a sign.
const primes = "'′″‴⁗*†‡"

// start reads the start of an element in so many others, which may be the next one of its parent.
func (f *formula) start(name string, parent *foreignElement, depth int) {
	if s, ok := signs[parent.name]; ok {
		parent.children++
		a := argument{depth: depth, bare: s.bare}
		switch parent.children {
		case 1:
			a.apart = s.second == "/" || parent.name == "mroot"
		case 2:
			a.sign = s.second
		default:
			a.sign = s.more
		}
		if strings.Contains(a.sign, "(") {
			a.end = ")"
		}
		f.list = append(f.list, a)
	}
	if name == "msqrt" {
		f.thing("√")
		f.add("√")
		f.list = append(f.list, argument{depth: depth})
	}
}

// end reads the end of an element.
func (f *formula) end(depth int) {
	for last := len(f.list) - 1; last >= 0 && f.list[last].depth == depth; last-- {
		a := f.list[last]
		if a.brackets {
			f.add(")")
		}
		if a.things > 0 {
			f.add(a.end)
		}
		f.list = f.list[:last]
		f.ended = a.things > 0 && !a.bare
	}
}

// text reads text in an element of a formula, and reports whether it is only space that nobody sees.
func (f *formula) text(raw string, in foreignElement) (space bool) {
	text := strings.TrimSpace(html.UnescapeString(raw))
	if text == "" {
		_, parted := signs[in.name]
		return parted || len(f.list) > 0 && !in.point
	}
	f.thing(text)
	return false
}

// thing notes the next thing in all that is open, before it is written. What has two already has
// them in all that is around it, too, so that each is looked at three times at most.
func (f *formula) thing(text string) {
	if f.formats.hide() {
		return
	}
	first := len(f.list)
	for first > 0 && f.list[first-1].things < 2 {
		first--
	}
	open := f.list[first:]
	f.bracket(open)
	if letter, _ := utf8.DecodeRuneInString(text); f.ended && isWord(letter) && !slices.ContainsFunc(open, argument.signed) {
		f.add(" ") // x^2 y
	}
	f.ended = false
	several := strings.ContainsAny(text, " \t\n")
	for i := range open {
		a := &open[i]
		if a.things++; a.things > 1 {
			continue
		}
		if letter, _ := utf8.DecodeLastRune(f.out.out); a.apart && isWord(letter) {
			f.add(" ")
		}
		if a.sign != "^" || !strings.Contains(primes, text) {
			f.add(a.sign)
		}
		a.from = len(f.out.out)
		if several {
			a.things, a.brackets = 2, !a.bare
		}
		if a.brackets {
			f.add("(")
		}
	}
}

// bracket opens brackets round those that have one thing and get another, all in one go.
func (f *formula) bracket(open []argument) {
	f.add("")
	var tail []byte // from the first one on
	begin, done := 0, 0
	for i := range open {
		a := &open[i]
		if a.things != 1 || a.bare {
			continue
		}
		if tail == nil {
			begin, done = a.from, a.from
			tail = make([]byte, 0, len(f.out.out)-begin+len(open))
		}
		tail = append(append(tail, f.out.out[done:a.from]...), '(')
		done, a.brackets = a.from, true
	}
	if tail != nil {
		tail = append(tail, f.out.out[done:]...)
		f.out.out = append(f.out.out[:begin], tail...)
	}
}

// add writes something before the token that is read.
func (f *formula) add(text string) {
	if !f.formats.hide() {
		f.out.upTo(f.at)
		f.out.add(text)
	}
}
