package flat

// The kernels in plain Go. Those in assembly give the same results, bit for bit, and take a
// shorter time.

// groupRows is how many rows dotCodes takes at a time.
const groupRows = 4

// dotCodesGeneric writes to dots the dot products of the query with the rows in the slots of
// a block, of which there are whole groups.
func dotCodesGeneric(codes []uint8, query []int8, slots []uint16, dots *[blockRows]int32) {
	for i, slot := range slots {
		dots[i] = dotRow(codes[int(slot)*len(query):][:len(query)], query)
	}
}

// dotRowsGeneric writes to dots the dot products of the query with rows, of which there are
// whole groups.
func dotRowsGeneric(rows [][]uint8, query []int8, dots *[baseDegree]int32) {
	for i, row := range rows {
		dots[i] = dotRow(row, query)
	}
}

func dotRow(row []uint8, query []int8) int32 {
	var s, t int32
	for j := 0; j < len(query); j += laneCodes {
		r, q := (*[laneCodes]uint8)(row[j:]), (*[laneCodes]int8)(query[j:])
		for k := 0; k < laneCodes; k += 4 {
			s += int32(r[k])*int32(q[k]) + int32(r[k+1])*int32(q[k+1])
			t += int32(r[k+2])*int32(q[k+2]) + int32(r[k+3])*int32(q[k+3])
		}
	}
	return s + t
}

// halveGeneric writes to codes half of what the codes of a row stand for, rounded up, and
// returns the sum of them.
func halveGeneric(codes []int8, from []uint8) int32 {
	sum := int32(0)
	for i, code := range from {
		half := int8((int(code)+codeZero+1)/2 - codeZero)
		codes[i] = half
		sum += int32(half)
	}
	return sum
}

// floatLanes is how many sums dotFloats makes beside each other.
const floatLanes = 16

// dotLanesGeneric returns the dot product of two vectors whose length is a multiple of
// floatLanes.
//
// A product of two 32-bit numbers is exact in 64 bits, so that it does not matter whether a
// processor rounds it before it adds it; the order of the additions does, and is the same
// everywhere.
func dotLanesGeneric(a, b []float32) float64 {
	var s [floatLanes]float64
	for len(a) >= floatLanes {
		x, y := (*[floatLanes]float32)(a), (*[floatLanes]float32)(b)
		for i := 0; i < floatLanes; i += 4 {
			s[i] += float64(x[i]) * float64(y[i])
			s[i+1] += float64(x[i+1]) * float64(y[i+1])
			s[i+2] += float64(x[i+2]) * float64(y[i+2])
			s[i+3] += float64(x[i+3]) * float64(y[i+3])
		}
		a, b = a[floatLanes:], b[floatLanes:]
	}
	for i := range 4 {
		s[i] = (s[i] + s[i+4]) + (s[i+8] + s[i+12])
	}
	return (s[0] + s[2]) + (s[1] + s[3])
}

// dotFloats returns the dot product of two vectors of equal length in 64 bits.
func dotFloats(a, b []float32) float64 {
	whole := len(a) / floatLanes * floatLanes
	sum := dotLanes(a[:whole], b[:whole])
	for i := whole; i < len(a); i++ {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
