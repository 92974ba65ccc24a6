package engine

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// How candidates are scored, relative to the weight of the question's words that
// they hold themselves.
const (
	aboveWeight    = 0.6  // words in title and headings: what the sentence is about
	nearWeight     = 0.25 // words in the neighbours
	alienShare     = 0.5  // a sentence that holds no word of the question itself
	adjacentWeight = 0.3  // words side by side as in the question
	rankWeight     = 0.08 // what each source before costs
	commonShare    = 0.5  // words frequent in texts of any subject
	ownWeight      = 3.0  // words of a question itself among those of what it leans on

	minShare   = 0.4 // of the best score, for a further sentence
	maxRepeat  = 0.7 // of a sentence's words that another may hold
	repeatCost = 0.5 // what repeating all words of another costs

	shortWords = 4  // fewer words say little
	longWords  = 40 // more words match by their number
)

// question is what is asked: its matching words with their weights.
type question struct {
	words  []string // distinct, in order
	weight map[string]float64
	own    map[string]bool // those of the question itself if it leans on others; else nil
	pairs  [][2]string     // words that stand side by side
	total  float64         // weight of all words
}

// newQuestion returns the question of a text, not weighed yet.
func newQuestion(text string) *question {
	q := &question{weight: make(map[string]float64)}
	words := matchWords(text)
	for i, w := range words {
		if !slices.Contains(q.words, w) {
			q.words = append(q.words, w)
		}
		if i > 0 {
			q.pairs = append(q.pairs, [2]string{words[i-1], w})
		}
	}
	return q
}

// leaningOn returns a question with the words of the query that it was made into, its own
// ones counting more: what was asked before has been answered.
func leaningOn(asked, query string) *question {
	if query == "" || query == asked {
		return newQuestion(asked)
	}
	q := newQuestion(query)
	q.own = setOf(matchWords(asked))
	return q
}

// weigh gives every word its inverse frequency among the candidates, and every
// candidate its score.
func (q *question) weigh(candidates []candidate) {
	for _, w := range q.words {
		n := 0
		for _, c := range candidates {
			if c.set[w] {
				n++
			}
		}
		q.weight[w] = math.Log(1 + (float64(len(candidates))+1)/(float64(n)+1))
		if commonWords[w] {
			q.weight[w] *= commonShare
		}
		if q.own[w] {
			q.weight[w] *= ownWeight
		}
		q.total += q.weight[w]
	}
	for i := range candidates {
		candidates[i].score = q.score(&candidates[i])
	}
}

// score returns how well a candidate matches, 0 if it and what is around it hold no
// word of the question.
func (q *question) score(c *candidate) float64 {
	own, around, adjacent := 0.0, 0.0, 0.0
	for _, w := range q.words {
		switch {
		case c.set[w]:
			own += q.weight[w]
		case c.above[w]:
			around += aboveWeight * q.weight[w]
		case c.near[w]:
			around += nearWeight * q.weight[w]
		}
	}
	for _, p := range q.pairs {
		if hasPair(c.words, p) {
			adjacent += (q.weight[p[0]] + q.weight[p[1]]) / 2
		}
	}
	// A sentence that covers most of the question is worth more than two with half.
	coverage := (own + around) / max(q.total, 1e-9)
	score := (own+around)*(0.5+coverage) + adjacentWeight*adjacent
	if own == 0 {
		score *= alienShare
	}
	return score * form(c) / (1 + rankWeight*float64(c.source))
}

// hasPair reports whether two words stand side by side or with one between.
func hasPair(words []string, pair [2]string) bool {
	for i, w := range words {
		if w == pair[0] && slices.Contains(words[i+1:min(len(words), i+3)], pair[1]) {
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
	case n < shortWords:
		fit = 0.5
	case n > longWords:
		fit = math.Sqrt(float64(longWords) / float64(n))
	}
	switch last, _ := utf8.DecodeLastRuneInString(c.text); last {
	case '?', '？':
		fit *= 0.4 // asks instead of answering
	case ':', '：':
		fit *= 0.7 // announces what is not quoted
	}
	return fit
}

// pick returns up to limit candidates of a kind, best first.
func (q *question) pick(candidates []candidate, kind candidateKind, limit int) []candidate {
	var rest, picked []candidate
	for _, c := range candidates {
		if c.kind == kind && c.score > 0 {
			rest = append(rest, c)
		}
	}
	slices.SortStableFunc(rest, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	for len(picked) < limit && len(rest) > 0 {
		best := 0
		for i := range rest {
			if marginal(rest[i], picked) > marginal(rest[best], picked) {
				best = i
			}
		}
		c := rest[best]
		if len(picked) > 0 && marginal(c, picked) < minShare*picked[0].score {
			break
		}
		picked = append(picked, c)
		rest = slices.Delete(rest, best, best+1)
	}
	return picked
}

// marginal returns the score of a candidate less what it repeats of those already
// picked, 0 if it repeats too much.
func marginal(c candidate, picked []candidate) float64 {
	most := 0.0
	for _, p := range picked {
		same := 0
		for w := range c.set {
			if p.set[w] {
				same++
			}
		}
		most = max(most, float64(same)/float64(max(len(c.set), 1)))
	}
	if most >= maxRepeat {
		return 0
	}
	return c.score * (1 - repeatCost*most)
}

// readingOrder sorts candidates, best first, for reading: the source of the best
// one first, and the candidates of a source in its order.
func readingOrder(picked []candidate) []candidate {
	place := make(map[int]int)
	for _, c := range picked {
		if _, ok := place[c.source]; !ok {
			place[c.source] = len(place)
		}
	}
	slices.SortFunc(picked, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(place[a.source], place[b.source]), cmp.Compare(a.order, b.order))
	})
	return picked
}
