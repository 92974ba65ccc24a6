//go:build !purego

package flat

import (
	"sync/atomic"

	"golang.org/x/sys/cpu"
)

var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// hasVNNI tells whether the processor sums the products of 64 bytes in one instruction.
var hasVNNI = hasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512VNNI

// dotCodesAVX2 is dotCodesGeneric for rows of stride codes in the count slots, with count a
// multiple of groupRows and stride of laneCodes.
//
//go:noescape
func dotCodesAVX2(codes *uint8, stride int, slots *uint16, count int, query *int8, dots *int32)

// dotRowsAVX2 is dotRowsGeneric for rows of stride codes, with count a multiple of groupRows.
//
//go:noescape
func dotRowsAVX2(rows *[]uint8, count int, stride int, query *int8, dots *int32)

// dotCodesVNNI is dotCodesAVX2 with half of the steps.
//
//go:noescape
func dotCodesVNNI(codes *uint8, stride int, slots *uint16, count int, query *int8, dots *int32)

// dotRowsVNNI is dotRowsAVX2 with half of the steps.
//
//go:noescape
func dotRowsVNNI(rows *[]uint8, count int, stride int, query *int8, dots *int32)

// halveAVX2 is halveGeneric for n codes. It returns the sum of the codes plus codeZero each.
//
//go:noescape
func halveAVX2(codes *int8, from *uint8, n int) int64

// dotLanesAVX2 is dotLanesGeneric for n numbers.
//
//go:noescape
func dotLanesAVX2(a, b *float32, n int) float64

// fetchLinks has the processor fetch a list of links that will be read.
//
//go:noescape
func fetchLinks(list *atomic.Uint32)

func dotCodes(codes []uint8, query []int8, slots []uint16, dots *[blockRows]int32) {
	switch {
	case len(slots) == 0:
	case hasVNNI:
		dotCodesVNNI(&codes[0], len(query), &slots[0], len(slots), &query[0], &dots[0])
	case hasAVX2:
		dotCodesAVX2(&codes[0], len(query), &slots[0], len(slots), &query[0], &dots[0])
	default:
		dotCodesGeneric(codes, query, slots, dots)
	}
}

func dotRows(rows [][]uint8, query []int8, dots *[baseDegree]int32) {
	switch {
	case len(rows) == 0:
	case hasVNNI:
		dotRowsVNNI(&rows[0], len(rows), len(query), &query[0], &dots[0])
	case hasAVX2:
		dotRowsAVX2(&rows[0], len(rows), len(query), &query[0], &dots[0])
	default:
		dotRowsGeneric(rows, query, dots)
	}
}

func halve(codes []int8, from []uint8) int32 {
	if !hasAVX2 || len(from) == 0 {
		return halveGeneric(codes, from)
	}
	return int32(halveAVX2(&codes[0], &from[0], len(from))) - codeZero*int32(len(from))
}

func dotLanes(a, b []float32) float64 {
	if !hasAVX2 || len(a) == 0 {
		return dotLanesGeneric(a, b)
	}
	return dotLanesAVX2(&a[0], &b[0], len(a))
}
