package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

// benchSize is the number of elementals in the Store of each benchmark but that of
// PutElemental.
const benchSize = 5000

// Bench measures the calls that an application waits for: one write, one read, a
// page of a search and of a list, and the chunks of one ingest.
func Bench(b *testing.B, opener Opener) {
	for _, c := range []struct {
		name string
		run  func(b *testing.B, s *store)
	}{
		{"PutElemental", benchPutElemental},
		{"Elemental", benchElemental},
		{"SearchElementals", benchSearch},
		{"ListItems", benchListItems},
		{"ReplaceChunks", benchReplaceChunks},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := openStore(b, opener)
			b.ReportAllocs()
			c.run(b, s)
		})
	}
}

// benchText is a text of about 300 words, some of which only every tenth has.
func benchText(i int) quire.IndexedText {
	return quire.IndexedText{
		Title:       fmt.Sprint("title number ", i),
		Description: fmt.Sprint("one of ten is group", i%10),
		Body:        strings.Repeat(fmt.Sprintf("body of w%d and w%d common words ", i%97, i%89), 40),
		Tags:        "tag",
	}
}

// fillBench writes elementals and puts them into list 1.
func fillBench(s *store) {
	s.tb.Helper()
	putLists(s, plainList(1, "u1"))
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for i := range benchSize {
			e := sampleElemental(fmt.Sprintf("e%06d", i), "u1")
			if err := tx.PutElemental(ctx, e, benchText(i)); err != nil {
				return err
			}
			if err := tx.PutItem(ctx, sampleItem(1, e.ID, int64(i%1000))); err != nil {
				return err
			}
		}
		return nil
	})
}

func benchPutElemental(b *testing.B, s *store) {
	i := 0
	for b.Loop() {
		e := sampleElemental(fmt.Sprintf("e%06d", i), "u1")
		putText(s, e, benchText(i))
		i++
	}
}

func benchElemental(b *testing.B, s *store) {
	fillBench(s)
	i := 0
	for b.Loop() {
		get(s, quire.ReadTx.Elemental, fmt.Sprintf("e%06d", i*7919%benchSize))
		i++
	}
}

func benchSearch(b *testing.B, s *store) {
	fillBench(s)
	i := 0
	for b.Loop() {
		q := quire.ElementalSearch{Text: begins(fmt.Sprintf("w%d", i%97), "common wor"), Viewer: anyone, Limit: 10}
		if _, total := find(s, quire.ReadTx.SearchElementals, q); total == 0 {
			b.Fatal("nothing was found")
		}
		i++
	}
}

func benchListItems(b *testing.B, s *store) {
	fillBench(s)
	i := 0
	for b.Loop() {
		q := quire.ItemQuery{ListID: 1, Viewer: anyone, Order: quire.OrderIndex, Offset: i * 97 % (benchSize - 20), Limit: 20}
		if page, _ := find(s, quire.ReadTx.ListItems, q); len(page) != 20 {
			b.Fatalf("%d items on a page of 20", len(page))
		}
		i++
	}
}

func benchReplaceChunks(b *testing.B, s *store) {
	fillBench(s)
	var chunks []quire.Chunk
	for n := range 20 {
		c := sampleChunk("", n)
		c.Text, c.Vector = strings.Repeat("text ", 200), make([]float32, 512)
		chunks = append(chunks, c)
	}
	i := 0
	for b.Loop() {
		id := fmt.Sprintf("e%06d", i%100)
		for n := range chunks {
			chunks[n].ElementalID, chunks[n].ID = id, fmt.Sprint(id, "-", n)
		}
		putChunks(s, id, chunks...)
		i++
	}
}
