package flat

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// dotGroup is a pair of kernels: the dot products of a query with a group of rows, in slots
// and scattered.
type dotGroup func(codes []uint8, query []int8, slots []uint16, rows [][]uint8) (got, scattered [groupRows]int32)

// checkGroups compares kernels with those in plain Go which the machine has better ones for:
// all other tests take those that it prefers.
func checkGroups(t *testing.T, dot dotGroup) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		stride := laneCodes * rapid.IntRange(1, 9).Draw(t, "lanes")
		codes := rapid.SliceOfN(rapid.Uint8(), groupRows*stride, groupRows*stride).Draw(t, "codes")
		query := rapid.SliceOfN(rapid.Int8Range(-maxQueryCode, maxQueryCode), stride, stride).Draw(t, "query")
		checkGroup(t, dot, codes, query)
	})
	for _, code := range []uint8{0, 255} {
		for _, of := range []int8{-maxQueryCode, maxQueryCode} {
			checkGroup(t, dot, slices.Repeat([]uint8{code}, groupRows*384), slices.Repeat([]int8{of}, 384))
		}
	}
}

func checkGroup(t interface {
	Fatalf(string, ...any)
	Helper()
}, dot dotGroup, codes []uint8, query []int8) {
	t.Helper()
	slots, rows := []uint16{3, 0, 1, 2}, make([][]uint8, groupRows)
	for i, slot := range slots {
		rows[i] = codes[int(slot)*len(query):][:len(query)]
	}
	var want [groupRows]int32
	for i, row := range rows {
		want[i] = dotRow(row, query)
	}
	if got, scattered := dot(codes, query, slots, rows); got != want || scattered != want {
		t.Fatalf("%v and %v, want %v", got, scattered, want)
	}
}
