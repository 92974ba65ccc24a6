package engine

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scored is a candidate of a source with words of its own.
func scored(source, order int, score float64) candidate {
	return candidate{source: source, order: order, kind: prose, score: score, set: map[string]bool{fmt.Sprint(source, " ", order): true}}
}

// Of another source only what is nearly as good as the best is picked, and of a table only rows that are.
func TestPick(t *testing.T) {
	row := scored(0, 3, 0.5)
	row.row = true
	picked := new(question).pick([]candidate{
		scored(0, 0, 1), scored(1, 1, 0.6), scored(1, 2, 0.7), row, scored(0, 4, 0.5), scored(0, 5, 0.29), scored(2, 6, 0.66),
	}, prose, 10)
	var orders []int
	for _, c := range picked {
		orders = append(orders, c.order)
	}
	if diff := cmp.Diff([]int{0, 2, 6, 4}, orders); diff != "" {
		t.Error(diff)
	}
}

// What is not to stand behind the best one is looked at once: it would take minutes if each of
// so many were compared with all others before it is left out.
func TestPickOfMany(t *testing.T) {
	candidates := []candidate{scored(0, 0, 1)}
	for i := range 200_000 {
		candidates = append(candidates, scored(1, i+1, 0.5))
	}
	if picked := new(question).pick(candidates, prose, 3); len(picked) != 1 {
		t.Errorf("%d were picked", len(picked))
	}
}
