package placeholder

import (
	"iter"
	"strings"
)

// span is a half-open range of bytes.
type span struct{ start, end int }

// fence is an open fenced code block.
type fence struct {
	mark   byte // '`' or '~'
	length int  // of the opening run
	quotes int  // block quotes that it is in
	column int  // columns of a list item that it is the first line of, else 0
}

// blocks yields the parts of body that hold inline text, in order. A code span
// never reaches over the end of a part. Fenced code is left out.
//
// This follows CommonMark as far as it matters for code: containers are told by
// their markers on the line, not by a full parse. Unlike there, a fence may have
// any indentation, because one of four columns or more is nearly always one in a
// list item.
func blocks(body string) iter.Seq[span] {
	return func(yield func(span) bool) {
		var open *fence
		start := 0 // of the part being collected
		for at := 0; at < len(body); {
			end := len(body)
			if n := strings.IndexByte(body[at:], '\n'); n >= 0 {
				end = at + n + 1
			}
			line := body[at:end]
			if open != nil {
				inside, last := open.holds(line)
				if last || !inside {
					open = nil
				}
				if inside {
					at, start = end, end
					continue
				}
			}
			kind, f := classify(line)
			if kind != running {
				if start < at && !yield(span{start, at}) {
					return
				}
				start = at
			}
			switch kind {
			case fenced:
				open, start = f, end
			case single:
				if !yield(span{at, end}) {
					return
				}
				start = end
			}
			at = end
		}
		if start < len(body) {
			yield(span{start, len(body)})
		}
	}
}

type lineKind int

const (
	running lineKind = iota // goes on with the part before it
	first                   // starts a new part
	single                  // is a part of its own
	fenced                  // opens a fence
)

// classify tells what a line outside of fences does.
func classify(line string) (lineKind, *fence) {
	rest, quotes, list := strings.TrimRight(line, " \t\r\n"), 0, false
	for {
		trimmed := strings.TrimLeft(rest, " \t")
		if n := marker(trimmed); n > 0 {
			list = true
			rest = trimmed[n:]
		} else if strings.HasPrefix(trimmed, ">") {
			quotes++
			rest = trimmed[1:]
		} else {
			rest = trimmed
			break
		}
	}
	if mark, n := fenceRun(rest); n >= 3 && (mark == '~' || strings.IndexByte(rest[n:], '`') < 0) {
		f := &fence{mark: mark, length: n, quotes: quotes}
		if list {
			f.column = len(strings.TrimRight(line, " \t\r\n")) - len(rest)
		}
		return fenced, f
	}
	switch {
	case rest == "", rest[0] == '|', isHeading(rest):
		return single, nil
	case list:
		return first, nil
	}
	return running, nil
}

// isHeading reports whether a line without indentation is a heading.
func isHeading(s string) bool {
	text := strings.TrimLeft(s, "#")
	n := len(s) - len(text)
	return n >= 1 && n <= 6 && (text == "" || text[0] == ' ' || text[0] == '\t')
}

// marker returns the length of the list marker that s starts with, the space
// after it included, or 0.
func marker(s string) int {
	n := 0
	for n < len(s) && n < 9 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	switch {
	case n == len(s):
		return 0
	case n > 0 && s[n] != '.' && s[n] != ')':
		return 0
	case n == 0 && s[n] != '-' && s[n] != '+' && s[n] != '*':
		return 0
	case n+1 == len(s): // an empty item
		return n + 1
	case s[n+1] == ' ' || s[n+1] == '\t':
		return n + 2
	}
	return 0
}

// fenceRun returns the fence character that s starts with and how often it is
// repeated.
func fenceRun(s string) (mark byte, n int) {
	if s == "" || s[0] != '`' && s[0] != '~' {
		return 0, 0
	}
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return s[0], n
}

// holds reports whether line belongs to the fence, and whether it is the one that
// closes it. A line that leaves the container of the fence ends it, too, but is not
// in it.
func (f *fence) holds(line string) (inside, last bool) {
	rest := strings.TrimRight(line, " \t\r\n")
	indent := 0
	for range f.quotes {
		trimmed := strings.TrimLeft(rest, " \t")
		if !strings.HasPrefix(trimmed, ">") {
			return false, false
		}
		rest = trimmed[1:]
	}
	trimmed := strings.TrimLeft(rest, " \t")
	indent = len(rest) - len(trimmed)
	if f.column > 0 && f.quotes == 0 && trimmed != "" && indent < f.column && !strings.Contains(rest[:indent], "\t") {
		return false, false
	}
	mark, n := fenceRun(trimmed)
	return true, mark == f.mark && n >= f.length && n == len(trimmed)
}
