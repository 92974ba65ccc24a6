package rerank

import (
	"slices"
	"strings"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/segment"
)

// passage is what a chunk holds of a query, as numbers of words.
type passage struct {
	heads     []int   // in title and headings, each once
	sentences [][]int // in each sentence, each once
	pairs     []float64
}

// passage takes a chunk apart.
func (q *query) passage(c quire.Chunk) passage {
	p := passage{pairs: make([]float64, len(q.pairs))}
	p.heads = q.distinct(q.numbers(c.Title + "\n" + strings.Join(c.Heading, "\n")))
	for _, b := range segment.Blocks(c.Text) {
		block := c.Text[b.Start:b.End]
		window := [2]int{other, other} // the last two words that count, the last one first
		for _, s := range segment.Sentences(block) {
			words := q.numbers(block[s[0]:s[1]])
			p.sentences = append(p.sentences, q.distinct(words))
			for _, word := range words {
				q.near(p.pairs, window[0], word, nextTo)
				q.near(p.pairs, window[1], word, oneOff)
				q.near(p.pairs, word, window[0], swapped)
				window = [2]int{word, window[0]}
			}
		}
	}
	return p
}

// numbers returns the numbers of the words of a text without function words. They are valid
// until the next call.
func (q *query) numbers(text string) []int {
	q.read = q.read[:0]
	segment.Each(text, func(word []byte) {
		if n := q.number(word); n != function {
			q.read = append(q.read, n)
		}
	})
	return q.read
}

// distinct returns the query's words among numbers, each once.
func (q *query) distinct(numbers []int) []int {
	var words []int
	for _, n := range numbers {
		if n != other && !slices.Contains(words, n) {
			words = append(words, n)
		}
	}
	return words
}

// near notes that two words of a passage stand near each other, if they are a pair.
func (q *query) near(pairs []float64, first, second int, how float64) {
	if first == other || second == other {
		return
	}
	if n, ok := q.pairs[[2]int{first, second}]; ok {
		pairs[n] = max(pairs[n], how)
	}
}
