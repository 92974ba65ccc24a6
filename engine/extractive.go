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
// A sentence matches by the words of the question that it holds, rarer ones counting more
// (inverse frequency over all sentences of the sources), and words as they are written, side
// by side or close together counting more still. Words of its heading, title and the
// sentence in front count too, and so do a good place among the sources and, in English,
// that it holds what is asked for: a number, a date, a name, a reason. Questions, lead-ins
// and very short or long sentences count less, and a sentence is not picked if it mostly
// repeats another (maximal marginal relevance: Carbonell and Goldstein, SIGIR 1998). The
// rows of a table are quoted with the headers of their columns. Lines of code are quoted only
// where no sentence matches, and where nothing but a heading does, what it begins with is: the
// heading itself says what a text is about, and is quoted only if nothing stands under it.
// Markdown marks are removed.
//
// Where the best sentence only shares some words with the question, there is no answer.
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
// their order, a blank line between sources. ErrNoAnswer if no sentence is likely to answer
// the question, and for a turn of a conversation that asks nothing, such as "Thanks!".
func (e *Extractive) Generate(ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := ctx.Err(); err != nil {
			yield("", err)
			return
		}
		picked := e.answer(ctx, req)
		if err := ctx.Err(); err != nil {
			yield("", err)
			return
		}
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
// nothing in the sources does, or nothing is asked, or the context has ended.
func (e *Extractive) answer(ctx context.Context, req *quire.LLMRequest) []candidate {
	if req.Query != "" && req.Query != req.Question && asksNothing(req.Question) {
		return nil // the question before has had its answer
	}
	q := leaningOn(req.Question, req.Query)
	var candidates []candidate
	for i, source := range req.Sources {
		if ctx.Err() != nil {
			return nil
		}
		candidates = append(candidates, q.candidates(i, source)...)
	}
	q.weigh(candidates)
	for _, kind := range []candidateKind{prose, codeLine, heading} {
		picked := q.pick(candidates, kind, e.sentences)
		if len(picked) == 0 || !q.answers(picked[0], candidates) {
			continue
		}
		if below := under(picked[0], candidates, e.sentences); len(below) > 0 {
			return below
		}
		return readingOrder(withAntecedents(picked, candidates, e.sentences))
	}
	return nil
}

// marker matches what could be taken for the marker of a source.
var marker = regexp.MustCompile(`\[([\s\d,;–-]*\d[\s\d,;–-]*)\]`)

// withoutMarkers puts bracketed numbers into parentheses. The Engine has done that
// to the sources, but removing markup can bring one about.
func withoutMarkers(text string) string { return marker.ReplaceAllString(text, "($1)") }
