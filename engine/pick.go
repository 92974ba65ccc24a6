package engine

import (
	"cmp"
	"slices"
)

const (
	minShare   = 0.3  // of the best score, for a further sentence
	otherShare = 0.65 // of the best score, for a sentence of another source
	rowShare   = 0.6  // of the best score, for a further row: it tells of another thing
	maxRepeat  = 0.7  // of a sentence's words that another may hold
	repeatCost = 0.15 // what repeating all words of another costs
)

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
		rest = slices.Delete(rest, best, best+1)
		if len(picked) == 0 {
			rest = slices.DeleteFunc(rest, func(r candidate) bool { return r.fallsShortOf(c) })
		} else if marginal(c, picked) < minShare*picked[0].score {
			break
		}
		picked = append(picked, c)
	}
	return picked
}

// fallsShortOf reports whether a candidate is not to stand behind the best one, whatever else does.
func (c candidate) fallsShortOf(best candidate) bool {
	return c.source != best.source && c.score < otherShare*best.score || c.row && c.score < rowShare*best.score
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

// under returns what stands under a candidate that is a heading, up to limit candidates and
// the next heading; none for any other.
func under(c candidate, candidates []candidate, limit int) (below []candidate) {
	if c.kind != heading {
		return nil
	}
	for _, next := range candidates {
		switch {
		case next.source != c.source || next.order <= c.order:
		case next.kind != heading && len(below) < limit:
			below = append(below, next)
		case len(below) > 0:
			return below
		}
	}
	return below
}

// withAntecedents adds to sentences that begin with "it" or the like those in front of
// them, as long as there are fewer than limit.
func withAntecedents(picked, candidates []candidate, limit int) []candidate {
	place := func(c candidate) [2]int { return [2]int{c.source, c.order} }
	taken := make(map[[2]int]bool)
	for _, c := range picked {
		taken[place(c)] = true
	}
	for _, c := range picked {
		if c.order == 0 || !c.goesOn() || !leans(c.text) {
			continue
		}
		for _, before := range candidates {
			fits := before.source == c.source && before.order == c.order-1 && before.kind == prose && before.goesOn() && !endsAsking(before.text)
			if fits && !taken[place(before)] && len(picked) < limit {
				taken[place(before)] = true
				picked = append(picked, before)
			}
		}
	}
	return picked
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
