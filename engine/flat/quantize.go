package flat

import "math"

// laneCodes is how many codes the kernels take at a time. Rows are padded to a multiple of
// it.
const laneCodes = 32

// stride returns how many codes a row of a dimension takes.
func stride(dimension int) int { return (dimension + laneCodes - 1) / laneCodes * laneCodes }

// maxCode is the greatest code: a code fits 8 bits and its negative too.
const maxCode = 127

// coding says what codes stand for. With x the vector in unit length and x' = scale * codes,
// residual is an upper bound of |x - x'|.
type coding struct{ scale, residual float32 }

// encode writes the codes of a vector of length norm. codes is zero, and longer than v by
// the padding.
func encode(codes []int8, v []float32, norm float64) coding {
	greatest := 0.0
	for _, f := range v {
		greatest = max(greatest, math.Abs(float64(f)))
	}
	scale := float32(greatest / norm / maxCode)
	sum := 0.0
	unit, back, steps := 1/norm, float64(scale), 1/(norm*float64(scale))
	for i, f := range v {
		// scale was rounded, but so little that no code comes out above maxCode.
		code := round(float64(f) * steps)
		codes[i] = int8(code)
		lost := float64(f)*unit - back*code
		sum += lost * lost
	}
	return coding{scale, above(math.Sqrt(sum))}
}

// round rounds a number of less than 2^51 to the nearest integer, ties to even: where the
// unit in the last place is 1, adding does that. math.RoundToEven takes several times as
// long.
func round(f float64) float64 {
	const shift = 3 << 51
	return float64(f+shift) - shift
}

// above returns a 32-bit number that is not below f, which is not negative, nor below what f
// would be without the rounding of its computation in 64 bits.
func above(f float64) float32 { return math.Nextafter32(float32(f), math.MaxFloat32) + minResidual }

// minResidual is far above what 64-bit arithmetic loses on vectors of unit length, and far
// below what 8-bit codes lose.
const minResidual = 1e-9
