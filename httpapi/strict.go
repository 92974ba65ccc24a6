package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/quirelib/quire"
)

// jsonLimits are how much a body may hold, see Options.
type jsonLimits struct{ depth, fields, elements int }

func (o *Options) jsonLimits() jsonLimits {
	return jsonLimits{depth: o.MaxDepth, fields: o.MaxFields, elements: o.MaxElements}
}

// checkJSON refuses what encoding/json would let through or change silently: a key
// that occurs twice in an object (which one counts would depend on the reader), NUL,
// invalid UTF-8, lone surrogates (both would become U+FFFD), and what is beyond the limits:
// decoded, each field and element takes many times its length. Like encoding/json it
// refuses malformed text, trailing data and a byte order mark.
//
// Before it does what takes memory, which is comparing keys, it calls hold with how many keys
// and elements there are.
func checkJSON(data []byte, limits jsonLimits, hold func(values int) error) error {
	if len(bytes.TrimLeft(data, " \t\r\n")) == 0 {
		return quire.Errorf(quire.CodeInvalid, "the body is empty; it must be JSON")
	}
	if !utf8.Valid(data) {
		return quire.Errorf(quire.CodeInvalid, "the body is not valid UTF-8")
	}
	if !json.Valid(data) {
		return syntaxError(data)
	}
	count := checker{data: data, limits: limits}
	if err := count.run(); err != nil {
		return err
	}
	if err := hold(count.fields + count.elements); err != nil {
		return err
	}
	compare := checker{data: data, limits: limits, compare: true}
	return compare.run()
}

// run goes over the whole text.
func (c *checker) run() error {
	for c.pos < len(c.data) {
		if err := c.step(); err != nil {
			return err
		}
	}
	return nil
}

// syntaxError says where malformed JSON goes wrong. It is slow and only for text
// that json.Valid refused.
func syntaxError(data []byte) error {
	var v any
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal(data, &v), &syntax) {
		return quire.Errorf(quire.CodeInvalid, "malformed JSON at byte %d", syntax.Offset)
	}
	return quire.Errorf(quire.CodeInvalid, "malformed JSON")
}

// checker walks over the tokens of a text that json.Valid has accepted.
type checker struct {
	data             []byte
	pos              int
	open             []container // innermost last
	limits           jsonLimits
	compare          bool // keys with those before them
	fields, elements int  // so far
}

// container is an array or object that has not ended yet.
type container struct {
	isObject bool
	isBytes  bool // an array under a key that stands for the bytes of a file
	atKey    bool // the next string is a key
	key      string
	keys     map[string]struct{}
}

// step goes over one byte outside of strings, or over a whole string.
func (c *checker) step() error {
	b := c.data[c.pos]
	c.pos++
	switch b {
	case '{', '[':
		return c.begin(b == '{')
	case '}', ']':
		c.open = c.open[:len(c.open)-1]
	case ',':
		top := &c.open[len(c.open)-1]
		top.atKey = top.isObject
		return c.element(top)
	case '"':
		return c.str()
	}
	return nil
}

// begin goes into an object or array.
func (c *checker) begin(isObject bool) error {
	if len(c.open) == c.limits.depth {
		return quire.Errorf(quire.CodeInvalid, "the JSON is nested deeper than %d levels", c.limits.depth)
	}
	inside := container{isObject: isObject, atKey: isObject}
	if last := len(c.open) - 1; last >= 0 && c.open[last].isObject {
		inside.isBytes = isBytesKey(c.open[last].key)
	}
	c.open = append(c.open, inside)
	return c.element(&inside) // an empty one counts as well
}

// isBytesKey reports whether an array under the key holds the bytes of a file, see asBuffer:
// these are never decoded one by one.
func isBytesKey(key string) bool { return key == "file_buffer" || key == "data" }

// element counts an element of an array.
func (c *checker) element(of *container) error {
	if of.isObject || of.isBytes {
		return nil
	}
	if c.elements++; c.elements > c.limits.elements {
		return quire.Errorf(quire.CodeInvalid, "the arrays of the JSON have more than %d elements together", c.limits.elements)
	}
	return nil
}

// str checks a string whose opening quote was just passed.
func (c *checker) str() error {
	start := c.pos
	escaped := false
	for {
		n := bytes.IndexAny(c.data[c.pos:], `"\`)
		c.pos += n + 1
		if c.data[c.pos-1] == '"' {
			break
		}
		escaped = true
		if err := c.escape(); err != nil {
			return err
		}
	}
	if len(c.open) > 0 {
		if top := &c.open[len(c.open)-1]; top.atKey {
			top.atKey = false
			if c.fields++; c.fields > c.limits.fields {
				return quire.Errorf(quire.CodeInvalid, "the objects of the JSON have more than %d keys together", c.limits.fields)
			}
			return top.addKey(c.data[start-1:c.pos], escaped, c.compare)
		}
	}
	return nil
}

// escape checks an escape sequence whose backslash was just passed.
func (c *checker) escape() error {
	if c.data[c.pos] != 'u' {
		c.pos++
		return nil
	}
	switch r := c.hex(); {
	case r == 0:
		return quire.Errorf(quire.CodeInvalid, "the JSON holds a NUL character; text must not")
	case 0xDC00 <= r && r <= 0xDFFF:
		return errSurrogate
	case 0xD800 <= r && r <= 0xDBFF:
		if !bytes.HasPrefix(c.data[c.pos:], []byte(`\u`)) {
			return errSurrogate
		}
		c.pos++
		if low := c.hex(); low < 0xDC00 || low > 0xDFFF {
			return errSurrogate
		}
	}
	return nil
}

var errSurrogate = quire.Errorf(quire.CodeInvalid, "the JSON holds half of a surrogate pair, which is no character")

// hex reads the code unit of an escape at its u.
func (c *checker) hex() uint64 {
	n, _ := strconv.ParseUint(string(c.data[c.pos+1:c.pos+5]), 16, 16) // json.Valid has seen four hex digits
	c.pos += 5
	return n
}

// addKey notes a key, given with its quotes. If they are to be compared, keys are compared as the
// text they stand for.
func (o *container) addKey(quoted []byte, escaped, compare bool) error {
	key := string(quoted[1 : len(quoted)-1])
	if escaped {
		_ = json.Unmarshal(quoted, &key) // json.Valid has accepted it
	}
	o.key = key
	if !compare {
		return nil
	}
	if _, twice := o.keys[key]; twice {
		return quire.Errorf(quire.CodeInvalid, "the key %q occurs twice in one object", shorten(key))
	}
	if o.keys == nil {
		// A map for each object: one that is cleared and used again would cost its
		// largest size every time.
		o.keys = make(map[string]struct{})
	}
	o.keys[key] = struct{}{}
	return nil
}

// shorten cuts a client's text for a message.
func shorten(s string) string {
	const limit = 40
	for i := range s {
		if i > limit {
			return s[:i] + "…"
		}
	}
	return s
}
