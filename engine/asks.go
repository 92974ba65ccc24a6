package engine

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quirelib/quire/internal/segment"
)

// want is what an English question asks for, by its words. Who asks in another language
// is taken to want anything.
type want int

const (
	anything want = iota
	amount        // how many, how long
	moment        // when, in which year
	person        // who
	place         // where
	reason        // why
)

// wanted returns what a question asks for.
func wanted(question string) want {
	words := segment.Words(question)
	asks := false // there was a "what" or "how": a "when" or "where" behind it is no question
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch w {
		case "who", "whom", "whose":
			return person
		case "where":
			if !asks {
				return place
			}
		case "when":
			if !asks {
				return moment
			}
		case "why":
			return reason
		case "how":
			asks = true
			if amounts[next] {
				return amount
			}
		case "what", "which":
			asks = true
			switch {
			case numbers[next]:
				return amount
			case moments[next]:
				return moment
			case places[next]:
				return place
			}
		}
	}
	return anything
}

// What follows "how", and "what" or "which".
var (
	amounts = wordSet("many much long far old tall high large big often few fast deep wide heavy")
	numbers = wordSet("percentage percent number amount")
	moments = wordSet("year years date day days month century decade time")
	places  = wordSet("city country state town location place region")
)

// What tells a number or a date that is written in words, and what a place stands behind.
var (
	numerals = wordSet("one two three four five six seven eight nine ten eleven twelve hundred thousand million billion percent half third quarter dozen")
	dates    = wordSet("january february march april may june july august september october november december century decade year years day days")
	before   = wordSet("in at near from of to the")
)

// reasons are what a sentence that gives one may hold.
var reasons = []string{"because", "due to", "reason", "so that", "since ", "caus", " result"}

// leaning are words that stand for something said before.
var leaning = wordSet("he she it they this these that those his her its their such him them here there however")

func wordSet(list string) map[string]bool { return setOf(strings.Fields(list)) }

// cue returns how surely a text holds what is wanted, 0..1, besides the words that the
// question itself has, which are in lower case.
func (w want) cue(text string, said map[string]bool) float64 {
	switch w {
	case anything:
		return 0
	case reason:
		for _, r := range reasons {
			if strings.Contains(text, r) {
				return 1
			}
		}
		return 0
	}
	best := 0.0
	words := fields(text)
	for i, word := range words {
		if lower := strings.ToLower(word); !said[lower] {
			best = max(best, w.cueOf(words, i, lower))
		}
	}
	return best
}

// cueOf is cue for one word, which is lower in lower case.
func (w want) cueOf(words []string, i int, lower string) float64 {
	first, _ := utf8.DecodeRuneInString(words[i])
	number, name := unicode.IsDigit(first), unicode.IsUpper(first) && !segment.IsStopWord(lower)
	switch {
	case w == amount && (number || numerals[lower]):
		return 1
	case w == moment && number && len(lower) == 4 && lower[0] <= '2': // a year
		return 1
	case w == moment && dates[lower] && words[i] != "may":
		return 0.7
	case w == moment && number && len(lower) <= 2:
		return 0.3
	case w == place && name && i > 0 && before[strings.ToLower(words[i-1])]:
		return 1
	case w == person && name && (i > 0 || len(words) > 1 && unicode.IsUpper(firstOf(words[1]))):
		return 1
	case w == person && name: // each sentence begins with a capital letter
		return 0.5
	}
	return 0
}

func firstOf(word string) rune {
	r, _ := utf8.DecodeRuneInString(word)
	return r
}

// fields returns the words of a text as they are written.
func fields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !isWordChar(r) })
}

// leans reports whether a text begins with a word that stands for something said before.
func leans(text string) bool {
	end := strings.IndexFunc(text, func(r rune) bool { return !isWordChar(r) })
	return end > 0 && leaning[strings.ToLower(text[:end])]
}
