//go:build !amd64 || purego

package flat

func dotCodes(codes []uint8, query []int8, slots []uint16, dots *[blockRows]int32) {
	dotCodesGeneric(codes, query, slots, dots)
}

func dotLanes(a, b []float32) float64 { return dotLanesGeneric(a, b) }
