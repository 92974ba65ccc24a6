//go:build !purego

package flat

import (
	"sync/atomic"

	"golang.org/x/sys/cpu"
)

var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// dotCodesAVX2 is dotCodesGeneric for rows of stride codes in the count slots, with count a
// multiple of groupRows and stride of laneCodes.
//
//go:noescape
func dotCodesAVX2(codes *uint8, stride int, slots *uint16, count int, query *int8, dots *int32)

// dotRowsAVX2 is dotRowsGeneric for rows of stride codes, with count a multiple of groupRows.
//
//go:noescape
func dotRowsAVX2(rows *[]uint8, count int, stride int, query *int8, dots *int32)

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
	if !hasAVX2 || len(slots) == 0 {
		dotCodesGeneric(codes, query, slots, dots)
		return
	}
	dotCodesAVX2(&codes[0], len(query), &slots[0], len(slots), &query[0], &dots[0])
}

func dotRows(rows [][]uint8, query []int8, dots *[baseDegree]int32) {
	if !hasAVX2 || len(rows) == 0 {
		dotRowsGeneric(rows, query, dots)
		return
	}
	dotRowsAVX2(&rows[0], len(rows), len(query), &query[0], &dots[0])
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
