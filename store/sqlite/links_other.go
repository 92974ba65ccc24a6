//go:build !unix

package sqlite

import "io/fs"

// links returns how many names a file has; 0, it is not known.
func links(fs.FileInfo) uint64 { return 0 }
