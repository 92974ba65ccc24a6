package quire

import (
	"context"
	"iter"
	"strings"
	"unicode"

	"github.com/quirelib/quire/internal/segment"
)

// ChatRequest asks a question.
type ChatRequest struct {
	Query   string // not blank, at most 64 KiB
	Filters Filters
	Limit   int        // how many chunks may be used, 1..100; 0 means EngineOptions.ChatSources
	Mode    SearchMode // "" means EngineOptions.Mode
	// History are the turns of the conversation before the query, oldest first: at most
	// 100 of RoleUser and RoleAssistant, none blank or over 64 KiB. A query that leans on
	// them is searched for with what it leans on (see [Rewriter]), and the LLM is given
	// the newest ones, about 1000 tokens. Sources are found afresh for each query.
	History []Message
}

// ChatResponse is an answer. A marker such as [1] in it cites Sources[0]; every
// marker has its source, and [ChatResponse.Cited] says which sources have a marker.
type ChatResponse struct {
	Answer string
	// Sources are the chunks that were given to the LLM, in order, as they were when the answer
	// began: one that is deleted meanwhile is among them. Empty without an answer.
	Sources []SearchHit
}

// ChatEvent is one step of a streamed answer: a piece of the text, or, once and
// last, the sources.
type ChatEvent struct {
	Content string
	Sources []SearchHit
	Last    bool // this is the last event, the one with the sources
}

// maxAnswer is how much an LLM may write for an answer, in bytes: hundreds of pages. More is
// an LLM that does not stop, and would fill the memory.
const maxAnswer = 1 << 20

// Chat answers a question from the tenant's chunks. That there is no answer is no error: if
// nothing is found, for which the LLM is not asked, or if the LLM finds none in the sources,
// Answer is EngineOptions.NoAnswer and there are no Sources.
//
// Errors are those of [Engine.Search]; ErrInvalid for a History that breaks a rule too, and
// ErrUnavailable if the LLM fails, takes back what it has begun to say, or writes more than 1 MiB,
// where it is stopped. No part of an answer comes with an error. A Rewriter that fails is none:
// the query is searched for with those before it that it leans on.
func (e *Engine) Chat(ctx context.Context, req ChatRequest) (ChatResponse, error) {
	var answer strings.Builder
	var res ChatResponse
	for ev, err := range e.ChatStream(ctx, req) {
		if err != nil {
			return ChatResponse{}, err
		}
		answer.WriteString(ev.Content)
		res.Sources = ev.Sources
	}
	res.Answer = answer.String()
	return res, nil
}

// ChatStream answers like Chat, piece by piece: the pieces joined are the answer.
// Retrieval happens before the first event. An error is the last thing yielded; it is
// ErrClosed where [Engine.Close] ends the answer.
func (e *Engine) ChatStream(ctx context.Context, req ChatRequest) iter.Seq2[ChatEvent, error] {
	return func(yield func(ChatEvent, error) bool) {
		ctx, done := e.untilClosed(ctx)
		defer done(nil)
		for event, err := range e.chat(ctx, req) {
			if err != nil {
				err = done(err)
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

// chat is ChatStream until ctx ends.
func (e *Engine) chat(ctx context.Context, req ChatRequest) iter.Seq2[ChatEvent, error] {
	return func(yield func(ChatEvent, error) bool) {
		query, sources, err := e.retrieve(ctx, req)
		if err != nil {
			yield(ChatEvent{}, err)
			return
		}
		if len(sources) > 0 {
			for piece, err := range e.answer(ctx, newRequest(req, query, sources)) {
				if CodeOf(err) == CodeNoAnswer {
					sources = nil
					break
				}
				if !yield(ChatEvent{Content: piece}, err) || err != nil {
					return
				}
			}
		}
		if len(sources) == 0 && !yield(ChatEvent{Content: e.opts.NoAnswer}, nil) {
			return
		}
		yield(ChatEvent{Sources: sources, Last: true}, nil)
	}
}

// retrieve finds the sources of an answer, and returns what it searched for.
func (e *Engine) retrieve(ctx context.Context, req ChatRequest) (query string, sources []SearchHit, err error) {
	if err := e.open(ctx); err != nil {
		return "", nil, err
	}
	probs := e.checkQuery(req.Query, req.Filters, req.Limit, req.Mode)
	checkHistory(req.History, &probs)
	if err := probs.err(); err != nil {
		return "", nil, err
	}
	if query, err = e.standalone(ctx, req.Query, req.History); err != nil {
		return "", nil, err
	}
	limit := req.Limit
	if limit == 0 {
		limit = e.opts.ChatSources
	}
	// Twice as many as needed, so that others take the places of duplicates.
	hits, err := e.search(ctx, SearchRequest{Query: query, Filters: req.Filters, Limit: min(2*limit, maxResults), Mode: req.Mode})
	if err != nil {
		return "", nil, err
	}
	if hits, err = withoutRepeats(ctx, hits); err != nil {
		return "", nil, err
	}
	sources, err = withoutParts(ctx, fitTokens(hits[:min(limit, len(hits))], e.opts.ContextTokens))
	return query, sources, err
}

// fitTokens takes the chunks, best first, that fit into a number of tokens together, with
// the titles and headings that the LLM is given with them, but at least one.
func fitTokens(hits []SearchHit, limit int) []SearchHit {
	var kept []SearchHit
	used := 0
	for _, h := range hits {
		tokens := segment.Tokens(h.Chunk.Text) + segment.Tokens(headOf(h.Chunk.Title, h.Chunk.Heading))
		if len(kept) == 0 || used+tokens <= limit {
			kept = append(kept, h)
			used += tokens
		}
	}
	return kept
}

// answer yields the LLM's answer without markers that have no source, in pieces that
// are not empty. ErrNoAnswer, if nothing was yielded, says that there is none.
func (e *Engine) answer(ctx context.Context, req *LLMRequest) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		filter := markerFilter{sources: len(req.Sources)}
		var begin opening
		written := 0 // with what is not shown: white space is held, too
		for piece, err := range e.llm.generate(ctx, req) {
			if CodeOf(err) == CodeNoAnswer && !begin.passed {
				yield("", ErrNoAnswer)
				return
			}
			if err != nil {
				yield("", answerError(ctx, err, req))
				return
			}
			if ctx.Err() != nil { // which the LLM may not look at
				break
			}
			if written += len(piece); written > maxAnswer {
				cancel() // for an LLM that looks at nothing else
				yield("", errEndless)
				return
			}
			if text := begin.write(filter.write(piece)); text != "" && !yield(text, nil) {
				return
			}
		}
		// A generation that was cut short must not pass for a whole one.
		if ctx.Err() != nil {
			yield("", ctx.Err())
			return
		}
		if text := begin.write(filter.end()); text != "" && !yield(text, nil) {
			return
		}
		if !begin.passed {
			if text, ok := begin.end(); ok {
				yield(text, nil)
				return
			}
			yield("", ErrNoAnswer)
		}
	}
}

var errEndless = Errorf(CodeUnavailable, "the llm wrote more than 1 MiB; it was stopped: try again, or limit how long its answers may be")

// answerError is modelError for an LLM that failed. ErrNoAnswer after the answer has
// begun is a fault of the LLM's, not an outcome.
func answerError(ctx context.Context, err error, req *LLMRequest) error {
	given := req.texts()
	if CodeOf(err) == CodeNoAnswer {
		return Errorf(CodeUnavailable, "the llm took its answer back").WithCause(saidOf(err, given))
	}
	return modelError(ctx, partLLM, err, given)
}

// opening holds the beginning of an answer back while it is blank or may be
// noAnswerWord: what has been shown cannot become "no answer" any more.
type opening struct {
	passed  bool
	held    strings.Builder
	matched int // bytes of noAnswerWord that held has, after white space
}

// write returns what can be shown by now. It looks at each character once: an answer may
// be blank for long.
func (o *opening) write(text string) string {
	if o.passed {
		return text
	}
	o.held.WriteString(text)
	for _, r := range text {
		switch {
		case o.matched == 0 && unicode.IsSpace(r):
		case o.matched < len(noAnswerWord) && r == rune(noAnswerWord[o.matched]):
			o.matched++
		case o.matched == len(noAnswerWord) && (r == '.' || r == '!' || unicode.IsSpace(r)):
		default:
			o.passed = true
			return o.held.String()
		}
	}
	return ""
}

// end returns what is held when the answer ends so soon; false if that is none.
func (o *opening) end() (string, bool) {
	return o.held.String(), 0 < o.matched && o.matched < len(noAnswerWord)
}
