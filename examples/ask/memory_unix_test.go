//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory is the most physical memory that a process had, in bytes.
func peakMemory(s *os.ProcessState) int64 {
	most := int64(s.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS == "darwin" {
		return most // the one system that counts bytes, not KiB
	}
	return most << 10
}
