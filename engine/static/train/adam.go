package main

import "math"

// The constants of Adam (Kingma and Ba, ICLR 2015).
const (
	momentum   = 0.9
	smoothness = 0.999
	tiny       = 1e-8
)

// adam moves numbers against their gradients.
type adam struct{ mean, square []float32 }

func newAdam(numbers int) adam {
	return adam{make([]float32, numbers), make([]float32, numbers)}
}

// update moves values, which begin at place at of the numbers, by a step of size
// rate. step counts their steps, from 1.
func (a adam) update(values []float32, at int, gradient []float32, rate float64, step int) {
	rate *= math.Sqrt(1-math.Pow(smoothness, float64(step))) / (1 - math.Pow(momentum, float64(step)))
	mean, square := a.mean[at:][:len(values)], a.square[at:][:len(values)]
	for i, g := range gradient {
		mean[i] = float32(momentum*mean[i]) + float32((1-momentum)*g)
		square[i] = float32(smoothness*square[i]) + float32((1-smoothness)*float32(g*g))
		values[i] -= float32(rate * float64(mean[i]) / (math.Sqrt(float64(square[i])) + tiny))
	}
}
