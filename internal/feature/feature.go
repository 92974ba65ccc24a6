// Package feature turns a text into the features that embedders without a neural
// network hash into vectors, and a full-text index counts: stems of words, pairs of
// neighbouring words, characters of scripts written without spaces, and the character
// n-grams of words.
//
// It is deterministic and holds no state.
package feature

import (
	"unicode"

	"github.com/quirelib/quire/internal/segment"
)

// How much one occurrence of a term counts where the caller does not decide. Measured
// on SciFact, Cranfield and the documents of Go (engine/quality_test.go), where small
// changes make no difference. Weighting a word by its length did harm.
const (
	Plain = 1.0 // a content word, or a pair of characters

	stopWeight = 0.1 // function words: they only decide between texts equal otherwise
	charWeight = 0.5 // one character of a script written without spaces
)

// Term is something distinct that a text holds: a word, stemmed, a pair of
// neighbouring words, or a character or pair of characters of a script written
// without spaces.
type Term struct {
	Text     string
	Count    int     // occurrences
	Weight   float32 // of one occurrence
	HasGrams bool    // it is a word whose character n-grams count
}

// Weigher says how much words count.
type Weigher struct {
	// Word returns what one occurrence of a word that is no function word counts.
	// stem is its stem.
	Word func(word, stem string) float32

	// Pair is how much a pair of neighbouring words counts, function words left out,
	// relative to the mean of the two. 0: pairs are no terms.
	Pair float32
}

// Terms returns the distinct terms of a text whose words are given, in the order of
// their first appearance, so that sums over them are the same every time. The words
// are those that segment.Words returns.
func Terms(words []string, weigher Weigher) []Term {
	s := termSet{weigher: weigher, index: make(map[string]int, len(words))}
	for _, word := range words {
		if segment.IsSpaceless(word) {
			s.addChar(word)
		} else {
			s.addWord(word)
		}
	}
	return s.terms
}

// Symbols returns the terms of a text without words: its characters.
func Symbols(text string) []Term {
	s := termSet{index: make(map[string]int)}
	for _, r := range text {
		if !unicode.IsSpace(r) {
			s.add(Term{Text: string(r), Weight: Plain})
		}
	}
	return s.terms
}

// termSet collects terms.
type termSet struct {
	weigher Weigher
	terms   []Term
	index   map[string]int

	char string // the character before, "" if there is none
	word Term   // the word before that is no function word; zero: none
}

// add counts one occurrence of a term.
func (s *termSet) add(t Term) {
	if i, ok := s.index[t.Text]; ok {
		s.terms[i].Count++
		return
	}
	s.index[t.Text] = len(s.terms)
	t.Count = 1
	s.terms = append(s.terms, t)
}

// addChar adds a character and the pair that it makes with the one before.
func (s *termSet) addChar(char string) {
	s.add(Term{Text: char, Weight: charWeight})
	if s.char != "" {
		s.add(Term{Text: s.char + char, Weight: Plain})
	}
	s.char, s.word = char, Term{}
}

// addWord adds a word of an alphabetic script and the pair that it makes with the
// one before.
func (s *termSet) addWord(word string) {
	s.char = ""
	if segment.IsStopWord(word) {
		s.add(Term{Text: word, Weight: stopWeight})
		return
	}
	stem := segment.Stem(word)
	t := Term{Text: stem, Weight: s.weigher.Word(word, stem), HasGrams: true}
	s.add(t)
	if s.weigher.Pair > 0 && s.word.Text != "" {
		s.add(Term{Text: s.word.Text + " " + t.Text, Weight: s.weigher.Pair * (s.word.Weight + t.Weight) / 2})
	}
	s.word = t
}
