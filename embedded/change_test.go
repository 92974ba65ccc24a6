package embedded_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine"
	"github.com/quirelib/quire/store/sqlite"
)

func hashing(tb testing.TB, dimension int) *engine.Hashing {
	tb.Helper()
	h, err := engine.NewHashing(&engine.HashingOptions{Dimension: dimension})
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// TestChangeOfEmbedder opens a directory with another embedder than it was filled with.
func TestChangeOfEmbedder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := hashing(t, 2048)
	q, err := embedded.Open(t.Context(), dir, &embedded.Options{Embedder: first})
	if err != nil {
		t.Fatal(err)
	}
	ada := addDocument(t, q, "The spare keys are in the blue jar.")
	if err := q.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := hashing(t, 256)
	_, err = embedded.Open(t.Context(), dir, &embedded.Options{Embedder: other})
	var mismatch *quire.EmbedderMismatch
	if !errors.As(err, &mismatch) || mismatch.Given != other.Fingerprint() || mismatch.Stored != first.Fingerprint() {
		t.Fatalf("error %v", err)
	}
	changed(t, dir, ada, 256, &embedded.Options{Embedder: other, Engine: &quire.EngineOptions{Former: first}})
	changed(t, dir, ada, 512, &embedded.Options{Engine: &quire.EngineOptions{Former: other}})
}

// The default Embedder takes over what the one was filled with that was the default before.
func TestChangeToTheDefault(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	q, err := embedded.Open(t.Context(), dir, &embedded.Options{Embedder: hashing(t, 0)})
	if err != nil {
		t.Fatal(err)
	}
	ada := addDocument(t, q, "The spare keys are in the blue jar.")
	if err := q.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	changed(t, dir, ada, 512, nil)
}

// changed opens a directory, waits for the change of its embedder and closes it.
func changed(t *testing.T, dir string, ada quire.Actor, dimension int, opts *embedded.Options) {
	t.Helper()
	q, err := embedded.Open(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	findDocument(t, q, ada, "blue jar")
	if err := q.Engine.WaitReembedded(t.Context()); err != nil {
		t.Fatal(err)
	}
	findDocument(t, q, ada, "blue jar")
	if got := q.Engine.Health(t.Context()).Components["index"].Counts["dimension"]; got != dimension {
		t.Errorf("dimension %d, want %d", got, dimension)
	}
	if err := q.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkChangeOfEmbedder changes the embedder of 20,000 chunks on SQLite and
// chromem-go and reports how long others had to wait meanwhile: the longest search and
// the longest write, most of which is the transaction that makes the change.
func BenchmarkChangeOfEmbedder(b *testing.B) {
	const elementals, each = 400, 50
	from, to := hashing(b, 2048), hashing(b, 1536)
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		s, err := sqlite.Open(b.Context(), filepath.Join(dir, "quire.db"), nil)
		if err != nil {
			b.Fatal(err)
		}
		err = s.Update(b.Context(), func(tx quire.Tx) error {
			for i := range elementals {
				chunks := manyChunks(b, from, fmt.Sprint("e", i), each)
				if err := tx.ReplaceChunks(b.Context(), chunks[0].ElementalID, chunks); err != nil {
					return err
				}
			}
			return nil
		})
		if err := errors.Join(err, s.Close()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()

		q, err := embedded.Open(b.Context(), dir, &embedded.Options{Embedder: to, Engine: &quire.EngineOptions{Former: from}})
		if err != nil {
			b.Fatal(err)
		}
		done := make(chan struct{})
		longest := func(report *time.Duration, call func(i int) error) func() {
			return func() {
				for i := 0; ; i++ {
					select {
					case <-done:
						return
					case <-time.After(5 * time.Millisecond):
					}
					begin := time.Now()
					if err := call(i); err != nil {
						b.Error(err)
						return
					}
					*report = max(*report, time.Since(begin))
				}
			}
		}
		var search, write time.Duration
		var wg sync.WaitGroup
		wg.Go(longest(&search, func(i int) error {
			_, err := q.Engine.Search(b.Context(), quire.SearchRequest{Query: fmt.Sprint("passage ", i), Filters: quire.Filters{TenantID: "ada"}})
			return err
		}))
		wg.Go(longest(&write, func(i int) error {
			_, err := q.Library.CreateUser(b.Context(), quire.UserInput{ID: fmt.Sprint("u", i)})
			return err
		}))
		if err := q.Engine.WaitReembedded(b.Context()); err != nil {
			b.Fatal(err)
		}
		close(done)
		wg.Wait()
		b.ReportMetric(float64(search.Milliseconds()), "longest-search-ms")
		b.ReportMetric(float64(write.Milliseconds()), "longest-write-ms")
		if err := q.Close(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// manyChunks are the chunks of an elemental with vectors.
func manyChunks(b *testing.B, embedder quire.Embedder, elementalID string, n int) []quire.Chunk {
	b.Helper()
	chunks, inputs := make([]quire.Chunk, n), make([]string, n)
	for i := range chunks {
		text := fmt.Sprintf("Passage %d of %s says: %s", i, elementalID, strings.Repeat("some words of it. ", 40))
		inputs[i] = elementalID + " as a title\n" + text
		sum := sha256.Sum256([]byte(inputs[i]))
		chunks[i] = quire.Chunk{
			ID: fmt.Sprintf("%x-%s-%d", sum[:4], elementalID, i), TenantID: "ada", UserID: "ada", ElementalID: elementalID, ItemID: elementalID, Source: "document",
			Title: elementalID + " as a title", Text: text, End: len(text), Ordinal: i, Hash: hex.EncodeToString(sum[:]), Fingerprint: embedder.Fingerprint(),
		}
	}
	vectors, err := embedder.Embed(b.Context(), inputs)
	if err != nil {
		b.Fatal(err)
	}
	for i := range chunks {
		chunks[i].Vector = vectors[i]
	}
	return chunks
}
