package httpapi

import (
	"bytes"
	"encoding/json"
)

// splitter splits JSON that checkJSON has accepted into its parts. The parts are not
// copied: a body with files would be held in memory once for each level of nesting.
type splitter struct {
	data []byte
	pos  int
}

// members returns the values of an object by their keys.
func members(object json.RawMessage) map[string]json.RawMessage {
	s, out := splitter{data: object}, make(map[string]json.RawMessage)
	for s.next() != '}' {
		quoted := s.value()
		key := string(quoted[1 : len(quoted)-1])
		if bytes.IndexByte(quoted, '\\') >= 0 {
			_ = json.Unmarshal(quoted, &key) // checkJSON has accepted it
		}
		s.next() // the colon
		out[key] = s.value()
	}
	return out
}

// elements returns the values of an array.
func elements(array json.RawMessage) (out []json.RawMessage) {
	s := splitter{data: array}
	for s.next() != ']' {
		out = append(out, s.value())
	}
	return out
}

// next goes over what stands between two values and returns the last of it; a bracket
// that ends what is split counts as well.
func (s *splitter) next() (separator byte) {
	for ; s.pos < len(s.data); s.pos++ {
		switch b := s.data[s.pos]; b {
		case ' ', '\t', '\r', '\n':
		case ',', ':':
			separator = b
		case '{', '[':
			if s.pos > 0 {
				return separator
			}
		case '}', ']':
			return b
		default:
			return separator
		}
	}
	return separator
}

// value goes over one value and returns it.
func (s *splitter) value() json.RawMessage {
	start := s.pos
	switch s.data[s.pos] {
	case '"':
		s.str()
	case '{', '[':
		s.nested()
	default:
		n := bytes.IndexAny(s.data[s.pos:], ",:]} \t\r\n")
		s.pos += n // what is split ends with a bracket, so there is one
	}
	return s.data[start:s.pos:s.pos]
}

// str goes over a string, which ends at the first quote that is not escaped.
func (s *splitter) str() {
	for s.pos++; s.data[s.pos] != '"'; s.pos++ {
		if s.data[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos++
}

// nested goes over an array or object.
func (s *splitter) nested() {
	for depth := 0; ; {
		switch s.data[s.pos] {
		case '"':
			s.str()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.pos++
		if depth == 0 {
			return
		}
	}
}
