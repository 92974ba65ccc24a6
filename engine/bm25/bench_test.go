package bm25_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/bm25"
)

// zipfTexts makes texts of 100 words of a vocabulary whose frequencies fall as they do in
// natural texts (Zipf), and queries of five words of one text each without the most
// frequent ones, which a search would leave out.
func zipfTexts(n int) (texts, queries []string) {
	r := rand.New(rand.NewPCG(1, 2))
	words := rand.NewZipf(r, 1.07, 5, 50_000)
	for i := range n {
		var text []string
		var rare []string
		for range 100 {
			w := words.Uint64()
			text = append(text, fmt.Sprint("w", w))
			if w > 50 {
				rare = append(rare, fmt.Sprint("w", w))
			}
		}
		texts = append(texts, strings.Join(text, " "))
		if i%(n/100) == 0 && len(rare) >= 5 {
			queries = append(queries, strings.Join(rare[:5], " "))
		}
	}
	return texts, queries
}

// BenchmarkBesideFTS5 asks this index and a table of SQLite's FTS5, which is on disk and
// asked through the same driver as the Store, the same questions in turn.
func BenchmarkBesideFTS5(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			texts, queries := zipfTexts(n)
			begin := time.Now()
			index := fillIndex(b, texts)
			defer index.Close()
			filled := time.Since(begin)
			begin = time.Now()
			db := fillFTS5(b, texts)
			defer db.Close()
			filledFTS5 := time.Since(begin)
			var own, fts5 []time.Duration
			for i := 0; b.Loop(); i++ {
				query := queries[i%len(queries)]
				begin := time.Now()
				if _, err := index.Search(b.Context(), query, quire.Filters{TenantID: "t"}, 100); err != nil {
					b.Fatal(err)
				}
				between := time.Now()
				if err := searchFTS5(b, db, query); err != nil {
					b.Fatal(err)
				}
				own, fts5 = append(own, between.Sub(begin)), append(fts5, time.Since(between))
			}
			slices.Sort(own)
			slices.Sort(fts5)
			p50, p50FTS5 := own[len(own)/2], fts5[len(fts5)/2]
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(p50.Microseconds()), "µs-p50")
			b.ReportMetric(float64(p50FTS5.Microseconds()), "µs-p50-fts5")
			b.ReportMetric(float64(p50FTS5)/float64(p50), "times-fts5")
			b.ReportMetric(filled.Seconds(), "s-to-fill")
			b.ReportMetric(filledFTS5.Seconds(), "s-to-fill-fts5")
		})
	}
}

func fillIndex(b *testing.B, texts []string) *bm25.Index {
	b.Helper()
	index := bm25.New(nil)
	for i := 0; i < len(texts); i += 50 {
		var chunks []quire.Chunk
		elemental := fmt.Sprint("e", i)
		for n, text := range texts[i:min(i+50, len(texts))] {
			chunks = append(chunks, quire.Chunk{ID: fmt.Sprint("c", i+n), TenantID: "t", ElementalID: elemental, Text: text})
		}
		if err := index.Replace(b.Context(), "t", elemental, chunks); err != nil {
			b.Fatal(err)
		}
	}
	return index
}

func fillFTS5(b *testing.B, texts []string) *sql.DB {
	b.Helper()
	db, err := sql.Open("sqlite", filepath.Join(b.TempDir(), "fts5.db")+"?_pragma=journal_mode(wal)")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := db.Exec("CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='porter unicode61')"); err != nil {
		b.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		b.Fatal(err)
	}
	for i, text := range texts {
		if _, err := tx.Exec("INSERT INTO texts (rowid, text) VALUES (?, ?)", i, text); err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
	return db
}

func searchFTS5(b *testing.B, db *sql.DB, query string) error {
	b.Helper()
	match := strings.Join(strings.Fields(query), " OR ")
	rows, err := db.Query("SELECT rowid, rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 100", match)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int
		var rank float64
		if err := rows.Scan(&id, &rank); err != nil {
			return err
		}
	}
	return rows.Err()
}
