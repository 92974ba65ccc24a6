package static

import (
	"cmp"
	"math"
	"slices"

	"github.com/quirelib/quire/internal/segment"
)

// depth is how many results of each side are fused.
const depth = 100

// result is the place of a document and its score.
type result struct {
	doc   int
	score float64
}

// best returns the best results above 0, best first.
func best(scores []float64) []result {
	var all []result
	for doc, score := range scores {
		if score > 0 {
			all = append(all, result{doc, score})
		}
	}
	slices.SortFunc(all, func(a, b result) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.doc, b.doc)) })
	return all[:min(depth, len(all))]
}

// fuse returns 0.7 of the text's score plus 0.3 of the vector's, each scaled so that
// the best result has 1 and the last one 0.
func fuse(docs int, text, vector []result) []result {
	sum := make([]float64, docs)
	add := func(results []result, weight float64) {
		for _, r := range results {
			first, last := results[0].score, results[len(results)-1].score
			if first > last {
				sum[r.doc] += weight * (r.score - last) / (first - last)
			} else {
				sum[r.doc] += weight
			}
		}
	}
	add(text, 0.7)
	add(vector, 0.3)
	return best(sum)
}

// bm25 is a full-text index in memory: Robertson and Zaragoza, "The Probabilistic
// Relevance Framework: BM25 and Beyond" (2009), k1 = 1.2, b = 0.75, over stems.
type bm25 struct {
	postings map[string][]result // score: how often the document holds the stem
	lengths  []float64           // in words, relative to the mean
}

func newBM25(texts []string) *bm25 {
	b := &bm25{postings: make(map[string][]result)}
	var sum float64
	for doc, text := range texts {
		words := segment.Words(text)
		counts := make(map[string]float64)
		for _, word := range words {
			counts[segment.Stem(word)]++
		}
		for stem, count := range counts {
			b.postings[stem] = append(b.postings[stem], result{doc, count})
		}
		b.lengths = append(b.lengths, float64(len(words)))
		sum += float64(len(words))
	}
	for doc := range b.lengths {
		b.lengths[doc] *= float64(len(texts)) / sum
	}
	return b
}

// scores returns the score of each document.
func (b *bm25) scores(query []string) []float64 {
	scores := make([]float64, len(b.lengths))
	var seen []string
	for _, word := range query {
		stem := segment.Stem(word)
		if segment.IsStopWord(word) || slices.Contains(seen, stem) {
			continue
		}
		seen = append(seen, stem)
		found := b.postings[stem]
		n := float64(len(found))
		rarity := math.Log(1 + (float64(len(scores))-n+0.5)/(n+0.5))
		for _, r := range found {
			scores[r.doc] += rarity * r.score * 2.2 / (r.score + 1.2*(0.25+0.75*b.lengths[r.doc]))
		}
	}
	return scores
}
