package bm25

import (
	"slices"

	"github.com/quirelib/quire/internal/feature"
	"github.com/quirelib/quire/internal/segment"
)

// unweighted counts all words alike: how much one says is for BM25 to tell. The words are
// those that a feature.Counter finds in the texts: stems, function words as they are, and of
// scripts without spaces characters and pairs of neighbours.
var unweighted = feature.Weigher{Word: func(_, _ string) float32 { return feature.Plain }}

// textQuery is what a query looks for.
type textQuery struct {
	counts map[string]int // how often each word is in it: without function words, unless there are no others
	// joined are neighbours written as one word, each once: "front matter" is looked for
	// as "frontmatter" too, where there is such a word.
	joined []string
}

func newQuery(text string) textQuery {
	parts := segment.Words(text)
	q := textQuery{counts: map[string]int{}}
	all := map[string]int{}
	for _, w := range feature.Terms(parts, unweighted) {
		all[w.Text] = w.Count
		if !segment.IsStopWord(w.Text) {
			q.counts[w.Text] = w.Count
		}
	}
	if len(q.counts) == 0 {
		q.counts = all
	}
	for i := 1; i < len(parts); i++ {
		if a, b := parts[i-1], parts[i]; joinable(a) && joinable(b) {
			q.joined = append(q.joined, segment.Stem(a+b))
		}
	}
	slices.Sort(q.joined)
	q.joined = slices.Compact(q.joined)
	q.joined = slices.DeleteFunc(q.joined, func(w string) bool { return all[w] > 0 })
	return q
}

// joinable reports whether a word may be a part of a longer one: it has some letters and is
// of a script with spaces.
func joinable(word string) bool { return len(word) > 1 && !segment.IsSpaceless(word) }
