package engine

import "github.com/quirelib/quire/internal/segment"

// How much one occurrence of a term counts. Measured on SciFact, Cranfield and the
// documents of Go (quality_test.go), where small changes make no difference. Weighting
// a word by its length did harm.
const (
	plainWeight  = 1.0
	commonWeight = 0.5 // words frequent in texts of any subject
	stopWeight   = 0.1 // function words: they only decide between texts equal otherwise
	pairWeight   = 0.4 // neighbouring words, function words left out
	charWeight   = 0.5 // one character of a script written without spaces
)

// term is something distinct that a text holds: a word, stemmed, a pair of
// neighbouring words, or a character or pair of characters of a script written
// without spaces.
type term struct {
	text     string
	count    int
	weight   float32 // of one occurrence
	hasGrams bool    // it is a word whose character n-grams count
}

// terms returns the distinct terms of a text, in the order of their first
// appearance, so that sums over them are the same every time.
func terms(text string) []term {
	var s termSet
	for _, word := range segment.Words(text) {
		if segment.IsSpaceless(word) {
			s.addChar(word)
		} else {
			s.addWord(word)
		}
	}
	return s.terms
}

// termSet collects terms.
type termSet struct {
	terms []term
	index map[string]int

	char string // the character before, "" if there is none
	word term   // the word before that is no function word; zero: none
}

// add counts one occurrence of a term.
func (s *termSet) add(t term) {
	if i, ok := s.index[t.text]; ok {
		s.terms[i].count++
		return
	}
	if s.index == nil {
		s.index = make(map[string]int)
	}
	s.index[t.text] = len(s.terms)
	t.count = 1
	s.terms = append(s.terms, t)
}

// addChar adds a character and the pair that it makes with the one before.
func (s *termSet) addChar(char string) {
	s.add(term{text: char, weight: charWeight})
	if s.char != "" {
		s.add(term{text: s.char + char, weight: plainWeight})
	}
	s.char, s.word = char, term{}
}

// addWord adds a word of an alphabetic script and the pair that it makes with the
// one before.
func (s *termSet) addWord(word string) {
	s.char = ""
	if segment.IsStopWord(word) {
		s.add(term{text: word, weight: stopWeight})
		return
	}
	t := term{text: segment.Stem(word), weight: plainWeight, hasGrams: true}
	if commonWords[t.text] {
		t.weight = commonWeight
	}
	s.add(t)
	if s.word.text != "" {
		s.add(term{text: s.word.text + " " + t.text, weight: pairWeight * (s.word.weight + t.weight) / 2})
	}
	s.word = t
}
