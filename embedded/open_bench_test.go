package embedded_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine"
	"github.com/quirelib/quire/engine/bm25"
	"github.com/quirelib/quire/engine/chromem"
	"github.com/quirelib/quire/engine/flat"
	"github.com/quirelib/quire/store/sqlite"
)

// BenchmarkOpen opens a directory of passages of 100 words, 20 of each elemental, with
// vectors of 384 numbers, and does the parts of that alone: the Store reads, an index is
// filled.
func BenchmarkOpen(b *testing.B) {
	for _, count := range benchSizes()[1:] {
		dir, embedder := fillWithWords(b, count)
		groups := groupsOf(b, dir)
		b.Run(fmt.Sprint(count, "/store"), func(b *testing.B) {
			for b.Loop() {
				groupsOf(b, dir)
			}
		})
		b.Run(fmt.Sprint(count, "/vectors"), func(b *testing.B) {
			for b.Loop() {
				vectorsOf(b, dir)
			}
		})
		b.Run(fmt.Sprint(count, "/engine flat"), func(b *testing.B) {
			for b.Loop() {
				openFlat(b, dir, embedder)
			}
		})
		for name, fill := range map[string]func() replacer{
			"flat":    func() replacer { return flat.New(nil) },
			"chromem": func() replacer { return chromem.New(nil) },
			"text":    func() replacer { return bm25.New(nil) },
		} {
			b.Run(fmt.Sprint(count, "/", name), func(b *testing.B) {
				for b.Loop() {
					index := fill()
					for _, chunks := range groups {
						if err := index.Replace(b.Context(), chunks[0].TenantID, chunks[0].ElementalID, chunks); err != nil {
							b.Fatal(err)
						}
					}
					index.Close()
				}
			})
		}
		groups = nil
		for name, open := range map[string]func() quire.VectorIndex{
			"flat":    func() quire.VectorIndex { return flat.New(nil) },
			"chromem": func() quire.VectorIndex { return chromem.New(nil) },
		} {
			b.Run(fmt.Sprint(count, "/open ", name), func(b *testing.B) {
				for b.Loop() {
					index := open()
					q, err := embedded.Open(b.Context(), dir, &embedded.Options{Index: index, Embedder: embedder})
					if err != nil {
						b.Fatal(err)
					}
					q.Close(context.Background())
					index.Close()
				}
			})
		}
	}
}

type replacer interface {
	Replace(ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error
	Close() error
}

// fillWithWords makes a directory of passages, and returns the Embedder of their vectors.
func fillWithWords(b *testing.B, count int) (dir string, embedder *engine.Hashing) {
	b.Helper()
	const perElemental = 20
	dir, embedder = b.TempDir(), hashing(b, 384)
	s, err := sqlite.Open(b.Context(), filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	text := newWording()
	for i := range count / perElemental {
		chunks := manyChunks(b, embedder, fmt.Sprintf("elemental %08d", i), perElemental)
		for n := range chunks {
			c := &chunks[n]
			c.Text = text.words(100)
			c.End = len(c.Text)
			c.TypeName, c.CategoryName = "Document", "Text"
			c.TagIDs, c.TagNames = []string{fmt.Sprint(i % 10)}, []string{fmt.Sprint("tag ", i%10)}
			c.Heading = []string{"A heading", fmt.Sprint("Part ", n/4)}
		}
		err := s.Update(b.Context(), func(tx quire.Tx) error { return tx.ReplaceChunks(b.Context(), chunks[0].ElementalID, chunks) })
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return dir, embedder
}

// viewOf opens the Store alone and reads from it.
func viewOf(b *testing.B, dir string, read func(tx quire.ReadTx) error) {
	b.Helper()
	s, err := sqlite.Open(b.Context(), filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if err := s.View(b.Context(), read); err != nil {
		b.Fatal(err)
	}
}

// groupsOf reads the chunks of each elemental.
func groupsOf(b *testing.B, dir string) (groups [][]quire.Chunk) {
	b.Helper()
	viewOf(b, dir, func(tx quire.ReadTx) error {
		for c, err := range tx.AllChunks(b.Context()) {
			if err != nil {
				return err
			}
			if n := len(groups); n == 0 || groups[n-1][0].ElementalID != c.ElementalID {
				groups = append(groups, nil)
			}
			groups[len(groups)-1] = append(groups[len(groups)-1], c)
		}
		return nil
	})
	return groups
}

// vectorsOf reads what a VectorIndex is filled from.
func vectorsOf(b *testing.B, dir string) {
	b.Helper()
	viewOf(b, dir, func(tx quire.ReadTx) error {
		for _, err := range tx.AllVectors(b.Context()) {
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// openFlat opens the Store and fills a flat index from it, without full text.
func openFlat(b *testing.B, dir string, embedder quire.Embedder) {
	b.Helper()
	s, err := sqlite.Open(b.Context(), filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	lib, err := quire.NewLibrary(b.Context(), s, nil)
	if err != nil {
		b.Fatal(err)
	}
	index := flat.New(nil)
	e, err := quire.NewEngine(b.Context(), lib, index, embedder, engine.NewExtractive(nil), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, end := range []func(context.Context) error{e.Close, lib.Close, s.CloseContext} {
		if err := end(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	index.Close()
}
