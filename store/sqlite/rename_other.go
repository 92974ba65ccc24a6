//go:build !linux

package sqlite

import "errors"

// renameNew renames a file, unless the name is taken; here by no single call.
func renameNew(from, to string) error { return errors.ErrUnsupported }
