package store

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/quirelib/quire"
)

// fieldWeights is how much a word counts in each field of a document.
var fieldWeights = [...]float64{title: 10, tags: 5, description: 3, body: 1}

// The fields of a document.
const (
	title = iota
	tags
	description
	body
	fieldCount
)

// document is the words of each field.
type document [fieldCount][]string

func newDocument(t quire.IndexedText) document {
	return document{
		title:       strings.Fields(t.Title),
		tags:        strings.Fields(t.Tags),
		description: strings.Fields(t.Description),
		body:        strings.Fields(t.Body),
	}
}

func (doc *document) length() int {
	n := 0
	for _, words := range doc {
		n += len(words)
	}
	return n
}

// textIndex is an inverted index: it finds the documents that a word occurs in,
// and looks into those for the phrase.
type textIndex[K cmp.Ordered] struct {
	texts    map[K]quire.IndexedText
	docs     map[K]*document
	postings groups[string, K, *document] // by word
	length   int                          // words of all documents
}

func newTextIndex[K cmp.Ordered]() textIndex[K] {
	return textIndex[K]{
		texts:    map[K]quire.IndexedText{},
		docs:     map[K]*document{},
		postings: groups[string, K, *document]{},
	}
}

// put adds a document or replaces the one of that key.
func (x *textIndex[K]) put(k K, text quire.IndexedText) {
	if old, ok := x.texts[k]; ok && old == text {
		return
	}
	x.remove(k)
	doc := new(newDocument(text))
	for _, words := range doc {
		for _, w := range words {
			x.postings.add(w, k, doc)
		}
	}
	x.texts[k], x.docs[k] = text, doc
	x.length += doc.length()
}

func (x *textIndex[K]) remove(k K) {
	doc := x.docs[k]
	if doc == nil {
		return
	}
	for _, words := range doc {
		for _, w := range words {
			x.postings.remove(w, k)
		}
	}
	delete(x.texts, k)
	delete(x.docs, k)
	x.length -= doc.length()
}

// search returns the documents in which every phrase occurs, with their scores.
// The score is BM25 over the weighted sum of the fields (the simple BM25F of
// Robertson, Zaragoza and Taylor, CIKM 2004), where a phrase counts as a word. A
// phrase whose last word may go on counts once more where it occurs as it is.
func (x *textIndex[K]) search(q quire.TextQuery) map[K]float64 {
	scores := map[K]float64{}
	for i, words := range q.Phrases {
		prefix := q.Prefix && i == len(q.Phrases)-1
		next := x.scores(phrase{words, prefix})
		maps.DeleteFunc(next, func(k K, _ float64) bool {
			_, ok := scores[k]
			return !ok && i > 0
		})
		for k := range next {
			next[k] += scores[k]
		}
		if prefix {
			for k, score := range x.scores(phrase{words, false}) {
				if _, ok := next[k]; ok {
					next[k] += score
				}
			}
		}
		scores = next
	}
	return scores
}

// scores returns the documents in which a phrase occurs, with what it adds to their
// scores.
func (x *textIndex[K]) scores(p phrase) map[K]float64 {
	const k1, b = 1.2, 0.75
	found := x.find(p)
	mean := float64(x.length) / float64(max(1, len(x.docs)))
	idf := math.Log(1 + (float64(len(x.docs))-float64(len(found))+0.5)/(float64(len(found))+0.5))
	for k, tf := range found {
		norm := k1 * (1 - b + b*float64(x.docs[k].length())/mean)
		found[k] = idf * tf * (k1 + 1) / (tf + norm)
	}
	return found
}

// phrase is words next to each other; with prefix the last one stands for every
// word that it begins.
type phrase struct {
	words  []string
	prefix bool
}

// find returns the documents with the phrase and the weighted number of its
// occurrences.
func (x *textIndex[K]) find(p phrase) map[K]float64 {
	found := map[K]float64{}
	for k, doc := range x.candidates(p) {
		if tf := p.weight(doc); tf > 0 {
			found[k] = tf
		}
	}
	return found
}

// candidates returns documents among which are all that have the phrase: those
// with its rarest word.
func (x *textIndex[K]) candidates(p phrase) map[K]*document {
	whole := p.words
	if p.prefix {
		whole = whole[:len(whole)-1]
	}
	if len(whole) == 0 {
		all := map[K]*document{}
		for w, docs := range x.postings {
			if p.matches(len(p.words)-1, w) {
				maps.Copy(all, docs)
			}
		}
		return all
	}
	rarest := slices.MinFunc(whole, func(a, b string) int {
		return cmp.Compare(len(x.postings[a]), len(x.postings[b]))
	})
	return x.postings[rarest]
}

// matches reports whether a word of a text can stand for the i-th of the phrase.
func (p phrase) matches(i int, word string) bool {
	if p.prefix && i == len(p.words)-1 {
		return strings.HasPrefix(word, p.words[i])
	}
	return word == p.words[i]
}

// weight returns the number of occurrences of the phrase, each with the weight of
// its field.
func (p phrase) weight(doc *document) float64 {
	sum := 0.0
	for field, words := range doc {
		for i := range len(words) - len(p.words) + 1 {
			if p.at(words[i:]) {
				sum += fieldWeights[field]
			}
		}
	}
	return sum
}

// at reports whether words begin with the phrase.
func (p phrase) at(words []string) bool {
	for i := range p.words {
		if !p.matches(i, words[i]) {
			return false
		}
	}
	return true
}

// ranked returns the keys of hits by descending score, ties by ascending key.
func ranked[K cmp.Ordered](hits map[K]float64) []K {
	return slices.SortedFunc(maps.Keys(hits), func(a, b K) int {
		return cmp.Or(cmp.Compare(hits[b], hits[a]), cmp.Compare(a, b))
	})
}
