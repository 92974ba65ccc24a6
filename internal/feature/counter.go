package feature

import (
	"unicode/utf8"

	"github.com/quirelib/quire/internal/segment"
)

// Counter counts the terms of texts, the same as [Terms] finds without pairs of words. It
// remembers all words, so that it finds the stem of one and makes a string of it once for
// many texts. It is for one goroutine at a time.
type Counter struct {
	words   map[string]int // the number of the term that a word is
	numbers map[string]int // the number of a term
	terms   []Count        // by number; Count is that of the texts since Counts

	reached []int  // the terms that have been counted since then
	char    []byte // the character before, of a script written without spaces; empty if there is none
}

// Count is a term and how often texts hold it.
type Count struct {
	Text   string
	Number int // of the term, the same each time; from 0 in the order of first appearance
	Count  int
}

// NewCounter returns a Counter that has counted nothing.
func NewCounter() *Counter {
	return &Counter{words: map[string]int{}, numbers: map[string]int{}}
}

// Add counts the terms of a text.
func (c *Counter) Add(text string) {
	c.char = c.char[:0]
	segment.Each(text, c.word)
}

// Counts returns the distinct terms of the texts that were added since it was called before,
// in the order of their first appearance.
func (c *Counter) Counts() []Count {
	counts := make([]Count, len(c.reached))
	for i, n := range c.reached {
		counts[i] = c.terms[n]
		c.terms[n].Count = 0
	}
	c.reached = c.reached[:0]
	return counts
}

// Known returns how many words are remembered, some hundred bytes each.
func (c *Counter) Known() int { return len(c.words) }

// word counts what Terms makes of a word: the word, and a pair of characters.
func (c *Counter) word(word []byte) {
	if word[0] >= utf8.RuneSelf && segment.IsSpaceless(string(word)) {
		c.count(word)
		if len(c.char) > 0 {
			c.char = append(c.char, word...)
			c.count(c.char)
		}
		c.char = append(c.char[:0], word...)
		return
	}
	c.char = c.char[:0]
	c.count(word)
}

// count counts one occurrence of a word, or pair of characters.
func (c *Counter) count(word []byte) {
	n, known := c.words[string(word)]
	if !known {
		n = c.learn(string(word))
	}
	t := &c.terms[n]
	if t.Count == 0 {
		c.reached = append(c.reached, n)
	}
	t.Count++
}

// learn gives a word the number of its term.
func (c *Counter) learn(word string) int {
	term := word
	if !segment.IsStopWord(word) { // characters and pairs are their own stems
		term = segment.Stem(word)
	}
	n, known := c.numbers[term]
	if !known {
		n = len(c.terms)
		c.numbers[term] = n
		c.terms = append(c.terms, Count{Text: term, Number: n})
	}
	c.words[word] = n
	return n
}
