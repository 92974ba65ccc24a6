package eval

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/quirelib/quire"
)

// Among how many of what was found something relevant has to be, for a query that is not a
// Failure, and how many of them a Failure names.
const (
	failureCut   = 10
	failureNamed = 3
)

// Failure is a query for which nothing relevant is among the first 10 found, or whose answer
// does not hold what it should.
type Failure struct {
	Query    Query
	Unfound  bool     // nothing relevant is among the first 10
	Rank     int      // of the first relevant one; 0 if there is none, or none is judged
	Found    []string // what was found first, if Unfound: up to 3 names of documents, with headings
	Wrong    bool     // the answer holds none of Query.Answers
	Answer   string   // "" if there was none
	Answered bool
}

// failed reports whether it is a failure at all.
func (f *Failure) failed() bool { return f.Unfound || f.Wrong }

// search notes what a search has found, and the grades that it made.
func (f *Failure) search(o *Options, hits []quire.SearchHit, found []int) {
	f.Rank = slices.IndexFunc(found, func(grade int) bool { return grade > 0 }) + 1
	if f.Unfound = f.Rank == 0 || f.Rank > failureCut; !f.Unfound {
		return
	}
	for _, hit := range hits {
		names := o.Names(hit) // of which the last one is the one to read
		if name := placeName(names[len(names)-1], lastOf(hit.Chunk.Heading)); !slices.Contains(f.Found, name) {
			f.Found = append(f.Found, name)
		}
		if len(f.Found) == failureNamed {
			return
		}
	}
}

// answer notes what was answered.
func (f *Failure) answer(scores Scores, text string) {
	f.Answered = scores[MetricAnswered] > 0
	if f.Wrong = scores[MetricAnswer] == 0; f.Wrong && f.Answered {
		f.Answer = text
	}
}

// placeName names a document, or a passage in it by the heading above it.
func placeName(document, heading string) string {
	if heading == "" {
		return fmt.Sprintf("%q", document)
	}
	return fmt.Sprintf("%q under the heading %q", document, heading)
}

// wanted names what should have been found, the best first.
func (q *Query) wanted() []string {
	var out []string
	for _, s := range q.Sections {
		out = append(out, placeName(s.Document, s.Heading))
	}
	for _, id := range slices.SortedFunc(maps.Keys(q.Relevant), func(a, b string) int {
		return cmp.Or(cmp.Compare(q.Relevant[b], q.Relevant[a]), cmp.Compare(a, b))
	}) {
		if len(q.Sections) == 0 && q.Relevant[id] > 0 {
			out = append(out, placeName(id, ""))
		}
	}
	return out
}

// WriteFailures writes for each setting how many queries failed, and of the first n of them
// what was asked, what was wanted and what came.
func (r *Report) WriteFailures(w io.Writer, n int) error {
	var b strings.Builder
	for _, result := range r.Results {
		fmt.Fprintf(&b, "\nfailed with %s: %d of %d queries\n", result.Setting, len(result.Failures), len(r.Queries))
		for _, f := range result.Failures[:min(n, len(result.Failures))] {
			f.write(&b)
		}
		if more := len(result.Failures) - n; more > 0 {
			fmt.Fprintf(&b, "\nand %d more\n", more)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (f *Failure) write(w io.Writer) {
	fmt.Fprintf(w, "\n%s  %s\n", f.Query.ID, shorten(f.Query.Text))
	if f.Unfound {
		rank := "not found"
		if f.Rank > 0 {
			rank = fmt.Sprintf("found as number %d", f.Rank)
		}
		fmt.Fprintf(w, "  wanted: %s (%s)\n", someOf(f.Query.wanted()), rank)
		fmt.Fprintf(w, "  came:   %s\n", cmp.Or(strings.Join(f.Found, ", "), "nothing"))
	}
	if f.Wrong {
		quoted := make([]string, len(f.Query.Answers))
		for i, a := range f.Query.Answers {
			quoted[i] = fmt.Sprintf("%q", a)
		}
		fmt.Fprintf(w, "  wanted in the answer: %s\n", someOf(quoted))
		answer := "there was no answer"
		if f.Answered {
			answer = strings.Join(strings.Fields(f.Answer), " ")
		}
		fmt.Fprintf(w, "  answer: %s\n", answer)
	}
}

// someOf joins alternatives, of which the first few are enough to know what is meant.
func someOf(names []string) string {
	const most = 5
	if more := len(names) - most; more > 0 {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, " or ")
}
