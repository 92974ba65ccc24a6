package flat

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// shapes are kinds of vectors: what is lost in codes differs between them by orders of
// magnitude.
var shapes = map[string]func(r *rand.Rand, i, n int) float64{
	"normal":   func(r *rand.Rand, _, _ int) float64 { return r.NormFloat64() },
	"constant": func(*rand.Rand, int, int) float64 { return 0.25 },
	"spike":    func(r *rand.Rand, i, _ int) float64 { return r.NormFloat64() * math.Exp(-float64(i)) },
	"sparse":   func(r *rand.Rand, i, _ int) float64 { return float64(max(0, 1-i%7)) * (r.NormFloat64() + 0.1) },
	"half code": func(_ *rand.Rand, i, _ int) float64 {
		return min(127, float64(127-127*min(i, 1))+float64(min(i, 1))*20.5)
	},
	"long":     func(r *rand.Rand, _, _ int) float64 { return 1e37 * r.NormFloat64() },
	"short":    func(r *rand.Rand, _, _ int) float64 { return 1e-37 * r.NormFloat64() },
	"one sign": func(r *rand.Rand, _, _ int) float64 { return math.Abs(r.NormFloat64()) },
}

func drawVector(t *rapid.T, r *rand.Rand, what string, n int) []float32 {
	names := make([]string, 0, len(shapes))
	for name := range shapes {
		names = append(names, name)
	}
	shape := shapes[rapid.SampledFrom(sorted(names)).Draw(t, what)]
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(shape(r, i, n))
	}
	if _, err := length(v); err != nil {
		v[0] = 1
	}
	return v
}

// The cosine is never outside of the bounds, and these are as wide as what was lost.
func TestBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(1, 600).Draw(t, "dimension")
		v := drawVector(t, r, "query", n)
		w := drawVector(t, r, "row", n)
		switch rapid.IntRange(0, 3).Draw(t, "relation") {
		case 0:
			copy(w, v)
		case 1: // where the error of a row in the direction of the query is as great as it can be
			c := mustCodes(t, w)
			for i := range v {
				v[i] = float32(float64(w[i])/c.norm - float64(c.coding.scale)*float64(int(c.codes[i])-codeZero))
			}
			if _, err := length(v); err != nil {
				copy(v, w)
			}
		}
		checkBounds(t, v, w)
	})
}

func checkBounds(t *rapid.T, v, w []float32) {
	q, c := mustQuery(t, v), mustCodes(t, w)
	var dots [blockRows]int32
	dotCodes(c.codes, q.codes, make([]uint16, groupRows), &dots)
	upper, width := q.bounds.upper(dots[0], c.coding)
	cosine := dotFloats(v, w) / (q.norm * c.norm)
	if cosine > float64(upper) || cosine < float64(upper)-float64(width) {
		t.Fatalf("the cosine is %v, the bounds %v and %v", cosine, upper-width, upper)
	}
	lost, scale := 0.0, float64(c.coding.scale)
	for i := range w {
		d := float64(w[i])/c.norm - scale*float64(int(c.codes[i])-codeZero)
		if math.Abs(d) > scale*0.5001 {
			t.Fatalf("number %d is off by %v, the scale is %v", i, d, scale)
		}
		lost += d * d
	}
	if got := float64(c.coding.residual); got < math.Sqrt(lost) || got > math.Sqrt(lost)*1.0001+1e-8 {
		t.Fatalf("the residual is %v, want little more than %v", got, math.Sqrt(lost))
	}
	// What the codes of the query lose adds to it.
	if limit := 2*float64(c.coding.residual) + 4*slack + math.Sqrt(float64(len(v)))*float64(q.bounds.scale); float64(width) > limit {
		t.Fatalf("the bounds are %v apart, more than %v", width, limit)
	}
}
