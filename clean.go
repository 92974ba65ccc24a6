package quire

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// What an index returns is held to its contract before anything is made of it: an index
// of somebody else's that breaks the contract must not break an answer.

// cleanHits returns what a VectorIndex may return for a limit: scores that are numbers,
// clamped to 0..1, each id once with its best score, in order, limit at most.
func cleanHits(hits []Hit, limit int) []Hit {
	clean := make([]Hit, 0, len(hits))
	for _, h := range hits {
		if !math.IsNaN(h.Score) {
			clean = append(clean, Hit{ID: h.ID, Score: min(max(h.Score, 0), 1)})
		}
	}
	return best(clean, limit, func(h Hit) (string, float64) { return h.ID, h.Score })
}

// cleanWords is cleanHits for a TextIndex, whose scores are above 0 and finite.
func cleanWords(hits []TextHit, limit int) []TextHit {
	clean := make([]TextHit, 0, len(hits))
	for _, h := range hits {
		if !(h.Score > 0) || math.IsInf(h.Score, 0) {
			continue
		}
		if math.IsNaN(h.Share) {
			h.Share = 0
		}
		h.Share = min(max(h.Share, 0), 1)
		clean = append(clean, h)
	}
	return best(clean, limit, func(h TextHit) (string, float64) { return h.ID, h.Score })
}

// best puts hits in order, best first, ties by id, and returns the first limit of those
// that have not come before.
func best[T any](hits []T, limit int, of func(T) (id string, score float64)) []T {
	slices.SortFunc(hits, func(a, b T) int {
		idA, scoreA := of(a)
		idB, scoreB := of(b)
		return cmp.Or(cmp.Compare(scoreB, scoreA), strings.Compare(idA, idB))
	})
	seen := make(map[string]bool, len(hits))
	hits = slices.DeleteFunc(hits, func(h T) bool {
		id, _ := of(h)
		again := seen[id]
		seen[id] = true
		return again
	})
	return hits[:min(limit, len(hits))]
}
