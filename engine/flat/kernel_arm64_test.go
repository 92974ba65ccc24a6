//go:build !purego

package flat

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func kernelName() string {
	if hasSDOT {
		return "NEON with SDOT"
	}
	return "NEON"
}

// What processors without SDOT do is compared on those with it as well: all other tests of
// kernels take the one that the machine prefers.
func TestWithoutSDOT(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		stride := laneCodes * rapid.IntRange(1, 9).Draw(t, "lanes")
		codes := rapid.SliceOfN(rapid.Uint8(), groupRows*stride, groupRows*stride).Draw(t, "codes")
		query := rapid.SliceOfN(rapid.Int8Range(-maxQueryCode, maxQueryCode), stride, stride).Draw(t, "query")
		checkWithoutSDOT(t, codes, query)
	})
	for _, code := range []uint8{0, 255} {
		for _, of := range []int8{-maxQueryCode, maxQueryCode} {
			checkWithoutSDOT(t, slices.Repeat([]uint8{code}, groupRows*384), slices.Repeat([]int8{of}, 384))
		}
	}
}

func checkWithoutSDOT(t interface {
	Fatalf(string, ...any)
	Helper()
}, codes []uint8, query []int8) {
	t.Helper()
	slots, rows := []uint16{3, 0, 1, 2}, make([][]uint8, groupRows)
	for i, slot := range slots {
		rows[i] = codes[int(slot)*len(query):][:len(query)]
	}
	var want, got, scattered [groupRows]int32
	for i, row := range rows {
		want[i] = dotRow(row, query)
	}
	dotCodesNEON(&codes[0], len(query), &slots[0], len(slots), &query[0], &got[0], false)
	dotRowsNEON(&rows[0], len(rows), len(query), &query[0], &scattered[0], false)
	if got != want || scattered != want {
		t.Fatalf("%v and %v, want %v", got, scattered, want)
	}
}
