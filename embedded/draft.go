package embedded

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/quirelib/quire/internal/durable"
)

// draft is a file that is made when something is written to it.
type draft struct {
	path string
	file *os.File
}

var _ io.Writer = (*draft)(nil)

// Write implements io.Writer.
func (d *draft) Write(p []byte) (int, error) {
	if d.file == nil {
		// Made anew, so that it is for this user alone and no link to another file.
		if err := os.Remove(d.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
		f, err := os.OpenFile(d.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return 0, err
		}
		d.file = f
	}
	return d.file.Write(p)
}

// publish makes the draft the file of a name, durably. Without a draft there is no such file
// afterwards.
func (d *draft) publish(path string) error {
	if d.file == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := errors.Join(d.file.Sync(), d.file.Close()); err != nil {
		return err
	}
	if err := os.Rename(d.path, path); err != nil {
		return err
	}
	d.file = nil
	return durable.SyncDir(filepath.Dir(path))
}

// discard removes a draft that was not published.
func (d *draft) discard() {
	if d.file != nil {
		d.file.Close()
		os.Remove(d.path)
	}
}
