//go:build !purego

package flat

import "testing"

func kernelName() string {
	switch {
	case hasVNNI:
		return "AVX-512 VNNI"
	case hasAVX2:
		return "AVX2"
	default:
		return "plain Go: the processor has no AVX2"
	}
}

// What processors without VNNI do is compared on those with it as well.
func TestWithoutVNNI(t *testing.T) {
	t.Parallel()
	if !hasAVX2 {
		t.Skip("the processor has no AVX2")
	}
	checkGroups(t, func(codes []uint8, query []int8, slots []uint16, rows [][]uint8) (got, scattered [groupRows]int32) {
		dotCodesAVX2(&codes[0], len(query), &slots[0], len(slots), &query[0], &got[0])
		dotRowsAVX2(&rows[0], len(rows), len(query), &query[0], &scattered[0])
		return got, scattered
	})
}
