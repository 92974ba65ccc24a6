package quire

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Ranks that no score tells apart are a tie, of which the first by id stays, however few hits are asked for.
func TestFuseCutsThroughTies(t *testing.T) {
	t.Parallel()
	near := []Hit{{ID: "c7", Score: 1}, {ID: "c1", Score: 0.9999999999999999}, {ID: "c4", Score: 0.3}, {ID: "c8", Score: 0}}
	words := []TextHit{{ID: "c4", Score: 1}, {ID: "c7"}}
	all := fuse(near, words, 0.5, 10)
	for limit := 1; limit <= len(all); limit++ {
		if diff := cmp.Diff(all[:limit], fuse(near, words, 0.5, limit)); diff != "" {
			t.Errorf("the first %d (-of all +got):\n%s", limit, diff)
		}
	}
}
