package engine

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quirelib/quire/internal/segment"
)

// How candidates are scored: a sum in which the words of the question that a sentence
// holds, as they are written and side by side, have 1, and what is around it and what kind
// of thing it holds counts beside them. The weights were fitted on one half of a set of
// questions and judged on the other: docs/decisions/0023-extractive-answers.md.
const (
	ownWeight    = 0.26 // words of the question in the sentence, by their stems
	coverWeight  = 0.20 // the square of that: covering all is worth more than half twice
	exactWeight  = 0.25 // words as the question writes them
	besideWeight = 0.13 // words side by side as in the question
	denseWeight  = 0.16 // words close together

	aboveWeight = 0.37 // words that only title and headings have: what the sentence is about
	nearWeight  = 0.23 // words that only the sentence in front has
	nextWeight  = 0.05 // words that only the sentence behind has
	alikeWeight = 0.33 // words that are like one of the sentence, but have another stem
	leansWeight = 0.07 // words in front of a sentence that begins with "it" or the like
	nameWeight  = 0.07 // a sentence that begins with what "what is .." asks for

	rankCost    = 0.20 // what a place behind the first costs, by its logarithm
	commonShare = 0.5  // words frequent in texts of any subject
	askedWeight = 3.0  // words of a question itself among those of what it leans on

	shortWords = 4  // fewer words say little
	longWords  = 40 // more words match by their number
)

// cueWeights are those of what a question asks for.
var cueWeights = map[want]float64{amount: 0.17, moment: 0.23, person: 0.08, place: 0.15, reason: 0.12}

// question is what is asked: its matching words with their weights, which add up to 1
// once it is weighed.
type question struct {
	words  []string       // the stems, distinct, in order
	index  map[string]int // places among words
	forms  map[string]bool
	weight []float64
	own    map[string]bool // those of the question itself if it leans on others; else nil
	pairs  [][2]int        // places of words that stand side by side
	want   want
	said   map[string]bool // all words in lower case
	names  bool            // it asks what something is
	called []string        // the stems of names
}

// newQuestion returns the question of a text, not weighed yet. Where what was asked leans
// on other questions, text has them too.
func newQuestion(asked, text string) *question {
	q := &question{index: make(map[string]int), forms: make(map[string]bool), want: wanted(asked), said: make(map[string]bool)}
	words := matchWords(text)
	if asked != text {
		words = slices.DeleteFunc(words, func(w word) bool { return courtesies[w.form] })
	}
	for i, w := range words {
		q.forms[w.form] = true
		if _, known := q.index[w.stem]; !known {
			q.index[w.stem] = len(q.words)
			q.words = append(q.words, w.stem)
		}
		if i > 0 {
			q.pairs = append(q.pairs, [2]int{q.index[words[i-1].stem], q.index[w.stem]})
		}
	}
	q.weight = make([]float64, len(q.words))
	q.called = namesIn(asked)
	for _, w := range fields(text) {
		q.said[strings.ToLower(w)] = true
	}
	if all := segment.Words(asked); len(all) > 2 && (all[0] == "what" || all[0] == "who") {
		q.names = slices.Contains([]string{"is", "are", "was", "were"}, all[1])
	}
	return q
}

// leaningOn returns a question with the words of the query that it was made into, its own
// ones counting more: what was asked before has been answered.
func leaningOn(asked, query string) *question {
	if query == "" || query == asked {
		return newQuestion(asked, asked)
	}
	q := newQuestion(asked, query)
	q.own = stems(matchWords(asked))
	return q
}

// wordsIn tells which of the question's words a set has.
func (q *question) wordsIn(set map[string]bool) []bool {
	in := make([]bool, len(q.words))
	for i, w := range q.words {
		in[i] = set[w]
	}
	return in
}

// weigh gives every word its inverse frequency among the candidates, and every
// candidate its score.
func (q *question) weigh(candidates []candidate) {
	total := 0.0
	for i, w := range q.words {
		n := 0
		for _, c := range candidates {
			if c.set[w] {
				n++
			}
		}
		q.weight[i] = math.Log(1 + (float64(len(candidates))+1)/(float64(n)+1))
		if commonWords[w] {
			q.weight[i] *= commonShare
		}
		if q.own[w] {
			q.weight[i] *= askedWeight
		}
		total += q.weight[i]
	}
	for i := range q.weight {
		q.weight[i] /= total
	}
	for i := range candidates {
		q.score(&candidates[i])
	}
}

// match is how the words of a question stand in a sentence.
type match struct {
	found, exact []bool  // which words, and which as the question writes them
	pairs        []bool  // which pairs
	dense        float64 // what share of the words from the first found to the last one is of the question
	begins       int     // how many words from the beginning on are of the question
}

// match compares a candidate with the question.
func (q *question) match(c *candidate) match {
	m := match{found: make([]bool, len(q.words)), exact: make([]bool, len(q.words)), pairs: make([]bool, len(q.pairs))}
	first, last, count := 0, 0, 0
	before := [2]int{-1, -1} // the places of the two words in front among those of the question
	for i, w := range c.words {
		at, ok := q.index[w.stem]
		if !ok {
			before = [2]int{-1, before[0]}
			continue
		}
		m.found[at] = true
		m.exact[at] = m.exact[at] || q.forms[w.form]
		for k, p := range q.pairs {
			m.pairs[k] = m.pairs[k] || p[1] == at && (p[0] == before[0] || p[0] == before[1])
		}
		before = [2]int{at, before[0]}
		if m.begins == i {
			m.begins++
		}
		if count == 0 {
			first = i
		}
		last = i
		count++
	}
	if count > 1 {
		m.dense = float64(count) / float64(last-first+1)
	}
	return m
}

// score sets how well a candidate matches: 0 if it and what is around it hold no word of
// the question.
func (q *question) score(c *candidate) {
	m := q.match(c)
	var own, exact, paired, above, near, next, alike float64
	for i, weight := range q.weight {
		if m.exact[i] {
			exact += weight
		}
		switch {
		case m.found[i]:
			own += weight
		case c.above[q.words[i]]:
			above += weight
		case c.near != nil && c.near[i]:
			near += weight
		case c.next != nil && c.next[i]:
			next += weight
		case isAlike(q.words[i], c.words):
			alike += weight
		}
	}
	c.covered = own + above + near + alike
	if c.covered+next == 0 {
		return
	}
	for i, p := range q.pairs {
		if m.pairs[i] {
			paired += (q.weight[p[0]] + q.weight[p[1]]) / 2
		}
	}
	score := ownWeight*own + coverWeight*own*own + exactWeight*exact + besideWeight*paired + denseWeight*m.dense*own +
		aboveWeight*above + nearWeight*near + nextWeight*next + alikeWeight*alike + cueWeights[q.want]*c.cue
	if leans(c.text) {
		score += leansWeight * near
	}
	if q.names && m.begins >= len(q.words) {
		score += nameWeight
	}
	c.score = score * form(c) / (1 + rankCost*math.Log(1+float64(c.source)))
}

// isAlike reports whether one of the words begins like another one: "liquefy", "liquid".
func isAlike(stem string, words []word) bool {
	const least = 4
	if len(stem) < least {
		return false
	}
	for _, w := range words {
		n := 0
		for n < len(stem) && n < len(w.stem) && stem[n] == w.stem[n] {
			n++
		}
		if n >= least && 2*n >= len(stem) && 2*n >= len(w.stem) {
			return true
		}
	}
	return false
}

// form returns how fit a candidate is to be quoted by its form, 1 being best.
func form(c *candidate) float64 {
	fit := 1.0
	n := len(strings.Fields(c.text))
	if n == 1 { // perhaps a script without spaces
		n = utf8.RuneCountInString(c.text) / 2
	}
	switch {
	case n < shortWords && c.kind != codeLine:
		fit = 0.5
	case n > longWords:
		fit = math.Sqrt(float64(longWords) / float64(n))
	}
	if endsAsking(c.text) {
		fit *= 0.4 // asks instead of answering
	}
	if strings.HasSuffix(c.text, ":") || strings.HasSuffix(c.text, "：") {
		fit *= 0.7 // announces what is not quoted
	}
	return fit
}

// endsAsking reports whether a text ends like a question.
func endsAsking(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
}
