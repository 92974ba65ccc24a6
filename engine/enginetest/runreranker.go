package enginetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// RunReranker checks that an implementation of [quire.Reranker] holds its contract. How it
// judges is its own affair; the suite only wants a passage that says what the query asks to
// get more than one about another matter. open returns a Reranker of the same configuration
// for each call. The test that calls RunReranker must not run in parallel with others.
func RunReranker(t *testing.T, open func(tb testing.TB) quire.Reranker) {
	runCases(t, rerankerCases, open)
}

// rerankerCases are the parts of RunReranker.
var rerankerCases = []suiteCase[quire.Reranker]{
	{"scores", onReranker(testRerankScores)},
	{"judges", onReranker(testRerankJudges)},
	{"place by place", onReranker(testRerankOrder)},
	{"same again", onReranker(testRerankAgain)},
	{"hits stay", onReranker(testRerankKeeps)},
	{"concurrent", onReranker(testRerankConcurrent)},
	{"cancelled", onReranker(testRerankCancelled)},
}

type rerankerTest struct {
	*testing.T
	reranker quire.Reranker
}

// onReranker makes a case of a test.
func onReranker(run func(t *rerankerTest)) func(*testing.T, func(testing.TB) quire.Reranker) {
	return func(t *testing.T, open func(testing.TB) quire.Reranker) { run(&rerankerTest{t, open(t)}) }
}

// rerankHits are hits with texts of several kinds; fits is the place of the one that says
// what rerankQuery asks.
func rerankHits() (hits []quire.SearchHit, fits int) {
	for i, text := range []string{
		"Bread is baked at night. The oven needs two hours to get hot.",
		"# Tides\n\nSpring tides come at new moon and at full moon, when sun and moon pull in one line.",
		"", "!", "\x00\xff", "月の引力で潮が満ちる。", strings.Repeat("moon ", 5000), "| a | b |\n|---|---|\n| 1 | 2 |",
	} {
		c := chunk(i, "t", fmt.Sprint("e", i), nil)
		c.Title, c.Heading, c.Text = "A title", []string{"A heading"}, text
		hits = append(hits, quire.SearchHit{Chunk: c, Score: 0.9 - float64(i)/10})
	}
	return hits, 1
}

const rerankQuery = "When do spring tides come?"

// rerank returns the scores of hits, which must be as many and in bounds.
func (t *rerankerTest) rerank(query string, hits []quire.SearchHit) []float64 {
	t.Helper()
	scores, err := t.reranker.Rerank(t.Context(), query, hits)
	if err != nil {
		t.Fatalf("Rerank(%.40q, %d hits): %v", query, len(hits), err)
	}
	if len(scores) != len(hits) {
		t.Fatalf("Rerank(%.40q): %d scores for %d hits", query, len(scores), len(hits))
	}
	for i, s := range scores {
		if !(s >= 0 && s <= 1) {
			t.Errorf("Rerank(%.40q): score %v of hit %d is not 0..1", query, s, i)
		}
	}
	return scores
}

func testRerankScores(t *rerankerTest) {
	hits, _ := rerankHits()
	for _, query := range []string{rerankQuery, "moon", "!", "\x00\xff", "潮", "the", strings.Repeat("moon tide ", 3000)} {
		for n := range len(hits) + 1 {
			t.rerank(query, hits[:n])
		}
		for _, score := range []float64{0, 1} {
			same := slices.Clone(hits)
			for i := range same {
				same[i].Score = score
			}
			t.rerank(query, same)
		}
	}
}

func testRerankJudges(t *rerankerTest) {
	hits, fits := rerankHits()
	pair := []quire.SearchHit{hits[0], hits[fits]}
	pair[0].Score, pair[1].Score = 0.5, 0.5
	if s := t.rerank(rerankQuery, pair); s[1] <= s[0] {
		t.Errorf("the passage that answers has %v, one about another matter %v", s[1], s[0])
	}
}

// testRerankOrder gives the same hits in another order.
func testRerankOrder(t *rerankerTest) {
	hits, _ := rerankHits()
	want := t.rerank(rerankQuery, hits)
	slices.Reverse(hits)
	got := t.rerank(rerankQuery, hits)
	slices.Reverse(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the scores of the same hits in another order (-before +after):\n%s", d)
	}
}

func testRerankAgain(t *rerankerTest) {
	hits, _ := rerankHits()
	want := t.rerank(rerankQuery, hits)
	t.rerank("bread", hits[:3])
	if d := cmp.Diff(want, t.rerank(rerankQuery, hits)); d != "" {
		t.Errorf("other scores the second time (-first +second):\n%s", d)
	}
}

func testRerankKeeps(t *rerankerTest) {
	hits, _ := rerankHits()
	want, _ := rerankHits()
	t.rerank(rerankQuery, hits)
	if d := cmp.Diff(want, hits); d != "" {
		t.Errorf("Rerank changed the hits (-before +after):\n%s", d)
	}
}

func testRerankConcurrent(t *rerankerTest) {
	hits, _ := rerankHits()
	queries := []string{rerankQuery, "bread at night", "new moon", "潮"}
	want := make([][]float64, len(queries))
	for i, query := range queries {
		want[i] = t.rerank(query, hits)
	}
	var wg sync.WaitGroup
	for i, query := range queries {
		wg.Go(func() {
			for range size(50, 10) {
				got, err := t.reranker.Rerank(t.Context(), query, hits)
				if err != nil || !slices.Equal(got, want[i]) {
					t.Errorf("Rerank(%q) beside others: %v, %v; want %v", query, got, err, want[i])
					return
				}
			}
		})
	}
	wg.Wait()
}

func testRerankCancelled(t *rerankerTest) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	hits, _ := rerankHits()
	if _, err := t.reranker.Rerank(ctx, rerankQuery, hits); !errors.Is(err, context.Canceled) {
		t.Errorf("Rerank with a cancelled context: %v", err)
	}
}
