package engine

import "github.com/quirelib/quire/internal/segment"

// term is a distinct word of a text, stemmed, or a pair of neighbouring characters
// of a script written without spaces.
type term struct {
	text     string
	count    int
	weight   float32 // of one occurrence
	hasGrams bool    // it is a word whose n-grams count
}

// termSet collects terms in the order of their first appearance, so that sums over
// them are the same every time.
type termSet struct {
	terms []term
	index map[string]int
}

// add counts one occurrence of a term.
func (s *termSet) add(text string, weight float32, hasGrams bool) {
	if i, ok := s.index[text]; ok {
		s.terms[i].count++
		return
	}
	if s.index == nil {
		s.index = make(map[string]int)
	}
	s.index[text] = len(s.terms)
	s.terms = append(s.terms, term{text: text, count: 1, weight: weight, hasGrams: hasGrams})
}

// terms returns the distinct terms of a text with their weights.
func terms(text string) []term {
	var set termSet
	before := "" // the word before, if it is a character
	prev, prevW := "", float32(0)
	for _, word := range segment.Words(text) {
		if !segment.IsSpaceless(word) {
			before = ""
			addWord(&set, word)
			if !segment.IsStopWord(word) {
				stem := segment.Stem(word)
				w := float32(1)
				if commonWords[stem] {
					w = commonWeight
				}
				if prev != "" && pairW > 0 {
					set.add(prev+" "+stem, pairW*(w+prevW)/2, false)
				}
				prev, prevW = stem, w
			}
			continue
		}
		set.add(word, charWeight, false)
		if before != "" {
			set.add(before+word, plainWeight, false)
		}
		before = word
	}
	return set.terms
}

// addWord adds a word of an alphabetic script.
func addWord(set *termSet, word string) {
	if segment.IsStopWord(word) {
		set.add(word, stopWeight, false)
		return
	}
	stem := segment.Stem(word)
	if commonWords[stem] {
		set.add(stem, commonWeight, true)
	} else {
		set.add(stem, plainWeight, true)
	}
}

var pairW float32
