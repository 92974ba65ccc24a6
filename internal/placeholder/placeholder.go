// Package placeholder finds and fills the placeholders of a body: #word and
// #[name with spaces].
//
// A word starts with a letter and goes on with letters (with their combining
// marks), digits, '_' and '-'. A name in brackets is anything of up to [MaxName]
// characters on one line that is not blank and has no '[', ']', '`' or control
// character. What looks like a placeholder is none
//
//   - inside a fenced code block or a code span;
//   - with a '#' or a backslash in front (##word, \#word);
//   - as a word with 3, 4, 6 or 8 hexadecimal digits and nothing else: a colour;
//   - as a word that is glued to a word before it (C#word), unless that word is a
//     placeholder itself or written in a script without spaces between words;
//   - as a word in a URL, a link target, an href or src attribute, a url(#id) or a
//     character reference (&#xA9;).
//
// A name in brackets needs no such care: no URL fragment and no colour holds a '[',
// so https://example.com/#[page] has a placeholder. Headings need a space after
// their '#', so that #word at the start of a line is a placeholder, and a heading's
// text may hold some.
//
// All functions take any string and need time in proportion to its length.
package placeholder

import "iter"

// MaxName is the greatest length of a word or name, in characters (code points).
// Longer ones are ordinary text.
const MaxName = 256

// MaxListed is how many placeholders [List] returns at most: a text of nothing else may have
// millions, which take twenty times its memory.
const MaxListed = 100_000

// List returns the placeholders of body as they are written (#word, #[a name]), in
// order of first appearance, without duplicates; of more than [MaxListed] the first ones. It is
// nil if there is none.
func List(body string) []string {
	var list []string
	seen := map[string]bool{}
	for s := range scan(body) {
		if p := body[s.start:s.end]; !seen[p] {
			if len(list) == MaxListed {
				break
			}
			seen[p] = true
			list = append(list, p)
		}
	}
	return list
}

// Parts replaces every placeholder of body that has a value, in one pass: a value is never
// scanned again. value is asked with a placeholder as [List] gives it, and says whether there
// is one; without, it stays as it is. What is yielded are parts of body and values: none is copied.
func Parts(body string, value func(written string) (string, bool)) iter.Seq[string] {
	return func(yield func(string) bool) {
		done := 0
		for s := range scan(body) {
			v, ok := value(body[s.start:s.end])
			if !ok {
				continue
			}
			if !yield(body[done:s.start]) || !yield(v) {
				return
			}
			done = s.end
		}
		yield(body[done:])
	}
}

// LengthWithin is the length of parts together, in bytes; false if it is over limit.
func LengthWithin(parts iter.Seq[string], limit int) (length int, ok bool) {
	for part := range parts {
		if len(part) > limit-length {
			return 0, false
		}
		length += len(part)
	}
	return length, true
}
