package pdf

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// glyphNames are the usual names of characters in fonts, as in the Adobe Glyph List,
// without letters and what can be made from their names.
var glyphNames = names(`space   exclam ! quotedbl " numbersign # dollar $ percent % ampersand & quotesingle '
parenleft ( parenright ) asterisk * plus + comma , hyphen - period . slash / zero 0 one 1 two 2 three 3 four 4 five 5
six 6 seven 7 eight 8 nine 9 colon : semicolon ; less < equal = greater > question ? at @ bracketleft [ backslash \
bracketright ] asciicircum ^ underscore _ grave ` + "`" + ` braceleft { bar | braceright } asciitilde ~ quoteleft ‘ quoteright ’
quotedblleft “ quotedblright ” quotesinglbase ‚ quotedblbase „ guillemotleft « guillemotright » guilsinglleft ‹
guilsinglright › endash – emdash — bullet • ellipsis … dagger † daggerdbl ‡ perthousand ‰ trademark ™ Euro € sterling £
yen ¥ cent ¢ florin ƒ currency ¤ exclamdown ¡ questiondown ¿ section § paragraph ¶ copyright © registered ® degree °
plusminus ± multiply × divide ÷ minus − fraction ⁄ periodcentered · brokenbar ¦ logicalnot ¬ mu µ ordfeminine ª
ordmasculine º onesuperior ¹ twosuperior ² threesuperior ³ onequarter ¼ onehalf ½ threequarters ¾ germandbls ß ae æ
AE Æ oe œ OE Œ oslash ø Oslash Ø lslash ł Lslash Ł eth ð Eth Ð thorn þ Thorn Þ dotlessi ı fi ﬁ fl ﬂ ff ﬀ ffi ﬃ
ffl ﬄ dieresis ¨ macron ¯ acute ´ cedilla ¸ circumflex ˆ tilde ˜ notequal ≠ lessequal ≤ greaterequal ≥ infinity ∞
summation ∑ product ∏ radical √ integral ∫ partialdiff ∂ approxequal ≈ arrowleft ← arrowup ↑ arrowright → arrowdown ↓
alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ nu ν xi ξ omicron ο pi π rho ρ
sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω Gamma Γ Delta ∆ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω`)

func names(list string) map[string]rune {
	m := map[string]rune{"space": ' ', "nbspace": ' ', "sfthyphen": '-'}
	fields := strings.Fields(strings.TrimPrefix(list, "space "))
	for i := 0; i+1 < len(fields); i += 2 {
		m[fields[i]], _ = utf8.DecodeRuneInString(fields[i+1])
	}
	return m
}

// accents are the names of accents at the end of the name of a letter.
var accents = map[string]rune{
	"grave": 0x300, "acute": 0x301, "circumflex": 0x302, "tilde": 0x303, "macron": 0x304, "breve": 0x306, "dotaccent": 0x307,
	"dieresis": 0x308, "ring": 0x30A, "hungarumlaut": 0x30B, "caron": 0x30C, "cedilla": 0x327, "ogonek": 0x328,
}

// glyphRune returns the character that the name of a glyph says; U+FFFD if it says none.
func glyphRune(s string) rune {
	s, _, _ = strings.Cut(s, ".") // a variant, such as a.sc
	if r, ok := glyphNames[s]; ok {
		return r
	}
	if len(s) == 1 {
		return rune(s[0])
	}
	if s == "" {
		return 0 // .notdef
	}
	if mark, ok := accents[s[1:]]; ok {
		r, _ := utf8.DecodeRuneInString(norm.NFC.String(s[:1] + string(mark)))
		return r
	}
	for _, prefix := range []string{"uni", "u"} {
		if hex, ok := strings.CutPrefix(s, prefix); ok && len(hex) >= 4 && len(hex) <= 6 {
			if n, err := strconv.ParseUint(hex, 16, 32); err == nil && utf8.ValidRune(rune(n)) {
				return rune(n)
			}
		}
	}
	return utf8.RuneError
}
