// Package static holds an Embedder that finds texts by what they mean and not only by
// the words that they share: a table of word vectors, trained in advance, beside hashed
// words and parts of words. It needs no network, no download and no key.
//
// The table is one file inside the program, 8 MB of it. How it was made, and from
// which data, is in the folder train; NOTICE has the licences.
package static

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/static/internal/table"
	"github.com/quirelib/quire/internal/feature"
	"github.com/quirelib/quire/internal/segment"
)

// version is part of the fingerprint. It must change with everything that changes a
// vector: the file, the weights below, internal/feature, and folding and stemming.
const version = 1

// The shape of a vector: the mean of word vectors in front, hashed features behind.
// What the weights are was measured: docs/decisions/0019-static-embedder.md.
const (
	defaultDimension = 512
	minDimension     = 256
	maxDimension     = 1 << 16

	semanticWeight = 1.0 // the length of the part in front, if it knows all words, relative to the one behind
	gramWeight     = 1.5 // the character n-grams of a word together, relative to the word
	leastWeight    = 0.1 // a frequent word, relative to one that the table lacks
)

//go:embed words.bin
var file string

// vocabulary is the table with the weight of each word among the hashed features, by
// rank.
type vocabulary struct {
	*table.Table
	weights []float32
}

// words returns the vocabulary. It is read once, since all Embedders can share it.
var words = sync.OnceValues(func() (*vocabulary, error) { return load(file) })

// load reads a vocabulary.
func load(file string) (*vocabulary, error) {
	t, err := table.Parse(file)
	if err != nil {
		return nil, err
	}
	if t.Dimension >= minDimension {
		return nil, fmt.Errorf("the table of word vectors has dimension %d, which leaves no room for hashed features", t.Dimension)
	}
	v := &vocabulary{Table: t, weights: make([]float32, len(t.Words))}
	for rank := range v.weights {
		v.weights[rank] = weightOf(rank, len(v.weights))
	}
	return v, nil
}

// weightOf returns how much one occurrence of a word of a table counts. The number of
// texts that hold a word is about inverse to its rank (Zipf), so the logarithm of the
// rank stands in for an inverse document frequency. It is cubed: squared weights were
// too small a difference.
func weightOf(rank, words int) float32 {
	w := math.Log(float64(rank+2)) / math.Log(float64(words+2))
	return float32(min(1, max(leastWeight, w*w*w)))
}

// Embedder is a quire.Embedder without a neural network. Its vectors have 512
// components, or as many as NewDimension was told, of two parts:
//
//   - 128 are the weighted mean of the vectors of the words, so that "car" and
//     "automobile" are near. The vectors are those of GloVe (Pennington, Socher and
//     Manning, EMNLP 2014), without the mean and the principal directions that all
//     words share (Mu and Viswanath, "All-but-the-Top", ICLR 2018), weighted by smooth
//     inverse frequency (Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline for
//     Sentence Embeddings", ICLR 2017) and tuned so that a word is near its definition
//     and its synonyms (InfoNCE: van den Oord, Li and Vinyals, 2018) on WordNet 3.0.
//   - 384, or what is left, are hashed features, as engine.Hashing has them: the stems of words and the
//     character n-grams of them, a rarer word weighing more. They find names, numbers,
//     symbols, misspellings, and words that the table lacks.
//
// A word that occurs n times weighs 1 + ln n. The first part is shorter the fewer of the
// words it knows. The table has 100,000 English words and names; of texts in other
// languages the hashed features speak, which find the same words and not the same
// meaning.
//
// It is safe for concurrent use. Vectors are the same in every process and on every
// platform, up to rounding.
type Embedder struct {
	words     *vocabulary
	dimension int
}

// New returns the Embedder with 512 components, enough beside a full-text search. Its
// only error is that of a damaged program.
func New() (*Embedder, error) { return NewDimension(defaultDimension) }

// NewDimension returns an Embedder with as many components, 256..65536; else the error
// is ErrInvalid. More make the hashed features exact, which matters where nothing but
// vectors is searched, and need more memory and time in each search.
func NewDimension(dimension int) (*Embedder, error) {
	if dimension < minDimension || dimension > maxDimension {
		return nil, quire.Errorf(quire.CodeInvalid, "the dimension is %d, but must be %d..%d", dimension, minDimension, maxDimension)
	}
	v, err := words()
	if err != nil {
		return nil, quire.Errorf(quire.CodeInternal, "the word vectors inside the program do not load").WithCause(err)
	}
	return &Embedder{words: v, dimension: dimension}, nil
}

// Fingerprint implements quire.Embedder.
func (e *Embedder) Fingerprint() string {
	return fmt.Sprintf("quire-static/%d dimension=%d", version, e.dimension)
}

// Dimension implements quire.Embedder.
func (e *Embedder) Dimension() int { return e.dimension }

// Embed implements quire.Embedder. Its only error is that of a cancelled context.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for _, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vectors = append(vectors, e.embed(text))
	}
	return vectors, ctx.Err()
}

// embed returns the vector of one text. One without any feature, or whose features
// cancelled out, is the last unit vector.
func (e *Embedder) embed(text string) []float32 {
	words := segment.Words(text)
	terms := feature.Terms(words, feature.Weigher{Word: e.weight})
	if len(terms) == 0 {
		terms = feature.Symbols(text)
	}
	v := make(feature.Vector, e.dimension)
	e.mean(v[:e.words.Dimension], words)
	hashed := v[e.words.Dimension:]
	hashed.AddTerms(terms, gramWeight)
	hashed.Scale(1)
	if !v.Scale(1) {
		v[e.dimension-1] = 1
	}
	return v
}

// weight returns how much one occurrence of a word counts among the hashed features.
func (e *Embedder) weight(word, _ string) float32 {
	if rank, ok := e.words.Rank(word); ok {
		return e.words.weights[rank]
	}
	return feature.Plain
}

// mean sets v to the mean of the vectors of words. Words that the table lacks would
// have added about as much in other directions, so that v has the length that is left
// for the known ones: the root of their share of the weight.
func (e *Embedder) mean(v feature.Vector, words []string) {
	ranks := make([]int, 0, len(words))
	var known, all float32
	for _, word := range words {
		weight := float32(feature.Plain)
		rank, ok := e.words.Rank(word)
		if ok {
			ranks = append(ranks, rank)
			weight = e.words.weights[rank]
		}
		if segment.IsStopWord(word) {
			continue
		}
		all += weight
		if ok {
			known += weight
		}
	}
	slices.Sort(ranks)
	for len(ranks) > 0 {
		count := 1
		for count < len(ranks) && ranks[count] == ranks[0] {
			count++
		}
		e.words.Add(v, ranks[0], feature.Saturated(count))
		ranks = ranks[count:]
	}
	share := 1.0
	if all > 0 {
		share = float64(known / all)
	}
	v.Scale(semanticWeight * math.Sqrt(share))
}
