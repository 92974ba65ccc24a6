// Package embedded assembles the default backends into one thing to open and one
// to close: a Library on SQLite and an Engine on chromem-go and full text, with an
// Embedder of word vectors and the extractive LLM. Nothing of it needs a key, a file
// besides its directory, or the network.
package embedded

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine"
	"github.com/quirelib/quire/engine/bm25"
	"github.com/quirelib/quire/engine/chromem"
	"github.com/quirelib/quire/engine/extract"
	"github.com/quirelib/quire/engine/rerank"
	"github.com/quirelib/quire/engine/static"
	"github.com/quirelib/quire/store/sqlite"
)

// databaseFile is the name of the SQLite database inside the directory.
const databaseFile = "quire.db"

// Options swap parts of what Open assembles. The zero value is good. A part that
// is given stays the caller's: Close does not close it.
type Options struct {
	// Store keeps everything. Default: SQLite in the file quire.db of the directory.
	Store quire.Store
	// Index finds neighbours. Default: chromem.New, which compares a query with every passage
	// of the tenant by chromem-go. flat.New finds the same passages in the same order, in a
	// small part of the time: it pays off from some thousand passages on, and is the one to
	// take for tens of thousands, for filters that select few of many, and beside writers.
	// docs/performance.md has figures by size. Close one that is given after the Quire, which
	// saves what it has made.
	Index quire.VectorIndex
	// Embedder makes vectors. Default: static.New. A directory that was filled with another
	// one is refused unless Engine.Former is that one; the default takes over one that
	// was filled with engine.NewHashing, and embeds it anew in the background. One that is
	// given is taken for a model that knows better than full text: unless Engine says
	// otherwise, TextWeight is 0.3 then and nothing is reranked.
	Embedder quire.Embedder
	// LLM writes answers. Default: engine.NewExtractive.
	LLM quire.LLM

	// SQLite configures the default Store; it has no effect beside Store.
	SQLite *sqlite.Options
	// Library configures the Library.
	Library *quire.LibraryOptions
	// Engine configures the Engine; its Chunker is swapped there, and its Extractor, Text
	// and Reranker, whose defaults here are extract.New, bm25.New and, with the default
	// Embedder, rerank.New.
	Engine *quire.EngineOptions
	// Logger receives what the Library and the Engine have to say, and what goes wrong with
	// quire.graph, where Library and Engine have no Logger of their own. Default: nothing is
	// logged.
	Logger *slog.Logger
}

// Quire is an open Library with its Engine. It is safe for concurrent use.
type Quire struct {
	Library *quire.Library
	Engine  *quire.Engine

	closers []func(context.Context) error // in the order of closing
}

// Open opens the Library and Engine of a directory, which it creates with mode
// 0700 if it is missing. opts may be nil. dir may be "" only if opts.Store is
// given; else that is ErrInvalid. ErrLocked means that this or another process has
// the directory open. Ingests that an earlier process left unfinished go on. When Open
// fails, nothing stays open.
//
// The directory has the database quire.db with what SQLite keeps beside it and, if
// opts.Index is a quire.SavedIndex with something to save, such as the graph of
// flat.Options.GraphRows, the file quire.graph. That is no part of what is kept: Close
// writes it, it may be deleted while the directory is closed, and what of it is damaged
// or old is made anew, which is logged.
func Open(ctx context.Context, dir string, opts *Options) (_ *Quire, err error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	q := &Quire{}
	defer func() {
		if err != nil {
			err = errors.Join(err, q.Close(context.WithoutCancel(ctx)))
		}
	}()
	ownStore := o.Store == nil
	if err := q.fillParts(ctx, dir, &o); err != nil {
		return nil, err
	}
	o.fillLoggers()
	load := func(context.Context) {}
	if index, ok := o.Index.(quire.SavedIndex); ok && ownStore {
		load = q.keep(index, filepath.Join(dir, graphFile), o.Engine.Logger)
	}
	if q.Library, err = quire.NewLibrary(ctx, o.Store, o.Library); err != nil {
		return nil, err
	}
	q.closeFirst(q.Library.Close)
	if q.Engine, err = quire.NewEngine(ctx, q.Library, o.Index, o.Embedder, o.LLM, o.Engine); err != nil {
		return nil, err
	}
	q.closeFirst(q.Engine.Close)
	load(ctx)
	return q, nil
}

// fillParts puts the default in for every part that o leaves out.
func (q *Quire) fillParts(ctx context.Context, dir string, o *Options) error {
	if o.Store == nil {
		s, err := openStore(ctx, dir, o.SQLite)
		if err != nil {
			return err
		}
		o.Store = s
		q.closeFirst(s.CloseContext)
	}
	if o.Index == nil {
		index := chromem.New(nil)
		o.Index = index
		q.closeFirst(func(context.Context) error { return index.Close() })
	}
	if o.LLM == nil {
		o.LLM = engine.NewExtractive(nil)
	}
	var opts quire.EngineOptions
	if o.Engine != nil {
		opts = *o.Engine
	}
	if err := fillRanking(o, &opts); err != nil {
		return err
	}
	if opts.Extractor == nil {
		opts.Extractor = extract.New(nil)
	}
	if opts.Text == nil {
		text := bm25.New(nil)
		opts.Text = text
		q.closeFirst(func(context.Context) error { return text.Close() })
	}
	o.Engine = &opts
	return nil
}

// fillLoggers gives the Logger to what has none of its own. The options that the caller gave
// stay as they are.
func (o *Options) fillLoggers() {
	library, engine := quire.LibraryOptions{}, *o.Engine
	if o.Library != nil {
		library = *o.Library
	}
	library.Logger, engine.Logger = cmp.Or(library.Logger, o.Logger), cmp.Or(engine.Logger, o.Logger)
	o.Library, o.Engine = &library, &engine
}

// modelTextWeight is how much full text counts beside a model. With fusion by score 0.2 is
// best where models were measured (Bruch, Gai, Ingber, "An Analysis of Fusion Functions for
// Hybrid Retrieval", ACM TOIS 42, 2023); names and numbers ask for a little more.
const modelTextWeight = 0.3

// fillRanking puts the default Embedder in, as the former one that which was the default
// before it, and what goes with it; or what goes with another Embedder.
func fillRanking(o *Options, opts *quire.EngineOptions) (err error) {
	if o.Embedder != nil {
		opts.TextWeight = cmp.Or(opts.TextWeight, modelTextWeight)
		return nil
	}
	if o.Embedder, err = static.New(); err != nil {
		return err
	}
	if opts.Former == nil {
		if opts.Former, err = engine.NewHashing(nil); err != nil {
			return err
		}
	}
	if opts.Reranker == nil {
		opts.Reranker = rerank.New()
	}
	return nil
}

func openStore(ctx context.Context, dir string, opts *sqlite.Options) (*sqlite.Store, error) {
	if dir == "" {
		return nil, quire.Errorf(quire.CodeInvalid, "a directory for the data is required unless Options.Store is given")
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, quire.Errorf(quire.CodeInvalid, "this is a file, and the directory that holds the library is asked for; to open a backup, put it into a directory of its own under the name %s", databaseFile)
	}
	if opts == nil || !opts.MustExist {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, directoryError(err)
		}
	}
	return sqlite.Open(ctx, filepath.Join(dir, databaseFile), opts)
}

// directoryError says what is wrong with the directory, without its path.
func directoryError(err error) error {
	reason := err
	var p *fs.PathError
	if errors.As(err, &p) {
		reason = p.Err
	}
	return quire.Errorf(quire.CodeUnavailable, "the directory for the data cannot be made: %v", reason).WithCause(err)
}

// closeFirst makes Close call f before what it called first so far.
func (q *Quire) closeFirst(f func(context.Context) error) {
	q.closers = append([]func(context.Context) error{f}, q.closers...)
}

// Close closes the Engine, the Library and the parts that Open made, in this
// order, all of them even if one fails, and returns the errors joined. Running
// ingests are put back into the queue for the next Open; Close waits for that until
// ctx ends, and then cuts off what still has the Store open (see
// [sqlite.Store.CloseContext]). Closing twice is no error.
func (q *Quire) Close(ctx context.Context) error {
	var errs []error
	for _, f := range q.closers {
		errs = append(errs, f(ctx))
	}
	return errors.Join(errs...)
}
