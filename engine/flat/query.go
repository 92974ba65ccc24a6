package flat

// query is what rows are compared with.
type query struct {
	vector []float32 // as the caller gave it
	norm   float64
	codes  []int8 // of -maxQueryCode..maxQueryCode, padded as rows are
	bounds bounds
}

// bounds tells of a dot product of codes between which bounds the score is.
type bounds struct {
	bias  int32   // what codeZero adds to every dot product
	scale float32 // of codes, for the query in unit length
	// The difference between a row's score and what its codes give is at most
	// residual * spread + margin.
	spread, margin float32
}

// maxQueryCode is the greatest code of a query: so that the sum of two products with codes
// of rows, which go to 255, fits 16 bits, and AVX2 can multiply 32 at once. The bit that is
// lost costs some candidates and saves half of the time.
const maxQueryCode = 64

// slack is more than what the arithmetic of bounds.upper in 32 bits can be off: a handful of
// operations with numbers of about 1, each to 2^-24.
const slack = 4e-6

// newQuery makes a query of a vector. One that no row can be compared with is ErrInvalid.
func newQuery(v []float32) (*query, error) {
	norm, err := length(v)
	if err != nil {
		return nil, err
	}
	q := &query{vector: v, norm: norm, codes: make([]int8, stride(len(v)))}
	c := quantize(q.codes, v, norm, maxQueryCode, 0)
	for _, code := range q.codes {
		q.bounds.bias += int32(code) * codeZero
	}
	q.bounds.scale, q.bounds.spread, q.bounds.margin = c.scale, 1+c.residual, c.residual+slack
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
func (b bounds) upper(dot int32, c coding) (upper, width float32) {
	margin := b.about(c.residual)
	return float32(dot-b.bias)*c.scale*b.scale + margin, 2 * margin
}

// about returns how far the cosine of a row with this residual can be from what its codes
// give.
func (b bounds) about(residual float32) float32 { return residual*b.spread + b.margin }

// score returns the cosine of the query and a vector of length norm, clamped to 0..1.
func (q *query) score(v []float32, norm float64) float64 {
	return min(max(dotFloats(q.vector, v)/(q.norm*norm), 0), 1)
}
