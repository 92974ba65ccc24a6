package eval

import (
	"regexp"
	"strings"
)

// articles are what Normalise leaves out.
var articles = map[string]bool{"a": true, "an": true, "the": true}

// Normalise writes a text as answers are compared: in lower case, without ASCII
// punctuation and without the articles a, an and the, with single spaces. Source: the
// evaluation of SQuAD (Rajpurkar and others, "SQuAD: 100,000+ Questions for Machine
// Comprehension of Text", EMNLP 2016).
func Normalise(text string) string {
	const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
	text = strings.Map(func(r rune) rune {
		if r < 0x80 && strings.ContainsRune(punctuation, r) {
			return -1
		}
		return r
	}, strings.ToLower(text))
	words := strings.Fields(text)
	kept := words[:0]
	for _, w := range words {
		if !articles[w] {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// markers are citations such as [1], [1, 2] and [1-3].
var markers = regexp.MustCompile(`\[\d+(?:\s*[,–-]\s*\d+)*\]`)

// HoldsAnswer reports whether a text holds one of the answers, all of them normalised, as
// whole words one after the other. Markers of sources such as [1] are not part of the text.
func HoldsAnswer(text string, answers []string) bool {
	text = " " + Normalise(markers.ReplaceAllString(text, " ")) + " "
	for _, a := range answers {
		if a = Normalise(a); a != "" && strings.Contains(text, " "+a+" ") {
			return true
		}
	}
	return false
}
