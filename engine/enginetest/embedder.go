package enginetest

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/quirelib/quire"
)

// Spoil is a way in which an Embedder breaks its contract.
type Spoil int

// The ways to spoil a result. The last three touch the last vector only.
const (
	SpoilMissing   Spoil = iota + 1 // one vector too few
	SpoilExtra                      // one vector too many
	SpoilDimension                  // every vector one number too short
	SpoilNaN                        // a vector with a NaN
	SpoilInf                        // a vector with an infinity
	SpoilZero                       // a vector of zeros
)

// Embedder is a fake [quire.Embedder]: a bag of words hashed into buckets.
// Equal texts have equal vectors, letter case and punctuation do not matter, and the
// more words two texts share the higher their cosine; without a shared word it is
// 0 unless two words fall into the same bucket. Words are runs of letters and
// digits. The zero value has 256 dimensions.
type Embedder struct {
	// Model is the first part of the fingerprint; "" means "fake".
	Model string
	// Dim is the length of the vectors; 0 means 256.
	Dim int

	mu     sync.Mutex
	gate   *Gate
	faults []error
	spoils []Spoil
	panics string
	calls  [][]string
}

var _ quire.Embedder = (*Embedder)(nil)

// NewEmbedder makes an Embedder of the default size.
func NewEmbedder() *Embedder { return &Embedder{} }

// Fingerprint returns model and dimension.
func (e *Embedder) Fingerprint() string {
	model := e.Model
	if model == "" {
		model = "fake"
	}
	return fmt.Sprintf("%s/%d", model, e.Dimension())
}

// Dimension returns the length of the vectors.
func (e *Embedder) Dimension() int {
	if e.Dim == 0 {
		return 256
	}
	return e.Dim
}

// Hold makes every call to Embed that begins from now on wait at the gate; nil ends
// that.
func (e *Embedder) Hold(g *Gate) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gate = g
}

// Fail makes the next n calls return err, after those that already are to fail.
func (e *Embedder) Fail(n int, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.faults = append(e.faults, slices.Repeat([]error{err}, n)...)
}

// Spoil makes the next n calls that do not fail return a broken result and no
// error.
func (e *Embedder) Spoil(n int, s Spoil) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.spoils = append(e.spoils, slices.Repeat([]Spoil{s}, n)...)
}

// PanicOn makes every call with a text that contains marker panic; "" ends that.
func (e *Embedder) PanicOn(marker string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.panics = marker
}

// Calls returns how often Embed was called, failed and waiting calls included.
func (e *Embedder) Calls() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.calls)
}

// Batches returns the texts of each call so far, in order.
func (e *Embedder) Batches() [][]string {
	e.mu.Lock()
	defer e.mu.Unlock()
	batches := make([][]string, len(e.calls))
	for i, texts := range e.calls {
		batches[i] = slices.Clone(texts)
	}
	return batches
}

// Texts returns the texts of all calls so far, in order.
func (e *Embedder) Texts() []string { return slices.Concat(e.Batches()...) }

// Vector returns the vector of a text, without counting as a call.
func (e *Embedder) Vector(text string) []float32 {
	dim := e.Dimension()
	counts := make([]float64, dim)
	for _, word := range words(text) {
		// Bucket 0 is kept for texts without words, so that they are near to nothing.
		bucket := 0
		if dim > 1 {
			h := fnv.New64a()
			h.Write([]byte(word))
			bucket = 1 + int(h.Sum64()%uint64(dim-1))
		}
		counts[bucket]++
	}
	norm := 0.0
	for _, n := range counts {
		norm += n * n
	}
	if norm == 0 {
		counts[0], norm = 1, 1
	}
	v := make([]float32, dim)
	for i, n := range counts {
		v[i] = float32(n / math.Sqrt(norm))
	}
	return v
}

// Embed returns the vector of each text, or what the test has asked for.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	gate, marker := e.gate, e.panics
	e.calls = append(e.calls, slices.Clone(texts))
	e.mu.Unlock()

	if err := gate.wait(ctx); err != nil {
		return nil, err
	}
	if marker != "" && slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, marker) }) {
		panic("enginetest: the embedder was told to panic for this text")
	}
	spoil, err := e.fault()
	if err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = e.Vector(text)
	}
	return spoil.apply(vectors), nil
}

// fault takes the next error or, if there is none, the next way to spoil.
func (e *Embedder) fault() (Spoil, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err, ok := next(&e.faults); ok {
		return 0, err
	}
	spoil, _ := next(&e.spoils)
	return spoil, nil
}

// next takes the first value of a queue.
func next[T any](queue *[]T) (value T, ok bool) {
	if len(*queue) == 0 {
		return value, false
	}
	value, *queue = (*queue)[0], (*queue)[1:]
	return value, true
}

func (s Spoil) apply(vectors [][]float32) [][]float32 {
	if s == SpoilExtra {
		return append(vectors, []float32{1})
	}
	if len(vectors) == 0 {
		return vectors
	}
	last := vectors[len(vectors)-1]
	switch s {
	case SpoilMissing:
		return vectors[:len(vectors)-1]
	case SpoilDimension:
		for i := range vectors {
			vectors[i] = vectors[i][1:]
		}
	case SpoilNaN:
		last[0] = float32(math.NaN())
	case SpoilInf:
		last[0] = float32(math.Inf(1))
	case SpoilZero:
		clear(last)
	}
	return vectors
}

// words splits a text into lower-case runs of letters and digits.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
