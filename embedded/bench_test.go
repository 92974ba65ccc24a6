package embedded_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine"
	"github.com/quirelib/quire/engine/chromem"
	"github.com/quirelib/quire/store/sqlite"
)

// large has the benchmarks run with 100,000 chunks too, which takes 2 GB and minutes.
var large = flag.Bool("large", false, "benchmarks with 100,000 chunks too")

// instant is an Embedder whose vectors are made beforehand: what is measured with it is
// all but embedding.
type instant struct {
	*engine.Hashing
	vectors [][]float32
}

func newInstant(b *testing.B) instant {
	b.Helper()
	h := hashing(b, 2048)
	texts := make([]string, 64)
	for i := range texts {
		texts[i] = benchQuery(i)
	}
	vectors, err := h.Embed(b.Context(), texts)
	if err != nil {
		b.Fatal(err)
	}
	return instant{h, vectors}
}

func benchQuery(i int) string { return fmt.Sprintf("what passage %d says of words", i%64) }

// Embed implements quire.Embedder.
func (e instant) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = e.vectors[len(text)%len(e.vectors)]
	}
	return vectors, nil
}

// BenchmarkIngest ingests documents of 200 passages of 120 words, with the default
// Embedder and with one that takes no time.
func BenchmarkIngest(b *testing.B) {
	const passages = 200
	for _, e := range []struct {
		name     string
		embedder quire.Embedder
	}{{"hashing", hashing(b, 2048)}, {"instant", newInstant(b)}} {
		b.Run(e.name, func(b *testing.B) {
			q, err := embedded.Open(b.Context(), b.TempDir(), &embedded.Options{Embedder: e.embedder})
			if err != nil {
				b.Fatal(err)
			}
			defer q.Close(context.Background())
			ada, err := q.Library.CreateUser(b.Context(), quire.UserInput{ID: "ada", Name: "Ada", Email: "ada@example.org"})
			if err != nil {
				b.Fatal(err)
			}
			chunks := 0
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				var body strings.Builder
				for n := range passages {
					fmt.Fprintf(&body, "# Part %d\n\n%s\n\n", n, strings.Repeat(fmt.Sprintf("a sentence of w%d and w%d here. ", i, n), 20))
				}
				el, err := q.Library.CreateElemental(b.Context(), ada.Actor(), quire.ElementalInput{Title: fmt.Sprint("Document number ", i),
					TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: body.String()})
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				job, err := q.Engine.Ingest(b.Context(), ada.TenantID, quire.IngestRequest{ElementalID: el.ID})
				if err == nil {
					job, err = q.Engine.Wait(b.Context(), ada.TenantID, job.ID)
				}
				if err != nil || job.Status != quire.JobSucceeded {
					b.Fatal(job, err)
				}
				chunks += job.Total
			}
			b.ReportMetric(float64(chunks)/b.Elapsed().Seconds(), "chunks/s")
		})
	}
}

// benchSizes are the numbers of chunks to measure with.
func benchSizes() []int {
	if *large {
		return []int{1_000, 10_000, 100_000}
	}
	return []int{1_000, 10_000}
}

// fillDirectory makes a directory with chunks of one tenant, 50 of each elemental, every
// tenth with a tag.
func fillDirectory(b *testing.B, count int) (dir string) {
	b.Helper()
	dir = b.TempDir()
	s, err := sqlite.Open(b.Context(), filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	h := hashing(b, 2048)
	for i := range count / 50 {
		chunks := manyChunks(b, h, fmt.Sprint("e", i), 50)
		for n := range chunks {
			chunks[n].TagIDs = []string{fmt.Sprint(n % 10)}
		}
		err = errors.Join(err, s.Update(b.Context(), func(tx quire.Tx) error {
			return tx.ReplaceChunks(b.Context(), chunks[0].ElementalID, chunks)
		}))
	}
	if err := errors.Join(err, s.Close()); err != nil {
		b.Fatal(err)
	}
	return dir
}

// BenchmarkEngine fills SQLite and chromem-go with chunks of 2,048 numbers and measures
// how long it takes to open them, what they take in memory and on disk, searches, and the
// first piece of an answer.
func BenchmarkEngine(b *testing.B) {
	for _, count := range benchSizes() {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			dir := fillDirectory(b, count)
			embedder, index := newInstant(b), chromem.New(nil)
			before := heap()
			begin := time.Now()
			q, err := embedded.Open(b.Context(), dir, &embedded.Options{Embedder: embedder, Index: index})
			opening := time.Since(begin)
			if err != nil {
				b.Fatal(err)
			}
			defer index.Close()
			defer q.Close(context.Background())
			memory := heap() - before
			info, err := os.Stat(filepath.Join(dir, "quire.db"))
			if err != nil {
				b.Fatal(err)
			}
			b.Run("open", func(b *testing.B) {
				for b.Loop() { // once is enough: it is the opening above that is reported
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(opening.Milliseconds()), "ms-to-open")
				b.ReportMetric(float64(memory)/float64(count), "B/chunk-in-memory")
				b.ReportMetric(float64(info.Size())/float64(count), "B/chunk-on-disk")
			})
			for _, f := range []struct {
				name    string
				filters quire.Filters
			}{{"all", quire.Filters{}}, {"tag", quire.Filters{TagIDs: []string{"3"}}}, {"elemental", quire.Filters{ElementalID: "e7"}}} {
				f.filters.TenantID = "ada"
				b.Run("search "+f.name, func(b *testing.B) { benchSearch(b, q.Engine, index, embedder, f.filters) })
			}
			b.Run("first piece", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					for _, err := range q.Engine.ChatStream(b.Context(), quire.ChatRequest{Query: benchQuery(i), Filters: quire.Filters{TenantID: "ada"}}) {
						if err != nil {
							b.Fatal(err)
						}
						break
					}
				}
			})
		})
	}
}

// heap is how much memory is in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// benchSearch searches with the Engine and, in between and in random order, with the
// index alone for the same vector, and reports how much longer the Engine takes in all.
func benchSearch(b *testing.B, eng *quire.Engine, index quire.VectorIndex, embedder instant, filters quire.Filters) {
	var whole, alone []time.Duration
	byEngine := func(i int) {
		begin := time.Now()
		if _, err := eng.Search(b.Context(), quire.SearchRequest{Query: benchQuery(i), Filters: filters}); err != nil {
			b.Fatal(err)
		}
		whole = append(whole, time.Since(begin))
	}
	byIndex := func(i int) {
		query := benchQuery(i)
		begin := time.Now()
		if _, err := index.Search(b.Context(), embedder.vectors[len(query)%len(embedder.vectors)], filters, 10); err != nil {
			b.Fatal(err)
		}
		alone = append(alone, time.Since(begin))
	}
	for i := 0; b.Loop(); i++ {
		if rand.IntN(2) == 0 {
			byEngine(i)
			byIndex(i)
		} else {
			byIndex(i)
			byEngine(i)
		}
	}
	slices.Sort(whole)
	slices.Sort(alone)
	at := func(ds []time.Duration, percent int) float64 { return float64(ds[len(ds)*percent/100].Microseconds()) }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(at(whole, 50), "µs-p50")
	b.ReportMetric(at(whole, 99), "µs-p99")
	b.ReportMetric(at(alone, 50), "µs-p50-index")
	b.ReportMetric(at(alone, 99), "µs-p99-index")
	b.ReportMetric(100*(at(whole, 50)/max(at(alone, 50), 1)-1), "%-added")
}
