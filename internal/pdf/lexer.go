package pdf

import (
	"bytes"
	"strconv"
)

// maxNesting is how deep arrays and dictionaries may nest.
const maxNesting = 64

// maxString is the longest string that is read, maxWord the longest name, number or
// operator, in bytes. The rest of longer ones is passed over.
const (
	maxString = 1 << 20
	maxWord   = 4 << 10
)

// lexer reads objects from a part of a file or from a decoded stream.
type lexer struct {
	data []byte
	at   int
	work *work
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

// skipSpace moves to the next byte that is neither white space nor in a comment.
func (l *lexer) skipSpace() {
	if l.work != nil && l.work.err != nil { // nothing more is read, however far it is to go
		l.at = len(l.data)
		return
	}
	defer l.touchFrom(l.at)
	for l.at < len(l.data) {
		switch c := l.data[l.at]; {
		case isSpace(c):
			l.at++
		case c == '%':
			for l.at < len(l.data) && l.data[l.at] != '\n' && l.data[l.at] != '\r' {
				l.at++
			}
		default:
			return
		}
	}
}

// touchFrom counts what was gone through since a place.
func (l *lexer) touchFrom(start int) { l.work.touch(l.at - start) }

// regular reads the bytes up to the next white space or delimiter.
func (l *lexer) regular() string {
	start := l.at
	for l.at < len(l.data) && !isSpace(l.data[l.at]) && !isDelimiter(l.data[l.at]) {
		l.at++
	}
	l.touchFrom(start)
	return string(l.data[start:min(l.at, start+maxWord)])
}

// object reads the next object or operator; ok is false at the end of the data.
// Closing brackets that close nothing are passed over.
func (l *lexer) object(depth int) (v any, ok bool) {
	for {
		l.skipSpace()
		if l.at >= len(l.data) || !l.work.spend(1) {
			return nil, false
		}
		switch c := l.data[l.at]; c {
		case '/':
			l.at++
			return l.name(), true
		case '(':
			l.at++
			return l.literal(), true
		case '[':
			l.at++
			return l.array(depth), true
		case '<':
			l.at++
			if l.at < len(l.data) && l.data[l.at] == '<' {
				l.at++
				return l.dict(depth), true
			}
			return l.hex(), true
		case ']', '>', ')', '{', '}':
			l.at++
		default:
			return l.word(), true
		}
	}
}

// word reads a number, a constant or an operator.
func (l *lexer) word() any {
	w := l.regular()
	switch w {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	if c := w[0]; c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' {
		if n, err := strconv.ParseFloat(w, 64); err == nil && n < 1e15 && n > -1e15 {
			return n
		}
	}
	return operator(w)
}

func (l *lexer) name() name {
	w := l.regular()
	var b []byte
	for i := 0; i < len(w); i++ {
		if w[i] == '#' && i+2 < len(w) {
			if n, err := strconv.ParseUint(w[i+1:i+3], 16, 8); err == nil {
				b = append(b, byte(n))
				i += 2
				continue
			}
		}
		b = append(b, w[i])
	}
	return name(b)
}

// closing moves past a closing bracket, if that is what comes next.
func (l *lexer) closing(bracket string) bool {
	l.skipSpace()
	if !bytes.HasPrefix(l.data[l.at:], []byte(bracket)) {
		return false
	}
	l.at += len(bracket)
	return true
}

func (l *lexer) array(depth int) []any {
	var a []any
	for depth < maxNesting && !l.closing("]") {
		v, ok := l.object(depth + 1)
		if !ok {
			break
		}
		if v == operator("R") && len(a) >= 2 {
			if n := whole(a[len(a)-2], -1, maxObjectNumber); n >= 0 {
				a = append(a[:len(a)-2], ref(n))
				continue
			}
		}
		a = append(a, v)
		l.work.keep(v)
	}
	return a
}

func (l *lexer) dict(depth int) dict {
	d := dict{}
	for depth < maxNesting && !l.closing(">>") {
		k, ok := l.object(depth + 1)
		if !ok {
			break
		}
		key, ok := k.(name)
		if !ok {
			if k == operator("endobj") || k == operator("stream") { // it was never closed
				break
			}
			continue
		}
		if l.closing(">>") {
			break
		}
		v, ok := l.object(depth + 1)
		if !ok {
			break
		}
		if n := whole(v, -1, maxObjectNumber); n >= 0 && l.reference() {
			v = ref(n)
		}
		d[key] = v
		l.work.keep(key)
		l.work.keep(v)
	}
	return d
}

// reference moves past the generation and the R that make a number a reference.
func (l *lexer) reference() bool {
	start := l.at
	l.skipSpace()
	if gen := l.regular(); gen != "" && len(gen) <= 5 && onlyDigits(gen) {
		l.skipSpace()
		if l.regular() == "R" {
			return true
		}
	}
	l.at = start
	return false
}

func onlyDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// escapes are those of literal strings that stand for one byte.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

// literal reads a string behind its opening bracket.
func (l *lexer) literal() text {
	defer l.touchFrom(l.at)
	var b []byte
	open := 1
	for l.at < len(l.data) && len(b) < maxString {
		c := l.data[l.at]
		l.at++
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return text(b)
			}
		case '\\':
			b = l.escape(b)
			continue
		}
		b = append(b, c)
	}
	return text(b)
}

// escape reads what follows a backslash.
func (l *lexer) escape(b []byte) []byte {
	if l.at >= len(l.data) {
		return b
	}
	c := l.data[l.at]
	l.at++
	switch {
	case c >= '0' && c <= '7':
		n := int(c - '0')
		for i := 0; i < 2 && l.at < len(l.data) && l.data[l.at] >= '0' && l.data[l.at] <= '7'; i++ {
			n = n<<3 | int(l.data[l.at]-'0')
			l.at++
		}
		return append(b, byte(n))
	case c == '\r': // a line that goes on
		if l.at < len(l.data) && l.data[l.at] == '\n' {
			l.at++
		}
		return b
	case c == '\n':
		return b
	case escapes[c] != 0:
		return append(b, escapes[c])
	}
	return append(b, c)
}

// hex reads a hexadecimal string behind its opening bracket.
func (l *lexer) hex() text {
	defer l.touchFrom(l.at)
	var digits []byte
	for l.at < len(l.data) && len(digits) < 2*maxString {
		c := l.data[l.at]
		l.at++
		if c == '>' {
			break
		}
		if v, ok := hexDigit(c); ok {
			digits = append(digits, v)
		}
	}
	return text(packHex(digits))
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// packHex makes bytes of the values of hexadecimal digits; a last odd one is followed by
// a zero.
func packHex(digits []byte) []byte {
	if len(digits)%2 != 0 {
		digits = append(digits, 0)
	}
	out := make([]byte, 0, len(digits)/2)
	for i := 0; i < len(digits); i += 2 {
		out = append(out, digits[i]<<4|digits[i+1])
	}
	return out
}
