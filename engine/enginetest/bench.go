package enginetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/quirelib/quire"
)

// What BenchIndex fills an index with.
const (
	benchDimension = 512
	benchChunks    = 20 // of each elemental
)

// BenchIndex measures an index of 1,000 and of 10,000 vectors of 512 numbers in
// one tenant: searches for 10 hits without and with filters, and the replacement
// of the 20 chunks of an elemental.
func BenchIndex(b *testing.B, open func(tb testing.TB) quire.VectorIndex) {
	for _, count := range []int{1000, 10000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) { benchIndex(b, open(b), count) })
	}
}

func benchIndex(b *testing.B, index quire.VectorIndex, count int) {
	b.Cleanup(func() {
		if err := index.Close(); err != nil {
			b.Errorf("Close: %v", err)
		}
	})
	random := rand.New(rand.NewPCG(7, 8))
	for e := range count / benchChunks {
		chunks := benchElemental(random, e)
		if err := index.Replace(b.Context(), "t", chunks[0].ElementalID, chunks); err != nil {
			b.Fatal(err)
		}
	}
	queries := make([][]float32, 64)
	for i := range queries {
		queries[i] = randomVector(random, benchDimension)
	}
	for _, c := range []struct {
		name    string
		filters quire.Filters
	}{
		{"search all", quire.Filters{}},
		{"search type half", quire.Filters{TypeName: "type 1"}},
		{"search elemental", quire.Filters{ElementalID: "e7"}},
		{"search tag tenth", quire.Filters{TagIDs: []string{"3"}}},
		{"search tags 3", quire.Filters{TagIDs: []string{"3", "4", "5"}}},
		{"search tags 4x4", quire.Filters{TagIDs: numbered("", 4), TagNames: numbered("name ", 4)}},
		{"search tags 9x9", quire.Filters{TagIDs: numbered("", 9), TagNames: numbered("name ", 9)}},
		{"search nothing", quire.Filters{TagNames: []string{"absent"}}},
	} {
		c.filters.TenantID = "t"
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := index.Search(b.Context(), queries[i%len(queries)], c.filters, 10); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("replace", func(b *testing.B) {
		chunks := benchElemental(random, 7)
		b.ReportAllocs()
		for b.Loop() {
			if err := index.Replace(b.Context(), "t", "e7", chunks); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// benchElemental makes the chunks of elemental number e: every tenth chunk has
// the same tag.
func benchElemental(random *rand.Rand, e int) []quire.Chunk {
	chunks := make([]quire.Chunk, benchChunks)
	for n := range chunks {
		c := chunk(e*benchChunks+n, "t", fmt.Sprint("e", e), randomVector(random, benchDimension))
		c.UserID, c.Source, c.CategoryName = "user", "elemental", "Text"
		c.TypeName = fmt.Sprint("type ", e%2)
		c.TagIDs = []string{fmt.Sprint(n % 10)}
		c.TagNames = []string{fmt.Sprint("name ", n%10)}
		chunks[n] = c
	}
	return chunks
}

// numbered returns prefix0, prefix1 and so on.
func numbered(prefix string, count int) []string {
	list := make([]string, count)
	for i := range list {
		list[i] = fmt.Sprint(prefix, i)
	}
	return list
}
