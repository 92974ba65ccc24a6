package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quirelib/quire"
)

// Bodies are decoded by hand, key by key, for four reasons: encoding/json matches
// keys without regard to case, cannot tell an absent key from null, stops at the
// first wrong type, and knows no "string or number". checkJSON has run before.

// place is a position in a body, with the list where problems are collected.
type place struct {
	path     []any // keys and indices
	problems *[]bodyProblem
	check    *fieldCheck // nil: unknown fields are passed over
}

// bodyProblem is something wrong with the JSON at a path, in the terms of both
// interfaces.
type bodyProblem struct {
	path []any
	msg  string
	kind string // such as "string_type"
}

func newPlace(path ...any) place { return place{path: path, problems: new([]bodyProblem)} }

// place is where a body, or a part of it that stands alone, begins.
func (c *call) place(path ...any) place {
	p := newPlace(path...)
	if c.s.opts.StrictFields {
		p.check = new(fieldCheck)
	}
	return p
}

func (p place) child(key any) place {
	return place{path: append(slices.Clip(p.path), key), problems: p.problems, check: p.check}
}

// maxProblems bounds what is noted of one body: an answer must not be many times
// longer than its request.
const maxProblems = 100

// full reports whether there are so many problems that no more are noted.
func (p place) full() bool { return len(*p.problems) == maxProblems }

// wrong notes a problem at the place, unless there are enough.
func (p place) wrong(kind, format string, args ...any) {
	if p.full() {
		return
	}
	*p.problems = append(*p.problems, bodyProblem{path: p.path, msg: fmt.Sprintf(format, args...), kind: kind})
}

// err returns what was noted, as a content error; nil if nothing was. All has been read.
func (p place) err() error {
	p.check.end(0)
	if len(*p.problems) == 0 {
		return nil
	}
	e := &quire.Error{Code: quire.CodeInvalid}
	for _, b := range *p.problems {
		parts := make([]string, len(b.path))
		for i, key := range b.path {
			parts[i] = fmt.Sprint(key)
		}
		e.Fields = append(e.Fields, quire.FieldError{Field: strings.Join(parts, "/"), Message: b.msg})
	}
	e.Message = e.Fields[0].Message
	if field := e.Fields[0].Field; field != "" {
		e.Message = field + ": " + e.Message
	}
	return e
}

// object is a JSON object whose keys are read one by one.
type object struct {
	place
	fields map[string]json.RawMessage
	asked  *askedObject // nil: unknown fields are passed over
}

// asObject reads an object; after a problem it reads as an empty one.
func asObject(p place, raw json.RawMessage) object {
	o := object{place: p}
	if raw[0] != '{' {
		p.wrong("dict_type", "must be an object")
		return o
	}
	o.fields = members(raw)
	o.asked = p.check.begin(p, o.fields)
	return o
}

// object reads a body that must be an object.
func (c *call) object() object { return asObject(c.place(), firstValue(c.body)) }

// firstValue drops the white space around a body.
func firstValue(body []byte) json.RawMessage {
	return bytes.Trim(body, " \t\r\n")
}

// parser reads a value that is not null. When the value is not what it expects, it
// notes a problem and returns the zero value.
type parser[T any] func(p place, raw json.RawMessage) T

// field is the value of one key of an object.
type field[T any] struct {
	set  bool // the key is there, null included
	null bool
	val  T // zero if absent or null
}

// ptr is the value, nil if the key is absent or null.
func (f field[T]) ptr() *T {
	if !f.set || f.null {
		return nil
	}
	return &f.val
}

// read reads one key of an object.
func read[T any](o object, key string, parse parser[T]) field[T] {
	o.knows(key)
	raw, ok := o.fields[key]
	switch {
	case !ok:
		return field[T]{}
	case isNull(raw):
		return field[T]{set: true, null: true}
	default:
		return field[T]{set: true, val: parse(o.child(key), raw)}
	}
}

// change reads a key of an update that cannot be null: nil if absent.
func change[T any](o object, key string, parse parser[T]) *T {
	f := read(o, key, parse)
	if !f.set {
		return nil
	}
	if f.null {
		o.child(key).wrong("null_type", "must not be null")
	}
	return &f.val
}

// clearable reads a key of an update that null sets back to nothing: nil if absent.
func clearable[T any](o object, key string, parse parser[T]) *T {
	f := read(o, key, parse)
	if !f.set {
		return nil
	}
	return &f.val
}

func isNull(raw json.RawMessage) bool { return raw[0] == 'n' }

func isNumber(raw json.RawMessage) bool { return raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9' }

func asString(p place, raw json.RawMessage) (s string) {
	if raw[0] != '"' {
		p.wrong("string_type", "must be a string")
		return ""
	}
	_ = json.Unmarshal(raw, &s) // checkJSON has accepted it
	return s
}

func asBool(p place, raw json.RawMessage) bool {
	if raw[0] != 't' && raw[0] != 'f' {
		p.wrong("bool_type", "must be true or false%s", unquoted(raw))
	}
	return raw[0] == 't'
}

func asInt64(p place, raw json.RawMessage) int64 {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		p.wrong("int_type", "must be a whole number of at most 64 bits%s", unquoted(raw))
	}
	return n
}

// asRef reads the id of a catalogue entry.
func asRef(p place, raw json.RawMessage) int {
	n, err := strconv.ParseInt(string(raw), 10, 32)
	if err != nil || n < 1 {
		p.wrong("int_type", "must be a positive whole number%s", unquoted(raw))
		return 0
	}
	return int(n)
}

// asVisibility reads a visibility. Which numbers are one is a rule of the Library, which
// takes 0 for none given.
func asVisibility(p place, raw json.RawMessage) quire.Visibility {
	n, err := strconv.ParseInt(string(raw), 10, 32)
	if err != nil || n == 0 {
		p.wrong("enum", "must be 1 (Public) or 2 (Unlisted)%s", unquoted(raw))
	}
	return quire.Visibility(n)
}

// unquoted is what to say of a text where a number or truth value is wanted: in many
// languages the two are hard to tell apart.
func unquoted(raw json.RawMessage) string {
	if raw[0] == '"' {
		return ", without quotes"
	}
	return ""
}

// asID reads an id that may be written as a string or as a number. The digits are
// taken as they are: no float comes between.
func asID(p place, raw json.RawMessage) string {
	switch {
	case raw[0] == '"':
		return asString(p, raw)
	case isNumber(raw) && !strings.ContainsAny(string(raw), ".eE"):
		return string(raw)
	}
	p.wrong("string_type", "must be an id, as a string or a whole number")
	return ""
}

// asNumericID reads the id of a list or tag, as a string or as a number.
func asNumericID(p place, raw json.RawMessage) int64 {
	s := string(raw)
	if raw[0] == '"' {
		s = asString(p, raw)
	}
	n, ok := parseNumericID(s)
	if !ok {
		p.wrong("int_type", "must be an id: a positive whole number, as a number or a string of digits")
	}
	return n
}

// parseNumericID reads the decimal form of a list or tag id; there is one form only,
// so that two texts never name the same thing.
func parseNumericID(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || n >= 1<<53 || strconv.FormatInt(n, 10) != s {
		return 0, false
	}
	return n, true
}

// arrayOf reads an array of values that are not null.
func arrayOf[T any](parse parser[T]) parser[[]T] {
	return func(p place, raw json.RawMessage) []T {
		values := asArray(p, raw)
		out := make([]T, 0, len(values))
		for i, v := range values {
			at := p.child(i)
			if isNull(v) {
				at.wrong("null_type", "must not be null")
				continue
			}
			out = append(out, inFull(parse, at, v))
		}
		return out
	}
}

func asArray(p place, raw json.RawMessage) []json.RawMessage {
	if raw[0] != '[' {
		p.wrong("list_type", "must be an array")
		return nil
	}
	return elements(raw)
}
