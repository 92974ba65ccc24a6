package engine

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/segment"
)

// Extractive is a quire.LLM without a model: it answers with the sentences of the
// sources that fit the question best, each followed by its marker. It adds no word of
// its own; of the sentences it only removes the marks of Markdown. The same request
// always gives the same answer.
type Extractive struct{ sentences int }

// ExtractiveOptions configure an Extractive. The zero value is good.
type ExtractiveOptions struct {
	// Sentences is how many sentences an answer has at most, at least 1. Default 4.
	Sentences int
}

// NewExtractive makes an Extractive. opts may be nil; a number of sentences below 1
// means the default.
func NewExtractive(opts *ExtractiveOptions) *Extractive {
	x := &Extractive{sentences: 4}
	if opts != nil && opts.Sentences > 0 {
		x.sentences = opts.Sentences
	}
	return x
}

// Name implements quire.LLM.
func (*Extractive) Name() string { return "extractive" }

// Generate implements quire.LLM: one piece for each sentence. It yields
// quire.ErrNoAnswer if no content word of the question, stemmed, occurs in the text
// of any source.
func (x *Extractive) Generate(ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		question := termSet(req.Question)
		picked := x.pick(question, candidates(req.Sources, question))
		if len(picked) == 0 {
			yield("", quire.ErrNoAnswer)
			return
		}
		for i, s := range picked {
			if err := ctx.Err(); err != nil {
				yield("", err)
				return
			}
			piece := fmt.Sprintf("%s [%d]", s.text, s.source)
			if i > 0 {
				piece = separator(picked[i-1], s) + piece
			}
			if !yield(piece, nil) {
				return
			}
		}
	}
}

// separator stands between two sentences of an answer: a new paragraph for another
// source or for code.
func separator(a, b candidate) string {
	if a.source != b.source || a.verbatim || b.verbatim {
		return "\n\n"
	}
	return " "
}

// candidate is a sentence that an answer may quote.
type candidate struct {
	source   int // number of its source
	place    int // among the sentences of its source
	text     string
	verbatim bool            // a line of code, a table row or a heading: quoted only when no prose fits
	terms    map[string]bool // its content words, stemmed
	context  map[string]bool // those of the title and headings above it
	near     map[string]bool // those of the sentences before and behind it
	score    float64
}

// termSet is the set of content words of a text, stemmed.
func termSet(text string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range segment.Content(text) {
		set[w] = true
	}
	return set
}

// candidates returns the sentences of all sources that share a term with the
// question.
func candidates(sources []quire.LLMSource, question map[string]bool) []candidate {
	var out []candidate
	for _, src := range sources {
		all := sentencesOf(src)
		for i := range all {
			if !overlaps(all[i].terms, question) {
				continue
			}
			all[i].near = make(map[string]bool)
			for _, n := range all[max(0, i-1):min(len(all), i+2)] {
				for t := range n.terms {
					all[i].near[t] = true
				}
			}
			out = append(out, all[i])
		}
	}
	return out
}

// sentencesOf cuts the text of a source into sentences; code into lines.
func sentencesOf(src quire.LLMSource) []candidate {
	var out []candidate
	context := termSet(src.Title + "\n" + strings.Join(src.Heading, "\n"))
	add := func(text string, verbatim bool) {
		if text == "" {
			return
		}
		// Removing the marks may have undone what keeps a number from being a marker.
		text = bracketed.ReplaceAllString(text, `\[$1\]`)
		out = append(out, candidate{source: src.Number, place: len(out), text: text, verbatim: verbatim, terms: termSet(text), context: context})
	}
	for _, b := range segment.Blocks(src.Text) {
		block := src.Text[b.Start:b.End]
		switch b.Kind {
		case segment.Paragraph, segment.Item:
			for _, r := range segment.Sentences(block) {
				add(segment.Plain(block[r[0]:r[1]]), false)
			}
		case segment.Code:
			for line := range strings.Lines(block) {
				if line = strings.TrimSpace(line); !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
					add(line, true)
				}
			}
		default:
			for line := range strings.Lines(block) {
				add(segment.Plain(line), true)
			}
		}
	}
	return out
}

// bracketed matches what could be read as a marker and is not written as text yet.
var bracketed = regexp.MustCompile(`\[([\d\s,;–-]*\d[\d\s,;–-]*)\]`)

func overlaps(a, b map[string]bool) bool {
	for t := range b {
		if a[t] {
			return true
		}
	}
	return false
}

// The weights of a term of the question by where it occurs, and what else makes a
// sentence a better or worse answer.
const (
	inContext  = 0.5  // in the title or headings only
	inNear     = 0.35 // in the sentence before or behind only
	perRank    = 0.04 // off for each place in the order of sources
	asQuestion = 0.6  // a sentence that is itself a question
	idealWords = 30   // longer sentences are worth less
	goodEnough = 0.55 // of the best score
	tooSimilar = 0.6  // share of common terms with a sentence that is picked
)

// pick returns the best sentences in reading order.
func (x *Extractive) pick(question map[string]bool, all []candidate) []candidate {
	if slices.ContainsFunc(all, func(c candidate) bool { return !c.verbatim }) {
		all = slices.DeleteFunc(all, func(c candidate) bool { return c.verbatim })
	}
	weights := rarity(question, all)
	for i := range all {
		all[i].score = score(all[i], question, weights)
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	var picked []candidate
	for _, c := range all {
		if len(picked) == x.sentences || c.score < goodEnough*all[0].score {
			break
		}
		if !slices.ContainsFunc(picked, func(p candidate) bool { return similarity(p.terms, c.terms) > tooSimilar }) {
			picked = append(picked, c)
		}
	}
	if len(picked) == 0 {
		return nil
	}
	best := picked[0].source
	slices.SortStableFunc(picked, func(a, b candidate) int {
		return cmp.Or(
			cmp.Compare(order(a.source, best), order(b.source, best)),
			cmp.Compare(a.place, b.place),
		)
	})
	return picked
}

// order puts the source of the best sentence first, the others behind it by number.
func order(source, best int) int {
	if source == best {
		return 0
	}
	return source
}

// rarity weighs each term of the question: the fewer sentences have it, the more it
// says (inverse document frequency, Spärck Jones 1972).
func rarity(question map[string]bool, all []candidate) map[string]float64 {
	weights := make(map[string]float64, len(question))
	for t := range question {
		n := 0
		for _, c := range all {
			if c.terms[t] || c.context[t] {
				n++
			}
		}
		weights[t] = math.Log(1 + float64(len(all)+1)/float64(n+1))
	}
	return weights
}

// score says how well a sentence fits the question: the weight of the question's
// terms that it covers.
func score(c candidate, question map[string]bool, weights map[string]float64) float64 {
	sum, total := 0.0, 0.0
	for _, t := range sortedTerms(question) { // in a fixed order: sums of floats depend on it
		w := weights[t]
		total += w
		switch {
		case c.terms[t]:
			sum += w
		case c.context[t]:
			sum += inContext * w
		case c.near[t]:
			sum += inNear * w
		}
	}
	s := sum / total
	if words := len(strings.Fields(c.text)); words > idealWords {
		s *= math.Sqrt(idealWords / float64(words))
	} else if words < 4 {
		s *= 0.7
	}
	if strings.HasSuffix(c.text, "?") {
		s *= asQuestion
	}
	if strings.HasSuffix(c.text, ":") {
		s *= 0.9 // it only announces what follows
	}
	return s / (1 + perRank*float64(c.source-1))
}

func sortedTerms(set map[string]bool) []string {
	terms := make([]string, 0, len(set))
	for t := range set {
		terms = append(terms, t)
	}
	slices.Sort(terms)
	return terms
}

// similarity is the share of common terms (Jaccard index).
func similarity(a, b map[string]bool) float64 {
	common := 0
	for t := range a {
		if b[t] {
			common++
		}
	}
	return float64(common) / float64(max(1, len(a)+len(b)-common))
}
