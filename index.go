package quire

import (
	"context"
	"io"
	"iter"
)

// VectorIndex finds the vectors nearest to a query. It is a copy of what the
// Store keeps: the Engine fills it at start and after every change, and can throw
// it away at any time.
//
// What every implementation must hold (engine/enginetest checks it):
//
//   - Values are copied on the way in and on the way out.
//   - Replace and Reset are atomic: a Search sees all of one or nothing of it.
//   - A vector that is empty, of another length than the first one stored, zero, or
//     holds a NaN or infinity is refused with ErrInvalid, and then nothing of the
//     call took effect.
//   - A cancelled context returns its error, soon; after Close, ErrClosed.
//
// While a Search runs, changes of content wait, those of other tenants too, and then further
// searches behind these: an index that asks a service gives itself a time limit.
type VectorIndex interface {
	// Replace removes all entries of an elemental and adds the given chunks, all of
	// that tenant and elemental. No chunks just removes. The index reads the ids,
	// the fields that Filters name, and Vector.
	Replace(ctx context.Context, tenantID, elementalID string, chunks []Chunk) error

	// Search returns the limit nearest entries of the tenant that match the filters
	// exactly, by descending score, ties by ascending id; fewer if fewer match, none
	// for an unknown tenant. Filters apply before the cut: a single match among any
	// number of nearer entries is found. The score is the cosine similarity clamped
	// to 0..1, never NaN. limit is at least 1. A filters.TenantID of "" or a query
	// vector that Replace would refuse is ErrInvalid.
	//
	// The Engine does not trust in that: it drops hits whose score is no number, that are
	// repeated, beyond the limit or of chunks that there are not, clamps scores, and puts
	// hits in order.
	Search(ctx context.Context, query []float32, filters Filters, limit int) ([]Hit, error)

	// Reset removes all entries of all tenants.
	Reset(ctx context.Context) error

	// Stats returns what is in the index.
	Stats(ctx context.Context) (IndexStats, error)

	// Close releases the index. Closing twice is no error.
	Close() error
}

// NamedIndex is what a VectorIndex may be besides: one with a name for health reports,
// which have none without it.
type NamedIndex interface {
	VectorIndex
	// Name names the kind of index, such as "flat". It is always the same.
	Name() string
}

// SavedIndex is what a VectorIndex may be besides: one that makes something of its entries
// that takes long, such as a graph, and can save that. Whoever opens it calls Hold, has it
// filled, and then calls Load with what Save wrote when it was closed before.
//
// What is saved is a help and never needed: an index that is given something damaged, old, or
// of other entries makes anew what it lacks, and finds what it would without.
type SavedIndex interface {
	VectorIndex

	// Hold has the index put off what takes long, because it is about to be filled. Until
	// Load is called it searches without.
	Hold()

	// Load takes what Save wrote, as far as it is of entries that are in the index now, and
	// ends what Hold began, whatever it returns. A reader without a byte means that nothing
	// was saved. An error is for the log: ErrCorrupt if something is damaged, ErrConflict if
	// entries are others than were saved.
	Load(ctx context.Context, r io.Reader) error

	// Built waits until everything is made that is to be, or ctx ends.
	Built(ctx context.Context) error

	// Save writes what was made so far, and not a byte if that is nothing. It holds no text
	// and no vectors. Searches and changes may run meanwhile.
	Save(ctx context.Context, w io.Writer) error
}

// Hit is one result of a VectorIndex.
type Hit struct {
	ID    string  // of the chunk
	Score float64 // 0..1
}

// IndexStats counts the content of a VectorIndex.
type IndexStats struct {
	Vectors   int
	Dimension int // length of each vector; 0 while the index is empty
}

// Embedder turns texts into vectors. It must be safe for concurrent use.
type Embedder interface {
	// Fingerprint names the model and every parameter that changes its vectors.
	// Vectors of two fingerprints are never compared.
	Fingerprint() string
	// Dimension is the length of every vector, at least 1.
	Dimension() int
	// Embed returns one vector for each text, in order, each of unit length. An empty
	// input gives an empty result. A text without any word still gives a vector of
	// unit length. The caller's slice is not changed. An error means that none was
	// embedded; ErrInvalid is permanent, everything else may be tried again. A call whose
	// context has ended, before it or on the way, returns the context's error, unless it has
	// all vectors by then.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// LLM writes an answer from sources. It must be safe for concurrent use.
type LLM interface {
	// Name names the model, for health reports.
	Name() string
	// Generate yields the answer in pieces. Joined they are the answer; a piece may
	// end inside a word or character. The answer cites sources by markers such as
	// [1], by LLMSource.Number. An error is the last thing yielded: ErrNoAnswer before
	// any piece says that the sources hold no answer. When the consumer stops, or ctx
	// is cancelled, generation ends and holds on to nothing; a cancelled ctx yields
	// its error. That happens at 1 MiB, too: an answer that is longer is an error.
	Generate(ctx context.Context, req *LLMRequest) iter.Seq2[string, error]
}

// LLMRequest is what an LLM answers.
type LLMRequest struct {
	Question string      // as the user asked it
	Query    string      // what was searched for: Question, or with a history what it means alone
	Sources  []LLMSource // at least one, best first
	Messages []Message   // rules, history, sources and question as messages for a chat model
}

// texts are all texts of the request.
func (r *LLMRequest) texts() []string {
	texts := []string{r.Question, r.Query}
	for _, s := range r.Sources {
		texts = append(texts, s.Title, s.Text)
	}
	for _, m := range r.Messages {
		texts = append(texts, m.Content)
	}
	return texts
}

// LLMSource is a passage that the answer may use. Bracketed numbers in its Text
// are already written so that they cannot be taken for markers.
type LLMSource struct {
	Number  int // from 1; the marker that cites it
	Title   string
	Heading []string
	Text    string
}

// Role says who speaks a Message.
type Role string

// The roles of messages.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is one turn of a conversation.
type Message struct {
	Role    Role
	Content string
}

// Span is one chunk of a text.
type Span struct {
	Start, End int      // byte offsets into the text, Start inclusive, End exclusive
	Heading    []string // the headings above its end, outermost first, see Chunk.Heading
}

// Chunker splits a text into spans to embed. It must be safe for concurrent use.
type Chunker interface {
	// Chunks returns the spans in ascending order of Start. Each is inside the text,
	// holds something other than white space, and begins and ends at boundaries of
	// grapheme clusters (UAX #29) unless a single cluster is over the cap. Together they
	// cover all of the text that is not white space. A text of white space has none. The
	// same text has the same spans.
	Chunks(text string) []Span
}
