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

import (
	"iter"
	"math"
	"strings"
)

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

// Fill replaces every placeholder of body that values has, in one pass: a value is
// never scanned again. The keys of values are written as [List] gives them; a
// placeholder without a value stays as it is.
func Fill(body string, values map[string]string) string {
	filled, _ := FillWithin(body, values, math.MaxInt)
	return filled
}

// FillWithin is Fill for results of at most limit bytes: a few kilobytes of
// placeholders and of values would make gigabytes. It returns false, having built
// nothing, if the result would be longer.
func FillWithin(body string, values map[string]string, limit int) (string, bool) {
	size, ok := SizeWithin(body, values, limit)
	if !ok {
		return "", false
	}
	var b strings.Builder
	b.Grow(size)
	for part := range Parts(body, values) {
		b.WriteString(part)
	}
	return b.String(), true
}

// SizeWithin is the length of what [Fill] returns, in bytes, without building it; false
// if it is over limit.
func SizeWithin(body string, values map[string]string, limit int) (size int, ok bool) {
	return LengthWithin(Parts(body, values), limit)
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

// Parts yields what [Fill] returns in parts, which are parts of body and values: none is
// copied.
func Parts(body string, values map[string]string) iter.Seq[string] {
	return PartsBy(body, func(written string) (string, bool) {
		v, ok := values[written]
		return v, ok
	})
}

// PartsBy is [Parts] with values that are looked up by the placeholder as it is written.
func PartsBy(body string, value func(written string) (string, bool)) iter.Seq[string] {
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
