package pdf

import (
	"strings"
	"unicode/utf16"
)

// The limits of a map: how many codes it maps one by one, and ranges of codes it has of
// each length, and of codes that it maps.
const (
	maxMapped = 0x10000
	maxSpaces = 32
	maxRanges = 10_000
)

// cmap maps codes to characters (9.10.3).
type cmap struct {
	spaces [5][][2]text // the ranges of codes by their length
	chars  map[text]string
	ranges []codeRange
	work   *work
}

type codeRange struct {
	length, low, high int
	text              []uint16
	each              []any // or one for each code
}

// readCMap reads a map. What it does not understand it passes over.
func (f *file) readCMap(data []byte) *cmap {
	m := &cmap{chars: map[text]string{}, work: f.work}
	l := lexer{data: data, work: f.work}
	var args []any
	kept := f.work.kept
	defer func() { f.work.kept = kept }()
	for {
		v, ok := l.object(0)
		if !ok {
			return m
		}
		op, is := v.(operator)
		if !is {
			if len(args) < 1000 { // a section has at most 100 entries
				args = append(args, v)
			}
			continue
		}
		switch op {
		case "endcodespacerange":
			m.addSpaces(args)
		case "endbfchar":
			for ; len(args) >= 2; args = args[2:] {
				from, _ := args[0].(text)
				if to, ok := args[1].(text); ok && len(m.chars) < maxMapped {
					m.chars[from] = fromUTF16(to)
				}
			}
		case "endbfrange":
			for ; len(args) >= 3; args = args[3:] {
				m.addRange(args[0], args[1], args[2])
			}
		}
		args, f.work.kept = args[:0], kept
	}
}

func (m *cmap) addSpaces(args []any) {
	for ; len(args) >= 2; args = args[2:] {
		low, _ := args[0].(text)
		high, _ := args[1].(text)
		if n := len(low); n == len(high) && n >= 1 && n <= 4 && len(m.spaces[n]) < maxSpaces {
			m.spaces[n] = append(m.spaces[n], [2]text{low, high})
		}
	}
}

func (m *cmap) addRange(from, to, target any) {
	low, _ := from.(text)
	high, _ := to.(text)
	if len(low) != len(high) || len(low) == 0 || len(low) > 4 || len(m.ranges) >= maxRanges {
		return
	}
	r := codeRange{length: len(low), low: codeOf(low), high: codeOf(high)}
	switch t := target.(type) {
	case text:
		r.text = units(t)
	case []any:
		r.each = t
	}
	m.ranges = append(m.ranges, r)
}

func codeOf(s text) (code int) {
	for i := range len(s) {
		code = code<<8 | int(s[i])
	}
	return code
}

// length returns how long the code at the start of s is; def if no range has it.
func (m *cmap) length(s text, def int) int {
	for n := 1; n <= 4 && n <= len(s); n++ {
		for _, space := range m.spaces[n] {
			in := true
			for i := range n { // each byte by itself
				in = in && space[0][i] <= s[i] && s[i] <= space[1][i]
			}
			if in {
				return n
			}
		}
	}
	return def
}

// text returns the characters of a code.
func (m *cmap) text(raw text, code int) (string, bool) {
	if s, ok := m.chars[raw]; ok {
		return s, s != ""
	}
	m.work.spend(len(m.ranges) / 16)
	for _, r := range m.ranges {
		if r.length != len(raw) || code < r.low || code > r.high {
			continue
		}
		var s string
		if n := code - r.low; n < len(r.each) {
			t, _ := r.each[n].(text)
			s = fromUTF16(t)
		} else if len(r.text) > 0 {
			u := append([]uint16(nil), r.text...)
			u[len(u)-1] += uint16(n)
			s = string(utf16.Decode(u))
		}
		m.remember(raw, s)
		return s, s != ""
	}
	m.remember(raw, "")
	return "", false
}

// remember keeps what was looked for in all ranges.
func (m *cmap) remember(raw text, s string) {
	if len(m.chars) < maxMapped {
		m.chars[text(strings.Clone(string(raw)))] = s
	}
}

// units returns the UTF-16 of a string.
func units(s text) []uint16 {
	if len(s) == 1 { // as some producers write it
		return []uint16{uint16(s[0])}
	}
	var u []uint16
	for i := 0; i+1 < len(s) && i < 64; i += 2 {
		u = append(u, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return u
}

func fromUTF16(s text) string { return string(utf16.Decode(units(s))) }
