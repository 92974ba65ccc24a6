package eval

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/quirelib/quire"
)

// Comparison is how a setting differs from another one in a metric, over the queries that
// both have it for.
type Comparison struct {
	Metric        string
	Base, Setting string
	Mean          float64 // of Setting less Base
	Better        int     // queries with which Setting is better
	Worse, Equal  int
	// P is the probability of such a mean by chance, see Significance: below 0.05 a
	// difference is usually taken for one.
	P           float64
	Differences []Difference // the worst first
}

// Difference is how one query differs.
type Difference struct {
	Query         Query
	Base, Setting float64 // the two figures
}

// value is what Setting is better by.
func (d Difference) value() float64 { return d.Setting - d.Base }

// Compare compares two settings of the report in a metric. ErrNotFound if it does not have
// one of them, or no query that has the metric with both.
func (r *Report) Compare(base, setting, metric string) (*Comparison, error) {
	a, b := r.Result(base), r.Result(setting)
	for name, result := range map[string]*Result{base: a, setting: b} {
		if result == nil {
			return nil, quire.Errorf(quire.CodeNotFound, "nothing was measured with the setting %q", name)
		}
	}
	c := &Comparison{Metric: metric, Base: base, Setting: setting}
	var values []float64
	for i, q := range r.Queries {
		x, one := a.Scores[i][metric]
		y, two := b.Scores[i][metric]
		if !one || !two {
			continue
		}
		values = append(values, y-x)
		c.Mean += y - x
		switch {
		case y > x:
			c.Better++
		case y < x:
			c.Worse++
		default:
			c.Equal++
		}
		c.Differences = append(c.Differences, Difference{q, x, y})
	}
	if len(values) == 0 {
		return nil, quire.Errorf(quire.CodeNotFound, "no query has the metric %q", metric)
	}
	c.Mean /= float64(len(values))
	c.P = Significance(values)
	slices.SortStableFunc(c.Differences, func(a, b Difference) int { return cmp.Compare(a.value(), b.value()) })
	return c, nil
}

// comparisons compares all other settings with base in a metric.
func (r *Report) comparisons(base, metric string) []*Comparison {
	var all []*Comparison
	for _, result := range r.Results {
		if result.Setting == base {
			continue
		}
		if c, err := r.Compare(base, result.Setting, metric); err == nil { // else there is nothing to compare
			all = append(all, c)
		}
	}
	return all
}

// writeComparisons writes how the other settings differ from base in the first metric, and
// in whether answers hold what they should.
func (r *Report) writeComparisons(w io.Writer, base string) error {
	for i, metric := range r.Metrics {
		if i > 0 && metric != MetricAnswer {
			continue
		}
		all := r.comparisons(base, metric)
		if len(all) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s beside %s:\n", metric, base)
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, c := range all {
			fmt.Fprintf(table, "%s\t%+.4f\t%d better\t%d worse\t%d equal\tp %s\n", c.Setting, c.Mean, c.Better, c.Worse, c.Equal, probability(c.P))
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// probability writes a p-value, of which small ones are not worth their digits.
func probability(p float64) string {
	if p < 0.0005 {
		return "< 0.001"
	}
	return fmt.Sprintf("= %.3f", p)
}

// Write writes the n queries with which the setting is worst beside the base, worst first,
// and then the n with which it is best, best first. Those that do not differ are left out.
func (c *Comparison) Write(w io.Writer, n int) error {
	worst := c.Differences[:min(n, c.Worse)]
	best := slices.Clone(c.Differences[len(c.Differences)-min(n, c.Better):])
	slices.Reverse(best)
	for _, part := range []struct {
		what    string
		queries []Difference
	}{{"worse", worst}, {"better", best}} {
		if len(part.queries) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s with %s than with %s, in %s:\n", part.what, c.Setting, c.Base, c.Metric)
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, d := range part.queries {
			fmt.Fprintf(table, "%+.4f\t%.4f\t%.4f\t%s\t%s\n", d.value(), d.Base, d.Setting, d.Query.ID, shorten(d.Query.Text))
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// shorten makes a line of a text.
func shorten(text string) string {
	const most = 100
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}
