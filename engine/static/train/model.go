package main

import (
	"math"
	"math/rand/v2"

	"github.com/quirelib/quire/engine/static/internal/table"
	"github.com/quirelib/quire/internal/feature"
	"github.com/quirelib/quire/internal/segment"
)

// The shape of what is trained.
const (
	dimension  = 128
	directions = 3 // principal ones, taken from the vectors of GloVe

	// smoothing is a of the weight a/(a+p) of a word that occurs with frequency p:
	// smooth inverse frequency, Arora, Liang and Ma (ICLR 2017).
	smoothing = 1e-4

	// mostFrequent is the frequency of the first word. That of the n-th is its n-th part
	// (Zipf).
	mostFrequent = 0.08

	// newColumns is the spread of what the first mapping has for the components that
	// GloVe lacks.
	newColumns = 0.1

	// trust is how much of what training changes is kept.
	trust = 0.7
)

// model is a vector for each word: that of GloVe through a mapping that all words
// share, plus a difference of its own. The mapping carries what is learned from some
// words over to those that training never meets.
type model struct {
	words   map[string]int32
	weights []float32 // of the words in a mean
	base    matrix    // words x gloveDimension
	mapping matrix    // gloveDimension x dimension
	own     matrix    // words x dimension
}

// newModel returns the model before training. It changes the vectors of v.
func newModel(v *vocabulary) *model {
	removeCommon(v.vectors, directions)
	m := &model{
		words: make(map[string]int32, len(v.words)),
		base:  newMatrix(len(v.words), gloveDimension),
		own:   newMatrix(len(v.words), dimension),
	}
	for i, word := range v.words {
		m.words[word] = int32(i)
		p := mostFrequent / float64(v.ranks[i]+1)
		m.weights = append(m.weights, float32(smoothing/(smoothing+p)))
		copy(m.base.row(i), v.vectors[i])
	}
	m.mapping = firstMapping()
	return m
}

// firstMapping keeps the components of GloVe and mixes new ones of them at random.
func firstMapping() matrix {
	m := newMatrix(gloveDimension, dimension)
	random := rand.New(rand.NewPCG(7, 2))
	for i := range gloveDimension {
		row := m.row(i)
		row[i] = 1
		for k := gloveDimension; k < dimension; k++ {
			row[k] = float32(random.NormFloat64() * newColumns)
		}
	}
	return m
}

// temper takes back a part of the training. Vectors between those before and after it
// do better on texts unlike those of training than both ends: Wortsman et al., "Robust
// fine-tuning of zero-shot models" (CVPR 2022).
func (m *model) temper() {
	start := firstMapping()
	for i := range m.mapping.values {
		m.mapping.values[i] = float32(trust*m.mapping.values[i]) + float32((1-trust)*start.values[i])
	}
	for i := range m.own.values {
		m.own.values[i] *= trust
	}
}

// table returns the vectors, times the weights of their words.
func (m *model) table(words []string) (*table.Table, error) {
	vectors := make([][]float32, len(words))
	parallel(len(words), func(i int) {
		sum := make([]float32, dimension)
		addTo(sum, 1, m.own.row(i))
		m.mapped(sum, m.base.row(i))
		for k := range sum {
			sum[k] *= m.weights[i]
		}
		vectors[i] = sum
	})
	return table.New(words, vectors)
}

// mapped adds the mapping of a vector of GloVe to sum.
func (m *model) mapped(sum, base []float32) {
	for k, x := range base {
		addTo(sum, x, m.mapping.row(k))
	}
}

// bag is the distinct words of a text that the model has, and how much each counts.
type bag struct {
	words   []int32
	weights []float32
}

// bag returns the words of a text. One that occurs n times weighs 1 + ln n.
func (m *model) bag(text string) bag {
	var b bag
	counts := make(map[int32]int)
	for _, word := range segment.Words(text) {
		id, ok := m.words[word]
		if !ok {
			continue
		}
		if counts[id] == 0 {
			b.words = append(b.words, id)
		}
		counts[id]++
	}
	for _, id := range b.words {
		b.weights = append(b.weights, m.weights[id]*feature.Saturated(counts[id]))
	}
	return b
}

// pool sets base to the sum of the vectors of GloVe of a bag and unit to its vector
// in the model, of length 1. It returns the length before, 0 if there is no vector.
func (m *model) pool(b bag, base, unit []float32) float32 {
	clear(base)
	clear(unit)
	for i, id := range b.words {
		addTo(base, b.weights[i], m.base.row(int(id)))
		addTo(unit, b.weights[i], m.own.row(int(id)))
	}
	m.mapped(unit, base)
	length := float32(math.Sqrt(float64(dot(unit, unit))))
	if length > 0 {
		for i := range unit {
			unit[i] /= length
		}
	}
	return length
}
