package engine

import (
	"context"
	"fmt"
	"iter"
	"regexp"

	"github.com/quirelib/quire"
)

// defaultSentences is how many sentences an answer has at most.
const defaultSentences = 4

// ExtractiveOptions configure an Extractive. The zero value is good.
type ExtractiveOptions struct {
	// Sentences is how many sentences an answer has at most. Default 4; less than 1
	// means the default.
	Sentences int
}

// Extractive is an LLM without a model: it answers with those sentences of the
// sources that match the question best, each followed by the marker of its source.
// It never writes a word that is not in the sources.
//
// A sentence matches by the stems of the question's content words that it holds,
// rarer ones counting more (inverse frequency over all sentences of the sources);
// words of its heading, title and neighbours count a little, and so do a good place
// among the sources and words that stand side by side as in the question. Questions,
// lead-ins and very short or long sentences count less, and a sentence is not picked
// if it mostly repeats another (maximal marginal relevance: Carbonell and Goldstein,
// SIGIR 1998). Lines of code, and then headings, are quoted only where nothing else
// matches. Markdown marks are removed.
//
// In Chinese, Japanese, Korean and Thai, pairs of characters take the place of words.
type Extractive struct{ sentences int }

// NewExtractive returns an Extractive. opts may be nil.
func NewExtractive(opts *ExtractiveOptions) *Extractive {
	if opts == nil || opts.Sentences < 1 {
		return &Extractive{sentences: defaultSentences}
	}
	return &Extractive{sentences: opts.Sentences}
}

// Name implements quire.LLM.
func (e *Extractive) Name() string { return "extractive" }

// Generate implements quire.LLM. It reads Question, Query and Sources, and yields one
// sentence at a time: the source with the best one first, the sentences of a source in
// their order, a blank line between sources. ErrNoAnswer if no content word of the
// question occurs in any source.
func (e *Extractive) Generate(ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := ctx.Err(); err != nil {
			yield("", err)
			return
		}
		picked := e.answer(req)
		if len(picked) == 0 {
			yield("", quire.ErrNoAnswer)
			return
		}
		for i, c := range picked {
			if err := ctx.Err(); err != nil {
				yield("", err)
				return
			}
			number := req.Sources[c.source].Number
			piece := fmt.Sprintf("%s [%d]", c.quote(), number)
			if i > 0 && picked[i-1].source != c.source {
				piece = "\n\n" + piece
			} else if i > 0 {
				piece = " " + piece
			}
			if !yield(piece, nil) {
				return
			}
		}
	}
}

// answer returns the sentences that answer the request, in reading order; none if
// the sources hold no word of the question.
func (e *Extractive) answer(req *quire.LLMRequest) []candidate {
	q := leaningOn(req.Question, req.Query)
	var candidates []candidate
	for i, source := range req.Sources {
		candidates = append(candidates, q.candidates(i, source)...)
	}
	q.weigh(candidates)
	for _, kind := range []candidateKind{prose, codeLine, heading} {
		if picked := q.pick(candidates, kind, e.sentences); len(picked) > 0 {
			return readingOrder(picked)
		}
	}
	return nil
}

// marker matches what could be taken for the marker of a source.
var marker = regexp.MustCompile(`\[([\s\d,;–-]*\d[\s\d,;–-]*)\]`)

// withoutMarkers puts bracketed numbers into parentheses. The Engine has done that
// to the sources, but removing markup can bring one about.
func withoutMarkers(text string) string { return marker.ReplaceAllString(text, "($1)") }
