package quire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

// BenchmarkTag renames a tag of 10,000 elementals on SQLite, each with two
// chunks. No engine is open.
func BenchmarkTag(b *testing.B) {
	const size = 10_000
	ctx := b.Context()
	lib, s, ann := benchLibrary(b)
	create := func(title string) quire.Tag {
		tag, err := lib.CreateTag(ctx, ann, quire.TagInput{Title: title, Color: "#fff", ElementalTypeID: 1})
		if err != nil {
			b.Fatal(err)
		}
		return tag
	}
	tag, other := create("harbour"), create("other")
	chunks := func(e *quire.Elemental) []quire.Chunk {
		cs := make([]quire.Chunk, 2)
		for i := range cs {
			cs[i] = quire.Chunk{ID: fmt.Sprint(e.ID, i), TenantID: e.TenantID, UserID: e.OwnerID, ElementalID: e.ID, Source: "document",
				TypeName: e.Type.Name, CategoryName: e.Category.Name,
				Title: e.Title, Ordinal: i, Text: e.Body[:len(e.Body)/2], Vector: make([]float32, 512)}
		}
		return cs
	}
	for from := 0; from < size; from += 1000 {
		ins := make([]quire.ElementalInput, 1000)
		for i := range ins {
			ins[i] = document(fmt.Sprint("Document number ", from+i), strings.Repeat(fmt.Sprintf("The text of %d, about a harbour and its berths. ", from+i), 20))
			ins[i].TagIDs = []int64{other.ID, tag.ID}
		}
		out, err := lib.CreateElementals(ctx, ann, ins)
		if err != nil {
			b.Fatal(err)
		}
		err = s.Update(ctx, func(tx quire.Tx) error {
			for _, item := range out {
				if err := tx.ReplaceChunks(ctx, item.Elemental.ID, chunks(item.Elemental)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	n := 0
	b.Run("rename", func(b *testing.B) {
		for b.Loop() {
			n++
			if _, err := lib.UpdateTag(ctx, ann, tag.ID, quire.TagPatch{Title: ptr(fmt.Sprint("harbour ", n))}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
