package quire_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine"
	"github.com/quirelib/quire/engine/bm25"
	"github.com/quirelib/quire/engine/chromem"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store/sqlite"
)

// TestRebuiltIndex throws the indexes away and has them filled again from the Store: all
// searches find the same.
func TestRebuiltIndex(t *testing.T) {
	t.Parallel()
	elementals, passages := 500, 20
	if testing.Short() {
		elementals = 50
	}
	const queries = 200
	ctx := t.Context()
	s, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "quire.db"), &sqlite.Options{Synchronous: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, s, nil)
	embedder, err := engine.NewHashing(nil)
	if err != nil {
		t.Fatal(err)
	}
	open := func() *quire.Engine {
		eng, err := quire.NewEngine(ctx, f.Library, chromem.New(nil), embedder, enginetest.NewLLM(),
			&quire.EngineOptions{Chunker: paragraphs{}, Text: bm25.New(nil), BatchSize: 100})
		if err != nil {
			t.Fatal(err)
		}
		return eng
	}
	rng := rand.New(rand.NewPCG(1, 8))
	words := func(n int) string {
		all := make([]string, n)
		for i := range all { // some are frequent, most are rare
			all[i] = fmt.Sprint("word", int(3000*math.Pow(rng.Float64(), 3)))
		}
		return strings.Join(all, " ")
	}
	eng := open()
	for i := range elementals {
		parts := make([]string, passages-1)
		for p := range parts {
			parts[p] = words(12)
		}
		e := f.create(f.ann, document(fmt.Sprint("Elemental with number ", i), strings.Join(parts, "\n\n")))
		if _, err := eng.Ingest(ctx, f.ann.TenantID, quire.IngestRequest{ElementalID: e.ID}); err != nil {
			t.Fatal(err)
		}
	}
	(&engineFixture{fixture: f, eng: eng}).settleAll(f.ann)
	asked := make([]quire.SearchRequest, queries)
	for i := range asked {
		mode := []quire.SearchMode{quire.SearchVector, quire.SearchText, quire.SearchHybrid}[i%3]
		asked[i] = quire.SearchRequest{Query: words(3), Mode: mode, Filters: quire.Filters{TenantID: f.ann.TenantID}, Limit: 50}
	}
	answers := func() (all []string, hits int) {
		for _, req := range asked {
			found, err := eng.Search(ctx, req)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, h := range found {
				fmt.Fprintf(&b, "%s %.9f\n", h.Chunk.ID, h.Score)
			}
			all, hits = append(all, b.String()), hits+len(found)
		}
		return all, hits
	}
	before, hits := answers()
	if err := eng.Close(ctx); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	eng = open()
	took := time.Since(begin)
	defer eng.Close(context.Background())
	after, _ := answers()
	same := 0
	for i := range before {
		if before[i] == after[i] {
			same++
		} else if t.Failed() {
			continue
		} else {
			t.Errorf("%q, %s: found\n%s, before that\n%s", asked[i].Query, asked[i].Mode, after[i], before[i])
		}
	}
	chunks := eng.Health(ctx).Components["index"].Counts["vectors"]
	if chunks != elementals*passages || hits < queries*10 {
		t.Errorf("%d passages in the index, want %d; %d hits", chunks, elementals*passages, hits)
	}
	t.Logf("A8: indexes of %d passages filled again in %v: %d of %d lists of hits identical", chunks, took.Round(time.Millisecond), same, queries)
}

// TestLogStaysSmall writes while many chats are being answered: none of them keeps the
// log of the database from being used again.
func TestLogStaysSmall(t *testing.T) {
	t.Parallel()
	const chats, largest, manyWrites = 50, 64 << 20, 20_000
	writes := manyWrites
	if testing.Short() {
		writes /= 10
	}
	path := filepath.Join(t.TempDir(), "quire.db")
	s, err := sqlite.Open(t.Context(), path, &sqlite.Options{Synchronous: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	f := newEngineFixture(t, s, quire.EngineOptions{Chunker: paragraphs{}})
	f.add(f.ann, "What is asked for", "some words")
	gate := enginetest.NewGate()
	f.llm.Hold(gate)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for range chats {
		wg.Go(func() {
			last := false
			for event, err := range f.eng.ChatStream(ctx, quire.ChatRequest{Query: "some words", Filters: quire.Filters{TenantID: f.ann.TenantID}}) {
				if err != nil {
					t.Errorf("chat: %v", err)
				}
				last = event.Last
			}
			if !last {
				t.Error("a chat came to no end")
			}
		})
	}
	for range chats {
		<-gate.Arrived()
	}
	most := writeMuch(t, f, s, writes)
	if most > largest {
		t.Errorf("the log grew to %d bytes", most)
	}
	gate.Open()
	wg.Wait()
	alarm := int64(0)
	if err := s.View(t.Context(), func(tx quire.ReadTx) error { // as nothing here does
		if _, err := tx.CountChunks(t.Context()); err != nil {
			return err
		}
		alarm = writeMuch(t, f, s, writes)
		return nil
	}); err != nil {
		t.Error(err)
	}
	if writes == manyWrites && alarm <= largest {
		t.Errorf("with a reader that does not end, health shows a log of %d bytes", alarm)
	}
	writeMuch(t, f, s, 1000) // enough for the log to be used again
	left := logBytes(t, f)
	if left > 8<<20 {
		t.Errorf("once the reader has ended, the log keeps %d bytes", left)
	}
	t.Logf("A13: %d writes while %d chats were open: the log was %.1f MB at most; with a reader that does not end, health shows %.1f MB, and %.1f after it has ended",
		writes, chats, float64(most)/1e6, float64(alarm)/1e6, float64(left)/1e6)
}

// logBytes returns how long the log of the database is, as health shows it.
func logBytes(t *testing.T, f *engineFixture) int64 {
	t.Helper()
	return int64(f.eng.Health(t.Context()).Components["store"].Counts["log_bytes"])
}

// writeMuch writes so many times, and returns how long the log was at most, as health shows it.
func writeMuch(t *testing.T, f *engineFixture, s quire.Store, writes int) (most int64) {
	t.Helper()
	value := make([]byte, 4000)
	for i := range writes {
		binary.BigEndian.PutUint64(value, uint64(i)+1) // what is there already is not written
		err := s.Update(t.Context(), func(tx quire.Tx) error { return tx.PutMeta(t.Context(), fmt.Sprint("value ", i%100), value) })
		if err != nil {
			t.Fatal(err)
		}
		if i%100 == 0 {
			most = max(most, logBytes(t, f))
		}
	}
	return most
}
