package static

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/quirelib/quire/internal/segment"
)

// judged is a set of documents and queries with judgements.
type judged struct {
	texts   []string
	queries []judgedQuery
}

// judgedQuery is a query and the places of the documents that answer it.
type judgedQuery struct {
	text     string
	relevant map[int]bool
}

// maxQueries bounds the queries of a set. Of more, evenly spaced ones are taken.
const maxQueries = 1000

// readJudged reads a set from ../shared with the queries of a file, nil if it is not
// there.
func readJudged(t *testing.T, name, queries string) *judged {
	t.Helper()
	dir := filepath.Join("../../../shared/data/ir", name)
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	set, places := new(judged), make(map[string]int)
	eachLine(t, filepath.Join(dir, "corpus.jsonl"), func(line []byte) {
		var doc struct {
			ID          string `json:"_id"`
			Title, Text string
		}
		parse(t, line, &doc)
		places[doc.ID] = len(set.texts)
		set.texts = append(set.texts, doc.Title+"\n"+doc.Text)
	})
	relevant := make(map[string]map[int]bool)
	eachLine(t, filepath.Join(dir, "qrels/test.tsv"), func(line []byte) {
		var query, doc string
		var grade int
		if n, _ := fmt.Sscan(string(line), &query, &doc, &grade); n < 3 || grade < 1 {
			return // the header
		}
		if relevant[query] == nil {
			relevant[query] = make(map[int]bool)
		}
		relevant[query][places[doc]] = true
	})
	var all []judgedQuery
	eachLine(t, filepath.Join(dir, queries), func(line []byte) {
		var query struct {
			ID   string `json:"_id"`
			Text string
		}
		if parse(t, line, &query); relevant[query.ID] != nil {
			all = append(all, judgedQuery{query.Text, relevant[query.ID]})
		}
	})
	n := min(maxQueries, len(all))
	for i := range n {
		set.queries = append(set.queries, all[i*len(all)/n])
	}
	return set
}

func parse(t *testing.T, line []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(line, into); err != nil {
		t.Fatal(err)
	}
}

// eachLine calls do with each line of a file.
func eachLine(t *testing.T, path string, do func(line []byte)) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		do(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// figures are means over queries.
type figures struct{ text, vector, fused, recall float64 }

// measure returns nDCG@10 of text alone, vectors alone and both, and Recall@10 of
// both, with the whole document as one text.
func (set *judged) measure(t *testing.T) (mean figures) {
	t.Helper()
	vectors, err := open(t).Embed(t.Context(), set.texts)
	if err != nil {
		t.Fatal(err)
	}
	text := newBM25(set.texts)
	for _, q := range set.queries {
		asked, err := open(t).Embed(t.Context(), []string{q.text})
		if err != nil {
			t.Fatal(err)
		}
		similar := make([]float64, len(vectors))
		for i, v := range vectors {
			similar[i] = dot(asked[0], v)
		}
		byText, byVector := best(text.scores(segment.Words(q.text))), best(similar)
		both := fuse(len(vectors), byText, byVector)
		n := float64(len(set.queries))
		mean.text += ndcg(byText, q.relevant) / n
		mean.vector += ndcg(byVector, q.relevant) / n
		mean.fused += ndcg(both, q.relevant) / n
		mean.recall += recall(both, q.relevant) / n
	}
	return mean
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
				got := set.measure(t)
				fmt.Printf("engine/static: %s %s: %d documents, %d queries; nDCG@10 text %.3f, vector %.3f, both %.3f; Recall@10 both %.3f\n",
					name, tt.queries, len(set.texts), len(set.queries), got.text, got.vector, got.fused, got.recall)
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
