package flat

// The kernels in plain Go. Those in assembly give the same results, bit for bit, and take a
// shorter time.

// dotCodesGeneric writes to dots the dot products of the query with the rows in the slots of
// a block.
func dotCodesGeneric(codes []int8, query []int16, slots []uint16, dots *[blockRows]int32) {
	for i, slot := range slots {
		row := codes[int(slot)*len(query):][:len(query)]
		var a, b, c, d int32
		for j := 0; j+4 <= len(row) && j+4 <= len(query); j += 4 {
			a += int32(row[j]) * int32(query[j])
			b += int32(row[j+1]) * int32(query[j+1])
			c += int32(row[j+2]) * int32(query[j+2])
			d += int32(row[j+3]) * int32(query[j+3])
		}
		dots[i] = a + b + c + d
	}
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
	for len(a) >= floatLanes && len(b) >= floatLanes {
		for i := range s {
			s[i] += float64(a[i]) * float64(b[i])
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
