//go:build (!amd64 && !arm64) || purego

package flat

func kernelName() string { return "plain Go" }
