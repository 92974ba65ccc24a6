package flat

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The kernels of this machine give what those in plain Go give, for any codes and slots.
func TestDotCodes(t *testing.T) {
	t.Parallel()
	t.Logf("codes are compared by %s", kernelName())
	rapid.Check(t, func(t *rapid.T) {
		stride := laneCodes * rapid.IntRange(1, 9).Draw(t, "lanes")
		rows := rapid.IntRange(1, 70).Draw(t, "rows")
		codes := rapid.SliceOfN(rapid.Uint8(), rows*stride, rows*stride).Draw(t, "codes")
		query := rapid.SliceOfN(rapid.Int8Range(-maxQueryCode, maxQueryCode), stride, stride).Draw(t, "query")
		slots := rapid.SliceOfN(rapid.Uint16Range(0, uint16(rows-1)), 0, 2*rows).Draw(t, "slots")
		slots = slots[:len(slots)/groupRows*groupRows]
		checkDotCodes(t, codes, query, slots)
	})
}

// FuzzDotCodes looks for codes that the kernels disagree on. Data are a query of the number
// of lanes, then rows.
func FuzzDotCodes(f *testing.F) {
	f.Add(uint8(1), bytes.Repeat([]byte{1, 0, 255, 255}, 64))
	f.Add(uint8(12), bytes.Repeat([]byte{128, 255, 127}, 32*12*4))
	f.Add(uint8(3), make([]byte, 8*96))
	f.Fuzz(func(t *testing.T, lanes uint8, data []byte) {
		stride := laneCodes * max(1, int(lanes)%16)
		if len(data) < 2*stride {
			t.Skip("too short for a query and a row")
		}
		query := make([]int8, stride)
		for i := range query {
			query[i] = int8(data[i]) / 2
		}
		codes := data[stride:]
		rows := min(len(codes)/stride, blockRows)
		slots := make([]uint16, rows/groupRows*groupRows)
		for i := range slots {
			slots[i] = uint16(rows - 1 - i)
		}
		checkDotCodes(t, codes, query, slots)
	})
}

func checkDotCodes(t interface {
	Fatalf(string, ...any)
	Helper()
}, codes []uint8, query []int8, slots []uint16) {
	t.Helper()
	const untouched = 12345
	var want, got [blockRows]int32
	for i := range want {
		want[i], got[i] = untouched, untouched
	}
	dotCodesGeneric(codes, query, slots, &want)
	dotCodes(codes, query, slots, &got)
	if got != want {
		i := slices.IndexFunc(want[:], func(int32) bool { return true })
		for i < blockRows-1 && got[i] == want[i] {
			i++
		}
		t.Fatalf("%d slots of rows of %d codes: number %d is %d, want %d", len(slots), len(query), i, got[i], want[i])
	}
}

// Sums stay inside 32 bits where they are the greatest.
func TestDotCodesExtremes(t *testing.T) {
	t.Parallel()
	for _, dimension := range []int{1, 2, 31, 384, 515, 516, 517, 768, 4096, maxDimension} {
		for _, sign := range []float32{1, -1} {
			v := slices.Repeat([]float32{1}, dimension)
			w := slices.Repeat([]float32{sign}, dimension)
			q, c := mustQuery(t, v), mustCodes(t, w)
			var dots [blockRows]int32
			dotCodes(c.codes, q.codes, make([]uint16, groupRows), &dots)
			want := int64(0)
			for i := range q.codes {
				want += int64(q.codes[i]) * int64(c.codes[i])
			}
			if upper, width := q.bounds.upper(dots[0], c.coding); int64(dots[0]) != want || upper < sign || upper-width > sign {
				t.Errorf("dimension %d, sign %v: %d, want %d; bounds %v and %v", dimension, sign, dots[0], want, upper-width, upper)
			}
		}
	}
}

// Nothing overflows where codes and those of queries are the least or the greatest, or change
// between both.
func TestDotCodesConstant(t *testing.T) {
	t.Parallel()
	for _, n := range []int{laneCodes, 3 * laneCodes, 384, maxDimension} {
		codes, query := make([]uint8, n), make([]int8, n)
		for _, code := range []uint8{0, 1, codeZero - 1, codeZero, codeZero + 1, 255} {
			for _, of := range []int8{-maxQueryCode, -1, 0, 1, maxQueryCode} {
				for _, turn := range []int{n, 1, 8, 16} {
					for i := range codes {
						codes[i], query[i] = code, of
						if i/turn%2 == 1 {
							codes[i], query[i] = 255-code, -of
						}
					}
					checkDotCodes(t, codes, query, make([]uint16, groupRows))
				}
			}
		}
	}
}

// Rows here and there are compared, and codes halved, as in plain Go.
func TestDotRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		stride := laneCodes * rapid.IntRange(1, 9).Draw(t, "lanes")
		count := groupRows * rapid.IntRange(0, baseDegree/groupRows).Draw(t, "groups")
		rows := make([][]uint8, count)
		for i := range rows {
			rows[i] = rapid.SliceOfN(rapid.Uint8(), stride, stride).Draw(t, "row")
		}
		from := rapid.SliceOfN(rapid.Uint8(), stride, stride).Draw(t, "query")
		query, other := make([]int8, stride), make([]int8, stride)
		sum := halve(query, from)
		if want := halveGeneric(other, from); sum != want || !slices.Equal(query, other) {
			t.Fatalf("half of %v is %v with sum %d, want %v with %d", from, query, sum, other, want)
		}
		for i, c := range from {
			if twice := 2*int(query[i]) - (int(c) - codeZero); twice < 0 || twice > 1 {
				t.Fatalf("half of code %d is %d", c, query[i])
			}
		}
		var want, got [baseDegree]int32
		dotRowsGeneric(rows, query, &want)
		dotRows(rows, query, &got)
		if got != want {
			t.Fatalf("%d rows of %d codes: %v, want %v", count, stride, got, want)
		}
	})
}

// Scores do not depend on the kernel: dot products of 32-bit numbers agree in every bit.
func TestDotFloats(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	cases := 0
	for n := range 200 {
		for range 5 {
			a, b := make([]float32, n), make([]float32, n)
			for i := range a {
				a[i] = float32(random.NormFloat64() * math.Exp(10*random.NormFloat64()))
				b[i] = float32(random.NormFloat64())
			}
			whole := n / floatLanes * floatLanes
			want := dotLanesGeneric(a[:whole], b[:whole])
			if got := dotLanes(a[:whole], b[:whole]); math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("%d numbers: %v, want %v", whole, got, want)
			}
			exact, sum := 0.0, 0.0
			for i := range a {
				exact += float64(a[i]) * float64(b[i])
				sum += math.Abs(float64(a[i]) * float64(b[i]))
			}
			if got := dotFloats(a, b); math.Abs(got-exact) > 1e-13*sum {
				t.Fatalf("%d numbers: %v, want %v", n, got, exact)
			}
			cases++
		}
	}
	t.Logf("%d pairs of vectors", cases)
}

// Nor do they depend on the processor: some fuse a product with the addition behind it, others
// do not. The numbers are made without rounding that could differ.
func TestScoresEverywhere(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	all := fnv.New64a()
	for n := 1; n < 400; n++ {
		v, w := make([]float32, n), make([]float32, n)
		for i := range v {
			v[i] = float32(random.Int32()) / float32(uint64(1)<<random.IntN(40))
			w[i] = v[i] + float32(random.Int32N(1<<20))
		}
		norm, err := length(w)
		if err != nil {
			t.Fatal(err)
		}
		score := mustQuery(t, v).score(w, norm)
		_ = binary.Write(all, binary.LittleEndian, []float64{norm, dotFloats(v, w), score})
	}
	if got, want := all.Sum64(), uint64(0x895bea2383fd94d0); got != want {
		t.Errorf("the hash of all scores is %#x, want %#x", got, want)
	}
}

// FuzzDotLanes looks for numbers that the kernels disagree on.
func FuzzDotLanes(f *testing.F) {
	f.Add(bytes.Repeat([]byte{0, 0, 128, 63}, 64))
	f.Add(bytes.Repeat([]byte{255, 255, 127, 127, 1, 0, 0, 0}, 64))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := len(data) / 8 / floatLanes * floatLanes
		a, b := make([]float32, n), make([]float32, n)
		for i := range a {
			a[i] = finite(binary.LittleEndian.Uint32(data[8*i:]))
			b[i] = finite(binary.LittleEndian.Uint32(data[8*i+4:]))
		}
		if got, want := dotLanes(a, b), dotLanesGeneric(a, b); math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%v . %v = %v, want %v", a, b, got, want)
		}
	})
}

// finite makes a number of bits, 0 of those of none.
func finite(bits uint32) float32 {
	f := math.Float32frombits(bits)
	if f-f != 0 {
		return 0
	}
	return f
}

func mustQuery(t interface{ Fatal(...any) }, v []float32) *query {
	q, err := newQuery(v)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// mustCodes makes a row that has only a vector.
func mustCodes(t interface{ Fatal(...any) }, v []float32) row {
	norm, err := length(v)
	if err != nil {
		t.Fatal(err)
	}
	codes, coding := encode(v, norm)
	return row{vector: v, norm: norm, codes: codes, coding: coding}
}
