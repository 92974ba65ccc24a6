package sqlite

import (
	"context"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/quirelib/quire"
)

// claims are those of the Stores of this process that are open, or on the way to it or from
// it. On Unix, whoever closes a file gives up all locks that its process has on it, SQLite's
// among them (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_):
// another program then takes the log for one that a crash has left, and deletes it under the
// Store that writes it. So Open asks here before it opens anything.
var claims = struct {
	sync.Mutex
	all map[*claim]struct{}
}{all: map[*claim]struct{}{}}

// claim is a database file that only one Store of this process may open, with the files
// beside it.
type claim struct {
	path string
	file fs.FileInfo // of the file that was opened, which may have another name now; else nil
}

// namedFile is a name and the file that has it, nil if there is none.
type namedFile struct {
	name string
	file fs.FileInfo
}

func (n namedFile) same(other namedFile) bool {
	return n.name == other.name || n.file != nil && other.file != nil && os.SameFile(n.file, other.file)
}

// files returns all that is claimed. It opens nothing.
func (c *claim) files() []namedFile {
	all := []namedFile{{c.path, c.file}}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal", ".lock"} {
		file, err := os.Stat(c.path + suffix)
		if err != nil {
			file = nil // what cannot be reached cannot be opened either
		}
		all = append(all, namedFile{c.path + suffix, file})
	}
	return all
}

// overlaps reports whether one of the files is claimed.
func (c *claim) overlaps(files []namedFile) bool {
	for _, own := range c.files() {
		for _, f := range files {
			if own.same(f) {
				return true
			}
		}
	}
	return false
}

// claimFile claims a database file. As for the lock of another process, it waits a moment
// for a Store that is just being closed.
func claimFile(ctx context.Context, path string) (*claim, error) {
	short, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		if c := tryClaim(path); c != nil {
			return c, nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-short.Done():
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return nil, quire.ErrLocked
		}
	}
}

// tryClaim returns nil if one of the files is claimed already, by whatever name.
func tryClaim(path string) *claim {
	claims.Lock()
	defer claims.Unlock()
	c := &claim{path: path}
	files := c.files()
	for other := range claims.all {
		if other.overlaps(files) {
			return nil
		}
	}
	claims.all[c] = struct{}{}
	return c
}

// opened says which file it is, so that it is found when it has been moved.
func (c *claim) opened(file fs.FileInfo) {
	claims.Lock()
	defer claims.Unlock()
	c.file = file
}

// release lets others have the file, when all that was open is closed.
func (c *claim) release() {
	claims.Lock()
	defer claims.Unlock()
	delete(claims.all, c)
}
