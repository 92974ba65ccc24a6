package langchain

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/quirelib/quire"
	"github.com/tmc/langchaingo/embeddings"
)

// The defaults of EmbedderOptions.
const (
	defaultBatchTexts = 64
	defaultBatchBytes = 256 << 10
)

// EmbedderOptions configure an Embedder. The zero value is good.
type EmbedderOptions struct {
	// BatchTexts is how many texts are sent at once, at most. Default 64.
	BatchTexts int
	// BatchBytes is how many bytes of text are sent at once, at most; a single text that
	// is longer goes alone. Default 256 KiB, below the 300,000 tokens that OpenAI takes.
	BatchBytes int
	// SendDimension tells the server how long the vectors are to be, for models that can
	// shorten them, such as text-embedding-3-small. Only of NewOpenAIEmbedder. Default:
	// the model's own length is expected to be the given one.
	SendDimension bool
}

// Embedder is a [quire.Embedder] on a langchaingo embedder.
type Embedder struct {
	inner       embeddings.Embedder
	fingerprint string
	dimension   int
	opts        EmbedderOptions
}

var _ quire.Embedder = (*Embedder)(nil)

// NewEmbedder makes an Embedder of any langchaingo embedder. provider, model and
// dimension name what makes its vectors: together they are the fingerprint, so they must
// change when the vectors do. opts may be nil.
//
// Whether a server mixed up the order of its answer, and which status an error had, can be
// known only if its HTTP client is one of [HTTPClient].
func NewEmbedder(inner embeddings.Embedder, provider, model string, dimension int, opts *EmbedderOptions) (*Embedder, error) {
	var o EmbedderOptions
	if opts != nil {
		o = *opts
	}
	switch {
	case inner == nil:
		return nil, quire.Errorf(quire.CodeInvalid, "inner: must not be nil")
	case provider == "" || model == "":
		return nil, quire.Errorf(quire.CodeInvalid, "provider and model: must not be empty")
	case dimension < 1:
		return nil, quire.Errorf(quire.CodeInvalid, "dimension: must be at least 1")
	case o.BatchTexts < 0 || o.BatchBytes < 0:
		return nil, quire.Errorf(quire.CodeInvalid, "EmbedderOptions: BatchTexts and BatchBytes must not be negative")
	}
	if o.BatchTexts == 0 {
		o.BatchTexts = defaultBatchTexts
	}
	if o.BatchBytes == 0 {
		o.BatchBytes = defaultBatchBytes
	}
	if impl, ok := inner.(*embeddings.EmbedderImpl); ok {
		// Line ends are part of a text, and of what a fingerprint stands for. The batches are
		// made here.
		c := *impl
		c.StripNewLines, c.BatchSize = false, o.BatchTexts
		inner = &c
	}
	return &Embedder{
		inner: inner, dimension: dimension, opts: o,
		fingerprint: fmt.Sprintf("langchain/%s/%s/%d", provider, model, dimension),
	}, nil
}

// Fingerprint implements quire.Embedder: provider, model and dimension.
func (e *Embedder) Fingerprint() string { return e.fingerprint }

// Dimension implements quire.Embedder.
func (e *Embedder) Dimension() int { return e.dimension }

// Embed implements quire.Embedder, in as many requests as the limits of a batch make,
// one after the other. Texts of white space, which some servers refuse, have the vector
// of a full stop.
//
// A server that refuses the texts for good (400, 413, 422 and the like) is ErrInvalid;
// one that does not answer, answers with another status, or with vectors that are too few,
// of another length, not finite or zero, is ErrUnavailable.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([][]float32, 0, len(texts))
	for batch := range e.batches(texts) {
		vectors, err := e.embedBatch(ctx, batch)
		if err != nil {
			return nil, err
		}
		out = append(out, vectors...)
	}
	return out, nil
}

// batches yields copies of the texts, as they are sent.
func (e *Embedder) batches(texts []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		var batch []string
		size := 0
		for _, text := range texts {
			if len(batch) > 0 && (len(batch) == e.opts.BatchTexts || size+len(text) > e.opts.BatchBytes) {
				if !yield(batch) {
					return
				}
				batch, size = nil, 0
			}
			batch = append(batch, sendable(text))
			size += len(text)
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

// sendable is a text as servers take it.
func sendable(text string) string {
	if strings.TrimSpace(text) == "" {
		return "."
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

func (e *Embedder) embedBatch(ctx context.Context, texts []string) ([][]float32, error) {
	c := new(call)
	count := len(texts)
	vectors, err := e.inner.EmbedDocuments(withCall(ctx, c), texts)
	// A client that does not heed its context must not make a cancelled call succeed.
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := c.failure(err); err != nil {
		return nil, embedderError(err)
	}
	if len(vectors) != count {
		return nil, quire.Errorf(quire.CodeUnavailable, "the model returned %d vectors for %d texts", len(vectors), count)
	}
	out := make([][]float32, count)
	for i, v := range vectors {
		if len(v) != e.dimension {
			return nil, quire.Errorf(quire.CodeUnavailable, "the model returned a vector of %d numbers; %d were expected", len(v), e.dimension)
		}
		var ok bool
		if out[i], ok = unit(v); !ok {
			return nil, quire.Errorf(quire.CodeUnavailable, "the model returned a vector that is zero or not finite")
		}
	}
	return out, nil
}

// unit returns a copy of v of length 1; false if v has no direction.
func unit(v []float32) ([]float32, bool) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, false
	}
	length := math.Sqrt(sum)
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / length)
	}
	return out, true
}
