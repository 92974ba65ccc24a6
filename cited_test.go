package quire_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

func TestCited(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string][]int{
		"":                            {},
		"Nothing.":                    {},
		"One [1].":                    {1},
		"Two [3], one [1] two [3].":   {1, 3},
		"Ranges [1-3] [ 2 , 4 ]":      {1, 2, 3, 4},
		"[0] [5] [x1] [1 [2":          {},
		`Escaped \[1\], nested [[2]]`: {2},
	} {
		r := quire.ChatResponse{Answer: answer, Sources: make([]quire.SearchHit, 4)}
		if diff := cmp.Diff(want, r.Cited()); diff != "" {
			t.Errorf("%q (-want +got)\n%s", answer, diff)
		}
	}
}
