package segment

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// asciiFold maps each ASCII letter and digit to its lower case, all else to 0.
var asciiFold = func() (t [utf8.RuneSelf]byte) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z':
			t[c] = byte(c)
		case c >= 'A' && c <= 'Z':
			t[c] = byte(c) + 'a' - 'A'
		}
	}
	return t
}()

// foldString holds the lower-case letters that fold to ASCII without Unicode
// knowing them as a base letter with an accent.
var foldString = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th",
	'ł': "l", 'ħ': "h", 'ı': "i", 'ŋ': "n", 'ĸ': "k", 'ŧ': "t",
}

// foldRune returns a character in lower case, the variants that mean the same
// as one.
func foldRune(r rune) rune {
	switch r = unicode.ToLower(r); r {
	case 'ς':
		return 'σ'
	case '〇': // a digit zero that is no letter to Unicode
		return '零'
	}
	return r
}

// baseOf returns the letter below the accents of r.
func baseOf(r rune) rune {
	var buf [utf8.UTFMax]byte
	n := utf8.EncodeRune(buf[:], r)
	if d := norm.NFD.Properties(buf[:n]).Decomposition(); d != nil {
		r, _ = utf8.DecodeRune(d)
	}
	return r
}

// The scripts whose letters are searched without their accents or points.
var markless = []*unicode.RangeTable{
	unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew, unicode.Nd,
}

// losesMarks reports whether marks on r are dropped.
func losesMarks(r rune) bool { return unicode.In(r, markless...) }

// The scripts that are written without spaces between words.
var spaceless = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// isSpaceless reports whether r is a letter of a script written without spaces.
func isSpaceless(r rune) bool {
	switch {
	case r < 0x0E00: // below Thai
		return false
	case r == 'ー', r == '〆', r == '〇': // shared by scripts, or no letter to Unicode
		return true
	}
	return unicode.IsLetter(r) && unicode.In(r, spaceless...)
}

// IsSpaceless reports whether a word is a character of a script that is written
// without spaces between words, of which [Words] makes one word each.
func IsSpaceless(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return isSpaceless(r)
}

// isWordRune reports whether r is a letter or digit. An apostrophe is none, though
// Unicode counts two of them as letters.
func isWordRune(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && r != 'ʼ' && r != 'ʻ'
}

// isIgnorable reports whether r is invisible and joins what stands around it. The
// zero-width space is not: it marks a word boundary.
func isIgnorable(r rune) bool {
	const zeroWidthSpace, tatweel = '\u200b', '\u0640'
	return r != zeroWidthSpace && (r == tatweel || unicode.In(r,
		unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point))
}
