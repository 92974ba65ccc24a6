package rerank_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/engine/rerank"
)

func TestConforms(t *testing.T) {
	enginetest.RunReranker(t, func(testing.TB) quire.Reranker { return rerank.New() })
}

// order returns the places of passages, best first, which a search found equally good.
func order(t *testing.T, query string, chunks ...quire.Chunk) []int {
	t.Helper()
	hits := make([]quire.SearchHit, len(chunks))
	places := make([]int, len(chunks))
	for i, c := range chunks {
		hits[i], places[i] = quire.SearchHit{Chunk: c, Score: 0.5}, i
	}
	scores, err := rerank.New().Rerank(t.Context(), query, hits)
	if err != nil {
		t.Fatal(err)
	}
	if best := slices.Max(scores); best != 0.5 {
		t.Errorf("the best score is %v, want that of the search", best)
	}
	slices.SortStableFunc(places, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	return places
}

// Each case has passages from the worst to the best.
func TestOrder(t *testing.T) {
	t.Parallel()
	text := func(s string) quire.Chunk { return quire.Chunk{Text: s} }
	tests := []struct {
		name, query string
		passages    []quire.Chunk
	}{
		{"words side by side", "zero value", []quire.Chunk{text("The value of zero hours work."), text("A value that is not zero counts."), text("Each has the zero value of its kind.")}},
		{"function words between", "speed of light", []quire.Chunk{text("Light cars and great speed."), text("Nothing exceeds the speed of the light.")}},
		{"one sentence", "red fox den", []quire.Chunk{text("A fox ran. It was late. The wall is red. We saw no den."), text("A den of any red animal, even a fox. It was late. We saw no wall. All ran.")}},
		{"a heading", "otter diet", []quire.Chunk{text("Its diet: what an otter eats is fish."), {Heading: []string{"Otter", "Diet"}, Text: "Its diet: what an otter eats is fish."}}},
		{"a title", "otter diet", []quire.Chunk{text("An otter has a diet of fish."), {Title: "The otter", Text: "An otter has a diet of fish."}}},
		{"a rare word", "blue tide", []quire.Chunk{text("The blue car."), text("A blue house."), text("Some blue shoe."), text("One tide is here.")}},
		{"forms of words", "running dogs", []quire.Chunk{text("The cat sleeps."), text("A dog runs.")}},
		{"Japanese", "満潮時刻", []quire.Chunk{text("時々刻む。満月の潮。"), text("港の満潮時刻は五時。")}},
		{"nothing but function words", "to be or not to be", []quire.Chunk{text("A pear."), text("To be, or not to be.")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := order(t, tt.query, tt.passages...)
			if last := len(tt.passages) - 1; got[0] != last {
				t.Errorf("passage %d is the best, want %d", got[0], last)
			}
			if tt.name == "words side by side" && !slices.Equal(got, []int{2, 1, 0}) && !slices.Equal(got, []int{2, 0, 1}) {
				t.Errorf("order %v", got)
			}
		})
	}
}

// What the search found best stays so when the texts say nothing else.
func TestScoresOfTheSearch(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"?!", "tide", ""} {
		var hits []quire.SearchHit
		for i := range 5 {
			hits = append(hits, quire.SearchHit{Chunk: quire.Chunk{ID: fmt.Sprint(i), Text: "Nothing of that."}, Score: 0.8 - float64(i)/10})
		}
		scores, err := rerank.New().Rerank(t.Context(), query, hits)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range scores {
			if d := s - hits[i].Score; d > 1e-12 || d < -1e-12 {
				t.Errorf("%q: score %d is %v, was %v", query, i, s, hits[i].Score)
			}
		}
	}
}

func BenchmarkRerank(b *testing.B) {
	var hits []quire.SearchHit
	for i := range 20 {
		var text strings.Builder
		for n := 0; text.Len() < 1500; n++ {
			fmt.Fprintf(&text, "Sentence %d of passage %d says how the w%d of the harbour moves with the tide. ", n, i, n*i%97)
		}
		hits = append(hits, quire.SearchHit{Chunk: quire.Chunk{Title: "Harbour", Heading: []string{"Tides"}, Text: text.String()}, Score: 1 - float64(i)/20})
	}
	for b.Loop() {
		if _, err := rerank.New().Rerank(b.Context(), "How does the water in the harbour move when the tide turns?", hits); err != nil {
			b.Fatal(err)
		}
	}
}
