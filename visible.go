package quire

import (
	"strings"
	"unicode"
)

// Characters that nobody sees can carry instructions that a model reads all the same:
// tag characters spell ASCII (U+E0020 to U+E007E), runs of variation selectors spell
// bytes, and zero-width ones split words and markers. What is stored keeps them; what is
// shown to a model, and what a model answers, has none.

// visible returns a text without invisible characters.
func visible(text string) string {
	var s sight
	return strings.Map(func(r rune) rune {
		if s.sees(r) {
			return r
		}
		return -1
	}, text)
}

// sight goes through a text and tells which characters stay: all that are seen, and of
// those that only change what stands before them (variation selectors, joiners of emoji
// and of Persian and Indian letters) as many as can have an effect.
type sight struct{ after afterKind }

// afterKind is what the last character that stayed was.
type afterKind int

const (
	afterNothing  afterKind = iota // or a joiner
	afterSelector                  // that chose a form of what stands before it
	afterSeen
)

// sees reports whether the next character of the text stays.
func (s *sight) sees(r rune) bool {
	switch {
	case r == '\u200c' || r == '\u200d': // joiners
		stays := s.after != afterNothing
		s.after = afterNothing
		return stays
	case '\ufe00' <= r && r <= '\ufe0f': // variation selectors
		stays := s.after == afterSeen
		if stays {
			s.after = afterSelector
		}
		return stays
	case isInvisible(r):
		return false
	}
	s.after = afterSeen
	return true
}

// isInvisible reports whether a character has no glyph: the default ignorable ones of
// Unicode (UAX #44) with the directional marks, and control characters that are no space.
func isInvisible(r rune) bool {
	switch {
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return !unicode.IsSpace(r)
	case r < 0xad:
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // format characters, yet seen
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
