package engine

import (
	"context"
	"fmt"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/feature"
	"github.com/quirelib/quire/internal/segment"
)

// The values of HashingOptions.Dimension.
const (
	defaultDimension = 2048
	minDimension     = 64
	maxDimension     = 1 << 16
)

// hashingVersion is part of the fingerprint. It must change with everything that
// changes a vector: the weights below, the lists of words, folding and stemming.
const hashingVersion = 1

// How much features count. Measured like those of internal/feature.
const (
	commonWeight = 0.5 // words frequent in texts of any subject
	pairWeight   = 0.4 // neighbouring words, function words left out
	gramWeight   = 0.7 // the character n-grams of a word together, relative to the word
)

// HashingOptions configure a Hashing embedder. The zero value is good.
type HashingOptions struct {
	// Dimension is the length of the vectors: 64..65536. More is more exact and needs
	// more memory, 4 bytes each. Default 2048.
	Dimension int
}

// Hashing is an Embedder without a model: texts that share words are near. It needs
// no download and no network, and embeds thousands of passages a second.
//
// The features of a text are the stems of its words and, with less weight, pairs of
// neighbouring words and the character n-grams of words, so that forms, compounds and
// misspellings of a word are near each other; for Chinese, Japanese, Korean and Thai
// characters and pairs of them. A feature that occurs n times weighs 1 + ln n; function
// words hardly count, words common in any subject half. Each is added, with a sign, to
// one component chosen by its hash (Weinberger et al., "Feature Hashing for Large Scale
// Multitask Learning", ICML 2009), which keeps inner products right in the mean.
// Synonyms are not near: for that, plug in a model.
//
// Vectors are the same in every process and on every platform, up to rounding.
type Hashing struct{ dimension int }

// NewHashing returns a Hashing embedder. opts may be nil. ErrInvalid if an option
// is out of its range.
func NewHashing(opts *HashingOptions) (*Hashing, error) {
	dimension := defaultDimension
	if opts != nil && opts.Dimension != 0 {
		dimension = opts.Dimension
	}
	if dimension < minDimension || dimension > maxDimension {
		return nil, quire.Errorf(quire.CodeInvalid, "Dimension is %d, but must be %d..%d", dimension, minDimension, maxDimension)
	}
	return &Hashing{dimension: dimension}, nil
}

// Fingerprint implements quire.Embedder.
func (h *Hashing) Fingerprint() string {
	return fmt.Sprintf("quire-hashing/%d dimension=%d grams=%d-%d", hashingVersion, h.dimension, feature.MinGram, feature.MaxGram)
}

// Dimension implements quire.Embedder.
func (h *Hashing) Dimension() int { return h.dimension }

// Embed implements quire.Embedder. Its only error is that of a cancelled context.
func (h *Hashing) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for _, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vectors = append(vectors, h.embed(text))
	}
	return vectors, ctx.Err()
}

// hashingWeigher is how much words count in a Hashing vector.
var hashingWeigher = feature.Weigher{
	Word: func(_, stem string) float32 {
		if commonWords[stem] {
			return commonWeight
		}
		return feature.Plain
	},
	Pair: pairWeight,
}

// embed returns the vector of one text. One without any feature, or whose features
// cancelled out, is the first unit vector.
func (h *Hashing) embed(text string) []float32 {
	terms := feature.Terms(segment.Words(text), hashingWeigher)
	if len(terms) == 0 {
		terms = feature.Symbols(text)
	}
	v := make(feature.Vector, h.dimension)
	v.AddTerms(terms, gramWeight)
	if !v.Scale(1) {
		v[0] = 1
	}
	return v
}
