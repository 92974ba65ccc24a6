package eval

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/quirelib/quire"
)

// defaultLimit is how many passages of a search are looked at: as many as an Engine gives.
const defaultLimit = 100

// The metrics of answers.
const (
	// MetricAnswer is 1 if an answer holds one of Query.Answers.
	MetricAnswer = "Answer"
	// MetricAnswered is 1 if there was an answer, whatever is in it.
	MetricAnswered = "Answered"
)

// Options say what is measured and how. The zero value measures searches in all modes, in
// what [Fill] has filled.
type Options struct {
	// Modes are measured one after the other. Default: vector, text and hybrid.
	Modes []quire.SearchMode
	// Filters narrow the searches; the tenant is that of Fill if it is "".
	Filters quire.Filters
	// Names returns what judgements may call the document of a hit; the first name that is
	// in Query.Relevant is taken, or else the first. [Filled.Names] is that of a set.
	// Default: [DefaultNames].
	Names func(quire.SearchHit) []string
	// Metrics of searches. Default: DefaultMetrics.
	Metrics []Metric
	// Limit is how many passages are asked for, 1..100; metrics that look at more are left
	// out. An Engine that reranks gives its Reranker all of them, so that with 10 the order
	// is that which a search for 10 has. Default 100.
	Limit int
	// Answers has the Engine answer the queries that have Answers, too.
	Answers bool
	// Sources is how many passages an answer may use. Default: the Engine's.
	Sources int
	// Setting names what is measured in a mode. Default: the mode.
	Setting func(quire.SearchMode) string
	// Progress is told how many of the queries are done. Default: nobody is told.
	Progress func(done, total int)
}

// DefaultNames calls the document of a hit by the id of its elemental, the name of the file
// that it is from, and the title of the elemental.
func DefaultNames(hit quire.SearchHit) []string {
	names := []string{hit.Chunk.ElementalID}
	if hit.FileName != "" {
		names = append(names, hit.FileName)
	}
	return append(names, hit.Chunk.Title)
}

// withDefaults returns a copy with the defaults filled in; o may be nil.
func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if len(c.Modes) == 0 {
		c.Modes = []quire.SearchMode{quire.SearchVector, quire.SearchText, quire.SearchHybrid}
	}
	if c.Filters.TenantID == "" {
		c.Filters.TenantID = fillUser
	}
	if c.Names == nil {
		c.Names = DefaultNames
	}
	if len(c.Metrics) == 0 {
		c.Metrics = DefaultMetrics()
	}
	c.Metrics = slices.DeleteFunc(slices.Clone(c.Metrics), func(m Metric) bool { return m.Cut > cmp.Or(c.Limit, defaultLimit) })
	if c.Setting == nil {
		c.Setting = func(mode quire.SearchMode) string { return string(mode) }
	}
	c.Limit = cmp.Or(c.Limit, defaultLimit)
	if c.Progress == nil {
		c.Progress = func(int, int) {}
	}
	return c
}

// Run searches for every query of the set in every mode, and with Options.Answers asks it
// too. opts may be nil. An error of the Engine ends it; it is ErrNotFound if the tenant has no
// passages at all.
//
// A search gives passages, and judgements are of documents: a document has the rank of its
// best passage, counted in documents. The first Options.Limit passages are looked at, so
// that Recall@100 may be of fewer than 100 documents. Queries with Sections have the ranks of
// passages, of which the first one of each section counts.
func Run(ctx context.Context, engine *quire.Engine, set *Dataset, opts *Options) (*Report, error) {
	o := opts.withDefaults()
	if err := o.checkFilled(ctx, engine, set); err != nil {
		return nil, err
	}
	report, seen := newReport(set, o), newSightings()
	for i, mode := range o.Modes {
		result := Result{Setting: o.Setting(mode)}
		for n := range set.Queries {
			scores, failure, err := o.measure(ctx, engine, mode, &set.Queries[n], seen)
			if err != nil {
				return nil, err
			}
			result.Scores = append(result.Scores, scores)
			if failure.failed() {
				result.Failures = append(result.Failures, failure)
			}
			o.Progress(i*len(set.Queries)+n+1, len(o.Modes)*len(set.Queries))
		}
		report.Results = append(report.Results, result)
	}
	report.Unfound = seen.unfound(set)
	return report, nil
}

// measure returns the figures of one query and what failed, and adds to what was seen.
func (o *Options) measure(ctx context.Context, engine *quire.Engine, mode quire.SearchMode, q *Query, seen sightings) (Scores, Failure, error) {
	scores, failure := make(Scores), Failure{Query: *q}
	if q.judged() {
		hits, err := engine.Search(ctx, quire.SearchRequest{Query: q.Text, Filters: o.Filters, Limit: o.Limit, Mode: mode})
		if err != nil {
			return nil, failure, err
		}
		for _, hit := range hits {
			seen.add(o.Names(hit), lastOf(hit.Chunk.Heading))
		}
		found, relevant := o.fold(q, hits), q.grades()
		failure.search(o, hits, found)
		for _, m := range o.Metrics {
			scores[m.Name] = m.Of(found, relevant)
		}
	}
	if o.Answers && len(q.Answers) > 0 {
		res, err := engine.Chat(ctx, quire.ChatRequest{Query: q.Text, Filters: o.Filters, Limit: o.Sources, Mode: mode})
		if err != nil {
			return nil, failure, err
		}
		scores[MetricAnswered], scores[MetricAnswer] = 0, 0
		if len(res.Sources) > 0 {
			scores[MetricAnswered] = 1
			if HoldsAnswer(res.Answer, q.Answers) {
				scores[MetricAnswer] = 1
			}
		}
		failure.answer(scores, res.Answer)
	}
	return scores, failure, nil
}

// fold makes grades of hits: those of documents, each at its best passage, or those of
// passages if sections are to be found, each section at its best one.
func (o *Options) fold(q *Query, hits []quire.SearchHit) []int {
	var found []int
	seen := make(map[string]bool)
	for _, hit := range hits {
		names := o.Names(hit)
		if len(q.Sections) > 0 {
			i := sectionOf(q.Sections, names, lastOf(hit.Chunk.Heading))
			grade := 0
			if key := strconv.Itoa(i); i >= 0 && !seen[key] {
				grade, seen[key] = 1, true
			}
			found = append(found, grade)
			continue
		}
		name := names[max(0, slices.IndexFunc(names, func(n string) bool { return q.Relevant[n] > 0 }))]
		if !seen[name] {
			seen[name] = true
			found = append(found, q.Relevant[name])
		}
	}
	return found
}

// sectionOf returns which of sections a passage is in whose document has these names, -1 if
// it is in none.
func sectionOf(sections []Section, names []string, heading string) int {
	heading = unmarked(heading)
	return slices.IndexFunc(sections, func(s Section) bool {
		return unmarked(s.Heading) == heading && slices.Contains(names, s.Document)
	})
}

// marks are what code and emphasis are marked with in Markdown.
var marks = strings.NewReplacer("`", "", "*", "", "_", "")

// unmarked is what of a heading is compared: who writes it down sees it without its marks.
func unmarked(heading string) string { return marks.Replace(heading) }

// lastOf returns the last one, "" of none.
func lastOf(headings []string) string {
	if len(headings) == 0 {
		return ""
	}
	return headings[len(headings)-1]
}
