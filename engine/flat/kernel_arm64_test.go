//go:build !purego

package flat

import "testing"

func kernelName() string {
	if hasSDOT {
		return "NEON with SDOT"
	}
	return "NEON"
}

// What processors without SDOT do is compared on those with it as well.
func TestWithoutSDOT(t *testing.T) {
	t.Parallel()
	checkGroups(t, func(codes []uint8, query []int8, slots []uint16, rows [][]uint8) (got, scattered [groupRows]int32) {
		dotCodesNEON(&codes[0], len(query), &slots[0], len(slots), &query[0], &got[0], false)
		dotRowsNEON(&rows[0], len(rows), len(query), &query[0], &scattered[0], false)
		return got, scattered
	})
}
