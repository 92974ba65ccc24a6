//go:build (!amd64 && !arm64) || purego

package flat

import "sync/atomic"

func dotCodes(codes []uint8, query []int8, slots []uint16, dots *[blockRows]int32) {
	dotCodesGeneric(codes, query, slots, dots)
}

func dotRows(rows [][]uint8, query []int8, dots *[baseDegree]int32) {
	dotRowsGeneric(rows, query, dots)
}

func halve(codes []int8, from []uint8) int32 { return halveGeneric(codes, from) }

func dotLanes(a, b []float32) float64 { return dotLanesGeneric(a, b) }

func fetchLinks(*atomic.Uint32) {} // Go has no way to ask for it
