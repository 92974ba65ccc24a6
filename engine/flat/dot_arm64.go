//go:build !purego

package flat

import (
	"sync/atomic"

	"golang.org/x/sys/cpu"
)

// hasSDOT tells whether the processor sums products of bytes in one instruction. All else
// that the kernels use, every processor of arm64 has.
var hasSDOT = cpu.ARM64.HasASIMDDP

// dotCodesNEON is dotCodesGeneric for rows of stride codes in the count slots, with count a
// multiple of groupRows and stride of laneCodes, and neither of them 0.
//
//go:noescape
func dotCodesNEON(codes *uint8, stride int, slots *uint16, count int, query *int8, dots *int32, sdot bool)

// dotRowsNEON is dotRowsGeneric for rows of stride codes, with count a multiple of groupRows
// and not 0.
//
//go:noescape
func dotRowsNEON(rows *[]uint8, count int, stride int, query *int8, dots *int32, sdot bool)

// halveNEON is halveGeneric for n codes, a multiple of laneCodes and not 0.
//
//go:noescape
func halveNEON(codes *int8, from *uint8, n int) int32

// dotLanesNEON is dotLanesGeneric for n numbers, a multiple of floatLanes and not 0.
//
//go:noescape
func dotLanesNEON(a, b *float32, n int) float64

// fetchLinks has the processor fetch a list of links that will be read.
//
//go:noescape
func fetchLinks(list *atomic.Uint32)

func dotCodes(codes []uint8, query []int8, slots []uint16, dots *[blockRows]int32) {
	if len(slots) > 0 {
		dotCodesNEON(&codes[0], len(query), &slots[0], len(slots), &query[0], &dots[0], hasSDOT)
	}
}

func dotRows(rows [][]uint8, query []int8, dots *[baseDegree]int32) {
	if len(rows) > 0 {
		dotRowsNEON(&rows[0], len(rows), len(query), &query[0], &dots[0], hasSDOT)
	}
}

func halve(codes []int8, from []uint8) int32 {
	if len(from) == 0 {
		return 0
	}
	return halveNEON(&codes[0], &from[0], len(from))
}

func dotLanes(a, b []float32) float64 {
	if len(a) == 0 {
		return 0
	}
	return dotLanesNEON(&a[0], &b[0], len(a))
}
