package flat

import "math"

// laneCodes is how many codes the kernels take at a time. Rows are padded to a multiple of
// it.
const laneCodes = 32

// stride returns how many codes a row of a dimension takes.
func stride(dimension int) int { return (dimension + laneCodes - 1) / laneCodes * laneCodes }

// Codes of rows are kept without a sign, as AVX2 wants them: codeZero stands for 0, and
// those from codeZero-maxCode to codeZero+maxCode are used.
const (
	codeZero = 128
	maxCode  = 127
)

// coding says what codes stand for. With x the vector in unit length and x' = scale * codes,
// residual is an upper bound of |x - x'|.
type coding struct{ scale, residual float32 }

// encode makes the codes of a vector of length norm, padded to a whole stride with what stands
// for 0.
func encode(v []float32, norm float64) ([]uint8, coding) {
	codes := make([]uint8, stride(len(v)))
	for i := len(v); i < len(codes); i++ {
		codes[i] = codeZero
	}
	return codes, quantize(codes, v, norm, maxCode, codeZero)
}

// quantize writes codes from zero-most to zero+most for a vector of length norm.
func quantize[C int8 | uint8](codes []C, v []float32, norm float64, most, zero int) coding {
	greatest := float32(0)
	for _, f := range v {
		greatest = max(greatest, f, -f)
	}
	scale := float32(float64(greatest) / norm / float64(most))
	sum := 0.0
	unit, back, steps := 1/norm, float64(scale), 1/(norm*float64(scale))
	for i, f := range v {
		// scale was rounded, but so little that no code comes out above most.
		code := round(float64(f) * steps)
		codes[i] = C(zero + int(code))
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
