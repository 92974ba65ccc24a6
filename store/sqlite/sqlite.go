// Package sqlite keeps a library in one SQLite database file. It is the default
// [quire.Store]: pure Go, durable, with full-text search, for one process at a
// time.
//
// The file is in WAL mode. One connection writes, each transaction BEGIN
// IMMEDIATE; a pool of others reads, each View on its own snapshot, without
// waiting for the writer.
package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/quirelib/quire"
)

// Synchronous says what a commit waits for.
type Synchronous string

// The settings of Synchronous.
const (
	// Full: a transaction is on the disk when Update returns. It survives the loss of
	// power.
	Full Synchronous = "full"
	// Normal: a transaction has been handed to the operating system when Update
	// returns. It survives a crash of the process, but the loss of power can undo the
	// last ones; what is left is consistent. Several times as many Updates a second.
	Normal Synchronous = "normal"
)

// Options configure a Store. The zero value is good.
type Options struct {
	// Synchronous is how durable an Update is. Default Full.
	Synchronous Synchronous
	// ReadConns is how many Views run at the same time, 1..1000; more wait. Default:
	// one for each CPU, at least 4.
	ReadConns int
	// BusyTimeout is how long a transaction waits for another program that has locked
	// the file, such as a backup. Default 5 s.
	BusyTimeout time.Duration
	// MustExist refuses a file that is not there, with ErrNotFound, instead of making it:
	// for who opens a backup, or a path that may be mistyped. Default: it is made.
	MustExist bool
}

// maxReadConns bounds the file descriptors and memory that a Store takes.
const maxReadConns = 1000

// normal returns a copy with the defaults filled in, after checking the limits.
// o may be nil.
func (o *Options) normal() (Options, error) {
	var n Options
	if o != nil {
		n = *o
	}
	if n.Synchronous == "" {
		n.Synchronous = Full
	}
	if n.ReadConns == 0 {
		n.ReadConns = min(max(4, runtime.GOMAXPROCS(0)), maxReadConns)
	}
	if n.BusyTimeout == 0 {
		n.BusyTimeout = 5 * time.Second
	}
	switch {
	case n.Synchronous != Full && n.Synchronous != Normal:
		return n, quire.Errorf(quire.CodeInvalid, "Synchronous must be %q or %q", Full, Normal)
	case n.ReadConns < 1 || n.ReadConns > maxReadConns:
		return n, quire.Errorf(quire.CodeInvalid, "ReadConns must be between 1 and %d", maxReadConns)
	case n.BusyTimeout < 0 || n.BusyTimeout > time.Hour:
		return n, quire.Errorf(quire.CodeInvalid, "BusyTimeout must be between 0 and 1 hour")
	}
	return n, nil
}

// Store is a [quire.Store] in an SQLite database file. It is safe for concurrent
// use.
type Store struct {
	path  string
	file  fs.FileInfo // of path when it was opened
	locks []*flock.Flock
	claim *claim
	write *pool // one connection
	read  *pool // Options.ReadConns connections

	busyTimeout time.Duration // of Options

	mu       sync.Mutex // guards closed and sessions, and running.Add against Close
	closed   bool
	sessions map[*session]struct{}
	running  sync.WaitGroup // one for each session
	closing  sync.Once
	done     chan struct{} // closed when everything is; then closeErr is set
	closeErr error

	trace func(query string, args []any) // set by tests only
}

var _ quire.ExclusiveStore = (*Store)(nil)

// Open opens the Store in the file path, which is made, readable for its owner
// only, with its directory if it is missing; a file that is there but empty is damaged.
// opts may be nil. While the Store is open, path+".lock" is locked, and SQLite
// keeps path+"-wal" and path+"-shm". This process must not open and close any of these files
// by itself meanwhile, not even to read it: on Unix that takes SQLite's locks away.
//
// Errors: ErrInvalid for unusable options or path, such as one of several hard links to a
// file (known on Unix only), whose log is found by its name; ErrNotFound as MustExist says;
// ErrLocked if this or another process has the file open; ErrCorrupt if it is damaged or not a database of this
// package, and ErrNewerSchema if a newer version wrote it, the file being
// untouched in both cases; CodeUnavailable if it cannot be read or written.
func Open(ctx context.Context, path string, opts *Options) (*Store, error) {
	o, err := opts.normal()
	if err != nil {
		return nil, err
	}
	if o.MustExist {
		if err := present(path); err != nil {
			return nil, err
		}
	}
	path, err = locate(path)
	if err != nil {
		return nil, err
	}
	claimed, err := claimFile(ctx, path)
	if err != nil {
		return nil, err
	}
	s, err := openLocked(ctx, path, o)
	if err != nil {
		claimed.release()
		return nil, err
	}
	claimed.opened(s.file)
	s.claim = claimed
	return s, nil
}

// openLocked locks and opens the file, which this process does not have open.
func openLocked(ctx context.Context, path string, o Options) (*Store, error) {
	lock, err := acquire(ctx, path)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, path, o)
	if err != nil {
		lock.Unlock() // the first error says more
		return nil, err
	}
	s.locks = append(s.locks, lock)
	return s, nil
}

// open opens the file under the lock.
func open(ctx context.Context, path string, o Options) (*Store, error) {
	exists, err := inspect(ctx, path)
	if err != nil {
		return nil, err
	}
	if !exists && o.MustExist { // it has gone since
		return nil, missing()
	}
	if !exists {
		if err := create(ctx, path, o); err != nil {
			return nil, err
		}
	}
	itself, err := acquireItself(ctx, path)
	if err != nil {
		return nil, err
	}
	s, err := openPools(ctx, path, o)
	switch {
	case itself == nil:
	case err != nil:
		itself.Unlock() // the first error says more
	default:
		s.locks = append(s.locks, itself)
	}
	return s, err
}

// openPools opens the file, which exists.
func openPools(ctx context.Context, path string, o Options) (*Store, error) {
	write, err := newPool(path, o.writer(), 1)
	if err != nil {
		return nil, err
	}
	read, err := newPool(path, o.reader(), o.ReadConns)
	if err != nil {
		return nil, err
	}
	s := &Store{write: inTurns(write), read: inTurns(read), busyTimeout: o.BusyTimeout, sessions: map[*session]struct{}{}, done: make(chan struct{})}
	err = migrate(ctx, write, len(migrations))
	if err == nil {
		err = failure(ctx, read.PingContext(ctx))
	}
	if err == nil {
		s.path = path
		if s.file, err = os.Stat(path); err != nil {
			err = unusable(err)
		}
	}
	if err != nil {
		s.closePools() // the first error says more
		return nil, err
	}
	return s, nil
}

// inPlace returns an error if the file that was opened has another name now or none: what
// is written there is lost with the process, and SQLite does not notice.
func (s *Store) inPlace() error {
	info, err := os.Stat(s.path)
	if err == nil && !os.SameFile(info, s.file) {
		err = errors.New("another file has taken its place")
	}
	if err != nil {
		return quire.Errorf(quire.CodeUnavailable, "the database file has been moved away or deleted").WithCause(err)
	}
	return nil
}

// LogBytes implements quire.LoggedStore: the length of the write-ahead log. Once all of it is
// in the database file, the next write cuts it to 4 MiB and begins it anew, so that one that
// stays much longer while something is written has a reader that does not end.
func (s *Store) LogBytes() int64 {
	info, err := os.Stat(s.path + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}

// Exclusive reports true: no other process can have the file open.
func (s *Store) Exclusive() bool { return true }

// unlock releases the file to whoever wants it next.
func (s *Store) unlock() (err error) {
	for _, lock := range s.locks {
		err = errors.Join(err, lock.Unlock())
	}
	s.claim.release()
	return err
}

// Close waits for running transactions, writes the log back into the database
// file and releases the lock. Calls during and after it return ErrClosed. Calling
// it from within a transaction blocks forever.
func (s *Store) Close() error { return s.CloseContext(context.Background()) }

// cutTime is how long CloseContext waits for transactions that it has cut off: for the
// statements that they run just then.
const cutTime = time.Second

// CloseContext is Close, but waits for transactions only until ctx ends. Those that still
// run then are rolled back, whatever their functions are doing, and every further call in
// them returns ErrClosed; CloseContext returns the error of ctx. Where the end of a single
// statement takes over a second, the file is released after CloseContext has returned.
func (s *Store) CloseContext(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.closing.Do(func() {
		go func() {
			s.running.Wait()
			s.closeErr = failure(context.Background(), errors.Join(s.closePools(), s.unlock()))
			close(s.done)
		}()
	})
	select {
	case <-s.done:
		return s.closeErr
	case <-ctx.Done():
	}
	cut := s.cutOff()
	timer := time.NewTimer(cutTime)
	defer timer.Stop()
	select {
	case <-s.done:
		if cut == 0 {
			return s.closeErr
		}
	case <-timer.C:
	}
	return ctx.Err()
}

// closePools closes the readers first: the last connection to close writes the
// log back, and only the writer may.
func (s *Store) closePools() error { return errors.Join(s.read.Close(), s.write.Close()) }
