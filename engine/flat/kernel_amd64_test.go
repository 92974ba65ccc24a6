//go:build !purego

package flat

func kernelName() string {
	if hasAVX2 {
		return "AVX2"
	}
	return "plain Go: the processor has no AVX2"
}
