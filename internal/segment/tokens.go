package segment

import (
	"unicode"
	"unicode/utf8"
)

// How many characters of a run make one estimated token.
const (
	lettersPerToken = 5 // ASCII letters
	digitsPerToken  = 3
	othersPerToken  = 2 // letters and marks outside ASCII
	repeatsPerToken = 4 // the same punctuation mark repeated, such as a rule
	spacesPerToken  = 16
)

// tokenClass groups the characters that [Tokens] counts together.
type tokenClass int

const (
	classLetter tokenClass = iota
	classDigit
	classOther
	classSpace
	classMark // ASCII punctuation and control characters
	classChar // a token of its own: a Chinese character, a symbol outside ASCII
)

// Tokens estimates how many tokens a language model makes of text. It errs on the
// high side for English: five letters, three digits, two letters of another
// alphabet, one Chinese, Japanese, Korean or Thai character, and one punctuation
// mark or symbol are a token each; a run that is begun counts. The same ASCII mark
// repeated is a token per four, white space a token per full 16.
func Tokens(text string) int {
	tokens, run := 0, 0
	var class tokenClass
	var last rune
	for _, r := range text {
		c := classOf(r)
		if run > 0 && (c != class || c == classMark && r != last) {
			tokens += costOf(class, run)
			run = 0
		}
		class, last = c, r
		run++
	}
	return tokens + costOf(class, run)
}

// classOf returns the class of r.
func classOf(r rune) tokenClass {
	if r < utf8.RuneSelf {
		switch {
		case asciiFold[r] == 0 && (r == ' ' || r >= '\t' && r <= '\r'):
			return classSpace
		case asciiFold[r] == 0:
			return classMark
		case r <= '9':
			return classDigit
		}
		return classLetter
	}
	switch {
	case unicode.IsSpace(r):
		return classSpace
	case r == utf8.RuneError, isSpaceless(r):
		return classChar
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r):
		return classOther
	}
	return classChar
}

// costOf returns the tokens of a run of n characters of a class.
func costOf(class tokenClass, n int) int {
	per := 1
	switch class {
	case classLetter:
		per = lettersPerToken
	case classDigit:
		per = digitsPerToken
	case classOther:
		per = othersPerToken
	case classSpace:
		return n / spacesPerToken
	case classMark:
		per = repeatsPerToken
	}
	return (n + per - 1) / per
}
