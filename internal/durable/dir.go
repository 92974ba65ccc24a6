// Package durable makes changes of directories last.
package durable

import (
	"errors"
	"os"
	"runtime"
)

// SyncDir makes what was renamed, made or removed in a directory last, whatever happens to
// the machine.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" { // has no sync of directories
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
