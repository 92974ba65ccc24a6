package static

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/quirelib/quire/eval"
	"github.com/quirelib/quire/internal/segment"
)

// maxQueries bounds the queries of a set. Of more, evenly spaced ones are taken.
const maxQueries = 1000

// readJudged reads a set from ../shared with the queries of a file, nil if it is not
// there.
func readJudged(t *testing.T, name, queries string) *eval.Dataset {
	t.Helper()
	dir := filepath.Join("../../../shared/data/ir", name)
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	set, err := eval.ReadBEIR(os.DirFS(dir), &eval.BEIROptions{Queries: queries})
	if err != nil {
		t.Fatal(err)
	}
	return set.Sample(maxQueries)
}

// figures are means over queries.
type figures struct{ text, vector, fused, recall float64 }

// measure returns nDCG@10 of text alone, vectors alone and both, and Recall@10 of
// both, with the whole document as one text.
func measure(t *testing.T, set *eval.Dataset) (mean figures) {
	t.Helper()
	texts := make([]string, len(set.Documents))
	for i, d := range set.Documents {
		texts[i] = d.Title + "\n" + d.Text
	}
	vectors, err := open(t).Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	text := newBM25(texts)
	n := float64(len(set.Queries))
	for _, q := range set.Queries {
		asked, err := open(t).Embed(t.Context(), []string{q.Text})
		if err != nil {
			t.Fatal(err)
		}
		similar := make([]float64, len(vectors))
		for i, v := range vectors {
			similar[i] = dot(asked[0], v)
		}
		byText, byVector := best(text.scores(segment.Words(q.Text))), best(similar)
		both := grades(set, q, fuse(len(vectors), byText, byVector))
		relevant := slices.Sorted(maps.Values(q.Relevant)) // all of them are 1
		mean.text += eval.NDCG(grades(set, q, byText), relevant, 10) / n
		mean.vector += eval.NDCG(grades(set, q, byVector), relevant, 10) / n
		mean.fused += eval.NDCG(both, relevant, 10) / n
		mean.recall += eval.Recall(both, relevant, 10) / n
	}
	return mean
}

// grades returns those of the results of a query.
func grades(set *eval.Dataset, q eval.Query, results []result) []int {
	out := make([]int, len(results))
	for i, r := range results {
		out[i] = q.Relevant[set.Documents[r.doc].ID]
	}
	return out
}

// TestQuality measures the embedder on judged sets, alone and beside full text, and on
// their queries with about half of the content words replaced by synonyms. The least
// values allowed are those that the default search is held to.
func TestQuality(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	least := map[string]float64{"cranfield": 0.390, "scifact": 0.690, "squad-dev": 0.883}
	for _, tt := range []struct {
		queries string
		gain    float64 // over text alone, mean of the sets
	}{{"queries.jsonl", 0.004}, {"queries.syn.jsonl", 0.015}} {
		t.Run(tt.queries, func(t *testing.T) {
			var gain float64
			for name, ndcg := range least {
				set := readJudged(t, name, tt.queries)
				if set == nil {
					t.Skip("../shared/data/ir is not there")
				}
				got := measure(t, set)
				fmt.Printf("engine/static: %s %s: %d documents, %d queries; nDCG@10 text %.3f, vector %.3f, both %.3f; Recall@10 both %.3f\n",
					name, tt.queries, len(set.Documents), len(set.Queries), got.text, got.vector, got.fused, got.recall)
				gain += (got.fused - got.text) / float64(len(least))
				if tt.queries == "queries.jsonl" && got.fused < ndcg {
					t.Errorf("%s: nDCG@10 %.4f, want %.3f", name, got.fused, ndcg)
				}
			}
			if gain < tt.gain {
				t.Errorf("%.4f above text alone, want %.3f", gain, tt.gain)
			}
			fmt.Printf("engine/static: %s: %+.4f to text alone\n", tt.queries, gain)
		})
	}
}
