package bm25

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/quirelib/quire"
)

// found is an entry while a search adds up what it scores.
type found struct {
	score, share float64
}

// checkEvery is after how many postings a search looks whether it is cancelled.
const checkEvery = 1 << 16

// search returns the entries that match best. The words are added up in their order, so
// that sums, and with them ties, are the same every time.
func (t *tenant) search(ctx context.Context, counts map[string]int, filters quire.Filters, limit int) ([]quire.TextHit, error) {
	scores := make([]found, len(t.entries))
	var reached []uint32
	var whole float64 // the weight of all words of the query
	average := float64(t.length) / float64(t.live)
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		w, known := t.words[word]
		if !known {
			whole += float64(counts[word]) * t.weight(0)
			continue
		}
		weight := float64(counts[word]) * t.weight(t.frequencies[w])
		whole += weight
		for i, p := range t.postings[w] {
			if i%checkEvery == checkEvery-1 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			length := t.entries[p.entry].length
			if length == 0 {
				continue // dead
			}
			s := &scores[p.entry]
			if s.score == 0 {
				reached = append(reached, p.entry)
			}
			count := float64(p.count)
			s.score += weight * count * (saturation + 1) / (count + saturation*(1-lengthShare+lengthShare*float64(length)/average))
			s.share += weight
		}
	}
	best := t.best(scores, reached, filters, limit)
	for i := range best {
		best[i].Share = min(1, best[i].Share/whole)
	}
	return best, nil
}

// best returns those of the entries reached that match the filters and score highest.
func (t *tenant) best(scores []found, reached []uint32, filters quire.Filters, limit int) []quire.TextHit {
	var hits []quire.TextHit
	worst := 0.0 // what a hit must reach once there are enough
	for _, n := range reached {
		s, c := scores[n], &t.entries[n].chunk
		if s.score < worst || !filters.Match(c) {
			continue
		}
		hits = append(hits, quire.TextHit{ID: c.ID, Score: s.score, Share: s.share})
		if len(hits) >= 2*limit+64 {
			hits = cut(hits, limit)
			worst = hits[limit-1].Score
		}
	}
	return cut(hits, limit)
}

// cut returns the limit best hits in order.
func cut(hits []quire.TextHit, limit int) []quire.TextHit {
	slices.SortFunc(hits, func(a, b quire.TextHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
	return hits[:min(limit, len(hits))]
}
