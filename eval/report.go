package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Scores are the figures of one query by the names of metrics. What is not judged for a
// query is not there.
type Scores map[string]float64

// Result is what was measured with one setting.
type Result struct {
	Setting string   `json:"setting"`
	Scores  []Scores `json:"scores"` // one for each query, in the order of Report.Queries
	// Failures are the queries that failed, in the same order; WriteFailures prints them.
	Failures []Failure `json:"-"`
}

// Mean returns the mean of a metric over the queries that have it, and how many those are.
func (r *Result) Mean(metric string) (mean float64, queries int) {
	for _, s := range r.Scores {
		if value, ok := s[metric]; ok {
			mean += value
			queries++
		}
	}
	if queries == 0 {
		return 0, 0
	}
	return mean / float64(queries), queries
}

// Report is what was measured with one set: a result for each setting.
type Report struct {
	Name       string
	Documents  int // of the set
	Unfindable int // judgements of documents that the set does not have
	// Unfound is what is judged and was found by no search, whatever the query and the
	// mode: a document that the set does not have either, or a heading in one. Its name may
	// be wrong.
	Unfound []string
	Queries []Query
	Metrics []string // in the order of columns
	Results []Result
}

func newReport(set *Dataset, o Options) *Report {
	r := &Report{Name: set.Name, Documents: len(set.Documents), Unfindable: set.Unfindable(), Queries: set.Queries}
	searched, answered := false, false
	for _, q := range set.Queries {
		searched = searched || q.judged()
		answered = answered || o.Answers && len(q.Answers) > 0
	}
	if searched {
		for _, m := range o.Metrics {
			r.Metrics = append(r.Metrics, m.Name)
		}
	}
	if answered {
		r.Metrics = append(r.Metrics, MetricAnswer, MetricAnswered)
	}
	return r
}

// Result returns the result of a setting, nil if there is none.
func (r *Report) Result(setting string) *Result {
	for i := range r.Results {
		if r.Results[i].Setting == setting {
			return &r.Results[i]
		}
	}
	return nil
}

// Mean returns the mean of a metric with a setting, 0 if it was not measured.
func (r *Report) Mean(setting, metric string) float64 {
	result := r.Result(setting)
	if result == nil {
		return 0
	}
	mean, _ := result.Mean(metric)
	return mean
}

// WriteTable writes the means as a table of settings and metrics, and below it how the
// other settings differ from base in the first metric, and in Answer. Without such a
// setting it writes the table alone.
func (r *Report) WriteTable(w io.Writer, base string) error {
	if r.Documents > 0 {
		fmt.Fprintf(w, "%s: %d documents, %d queries\n", r.Name, r.Documents, len(r.Queries))
	} else {
		fmt.Fprintf(w, "%s: %d queries\n", r.Name, len(r.Queries))
	}
	if r.Unfindable > 0 {
		fmt.Fprintf(w, "%d judgements name documents that are not there\n", r.Unfindable)
	}
	if n := len(r.Unfound); n > 0 {
		const shown = 5
		fmt.Fprintf(w, "%d of what is judged no search has found; check the names: %s\n", n, strings.Join(r.Unfound[:min(n, shown)], ", "))
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "setting")
	for _, m := range r.Metrics {
		fmt.Fprintf(table, "\t%s", m)
	}
	fmt.Fprintln(table)
	for i := range r.Results {
		fmt.Fprint(table, r.Results[i].Setting)
		for _, m := range r.Metrics {
			mean, _ := r.Results[i].Mean(m)
			fmt.Fprintf(table, "\t%.4f", mean)
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if r.Result(base) == nil {
		return nil
	}
	return r.writeComparisons(w, base)
}

// jsonReport is a Report as JSON.
type jsonReport struct {
	Name        string            `json:"name"`
	Documents   int               `json:"documents"`
	Unfindable  int               `json:"unfindable"`
	Unfound     []string          `json:"unfound,omitempty"`
	Queries     []jsonQuery       `json:"queries"`
	Metrics     []string          `json:"metrics"`
	Means       map[string]Scores `json:"means"` // by setting
	Results     []Result          `json:"results"`
	Comparisons []jsonComparison  `json:"comparisons,omitempty"`
}

type jsonQuery struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

type jsonComparison struct {
	Metric  string  `json:"metric"`
	Base    string  `json:"base"`
	Setting string  `json:"setting"`
	Mean    float64 `json:"mean"`
	Better  int     `json:"better"`
	Worse   int     `json:"worse"`
	Equal   int     `json:"equal"`
	P       float64 `json:"p"`
}

// WriteJSON writes the report as one JSON object: name, documents, unfindable, unfound,
// queries (id and text), metrics, means by setting and metric, results with the scores of each query,
// and comparisons of the other settings with base in all metrics, if there is such a setting.
func (r *Report) WriteJSON(w io.Writer, base string) error {
	out := jsonReport{
		Name: r.Name, Documents: r.Documents, Unfindable: r.Unfindable, Unfound: r.Unfound, Metrics: r.Metrics,
		Results: r.Results, Means: make(map[string]Scores),
	}
	for _, q := range r.Queries {
		out.Queries = append(out.Queries, jsonQuery{q.ID, q.Text})
	}
	for i := range r.Results {
		means := make(Scores)
		for _, m := range r.Metrics {
			means[m], _ = r.Results[i].Mean(m)
		}
		out.Means[r.Results[i].Setting] = means
	}
	for _, m := range r.Metrics {
		for _, c := range r.comparisons(base, m) {
			out.Comparisons = append(out.Comparisons, jsonComparison{m, c.Base, c.Setting, c.Mean, c.Better, c.Worse, c.Equal, c.P})
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(out)
}
