package sqlite

import "golang.org/x/sys/unix"

// renameNew renames a file, unless the name is taken. Not every file system can.
func renameNew(from, to string) error {
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
}
