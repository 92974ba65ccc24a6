package quire

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quirelib/quire/internal/rwlock"
)

// Engine ingests a Library's elementals into chunks, searches them and answers
// questions from them. A panic in a part that was plugged in is an error with CodeInternal
// of whatever method needed the part.
type Engine struct {
	lib       *Library
	parts     partsClaim
	mirror    mirror // knows the Embedder that is in use
	change    reembedding
	llm       guardedLLM
	opts      EngineOptions
	log       *slog.Logger
	started   time.Time
	exclusive bool // no other process can have the Store open

	jobEvents signal // a job was added or has changed
	ready     signal // a job may have become runnable

	running runningJobs

	closed  atomic.Bool
	life    context.Context // ends with Close; the workers run under it
	end     context.CancelFunc
	workers sync.WaitGroup
	closing sync.Once
	done    chan struct{} // closed when the workers have ended and the Library is free
}

// EngineOptions configure an Engine. The zero value is good.
type EngineOptions struct {
	// Chunker splits texts. Default: Markdown-aware, 256 tokens a chunk aimed at, 512
	// at most, no overlap.
	Chunker Chunker
	// Extractor reads attached files. Default: none, and files are not ingested.
	// engine/extract has one for text, Markdown, HTML, PDF, DOCX and CSV.
	Extractor Extractor
	// Workers is how many ingests run at the same time. Default 2.
	Workers int
	// BatchSize is how many texts are embedded in one call at most. There are fewer as long
	// as a call takes more than two seconds. Default 64.
	BatchSize int
	// MaxChunks limits the chunks of one elemental; an ingest that makes more fails,
	// and what was ingested before stays. Default 20,000.
	MaxChunks int
	// MaxAttempts is how often a failing ingest is tried. Tries do not count while the
	// Embedder answers nothing at all. Default 5.
	MaxAttempts int
	// ChatSources is how many chunks an answer may use, 1..100. Default 8.
	ChatSources int
	// ContextTokens limits the text of all sources of one answer, with the titles and
	// headings above it. There is always at least one source. Default 3000.
	ContextTokens int
	// Text finds chunks by their words, beside the VectorIndex; engine/bm25 is one. It
	// stays the caller's, like the VectorIndex. Default: none, and Mode is SearchVector.
	Text TextIndex
	// Mode is how requests search that do not say so. Default: SearchHybrid with Text.
	Mode SearchMode
	// TextWeight is how much full text counts in a hybrid search beside the vectors,
	// above 0 and below 1. Default 0.7, which was measured best with the embedders that
	// Quire brings; with an embedding model that is better than full text, take less.
	TextWeight float64
	// Reranker puts what a search in Mode has found into a better order; engine/rerank has
	// one without a model. Searches in other modes are left as the index has them.
	// Default: none.
	Reranker Reranker
	// RerankDepth is how many hits the Reranker is given, 1..100, the best ones; what a
	// request wants beyond them comes behind. Default 20.
	RerankDepth int
	// Former is the Embedder that stored chunks come from when NewEngine is given another
	// one. The Engine then works with Former while it embeds all that is stored anew in
	// the background, and changes to the other at once when that is complete; see
	// [Engine.Reembedding]. It is not used if nothing is stored or if all that is stored
	// is of the other already. Default nil: what is stored must be of the Embedder given.
	Former Embedder
	// NoAnswer is the answer when nothing was found. Default: a plain English sentence.
	NoAnswer string
	// Logger receives what the Engine has to say; never texts. Default: nothing.
	Logger *slog.Logger
}

// withDefaults returns a checked copy with the defaults filled in; o may be nil.
func (o *EngineOptions) withDefaults() (EngineOptions, error) {
	var c EngineOptions
	if o != nil {
		c = *o
	}
	var probs problems
	number := func(name string, value *int, def, limit int) {
		if *value == 0 {
			*value = def
		}
		if *value < 1 || *value > limit {
			probs.add("EngineOptions."+name, "must be between 1 and %d, or 0 for the default of %d", limit, def)
		}
	}
	number("Workers", &c.Workers, 2, 1<<10)
	number("BatchSize", &c.BatchSize, 64, 1<<16)
	number("MaxChunks", &c.MaxChunks, 20_000, 1<<24)
	number("MaxAttempts", &c.MaxAttempts, 5, 1<<10)
	number("ChatSources", &c.ChatSources, 8, maxResults)
	number("ContextTokens", &c.ContextTokens, 3000, 1<<30)
	number("RerankDepth", &c.RerankDepth, defaultRerankDepth, maxResults)
	c.checkMode(&probs)
	if c.Chunker == nil {
		c.Chunker = defaultChunker{limit: c.MaxChunks}
	}
	if c.NoAnswer == "" {
		c.NoAnswer = "The knowledge base holds no answer to this question."
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, probs.err()
}

// NewEngine makes an Engine over a Library that has none yet, fills the index from
// the Store and starts the workers. Close stops them; the parts stay open. opts
// may be nil. ErrConflict if the Library has an Engine, or if stored chunks come from
// an Embedder with another fingerprint, which EngineOptions.Former has not either:
// then there is an [EmbedderMismatch] in the error.
func NewEngine(ctx context.Context, lib *Library, index VectorIndex, embedder Embedder, llm LLM, opts *EngineOptions) (*Engine, error) {
	var probs problems
	for _, part := range []struct {
		name    string
		missing bool
	}{{"lib", lib == nil}, {"index", index == nil}, {"embedder", embedder == nil}, {"llm", llm == nil}} {
		if part.missing {
			probs.add(part.name, "must not be nil")
		}
	}
	if err := probs.err(); err != nil {
		return nil, err
	}
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if lib.closed.Load() {
		return nil, ErrClosed
	}
	if err := lib.apart(ctx); err != nil {
		return nil, err
	}
	given, err := newModel(embedder)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		lib: lib, llm: guardedLLM{llm}, opts: o, log: o.Logger,
		mirror:  mirror{lock: rwlock.New(), index: indexes{vectors: guardedIndex{index}}, log: o.Logger, behind: make(map[string]string), given: given},
		change:  reembedding{ended: make(chan struct{})},
		started: time.Now(),
		done:    make(chan struct{}),
	}
	e.mirror.renew = e.renew
	if o.Text != nil {
		e.mirror.index.text = guardedText{o.Text}
	}
	if o.Former != nil {
		if e.mirror.former, err = newModel(o.Former); err != nil {
			return nil, err
		}
	}
	if x, ok := lib.store.(ExclusiveStore); ok {
		e.exclusive = x.Exclusive()
	}
	e.parts, err = claimParts(namedPart{"store", lib.store}, namedPart{"index", index}, namedPart{"text index", o.Text})
	if err != nil {
		return nil, err
	}
	e.life, e.end = context.WithCancel(context.WithoutCancel(ctx))
	if err := e.attach(ctx); err != nil {
		e.end()
		e.parts.release()
		return nil, err
	}
	for range o.Workers {
		e.workers.Go(e.work)
	}
	e.startReembedding()
	return e, nil
}

// attach makes e the engine of its Library and brings index and jobs up to date,
// all inside one Update: no commit can come between the filling of the index and
// the moment from which commits keep it in step.
func (e *Engine) attach(ctx context.Context) error {
	attached := false
	err := e.lib.update(ctx, func(tx Tx) error {
		if attached = attached || e.lib.engine.CompareAndSwap(nil, e); !attached {
			return Errorf(CodeConflict, "the library has an engine already; close that one first")
		}
		if err := e.begin(ctx, tx); err != nil {
			return err
		}
		if e.exclusive {
			return takeBack(ctx, tx)
		}
		return nil
	})
	if err != nil && attached {
		e.detach()
	}
	return err
}

// begin finds out which Embedder what is stored is of, notes that, and fills the index.
func (e *Engine) begin(ctx context.Context, tx Tx) error {
	m, err := e.mirror.modelOfChunks(ctx, tx)
	if err != nil {
		return err
	}
	if err := noteModel(ctx, tx, m); err != nil {
		return err
	}
	// What an earlier change of the embedder has left, but for one that goes on now.
	if m == e.mirror.given {
		err = tx.DeleteVectors(ctx)
	} else {
		err = tx.DeleteVectors(ctx, e.mirror.given.fingerprint)
	}
	if err != nil {
		return err
	}
	if err := e.mirror.lock.Lock(ctx); err != nil {
		return err
	}
	defer e.mirror.lock.Unlock()
	return e.mirror.fill(ctx, tx)
}

// renew drops the chunks of an elemental, which are damaged, and queues an ingest of it if it
// is still there. A worker finds that by itself, sooner or later.
func (e *Engine) renew(ctx context.Context, tx Tx, elementalID string) error {
	from := []string{elementalID}
	if elementalID == "" {
		var err error
		if from, err = namelessItems(ctx, tx); err != nil {
			return err
		}
	}
	if err := tx.ReplaceChunks(ctx, elementalID, nil); err != nil {
		return err
	}
	for _, id := range from {
		if err := e.ingestAgain(ctx, tx, id); err != nil {
			return err
		}
	}
	return nil
}

// namelessItems returns what the chunks that name no elemental come from: the only trace of
// it, unless that is a file.
func namelessItems(ctx context.Context, tx ReadTx) ([]string, error) {
	items := map[string]bool{}
	for c, err := range tx.AllChunks(ctx) {
		switch {
		case err == nil && c.ElementalID == "":
			items[c.ItemID] = true
		case err != nil && !unusable(&c, err):
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(items)), nil
}

// ingestAgain queues an ingest of an elemental, or of the table of a cell, if it is there.
func (e *Engine) ingestAgain(ctx context.Context, tx Tx, elementalID string) error {
	rec, err := tx.Elemental(ctx, elementalID)
	if err == nil {
		_, err = (&changes{lib: e.lib}).enqueue(ctx, tx, rec, "")
	}
	if CodeOf(err) == CodeNotFound {
		return nil
	}
	return err
}

// detach frees the Library for another engine.
func (e *Engine) detach() {
	e.lib.engine.Store(nil)
	// Whoever has the index now may still write to it; whoever gets it after this sees that
	// it is no longer that of the Library.
	if e.mirror.lock.Lock(context.Background()) == nil {
		e.mirror.lock.Unlock()
	}
}

// Library returns the Library that the Engine works over.
func (e *Engine) Library() *Library { return e.lib }

// Close stops the workers: running ingests are put back into the queue, for the
// next start. It waits for them until ctx ends. Searches, answers and streams that run are
// cancelled and end with ErrClosed; they are not waited for, but for a call of the index that
// runs. Closing twice is no error.
func (e *Engine) Close(ctx context.Context) error {
	e.closing.Do(func() {
		e.closed.Store(true)
		e.end()
		go func() {
			e.workers.Wait()
			e.detach()
			e.parts.release()
			close(e.done)
		}()
	})
	select {
	case <-e.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// untilClosed returns a context that ends with ctx and with the Engine, and the end of
// what runs under it: that passes its error on, which is ErrClosed if the Engine's end was
// the cause.
func (e *Engine) untilClosed(ctx context.Context) (context.Context, func(error) error) {
	under, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e.life, func() { cancel(ErrClosed) })
	return under, func(err error) error {
		stop()
		cancel(nil)
		if err != nil && ctx.Err() == nil && context.Cause(under) == ErrClosed {
			return ErrClosed
		}
		return err
	}
}

// open returns ErrClosed after Close, ErrInvalid inside of [Library.Once], and the
// context's error if there is one: every method begins with it.
func (e *Engine) open(ctx context.Context) error {
	if e.closed.Load() {
		return ErrClosed
	}
	if err := e.lib.apart(ctx); err != nil {
		return err
	}
	return ctx.Err()
}
