package extract

import (
	"bytes"
	"slices"
	"strings"
)

// rewrite is a text with some of it left out and some added, in the order of the text.
type rewrite struct {
	text  string
	done  int // up to where it is in out
	out   []byte
	gap   bool // something was left out at the end of out
	marks int  // comments that were added
}

// upTo copies the text before a place.
func (r *rewrite) upTo(at int) {
	r.add(r.text[r.done:at])
	r.done = at
}

// cut leaves out a part of the text.
func (r *rewrite) cut(from, to int) {
	r.upTo(from)
	r.done, r.gap = to, true
}

// add adds some text. What was before and after something that was left out makes no tag or
// character together: a comment keeps them apart.
func (r *rewrite) add(text string) {
	if text == "" {
		return
	}
	if r.out == nil {
		r.out = make([]byte, 0, len(r.text)+len(r.text)/8)
	}
	if r.gap && joins(r.out, text[0]) {
		r.marks++
		r.out = append(r.out, "<!---->"...)
	}
	r.gap = false
	r.out = append(r.out, text...)
}

// remove takes back what was added.
func (r *rewrite) remove(from, to int) { r.out = slices.Delete(r.out, from, to) }

func (r *rewrite) end() string {
	if r.done == 0 {
		return r.text
	}
	r.upTo(len(r.text))
	return string(r.out)
}

// joins reports whether a byte after some text may be a part of a tag or a character reference
// that the text ends with. The names of characters are no longer than this looks back.
func joins(text []byte, next byte) bool {
	if bytes.HasSuffix(text, []byte("<")) {
		return letter(next) || strings.IndexByte("/!?", next) >= 0
	}
	text = text[max(0, len(text)-40):]
	at := bytes.LastIndexByte(text, '&')
	return at >= 0 && (inReference(rune(next)) || next == ';') &&
		!bytes.ContainsFunc(text[at+1:], func(c rune) bool { return !inReference(c) })
}

func inReference(c rune) bool { return c == '#' || '0' <= c && c <= '9' || c < 0x80 && letter(byte(c)) }
