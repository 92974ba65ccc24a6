//go:build !purego

package flat

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// groupRows is how many rows dotCodesAVX2 takes at a time.
const groupRows = 4

// dotCodesAVX2 is dotCodesGeneric for rows of stride codes in the count slots, with count a
// multiple of groupRows and stride of laneCodes.
//
//go:noescape
func dotCodesAVX2(codes *uint8, stride int, slots *uint16, count int, query *int8, dots *int32)

// dotLanesAVX2 is dotLanesGeneric for n numbers.
//
//go:noescape
func dotLanesAVX2(a, b *float32, n int) float64

func dotCodes(codes []uint8, query []int8, slots []uint16, dots *[blockRows]int32) {
	whole := len(slots) / groupRows * groupRows
	if !hasAVX2 {
		whole = 0
	}
	if whole > 0 {
		dotCodesAVX2(&codes[0], len(query), &slots[0], whole, &query[0], &dots[0])
	}
	if whole == len(slots) {
		return
	}
	if !hasAVX2 {
		dotCodesGeneric(codes, query, slots, dots)
		return
	}
	// The last few in a group that is filled up with the first slot.
	var last [groupRows]uint16
	var sums [groupRows]int32
	copy(last[:], slots[whole:])
	dotCodesAVX2(&codes[0], len(query), &last[0], groupRows, &query[0], &sums[0])
	copy(dots[whole:len(slots)], sums[:])
}

func dotLanes(a, b []float32) float64 {
	if !hasAVX2 || len(a) == 0 {
		return dotLanesGeneric(a, b)
	}
	return dotLanesAVX2(&a[0], &b[0], len(a))
}
