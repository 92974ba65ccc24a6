package main

import (
	"math"
	"runtime"
	"sync"
)

// dot returns the inner product of two vectors of one length. Its four sums let the
// processor work ahead; the conversions forbid fused multiply-adds, which would round
// otherwise on other machines.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += float32(a[i] * b[i])
		s1 += float32(a[i+1] * b[i+1])
		s2 += float32(a[i+2] * b[i+2])
		s3 += float32(a[i+3] * b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += float32(a[i] * b[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// addTo adds factor times x to sum.
func addTo(sum []float32, factor float32, x []float32) {
	sum = sum[:len(x)]
	for i, v := range x {
		sum[i] += float32(factor * v)
	}
}

// matrix is rows of one length, one after the other.
type matrix struct {
	columns int
	values  []float32
}

func newMatrix(rows, columns int) matrix {
	return matrix{columns, make([]float32, rows*columns)}
}

// row returns a row, which shares the memory of the matrix.
func (m matrix) row(i int) []float32 { return m.values[i*m.columns:][:m.columns:m.columns] }

// rows returns the number of rows.
func (m matrix) rows() int { return len(m.values) / m.columns }

// parallel calls do for 0..n-1 from as many goroutines as there are cores. What do
// computes must not depend on another call, so that the result is always the same.
func parallel(n int, do func(i int)) {
	workers := runtime.GOMAXPROCS(0)
	var all sync.WaitGroup
	for k := range workers {
		all.Go(func() {
			for i := n * k / workers; i < n*(k+1)/workers; i++ {
				do(i)
			}
		})
	}
	all.Wait()
}

// removeCommon takes from vectors their mean, and then the directions in which they
// differ most: Mu and Viswanath, "All-but-the-Top" (ICLR 2018).
func removeCommon(vectors [][]float32, directions int) {
	n := gloveDimension
	mean := make([]float64, n)
	for _, v := range vectors {
		for i, x := range v {
			mean[i] += float64(x) / float64(len(vectors))
		}
	}
	for _, v := range vectors {
		for i := range v {
			v[i] -= float32(mean[i])
		}
	}
	for range directions {
		removeDirection(vectors, principal(covariance(vectors, n), n))
	}
}

// removeDirection makes vectors orthogonal to a direction of length 1.
func removeDirection(vectors [][]float32, direction []float64) {
	for _, v := range vectors {
		var along float64
		for i, x := range v {
			along += float64(float64(x) * direction[i])
		}
		for i := range v {
			v[i] -= float32(along * direction[i])
		}
	}
}

// covariance returns the sum of the products of components, n times n.
func covariance(vectors [][]float32, n int) []float64 {
	sum := make([]float64, n*n)
	parallel(n, func(i int) {
		row := sum[i*n : (i+1)*n]
		for _, v := range vectors {
			for k, x := range v {
				row[k] += float64(float64(v[i]) * float64(x))
			}
		}
	})
	return sum
}

// principal returns the eigenvector of the largest eigenvalue, by power iteration.
func principal(symmetric []float64, n int) []float64 {
	v := make([]float64, n)
	v[0] = 1
	for range 100 {
		next := make([]float64, n)
		var length float64
		for i := range next {
			for k, x := range v {
				next[i] += float64(symmetric[i*n+k] * x)
			}
			length += float64(next[i] * next[i])
		}
		if length == 0 {
			return next // no direction is left
		}
		for i := range v {
			v[i] = next[i] / math.Sqrt(length)
		}
	}
	return v
}
