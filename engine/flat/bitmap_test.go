package flat

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func sorted[T int | string](list []T) []T { return slices.Sorted(slices.Values(list)) }

// model is a rowSet that is easy to believe.
type model map[int]bool

// Rows meet in few blocks, at their edges above all.
var modelRows = rapid.Map(rapid.SampledFrom([]int{0, 1, 62, 63, 64, 65, 700, 1022, 1023}), func(slot int) int { return slot })

func drawRow(t *rapid.T) int {
	return rapid.IntRange(0, 2).Draw(t, "block")*blockRows + modelRows.Draw(t, "slot")
}

func TestRowSet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sets, models := make([]rowSet, 3), []model{{}, {}, {}}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				i := rapid.IntRange(0, 2).Draw(t, "set")
				for range rapid.IntRange(1, 12).Draw(t, "count") {
					row := drawRow(t)
					sets[i].add(row)
					models[i][row] = true
				}
			},
			"remove": func(t *rapid.T) {
				i := rapid.IntRange(0, 2).Draw(t, "set")
				if len(models[i]) == 0 {
					t.Skip("nothing to remove")
				}
				row := rapid.SampledFrom(slices.Sorted(maps.Keys(models[i]))).Draw(t, "row")
				sets[i].remove(row)
				delete(models[i], row)
			},
			"": func(t *rapid.T) {
				for i := range sets {
					wantRows(t, "set", sets[i], models[i])
				}
				either, both := model{}, model{}
				for row := range models[0] {
					either[row] = true
					both[row] = models[1][row] && models[2][row]
				}
				maps.Copy(either, models[1])
				maps.DeleteFunc(both, func(_ int, in bool) bool { return !in })
				wantRows(t, "union", union(sets[0], sets[1]), either)
				wantRows(t, "intersection", intersection(slices.Clone(sets)), both)
				wantRows(t, "intersection of one", intersection(sets[2:]), models[2])
				wantRows(t, "first set afterwards", sets[0], models[0])
			},
		})
	})
}

func wantRows(t *rapid.T, what string, got rowSet, want model) {
	t.Helper()
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Collect(got.all())); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
	for i, b := range got {
		if b.slots.empty() || i > 0 && got[i-1].block >= b.block {
			t.Fatalf("%s: block %d is empty or out of order", what, b.block)
		}
		var list [blockRows]uint16
		n := b.slots.list(&list)
		if n != b.slots.count() || !slices.IsSorted(list[:n]) {
			t.Fatalf("%s: block %d lists %v, but has %d rows", what, b.block, list[:n], b.slots.count())
		}
		for _, slot := range list[:n] {
			if !b.slots.has(int(slot)) {
				t.Fatalf("%s: block %d lists slot %d, which it has not", what, b.block, slot)
			}
		}
	}
}
