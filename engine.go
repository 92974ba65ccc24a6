package quire

import (
	"context"
	"iter"
	"log/slog"
	"time"
)

// Engine ingests a Library's elementals into chunks, searches them and answers
// questions from them.
type Engine struct {
	lib    *Library
	mirror mirror
}

// EngineOptions configure an Engine. The zero value is good.
type EngineOptions struct {
	// Chunker splits texts. Default: Markdown-aware, 256 tokens a chunk aimed at, 512
	// at most, no overlap.
	Chunker Chunker
	// Workers is how many ingests run at the same time. Default 2.
	Workers int
	// BatchSize is how many texts are embedded in one call. Default 64.
	BatchSize int
	// MaxAttempts is how often a failing ingest is tried. Default 5.
	MaxAttempts int
	// ChatSources is how many chunks an answer may use, 1..100. Default 8.
	ChatSources int
	// ContextTokens limits the text of all sources of one answer. Default 3000.
	ContextTokens int
	// NoAnswer is the answer when nothing was found. Default: a plain English sentence.
	NoAnswer string
	// Logger receives what the Engine has to say; never texts. Default: nothing.
	Logger *slog.Logger
}

// NewEngine makes an Engine over a Library that has none yet, fills the index from
// the Store and starts the workers. Close stops them; the parts stay open. opts
// may be nil. ErrConflict if the Library has an Engine or if stored chunks come
// from an Embedder with another fingerprint.
func NewEngine(ctx context.Context, lib *Library, index VectorIndex, embedder Embedder, llm LLM, opts *EngineOptions) (*Engine, error) {
	panic("stub")
}

// Library returns the Library that the Engine works over.
func (e *Engine) Library() *Library { return e.lib }

// Close stops the workers: running ingests are put back into the queue, for the
// next start. It waits for them until ctx ends. Closing twice is no error.
func (e *Engine) Close(ctx context.Context) error { panic("stub") }

// IngestRequest asks for an elemental to be ingested.
type IngestRequest struct {
	ElementalID string
	// TraceID becomes the job's id: 1..200 characters, no control characters; the
	// same one for the same elemental returns the same job, for another ErrConflict.
	// "": an id is made.
	TraceID string
}

// Ingest queues the ingest of an elemental of the tenant. When it returns, the job
// is durable. ErrNotFound if the tenant has no such elemental.
func (e *Engine) Ingest(ctx context.Context, tenantID string, req IngestRequest) (Job, error) {
	panic("stub")
}

// Job reads a job of the tenant.
func (e *Engine) Job(ctx context.Context, tenantID, id string) (Job, error) { panic("stub") }

// Jobs reads one page of the tenant's jobs, newest first.
func (e *Engine) Jobs(ctx context.Context, tenantID string, page Page) (Paged[Job], error) {
	panic("stub")
}

// Wait waits until a job of the tenant has reached a final state and returns it. A
// failed job is no error of Wait.
func (e *Engine) Wait(ctx context.Context, tenantID, id string) (Job, error) { panic("stub") }

// Progress yields a job of the tenant whenever its status, stage or counts have
// changed, ending with its final state.
func (e *Engine) Progress(ctx context.Context, tenantID, id string) iter.Seq2[Job, error] {
	panic("stub")
}

// SearchRequest asks for the chunks nearest to a query.
type SearchRequest struct {
	Query   string // not blank
	Filters Filters
	Limit   int // 1..100; 0 means 10
}

// SearchHit is a chunk found, without its vector.
type SearchHit struct {
	Chunk Chunk
	Score float64 // 0..1, 1 is nearest
}

// Search returns the chunks nearest to the query that match the filters, best
// first, ties by id.
func (e *Engine) Search(ctx context.Context, req SearchRequest) ([]SearchHit, error) { panic("stub") }

// ChatRequest asks a question.
type ChatRequest struct {
	Query   string // not blank
	Filters Filters
	Limit   int // how many chunks may be used; 0 means EngineOptions.ChatSources
}

// ChatResponse is an answer. A marker such as [1] in it cites Sources[0]; every
// marker has its source.
type ChatResponse struct {
	Answer  string
	Sources []SearchHit // the chunks that were given to the LLM, in order; empty without an answer
}

// Chat answers a question from the tenant's chunks.
func (e *Engine) Chat(ctx context.Context, req ChatRequest) (ChatResponse, error) { panic("stub") }

// ChatEvent is one step of a streamed answer: a piece of the text, or, once and
// last, the sources.
type ChatEvent struct {
	Content string
	Sources []SearchHit
	Last    bool // this is the last event, the one with the sources
}

// ChatStream answers like Chat, piece by piece: the pieces joined are the answer.
// Retrieval happens before the first event. An error is the last thing yielded.
func (e *Engine) ChatStream(ctx context.Context, req ChatRequest) iter.Seq2[ChatEvent, error] {
	panic("stub")
}

// DeleteResult counts what a deletion removed.
type DeleteResult struct {
	Chunks     int
	Elementals int // elementals that lost chunks
}

// DeleteElemental removes an elemental's chunks and cancels its ingests; the
// elemental itself stays in the Library. Without any, an unknown or another tenant's
// elemental included, it removes nothing and is no error.
func (e *Engine) DeleteElemental(ctx context.Context, tenantID, elementalID string) (DeleteResult, error) {
	panic("stub")
}

// Delete removes the chunks that match the filters and cancels the ingests of the
// elementals that match now.
func (e *Engine) Delete(ctx context.Context, f Filters) (DeleteResult, error) { panic("stub") }

// Component is the state of one part of the Engine.
type Component struct {
	Up      bool
	Latency time.Duration
	Counts  map[string]int // index: chunks, vectors, dimension; jobs: queued, running, failed
	Name    string         // of the embedder or LLM
}

// Health is the state of the Engine and its parts: store, index, embedder, llm,
// jobs.
type Health struct {
	Up         bool // all parts that are required are up
	Uptime     time.Duration
	Components map[string]Component
}

// Healthy reports, cheaply, whether the Engine works: nil, or why not.
func (e *Engine) Healthy(ctx context.Context) error { panic("stub") }

// Health reports on every part. It asks no model anything.
func (e *Engine) Health(ctx context.Context) Health { panic("stub") }
