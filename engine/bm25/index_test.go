package bm25

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

func TestSuite(t *testing.T) {
	enginetest.RunTextIndex(t, func(testing.TB) quire.TextIndex { return New(nil) })
}

func chunkOf(n int, text string) quire.Chunk {
	return quire.Chunk{ID: fmt.Sprint("c", n), TenantID: "t", ElementalID: fmt.Sprint("e", n), Text: text}
}

func add(tb testing.TB, x *Index, chunks ...quire.Chunk) {
	tb.Helper()
	for _, c := range chunks {
		if err := x.Replace(tb.Context(), c.TenantID, c.ElementalID, []quire.Chunk{c}); err != nil {
			tb.Fatal(err)
		}
	}
}

func search(tb testing.TB, x *Index, query string) []quire.TextHit {
	tb.Helper()
	hits, err := x.Search(tb.Context(), query, quire.Filters{TenantID: "t"}, 10)
	if err != nil {
		tb.Fatal(err)
	}
	return hits
}

// TestJoined: neighbours of a query find the word that they are together, which counts for
// nothing where there is none, and never more than the whole query.
func TestJoined(t *testing.T) {
	t.Parallel()
	x := New(nil)
	add(t, x, chunkOf(1, "frontmatter fields"), chunkOf(2, "what does it matter"), chunkOf(3, "setup"), chunkOf(4, "文書管理"), chunkOf(5, "front matter and frontmatter"))
	for query, want := range map[string][]string{
		"front matter":     {"c5", "c1", "c2"},
		"front of matters": {"c5", "c2"},
		"how to set it up": nil,
		"how to set up":    {"c3"},
		"f r o n t":        nil,
		"管 理":              {"c4"}, // as characters
	} {
		var got []string
		for _, h := range search(t, x, query) {
			got = append(got, h.ID)
			if h.Share <= 0 || h.Share > 1 {
				t.Errorf("%q: the share of %s is %v", query, h.ID, h.Share)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

// TestScores holds the scores against the formula, worked out by hand: three texts of 2,
// 4 and 6 words.
func TestScores(t *testing.T) {
	t.Parallel()
	x := New(nil)
	add(t, x, chunkOf(1, "lemon lemon"), chunkOf(2, "lemon pear plum fig"), chunkOf(3, "pear plum fig date kiwi lime"))
	lemon, pear := math.Log(1+1.5/2.5), math.Log(1+1.5/2.5) // each in two of three
	tf := func(count, length float64) float64 { return count * 2.2 / (count + 1.2*(0.25+0.75*length/4)) }
	want := []quire.TextHit{
		{ID: "c2", Score: lemon*tf(1, 4) + pear*tf(1, 4), Share: 1},
		{ID: "c1", Score: lemon * tf(2, 2), Share: 0.5},
		{ID: "c3", Score: pear * tf(1, 6), Share: 0.5},
	}
	if diff := cmp.Diff(want, search(t, x, "The lemon or the pear"), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
	// A word that is nowhere weighs as much as one can.
	nowhere := math.Log(1 + 3.5/0.5)
	if got := search(t, x, "lemon mango")[0].Share; math.Abs(got-lemon/(lemon+nowhere)) > 1e-12 {
		t.Errorf("share %v", got)
	}
}

// TestFunctionWords: they count only where there is nothing else.
func TestFunctionWords(t *testing.T) {
	t.Parallel()
	x := New(nil)
	add(t, x, chunkOf(1, "to be or not to be"), chunkOf(2, "lemon"))
	for query, want := range map[string]string{"to be": "c1", "to be a lemon": "c2"} {
		if hits := search(t, x, query); len(hits) != 1 || hits[0].ID != want {
			t.Errorf("%q finds %v, want %s", query, hits, want)
		}
	}
}

// TestCompact: what was replaced does not stay in memory.
func TestCompact(t *testing.T) {
	t.Parallel()
	x := New(nil)
	for round := range 3000 {
		add(t, x, chunkOf(1, fmt.Sprint("lemon word", round)), chunkOf(2+round%10, "pear plum"))
	}
	tenant := x.tenants["t"]
	if n, words := len(tenant.entries), len(tenant.words); n > 1100 || words > 1100 {
		t.Errorf("%d entries and %d words for 11 texts", n, words)
	}
	if hits := search(t, x, "word2999"); len(hits) != 1 || hits[0].ID != "c1" {
		t.Errorf("found %v", hits)
	}
	if hits := search(t, x, "word2998"); len(hits) != 0 {
		t.Errorf("found %v, which was replaced", hits)
	}
}

// BenchmarkIndex enters and searches texts of 150 words, whose frequencies follow Zipf's
// law, as those of a language do.
func BenchmarkIndex(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 5, 50_000)
	text := func(words int) string {
		var t strings.Builder
		for range words {
			fmt.Fprint(&t, "w", zipf.Uint64(), "x ")
		}
		return t.String()
	}
	for _, count := range []int{1_000, 10_000, 100_000} {
		if count > 10_000 && testing.Short() {
			continue
		}
		x := New(nil)
		b.Run(fmt.Sprintf("%d/enter", count), func(b *testing.B) {
			for b.Loop() {
				if err := x.Reset(b.Context()); err != nil {
					b.Fatal(err)
				}
				for from := 0; from < count; from += 50 {
					var chunks []quire.Chunk
					for n := range 50 {
						c := chunkOf(from+n, text(150))
						c.ElementalID = fmt.Sprint("e", from)
						chunks = append(chunks, c)
					}
					if err := x.Replace(b.Context(), "t", chunks[0].ElementalID, chunks); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds(), "chunks/s")
		})
		b.Run(fmt.Sprintf("%d/search", count), func(b *testing.B) {
			for b.Loop() {
				search(b, x, text(8))
			}
		})
	}
}
