package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store/sqlite"
)

// BenchmarkReplaceLarge replaces the chunks of an elemental of 18,000 passages.
func BenchmarkReplaceLarge(b *testing.B) {
	chunks := make([]quire.Chunk, 18_000)
	for i := range chunks {
		chunks[i] = quire.Chunk{ID: fmt.Sprint("c", i*7919%18_000, "-", i), TenantID: "t", ElementalID: "e", ItemID: "e", Source: "document", TagNames: []string{"a"},
			Text: strings.Repeat(fmt.Sprint("words ", i, " "), 40), Ordinal: i, Hash: fmt.Sprint(i), Fingerprint: "f", Vector: make([]float32, 2048)}
	}
	s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "x.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	replace := func(b *testing.B, sets ...[]quire.Chunk) {
		err := s.Update(context.Background(), func(tx quire.Tx) error {
			for _, set := range sets {
				if err := tx.ReplaceChunks(context.Background(), "e", set); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			replace(b, chunks)
			b.StopTimer()
			replace(b, nil)
			b.StartTimer()
		}
	})
	replace(b, chunks)
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			replace(b, nil, chunks)
		}
	})
	b.Run("one passage", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			chunks[9000].Hash = fmt.Sprint("changed ", i)
			replace(b, chunks)
		}
	})
	b.Run("a tag", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			for n := range chunks {
				chunks[n].TagNames = []string{fmt.Sprint("b", i)}
			}
			replace(b, chunks)
		}
	})
}
