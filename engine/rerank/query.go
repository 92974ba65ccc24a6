package rerank

import (
	"math"

	"github.com/quirelib/quire/internal/segment"
)

// How near two words of a pair are, 1 being as in the query.
const (
	nextTo  = 1.0
	oneOff  = 0.5 // with a word between
	swapped = 0.5
)

// maxWords is how many different words of a query count. A query that is a whole
// document would cost as much as comparing two of them.
const maxWords = 256

// usualWords is about how many different words the passages of a search have.
const usualWords = 1024

// query is what is searched for. Its words have the numbers 0, 1, ..
type query struct {
	words  map[string]int // a stem's number
	pairs  map[[2]int]int // a pair's number: of words that are neighbours
	order  [][2]int       // the pairs by number
	weight []float64      // by word
	total  float64        // weight of all words

	first   [256]bool      // by which bytes its stems begin
	stemmed map[string]int // the number of the stem of what has been read; other, function
	content bool           // function words do not count
	read    []int          // the numbers of the text that was read last
}

// Words of passages that the query does not hold.
const (
	other    = -1
	function = -2
)

func newQuery(text string) *query {
	q := &query{words: make(map[string]int), pairs: make(map[[2]int]int), stemmed: make(map[string]int, usualWords)}
	words := segment.Words(text)
	for _, w := range words {
		q.content = q.content || !segment.IsStopWord(w)
	}
	before := other
	for _, w := range words {
		if q.content && segment.IsStopWord(w) {
			continue
		}
		stem := segment.Stem(w)
		n, ok := q.words[stem]
		if !ok {
			if len(q.words) == maxWords {
				break
			}
			n = len(q.words)
			q.words[stem] = n
			q.first[stem[0]] = true
		}
		pair := [2]int{before, n}
		if _, ok := q.pairs[pair]; !ok && before != other && before != n {
			q.pairs[pair] = len(q.pairs)
			q.order = append(q.order, pair)
		}
		before = n
	}
	return q
}

// number returns the number of a word of a passage. Passages of one search share most
// of their words, so that each is stemmed once, and only if it may be one of the query: a
// stem begins as its word does.
func (q *query) number(letters []byte) int {
	n, ok := q.stemmed[string(letters)] // which makes no string
	if ok {
		return n
	}
	word := string(letters)
	n = other
	if q.content && segment.IsStopWord(word) {
		n = function
	} else if q.first[word[0]] {
		if known, ok := q.words[segment.Stem(word)]; ok {
			n = known
		}
	}
	q.stemmed[word] = n
	return n
}

// weigh gives each word of the query its inverse frequency among the sentences of all
// passages.
func (q *query) weigh(passages []passage) {
	sentences := 0
	holding := make([]int, len(q.words))
	for _, p := range passages {
		sentences += len(p.sentences)
		for _, s := range p.sentences {
			for _, word := range s {
				holding[word]++
			}
		}
	}
	q.weight = make([]float64, len(q.words))
	for word, n := range holding {
		q.weight[word] = math.Log(1 + (float64(sentences-n)+0.5)/(float64(n)+0.5))
		q.total += q.weight[word]
	}
}

// share returns the weight of words beside that of all.
func (q *query) share(words []int) float64 {
	sum := 0.0
	for _, word := range words {
		sum += q.weight[word]
	}
	return sum / q.total
}

// sentence returns the greatest share of the query that one sentence holds.
func (q *query) sentence(p passage) float64 {
	most := 0.0
	for _, s := range p.sentences {
		most = max(most, q.share(s))
	}
	return most
}

// pairsOf returns how much of the query's pairs a passage holds.
func (q *query) pairsOf(p passage) float64 {
	sum, total := 0.0, 0.0
	for n, pair := range q.order {
		weight := q.weight[pair[0]] + q.weight[pair[1]]
		sum += weight * p.pairs[n]
		total += weight
	}
	if total == 0 {
		return 0
	}
	return sum / total
}
