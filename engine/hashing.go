package engine

import (
	"context"
	"fmt"
	"math"
	"unicode"

	"github.com/quirelib/quire"
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

// gramWeight is how much the character n-grams of a word count together, relative
// to the word.
const gramWeight = 0.7

// The lengths of character n-grams.
const (
	minGram = 3
	maxGram = 5
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
	return fmt.Sprintf("quire-hashing/%d dimension=%d grams=%d-%d", hashingVersion, h.dimension, minGram, maxGram)
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

// embed returns the vector of one text.
func (h *Hashing) embed(text string) []float32 {
	v := make(hashed, h.dimension)
	found := terms(text)
	if len(found) == 0 {
		found = symbols(text)
	}
	for _, t := range found {
		weight := t.weight * float32(1+math.Log(float64(t.count)))
		v.add(hash(wordSeed, t.text), weight)
		if t.hasGrams {
			v.addGrams(t.text, weight*gramWeight)
		}
	}
	v.normalize()
	return v
}

// symbols returns the terms of a text without words: its characters.
func symbols(text string) []term {
	var t termSet
	for _, r := range text {
		if !unicode.IsSpace(r) {
			t.add(term{text: string(r), weight: plainWeight})
		}
	}
	return t.terms
}

// The seeds of the hashes: FNV-1a's offset basis, changed for n-grams so that the
// word "abc" and the n-gram "abc" are two features.
const (
	wordSeed uint64 = 0xcbf29ce484222325
	gramSeed uint64 = wordSeed ^ 0xff
)

// hash returns the 64-bit FNV-1a hash of text.
func hash(seed uint64, text string) uint64 {
	const prime = 0x100000001b3
	for i := range len(text) {
		seed = (seed ^ uint64(text[i])) * prime
	}
	return seed
}

// hashed is a vector that features are hashed into.
type hashed []float32

// add adds a feature.
func (v hashed) add(feature uint64, weight float32) {
	// FNV's high bits hardly depend on the last bytes: mix (MurmurHash3's finalizer).
	feature ^= feature >> 33
	feature *= 0xff51afd7ed558ccd
	feature ^= feature >> 33
	feature *= 0xc4ceb9fe1a85ec53
	feature ^= feature >> 33
	i := (feature >> 32) * uint64(len(v)) >> 32
	if feature&1 == 0 {
		weight = -weight
	}
	v[i] += weight
}

// addGrams adds the character n-grams of a word, its ends marked, so that together
// they have the given weight.
func (v hashed) addGrams(word string, weight float32) {
	word = "<" + word + ">"
	var buffer [160]int
	starts := buffer[:0]
	for i := range word {
		starts = append(starts, i)
	}
	starts = append(starts, len(word))
	chars, grams := len(starts)-1, 0
	for n := minGram; n <= maxGram; n++ {
		grams += max(0, chars-n+1)
	}
	weight /= float32(math.Sqrt(float64(max(grams, 1))))
	for n := minGram; n <= maxGram; n++ {
		for i := range max(0, chars-n+1) {
			v.add(hash(gramSeed, word[starts[i]:starts[i+n]]), weight)
		}
	}
}

// normalize gives the vector unit length. One without any feature, or whose
// features cancelled out, becomes the first unit vector.
func (v hashed) normalize() {
	var sum float64
	for _, x := range v {
		sum += float64(float64(x) * float64(x)) // the conversion forbids a fused multiply-add
	}
	if sum == 0 {
		v[0] = 1
		return
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
}
