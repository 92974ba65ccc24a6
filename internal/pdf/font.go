package pdf

import (
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// font maps the codes in strings to characters and widths.
type font struct {
	composite bool
	utf16     bool
	codes     *cmap           // of ToUnicode; nil if there is none
	table     [256]rune       // of a simple font; 0 where it has nothing
	widths    map[int]float64 // in thousandths of the font size
	width     float64         // of what widths do not have; negative: guess
}

// glyph is a code as it is shown.
type glyph struct {
	text  string
	width float64 // in units of the font size
	space bool    // a single byte 32, to which word spacing applies
}

// sharedFont reads a font that several pages may use.
func (f *file) sharedFont(r ref) *font {
	if f.fonts[r] == nil {
		f.fonts[r] = f.font(r)
	}
	return f.fonts[r]
}

// font reads a font.
func (f *file) font(v any) *font {
	d := f.dict(v)
	out := &font{width: -1}
	f.work.spend(1000) // a page may name it again and again
	if s, ok := f.resolve(d["ToUnicode"]).(*stream); ok {
		if data, ok := f.decode(s); ok {
			out.codes = f.readCMap(data)
		}
	}
	if d["Subtype"] == name("Type0") {
		f.composite(out, d)
		return out
	}
	out.table = f.encoding(d)
	out.widths = map[int]float64{}
	if first, widths := whole(f.resolve(d["FirstChar"]), 0, 255), f.list(d["Widths"]); len(widths) > 0 {
		scale := 1.0
		if d["Subtype"] == name("Type3") { // in a space of its own
			m := f.list(d["FontMatrix"])
			if len(m) > 0 {
				scale = number(f.resolve(m[0]), 0.001) * 1000
			}
		}
		out.width = number(f.resolve(f.dict(d["FontDescriptor"])["MissingWidth"]), -1)
		for i, w := range widths[:min(len(widths), 256-first)] {
			out.widths[first+i] = number(f.resolve(w), 0) * scale
		}
	} else if base, _ := f.resolve(d["BaseFont"]).(name); strings.Contains(string(base), "Courier") {
		out.width = 600
	}
	return out
}

// composite reads what is special to a composite font (9.7).
func (f *file) composite(out *font, d dict) {
	out.composite = true
	if n, ok := f.resolve(d["Encoding"]).(name); ok {
		out.utf16 = strings.Contains(string(n), "UCS2") || strings.Contains(string(n), "UTF16")
	}
	list := f.list(d["DescendantFonts"])
	if len(list) == 0 {
		return
	}
	below := f.dict(list[0])
	out.width = number(f.resolve(below["DW"]), 1000)
	out.widths = map[int]float64{}
	w := f.list(below["W"])
	for len(w) >= 2 && f.work.spend(1) { // first [w ...], or first last w
		first := whole(f.resolve(w[0]), 0, 0xFFFF)
		if each, ok := f.resolve(w[1]).([]any); ok {
			f.work.spend(len(each))
			for i, v := range each[:min(len(each), 0x10000)] {
				out.widths[first+i] = number(f.resolve(v), 1000)
			}
			w = w[2:]
			continue
		}
		if len(w) < 3 {
			return
		}
		last := whole(f.resolve(w[1]), 0, 0xFFFF)
		for code := first; code <= last && f.work.spend(1); code++ {
			out.widths[code] = number(f.resolve(w[2]), 1000)
		}
		w = w[3:]
	}
}

// encoding returns the characters of a simple font (9.6.5).
func (f *file) encoding(d dict) (table [256]rune) {
	enc := f.resolve(d["Encoding"])
	base := enc
	e, _ := enc.(dict)
	if e != nil {
		base = f.resolve(e["BaseEncoding"])
	}
	chars := charmap.Windows1252
	if base == name("MacRomanEncoding") {
		chars = charmap.Macintosh
	}
	for code := range table {
		if r := chars.DecodeByte(byte(code)); code >= 32 && r != '\uFFFD' {
			table[code] = r
		}
	}
	if base != name("WinAnsiEncoding") && base != name("MacRomanEncoding") {
		table['\''], table['`'] = '’', '‘' // the standard encoding
		table[0xAE], table[0xAF] = 'ﬁ', 'ﬂ'
	}
	code := 0
	differences := f.list(e["Differences"])
	for _, v := range differences[:min(len(differences), 1024)] {
		switch v := f.resolve(v).(type) {
		case float64:
			code = whole(v, 256, 255)
		case name:
			if code < 256 {
				table[code] = glyphRune(string(v))
				code++
			}
		}
	}
	return table
}

// glyphs returns what a string shows.
func (f *font) glyphs(s text) []glyph {
	var out []glyph
	for len(s) > 0 {
		n := 1
		if f.composite {
			n = min(2, len(s))
		}
		if f.codes != nil {
			n = f.codes.length(s, n)
		}
		code := 0
		for i := range n {
			code = code<<8 | int(s[i])
		}
		g := glyph{text: f.text(s[:n], code), space: n == 1 && code == ' '}
		g.width = f.glyphWidth(code, g.text) / 1000
		out = append(out, g)
		s = s[n:]
	}
	return out
}

// text returns the characters of a code, U+FFFD if that is not known.
func (f *font) text(raw text, code int) string {
	if f.codes != nil {
		if s, ok := f.codes.text(raw, code); ok {
			return s
		}
	}
	switch {
	case f.utf16 && len(raw) == 2:
		return string(utf16.Decode([]uint16{uint16(code)}))
	case f.composite:
		return "\uFFFD"
	case f.table[code&0xFF] != 0:
		return string(f.table[code&0xFF])
	}
	return ""
}

func (f *font) glyphWidth(code int, text string) float64 {
	if w, ok := f.widths[code]; ok {
		return w
	}
	if f.width >= 0 {
		return f.width
	}
	return guessWidth(text)
}

// guessWidth is about what a proportional font has, in thousandths.
func guessWidth(s string) float64 {
	switch {
	case s == "" || strings.Contains("iljtf.,;:'!|()[] ", s):
		return 280
	case strings.Contains("mwMW", s):
		return 850
	case s >= "A" && s <= "Z":
		return 680
	}
	return 540
}
