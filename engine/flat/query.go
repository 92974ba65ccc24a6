package flat

import "math"

// query is what rows are compared with.
type query struct {
	vector []float32 // as the caller gave it
	norm   float64
	codes  []int16 // padded as rows are

	scale float32 // of codes, for the query in unit length
	// The difference between a row's score and what its codes give is at most
	// residual * spread + margin.
	spread, margin float32
}

// slack is more than what the arithmetic of query.upper in 32 bits can be off: a handful of
// operations with numbers of about 1, each to 2^-24.
const slack = 4e-6

// newQuery makes a query of a vector. One that no row can be compared with is ErrInvalid.
//
// Its codes are twice as wide as those of rows, because there is only one query, and so add
// next to nothing to the error. They are kept so small that the sum of all products of codes
// fits 32 bits in whatever order it is made.
func newQuery(v []float32) (*query, error) {
	norm, err := length(v)
	if err != nil {
		return nil, err
	}
	q := &query{vector: v, norm: norm, codes: make([]int16, stride(len(v)))}
	greatest := 0.0
	for _, f := range v {
		greatest = max(greatest, math.Abs(float64(f)))
	}
	most := min(math.MaxInt16, float64(math.MaxInt32/(maxCode*len(v))))
	q.scale = float32(greatest / norm / most)
	unit, back, steps := 1/norm, float64(q.scale), 1/(norm*float64(q.scale))
	sum := 0.0
	for i, f := range v {
		code := round(float64(f) * steps)
		q.codes[i] = int16(code)
		lost := float64(f)*unit - back*code
		sum += lost * lost
	}
	residual := above(math.Sqrt(sum))
	q.spread, q.margin = 1+residual, residual+slack
	return q, nil
}

// upper returns an upper bound of the cosine of the query and a row whose codes have this
// dot product, and how much below it the cosine can be at most.
//
// With q and x in unit length and q' and x' what their codes stand for,
//
//	|q.x - q'.x'| = |q.(x-x') + (q-q').x'| <= |q| |x-x'| + |q-q'| |x'|
//
// where |q| = 1 and |x'| <= 1 + |x-x'|.
func (q *query) upper(dot int32, c coding) (bound, width float32) {
	margin := c.residual*q.spread + q.margin
	return float32(dot)*c.scale*q.scale + margin, 2 * margin
}

// score returns the cosine of the query and a vector of length norm, clamped to 0..1.
func (q *query) score(v []float32, norm float64) float64 {
	return min(max(dotFloats(q.vector, v)/(q.norm*norm), 0), 1)
}
