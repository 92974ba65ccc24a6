package quire

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// model is an Embedder with its fingerprint and the length of its vectors, both as they
// were when the Engine was made: vectors of another length must not come among the others.
type model struct {
	embedder    Embedder
	fingerprint string
	length      int

	// down means that it did not answer even what is harmless, and nothing since.
	down atomic.Bool

	pace pace
}

const partEmbedder = "embedder"

func newModel(e Embedder) (*model, error) {
	m := &model{embedder: e}
	err := guarded(partEmbedder, func() error {
		m.fingerprint, m.length = e.Fingerprint(), e.Dimension()
		return nil
	})
	if err == nil && m.length < 1 {
		err = Errorf(CodeInvalid, "the embedder says that its vectors have %d numbers; Dimension must be at least 1", m.length)
	}
	return m, err
}

// embed asks the embedder and checks what it answers: an index that swallowed a
// vector of the wrong length or one that is no number would be of no use any more.
// The vectors are of unit length and the caller's own.
func (m *model) embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := m.ask(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, Errorf(CodeUnavailable, "the embedder returned %d vectors for %d texts", len(vectors), len(texts))
	}
	out := make([][]float32, len(vectors))
	for i, v := range vectors {
		if len(v) != m.length {
			return nil, Errorf(CodeUnavailable, "the embedder returned a vector of %d numbers instead of %d", len(v), m.length)
		}
		unit, ok := normal(v)
		if !ok {
			return nil, Errorf(CodeUnavailable, "the embedder returned a vector that is zero or not finite")
		}
		out[i] = unit
	}
	m.down.Store(false)
	return out, nil
}

// ask asks the embedder and believes what it answers.
func (m *model) ask(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	err = guarded(partEmbedder, func() (err error) {
		vectors, err = m.embedder.Embed(ctx, texts)
		return err
	})
	if err != nil {
		return nil, modelError(ctx, partEmbedder, err, texts)
	}
	return vectors, nil
}

const (
	probeText = "ok"             // that no embedder can have a reason to refuse
	probeTime = 10 * time.Second // for its answer; less than is left of a lease
)

// probe asks the embedder something harmless after it has failed: is it this text, or is
// nobody there? An embedder that answers with bad vectors is there.
func (m *model) probe(ctx context.Context) (down bool) {
	short, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	_, err := m.ask(short, []string{probeText})
	if ctx.Err() != nil { // nothing is known
		return false
	}
	m.down.Store(err != nil)
	return err != nil
}

// normal returns a copy of v of unit length; false if v has no direction.
func normal(v []float32) ([]float32, bool) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	// The square of the largest float32 is far inside float64, so only what was not
	// finite before is not finite here.
	if sum == 0 || math.IsInf(sum, 0) || math.IsNaN(sum) {
		return nil, false
	}
	length := math.Sqrt(sum)
	unit := make([]float32, len(v))
	for i, x := range v {
		unit[i] = float32(float64(x) / length)
	}
	return unit, true
}

// modelCodes are the codes with which a model speaks of itself, and givenCodes those with
// which it speaks of what it was given.
var (
	modelCodes = []Code{CodeUnavailable, CodeNoAnswer, CodeInternal}
	givenCodes = []Code{CodeInvalid, CodeTooLarge}
)

// modelError makes the error of an embedder or LLM one of this module: the caller's
// context error and an *Error about how it is as they are, one about what it was given with
// the name of who refused it, everything else ErrUnavailable with the cause hidden. A context
// error while ctx is alive is a time limit of the model's own; and that the model's key is refused, or its service not found,
// is nothing that the caller could be told of his own. Of the cause, what repeats the texts
// that the model was given is left out.
func modelError(ctx context.Context, model string, err error, given []string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var e *Error
	switch {
	case !errors.As(err, &e):
	case slices.Contains(givenCodes, e.Code):
		return Errorf(e.Code, "the %s refused it: %s", model, e.Message).WithCause(saidOf(err, given))
	case !slices.Contains(modelCodes, e.Code):
	case e.cause == nil:
		return e
	default:
		return e.WithCause(saidOf(e.cause, given))
	}
	return Errorf(CodeUnavailable, "the %s does not answer", model).WithCause(saidOf(err, given))
}
