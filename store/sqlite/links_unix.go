//go:build unix

package sqlite

import (
	"io/fs"
	"syscall"
)

// links returns how many names a file has, 0 if that is not known.
func links(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 0
}
