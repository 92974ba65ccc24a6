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

// scan is a query on its way through the postings of a tenant.
type scan struct {
	*tenant
	scores  []found
	reached []uint32
	average float64 // length of an entry
}

// search returns the entries that match best. The words are added up in their order, so
// that sums, and with them ties, are the same every time.
func (t *tenant) search(ctx context.Context, q textQuery, filters quire.Filters, limit int) ([]quire.TextHit, error) {
	s := scan{tenant: t, scores: make([]found, len(t.entries)), average: float64(t.length) / float64(t.live)}
	var whole float64 // the weight of all words of the query
	for _, word := range slices.Sorted(maps.Keys(q.counts)) {
		weight, err := s.add(ctx, word, float64(q.counts[word]))
		if err != nil {
			return nil, err
		}
		whole += weight
	}
	for _, word := range q.joined { // which stand for words that have been counted
		if _, err := s.add(ctx, word, 1); err != nil {
			return nil, err
		}
	}
	best, err := t.best(ctx, s.scores, s.reached, filters.Matcher(), limit)
	if err != nil {
		return nil, err
	}
	for i := range best {
		best[i].Share = min(1, best[i].Share/whole)
	}
	return best, nil
}

// add adds what a word scores, which is so many times in the query, and returns its weight.
func (s *scan) add(ctx context.Context, word string, times float64) (weight float64, err error) {
	w, known := s.words[word]
	if !known {
		return times * s.weight(0), ctx.Err()
	}
	weight = times * s.weight(s.frequencies[w])
	for i, p := range s.postings[w] {
		if i%checkEvery == checkEvery-1 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		length := s.entries[p.entry].length
		if length == 0 {
			continue // dead
		}
		f := &s.scores[p.entry]
		if f.score == 0 {
			s.reached = append(s.reached, p.entry)
		}
		count := float64(p.count)
		f.score += weight * count * (saturation + 1) / (count + saturation*(1-lengthShare+lengthShare*float64(length)/s.average))
		f.share += weight
	}
	return weight, nil
}

// best returns those of the entries reached that match and score highest.
func (t *tenant) best(ctx context.Context, scores []found, reached []uint32, match func(*quire.Chunk) bool, limit int) ([]quire.TextHit, error) {
	var hits []quire.TextHit
	worst := 0.0          // what a hit must reach once there are enough
	var last *quire.Chunk // neighbours share their facts
	var matches bool      // what match says of last
	for i, n := range reached {
		if i%checkEvery == checkEvery-1 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s, e := scores[n], &t.entries[n]
		if s.score < worst {
			continue
		}
		if e.facts != last {
			last, matches = e.facts, match(e.facts)
		}
		if !matches {
			continue
		}
		hits = append(hits, quire.TextHit{ID: e.id, Score: s.score, Share: s.share})
		if len(hits) >= 2*limit+64 {
			hits = cut(hits, limit)
			worst = hits[limit-1].Score
		}
	}
	return cut(hits, limit), nil
}

// cut returns the limit best hits in order.
func cut(hits []quire.TextHit, limit int) []quire.TextHit {
	slices.SortFunc(hits, func(a, b quire.TextHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
	return hits[:min(limit, len(hits))]
}
