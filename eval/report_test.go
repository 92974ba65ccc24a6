package eval

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// someReport is a report made by hand.
func someReport() *Report {
	scores := func(values ...float64) []Scores {
		out := make([]Scores, len(values))
		for i, v := range values {
			out[i] = Scores{"nDCG@10": v}
		}
		return out
	}
	r := &Report{
		Name: "some", Documents: 9, Unfindable: 1, Metrics: []string{"nDCG@10", MetricAnswer},
		Queries: []Query{{ID: "a", Text: "first\nquery"}, {ID: "b", Text: "second"}, {ID: "c", Text: "third"}, {ID: "d", Text: "fourth"}},
		Results: []Result{
			{Setting: "text", Scores: scores(0.5, 0.5, 0, 1)}, {Setting: "hybrid", Scores: scores(1, 0.25, 0, 1)}, {Setting: "vector", Scores: scores(0, 0, 0, 0)},
		},
	}
	for i, v := range []float64{1, 0, 0.5} { // one of them is not judged
		r.Results[0].Scores[i][MetricAnswer] = 0
		r.Results[1].Scores[i][MetricAnswer] = v
	}
	return r
}

func TestReport(t *testing.T) {
	t.Parallel()
	want := `some: 9 documents, 4 queries
1 judgements name documents that are not there

setting  nDCG@10  Answer
text     0.5000   0.0000
hybrid   0.5625   0.5000
vector   0.0000   0.0000

nDCG@10 beside text:
hybrid  +0.0625  1 better  1 worse  2 equal  p = 1.000
vector  -0.5000  0 better  3 worse  1 equal  p = 0.250

Answer beside text:
hybrid  +0.5000  2 better  0 worse  1 equal  p = 0.500
`
	var b strings.Builder
	if err := someReport().WriteTable(&b, "text"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	b.Reset()
	alone := &Report{Name: "x", Metrics: []string{"m"}, Results: []Result{{Setting: "text", Scores: []Scores{{"m": 1}}}}, Queries: []Query{{ID: "1"}}}
	if err := alone.WriteTable(&b, "other"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("x: 1 queries\n\nsetting  m\ntext     1.0000\n", b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestComparison(t *testing.T) {
	t.Parallel()
	r := someReport()
	c, err := r.Compare("text", "hybrid", "nDCG@10")
	if err != nil {
		t.Fatal(err)
	}
	want := &Comparison{Metric: "nDCG@10", Base: "text", Setting: "hybrid", Mean: 0.0625, Better: 1, Worse: 1, Equal: 2, P: 1, Differences: []Difference{
		{r.Queries[1], 0.5, 0.25}, {r.Queries[2], 0, 0}, {r.Queries[3], 1, 1}, {r.Queries[0], 0.5, 1},
	}}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	var b strings.Builder
	if err := c.Write(&b, 5); err != nil {
		t.Fatal(err)
	}
	lines := `
worse with hybrid than with text, in nDCG@10:
-0.2500  0.5000  0.2500  b  second

better with hybrid than with text, in nDCG@10:
+0.5000  0.5000  1.0000  a  first query
`
	if diff := cmp.Diff(lines, b.String()); diff != "" {
		t.Error(diff)
	}
	_, err = r.Compare("text", "other", "nDCG@10")
	wantError(t, err, quire.CodeNotFound, `setting "other"`)
	_, err = r.Compare("text", "hybrid", "speed")
	wantError(t, err, quire.CodeNotFound, `metric "speed"`)
}

func TestReportJSON(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := someReport().WriteJSON(&b, "text"); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Name        string
		Means       map[string]map[string]float64
		Results     []struct{ Setting string }
		Comparisons []struct {
			Setting, Metric string
			Better          int
			P               float64
		}
	}
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	if got.Means["hybrid"]["nDCG@10"] != 0.5625 || len(got.Results) != 3 || len(got.Comparisons) != 3 {
		t.Errorf("%+v", got)
	}
	if c := got.Comparisons[1]; c.Setting != "vector" || c.P != 0.25 {
		t.Errorf("%+v", c)
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	if got := shorten(" a\n b "); got != "a b" {
		t.Errorf("%q", got)
	}
	if got := []rune(shorten(strings.Repeat("é", 200))); len(got) != 100 || got[99] != '…' {
		t.Errorf("%d characters", len(got))
	}
}
