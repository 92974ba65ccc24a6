package embedded_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine/flat"
)

// wording writes texts whose words are about as frequent as those of real ones, by Zipf's
// law over syllables put together. The word vectors know hardly any of them, which takes
// the Embedder longer than words that they know.
type wording struct{ zipf *rand.Zipf }

func newWording() wording {
	return wording{rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 4, 50_000)}
}

// words returns n words.
func (w wording) words(n int) string {
	syllables := []string{"ba", "de", "fi", "go", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "wa", "ye", "zu"}
	var b strings.Builder
	for i := range n {
		switch {
		case i > 0 && i%15 == 0:
			b.WriteString(". ")
		case i > 0:
			b.WriteByte(' ')
		}
		for rank := w.zipf.Uint64() + 16; rank > 0; rank /= 16 {
			b.WriteString(syllables[rank%16])
		}
	}
	return b.String()
}

// BenchmarkDefaultPath measures what a user has who sets nothing, and who sets the index:
// ingest into SQLite of 10,000 passages of 120 words, and then searches, from the text of
// the query to the hits read from the Store. Queries have eight words.
func BenchmarkDefaultPath(b *testing.B) {
	for _, index := range []struct {
		name string
		open func() quire.VectorIndex
	}{
		{"chromem", func() quire.VectorIndex { return nil }},
		{"flat", func() quire.VectorIndex { return flat.New(nil) }},
	} {
		b.Run(index.name, func(b *testing.B) {
			q, err := embedded.Open(b.Context(), b.TempDir(), &embedded.Options{Index: index.open()})
			if err != nil {
				b.Fatal(err)
			}
			defer q.Close(context.Background())
			ada, err := q.Library.CreateUser(b.Context(), quire.UserInput{ID: "ada"})
			if err != nil {
				b.Fatal(err)
			}
			text := newWording()
			ids := createDocuments(b, q, ada, text)
			benchmarkIngest(b, q, ada, ids)
			queries := make([]string, 64)
			for i := range queries {
				queries[i] = "What is " + text.words(6) + "?"
			}
			for _, mode := range []quire.SearchMode{quire.SearchVector, quire.SearchText, quire.SearchHybrid} {
				b.Run("search "+string(mode), func(b *testing.B) { benchmarkSearch(b, q, ada, queries, mode) })
			}
		})
	}
}

// createDocuments makes 50 documents of 200 passages and returns their ids.
func createDocuments(b *testing.B, q *embedded.Quire, u quire.User, text wording) []string {
	const documents, passages = 50, 200
	var ids []string
	for i := range documents {
		var body strings.Builder
		for n := range passages {
			fmt.Fprintf(&body, "## Part %d %s\n\n%s.\n\n", n, text.words(3), text.words(120))
		}
		el, err := q.Library.CreateElemental(b.Context(), u.Actor(), quire.ElementalInput{Title: fmt.Sprint("Document number ", i),
			TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: body.String()})
		if err != nil {
			b.Fatal(err)
		}
		ids = append(ids, el.ID)
	}
	return ids
}

func benchmarkIngest(b *testing.B, q *embedded.Quire, u quire.User, ids []string) {
	begin, chunks := time.Now(), 0
	var jobs []string
	for _, id := range ids {
		job, err := q.Engine.Ingest(b.Context(), u.TenantID, quire.IngestRequest{ElementalID: id})
		if err != nil {
			b.Fatal(err)
		}
		jobs = append(jobs, job.ID)
	}
	for _, id := range jobs {
		job, err := q.Engine.Wait(b.Context(), u.TenantID, id)
		if err != nil || job.Status != quire.JobSucceeded {
			b.Fatal(job, err)
		}
		chunks += job.Total
	}
	took := time.Since(begin)
	b.Run("ingest", func(b *testing.B) {
		for b.Loop() { // once is enough: it is the ingest above that is reported
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(took.Seconds()/float64(chunks)*10_000, "s/10000-chunks")
		b.ReportMetric(float64(chunks), "chunks")
	})
}

func benchmarkSearch(b *testing.B, q *embedded.Quire, u quire.User, queries []string, mode quire.SearchMode) {
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		begin := time.Now()
		hits, err := q.Engine.Search(b.Context(), quire.SearchRequest{
			Query: queries[i%len(queries)], Filters: quire.Filters{TenantID: u.TenantID}, Mode: mode})
		if err != nil || len(hits) == 0 {
			b.Fatal(hits, err)
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-p50")
	b.ReportMetric(float64(took[len(took)/10].Microseconds()), "µs-p10")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
}
