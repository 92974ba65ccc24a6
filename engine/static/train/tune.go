package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
)

// The settings of training.
const (
	batchSize   = 512
	temperature = 0.05
	ownRate     = 0.02  // of the vectors that words have of their own, at the start
	mappingRate = 0.002 // of the mapping
	seed        = 1

	// negligible is a weight of a pair in a gradient that is left out.
	negligible = 1e-5
)

// example is a pair of texts as bags. Examples with equal numbers on one side have
// the same text there.
type example struct {
	bags    [2]bag
	numbers [2]int32
}

// examples returns the pairs of which the model has words on both sides.
func (m *model) examples(pairs []pair) []example {
	numbers := make(map[string]int32)
	var all []example
	for _, p := range pairs {
		var e example
		for side, text := range [2]string{p.left, p.right} {
			if _, ok := numbers[text]; !ok {
				numbers[text] = int32(len(numbers))
			}
			e.numbers[side] = numbers[text]
			e.bags[side] = m.bag(text)
		}
		if len(e.bags[0].words) > 0 && len(e.bags[1].words) > 0 {
			all = append(all, e)
		}
	}
	return all
}

// side is one side of the pairs of a batch.
type side struct {
	base     matrix // sums of vectors of GloVe
	units    matrix // vectors, of length 1
	lengths  []float32
	gradient matrix // of the loss, by units and then by the vectors before they had length 1
}

func newSide(pairs int) side {
	return side{newMatrix(pairs, gloveDimension), newMatrix(pairs, dimension), make([]float32, pairs), newMatrix(pairs, dimension)}
}

// tuner trains a model by InfoNCE (van den Oord, Li and Vinyals, "Representation
// Learning with Contrastive Predictive Coding", 2018): of a batch of pairs each left
// text is to find its right one among all of the batch, and the other way round.
type tuner struct {
	*model
	batch []example
	sides [2]side

	scores  matrix       // of each left text with each right one, then the gradient by them
	largest [2][]float32 // of the scores of a text, by side
	sums    [2][]float32 // of the exponentials of its scores less the largest

	ownAdam, mappingAdam adam
	ownSteps             []int // of the words
	step                 int   // of the mapping
}

func newTuner(m *model, pairs int) *tuner {
	t := &tuner{
		model:       m,
		scores:      newMatrix(pairs, pairs),
		ownAdam:     newAdam(len(m.own.values)),
		mappingAdam: newAdam(len(m.mapping.values)),
		ownSteps:    make([]int, m.own.rows()),
	}
	for s := range t.sides {
		t.sides[s] = newSide(pairs)
		t.largest[s], t.sums[s] = make([]float32, pairs), make([]float32, pairs)
	}
	return t
}

// tune trains a model, and writes to log how it goes. The rates fall linearly to 0.
func tune(m *model, all []example, epochs, pairs int, log io.Writer) {
	t := newTuner(m, pairs)
	random := rand.New(rand.NewPCG(seed, 1))
	steps := epochs * (len(all) / pairs)
	var loss float64
	for range epochs {
		random.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		for at := 0; at+pairs <= len(all); at += pairs {
			t.batch = all[at : at+pairs]
			loss += t.learn(1 - float64(t.step)/float64(steps))
			if t.step%100 == 0 {
				fmt.Fprintf(log, "step %d of %d: loss %.3f\n", t.step, steps, loss/100)
				loss = 0
			}
		}
	}
}

// learn makes a step on the batch. It returns the loss before.
func (t *tuner) learn(rate float64) float64 {
	parallel(len(t.batch), func(i int) {
		for s := range t.sides {
			side := &t.sides[s]
			side.lengths[i] = t.pool(t.batch[i].bags[s], side.base.row(i), side.units.row(i))
		}
	})
	loss := t.compare()
	t.gradients()
	t.step++
	t.moveMapping(rate * mappingRate)
	t.moveOwn(rate * ownRate)
	return loss
}

// compare sets the scores and what normalises them. It returns the mean loss of left
// texts.
func (t *tuner) compare() float64 {
	left, right := t.sides[0].units, t.sides[1].units
	parallel(len(t.batch), func(i int) {
		row := t.scores.row(i)
		for k := range row {
			row[k] = dot(left.row(i), right.row(k)) / temperature
			if i != k && t.same(i, k) {
				row[k] = -math.MaxFloat32 // no negative
			}
		}
	})
	parallel(len(t.batch), func(i int) {
		t.normalize(0, i, func(k int) float32 { return t.scores.row(i)[k] })
		t.normalize(1, i, func(k int) float32 { return t.scores.row(k)[i] })
	})
	var loss float64
	for i := range t.batch {
		loss += math.Log(float64(t.sums[0][i])) - float64(t.scores.row(i)[i]-t.largest[0][i])
	}
	return loss / float64(len(t.batch))
}

// same reports whether two pairs have a text in common.
func (t *tuner) same(i, k int) bool {
	a, b := t.batch[i].numbers, t.batch[k].numbers
	return a[0] == b[0] || a[1] == b[1]
}

// normalize sets the largest score of a text and the sum of exponentials.
func (t *tuner) normalize(side, i int, score func(k int) float32) {
	largest := score(0)
	for k := range t.batch {
		largest = max(largest, score(k))
	}
	var sum float32
	for k := range t.batch {
		sum += exp(score(k) - largest)
	}
	t.largest[side][i], t.sums[side][i] = largest, sum
}

func exp(x float32) float32 { return float32(math.Exp(float64(x))) }

// gradients sets those of both sides.
func (t *tuner) gradients() {
	left, right := &t.sides[0], &t.sides[1]
	scale := float32(1 / (temperature * float64(len(t.batch))))
	parallel(len(t.batch), func(i int) {
		row, sum := t.scores.row(i), left.gradient.row(i)
		clear(sum)
		for k, score := range row {
			g := exp(score-t.largest[0][i])/t.sums[0][i] + exp(score-t.largest[1][k])/t.sums[1][k]
			if row[k] = g / 2; i == k {
				row[k]--
			}
			if max(row[k], -row[k]) > negligible {
				addTo(sum, row[k]*scale, right.units.row(k))
			}
		}
		left.throughLength(i)
	})
	parallel(len(t.batch), func(k int) {
		sum := right.gradient.row(k)
		clear(sum)
		for i := range t.batch {
			if g := t.scores.row(i)[k]; max(g, -g) > negligible {
				addTo(sum, g*scale, left.units.row(i))
			}
		}
		right.throughLength(k)
	})
}

// throughLength makes the gradient by a unit vector that by the vector before it was
// brought to length 1.
func (s *side) throughLength(i int) {
	unit, gradient := s.units.row(i), s.gradient.row(i)
	if s.lengths[i] == 0 {
		clear(gradient)
		return
	}
	along := dot(unit, gradient)
	for k := range gradient {
		gradient[k] = (gradient[k] - float32(along*unit[k])) / s.lengths[i]
	}
}

// moveMapping makes a step of the mapping.
func (t *tuner) moveMapping(rate float64) {
	parallel(gloveDimension, func(row int) {
		sum := make([]float32, dimension)
		for i := range t.batch {
			for s := range t.sides {
				addTo(sum, t.sides[s].base.row(i)[row], t.sides[s].gradient.row(i))
			}
		}
		t.mappingAdam.update(t.mapping.row(row), row*dimension, sum, rate, t.step)
	})
}

// moveOwn makes a step of the words of the batch.
func (t *tuner) moveOwn(rate float64) {
	sums := make(map[int32][]float32)
	var words []int32
	for i, e := range t.batch {
		for s, b := range e.bags {
			for k, id := range b.words {
				if sums[id] == nil {
					sums[id] = make([]float32, dimension)
					words = append(words, id)
				}
				addTo(sums[id], b.weights[k], t.sides[s].gradient.row(i))
			}
		}
	}
	parallel(len(words), func(i int) {
		id := int(words[i])
		t.ownSteps[id]++
		t.ownAdam.update(t.own.row(id), id*dimension, sums[words[i]], rate, t.ownSteps[id])
	})
}
