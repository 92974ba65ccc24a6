package engine

import (
	"unicode"

	"github.com/quirelib/quire/internal/segment"
)

// How much the best sentence is to be trusted to answer. Where these were fitted, and what
// the least is that loses one in a hundred answers that are right, is in
// docs/decisions/0023-extractive-answers.md.
const (
	trustScore   = 0.39  // its score
	trustCovered = 0.35  // what share of the question it and what is around it cover
	trustRare    = 0.41  // how many of the words that are not common its source has
	trustNoName  = -0.21 // a name in the question that no source has
	trustAlone   = -0.17 // only one word of several, in a sentence or table

	leastTrust = 0.28
)

// answers reports whether the best one of the candidates is likely to answer the question,
// and does not only share some of its words.
func (q *question) answers(best candidate, candidates []candidate) bool {
	trust := trustScore*best.score + trustCovered*best.covered + trustRare*q.rareShare(best, candidates)
	if q.lacksName(candidates) {
		trust += trustNoName
	}
	matched := 0
	for _, w := range q.words {
		if best.set[w] || best.above[w] {
			matched++
		}
	}
	if (best.kind == prose || best.row) && q.own == nil && matched <= 1 && len(q.words) > 1 {
		trust += trustAlone
	}
	return trust >= leastTrust
}

// rareShare returns what share of the question's words that are not common the source of
// a candidate has. Of few words that says less, so it is nearer to a half.
func (q *question) rareShare(c candidate, candidates []candidate) float64 {
	rare, found := 0, 0
	for _, w := range q.words {
		if commonWords[w] {
			continue
		}
		rare++
		if c.above[w] || hasWord(candidates, w, func(other candidate) bool { return other.source == c.source }) {
			found++
		}
	}
	return (float64(found) + 0.5) / (float64(rare) + 1)
}

// lacksName reports whether the question has a name, by its capital letter, that no source
// has.
func (q *question) lacksName(candidates []candidate) bool {
	any := func(candidate) bool { return true }
	for _, name := range q.called {
		if !hasWord(candidates, name, any) {
			return true
		}
	}
	return false
}

// hasWord reports whether one of the candidates that are meant, or what is above it, has a
// word.
func hasWord(candidates []candidate, stem string, meant func(candidate) bool) bool {
	for _, c := range candidates {
		if meant(c) && (c.set[stem] || c.above[stem]) {
			return true
		}
	}
	return false
}

// namesIn returns the stems of the words of a text that begin with a capital letter, but
// for the first word.
func namesIn(text string) (stems []string) {
	for i, w := range fields(text) {
		if i == 0 || !unicode.IsUpper(firstOf(w)) {
			continue
		}
		if words := matchWords(w); len(words) > 0 {
			stems = append(stems, words[0].stem)
		}
	}
	return stems
}

// courtesies are words that a turn of a conversation can have without asking anything.
var courtesies = wordSet("thank thanks thx ty cheers great good nice fine perfect cool awesome excellent wonderful lovely super ok okay " +
	"alright right yes yep yeah no nope sure hello hi hey bye goodbye much lot very helpful danke merci gracias grazie obrigado")

// asksNothing reports whether a turn is only polite: "Thanks, that is great!"
func asksNothing(turn string) bool {
	polite := false
	for _, w := range segment.Words(turn) {
		switch {
		case courtesies[w]:
			polite = true
		case !segment.IsStopWord(w) || questionWords[w]:
			return false
		}
	}
	return polite && !endsAsking(turn)
}

var questionWords = wordSet("what which who whom whose when where why how whether tell explain describe")
