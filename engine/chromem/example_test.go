package chromem_test

import (
	"context"
	"fmt"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/chromem"
)

// An Engine does this by itself; an index can also be used alone.
func ExampleNew() {
	ctx := context.Background()
	index := chromem.New(nil)
	defer index.Close()

	chunks := []quire.Chunk{
		{ID: "east", TenantID: "acme", ElementalID: "map", TagNames: []string{"warm"}, Vector: []float32{1, 0}},
		{ID: "north", TenantID: "acme", ElementalID: "map", TagNames: []string{"cold"}, Vector: []float32{0, 1}},
	}
	if err := index.Replace(ctx, "acme", "map", chunks); err != nil {
		fmt.Println(err)
		return
	}
	query := []float32{0.8, 0.6}
	for _, tags := range [][]string{nil, {"cold", "wet"}} {
		hits, err := index.Search(ctx, query, quire.Filters{TenantID: "acme", TagNames: tags}, 10)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, hit := range hits {
			fmt.Printf("%v: %s %.1f\n", tags, hit.ID, hit.Score)
		}
	}
	// Output:
	// []: east 0.8
	// []: north 0.6
	// [cold wet]: north 0.6
}
