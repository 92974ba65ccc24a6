package segment

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The part of a query that is used.
const (
	maxQueryBytes   = 16 << 10
	maxQueryPhrases = 64
	maxQueryWords   = 256
)

// Query returns what a user typed as phrases to search for. The text is split at
// white space and the [Words] of each piece form one phrase, to be found adjacent
// and in order: "multi-agent" is the phrase multi agent, a run of Chinese is the
// phrase of its characters. Pieces without a word give no phrase.
//
// prefix says that the last word of the last phrase may be the beginning of a
// word: the text ends in a letter or digit of an alphabetic script, or in one "+" that
// another may follow ("c+").
//
// At most 64 phrases of together 256 words, from the first 16 KiB of text, are
// used, each phrase once, but for one that is also the last one with prefix.
func Query(text string) (phrases [][]string, prefix bool) {
	phrases, prefix = query(text)
	last := len(phrases) - 1
	var distinct [][]string
	for i, p := range phrases {
		if prefix && i == last || !slices.ContainsFunc(distinct, func(d []string) bool { return slices.Equal(d, p) }) {
			distinct = append(distinct, p)
		}
	}
	return distinct, prefix
}

// query is Query with all phrases as often as they are there.
func query(text string) (phrases [][]string, prefix bool) {
	text, truncated := truncate(text, maxQueryBytes)
	left := maxQueryWords
	for piece := range strings.FieldsSeq(text) {
		if len(phrases) == maxQueryPhrases || left == 0 {
			return phrases, false
		}
		var words []string
		s := scanner{limit: left, take: func(word []byte) { words = append(words, string(word)) }}
		prefix = s.scan(piece) || onePlus(words, piece)
		// One step of the scanner may give two words.
		if words := words[:min(len(words), left)]; len(words) > 0 {
			phrases = append(phrases, words)
			left -= len(words)
		}
	}
	if truncated {
		// What was cut off may have changed the last word.
		return dropLastWord(phrases), false
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	return phrases, prefix && !unicode.IsSpace(last)
}

// onePlus reports whether a piece, whose words are given, ends in a "+" of a name that may
// have two.
func onePlus(words []string, piece string) bool {
	if len(words) == 0 || !strings.HasSuffix(piece, "+") {
		return false
	}
	name, plus := strings.CutSuffix(words[len(words)-1], spelledPlus)
	return plus && !strings.HasSuffix(name, spelledPlus)
}

// truncate returns the beginning of text, at most limit bytes and whole
// characters, and whether anything was cut off.
func truncate(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit], true
}

// dropLastWord removes the last word of the last phrase.
func dropLastWord(phrases [][]string) [][]string {
	if len(phrases) == 0 {
		return nil
	}
	last := &phrases[len(phrases)-1]
	*last = (*last)[:len(*last)-1]
	if len(*last) == 0 {
		return phrases[:len(phrases)-1]
	}
	return phrases
}
