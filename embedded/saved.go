package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/quirelib/quire"
)

// graphFile is the name of the file inside the directory that keeps what a
// quire.SavedIndex is slow to make. It may be deleted while the directory is closed.
const graphFile = "quire.graph"

// saved keeps what an index is slow to make beside the database. What goes wrong with that is
// logged and costs time, nothing else.
type saved struct {
	index  quire.SavedIndex
	path   string
	log    *slog.Logger
	loaded bool // else there is nothing to save

	stop     context.CancelFunc // ends the building that is waited for
	building sync.WaitGroup
	closing  sync.Once
}

// keep has an index, which is filled next, put off what a file may save it, until what it
// returns is called. Close then writes the file.
func (q *Quire) keep(index quire.SavedIndex, path string, log *slog.Logger) (load func(context.Context)) {
	s := &saved{index: index, path: path, log: cmp.Or(log, slog.New(slog.DiscardHandler)), stop: func() {}}
	if err := s.safely(func() error { index.Hold(); return nil }); err != nil {
		s.log.Warn("the index cannot be told that it is to be filled", "error", quire.Cause(err))
	}
	q.closeFirst(s.close) // while the Store keeps others out of the directory
	return s.load
}

// load gives the index, which is filled now, what was saved. If it has to make something
// besides, that is saved as soon as it is made, so that a program that is killed later need
// not make it again.
func (s *saved) load(ctx context.Context) {
	found, err := s.read(ctx)
	if err != nil {
		s.log.Warn("what was saved of the index is not used as it is; the rest is made anew, and searches take longer until then", "error", quire.Cause(err))
	}
	// What the index did not come to judge is not replaced.
	s.loaded = !found || err == nil || quire.CodeOf(err) == quire.CodeCorrupt || quire.CodeOf(err) == quire.CodeConflict
	if found && err == nil || !s.loaded {
		return
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.building.Go(func() {
		if s.built(life) {
			s.write(life)
		}
	})
}

// safely does something with the index, which may be the application's: what it panics with
// is an error.
func (s *saved) safely(fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = quire.Errorf(quire.CodeInternal, "the vector index panicked").WithCause(fmt.Errorf("%v", r))
		}
	}()
	return fn()
}

// built waits until the index has made everything, and reports whether it has.
func (s *saved) built(ctx context.Context) bool {
	return s.safely(func() error { return s.index.Built(ctx) }) == nil
}

// give gives the index what was saved.
func (s *saved) give(ctx context.Context, r io.Reader) error {
	return s.safely(func() error { return s.index.Load(ctx, r) })
}

// read gives the index what is in the file, or nothing if there is none.
func (s *saved) read(ctx context.Context) (found bool, err error) {
	f, err := openRegular(s.path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, errors.Join(err, s.give(ctx, strings.NewReader("")))
	}
	defer f.Close()
	return true, s.give(ctx, f)
}

// isDatabase reports whether a file begins as databases of SQLite do. Whatever else is in the
// place of what is saved is replaced, but not that: nothing may be as dear as a backup.
func isDatabase(path string) bool {
	f, err := openRegular(path)
	if err != nil { // what cannot be looked at may be one
		return errors.Is(err, fs.ErrPermission)
	}
	defer f.Close()
	const magic = "SQLite format 3\x00"
	begins := make([]byte, len(magic))
	_, err = io.ReadFull(f, begins)
	return err == nil && string(begins) == magic
}

// openRegular opens a file for reading. Opening a named pipe would wait for its writer.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	return os.Open(path)
}

// closeWait is how long close waits for what the index is just making. What it has made in
// part may be less than the file has, which then stays.
const closeWait = time.Second

// close saves what the index has made, unless ctx ends before. It is no error if that fails.
// An index that was not filled, because Open failed, or not loaded, is let go.
func (s *saved) close(ctx context.Context) error {
	s.closing.Do(func() {
		if !s.loaded {
			_ = s.give(ctx, strings.NewReader(""))
			return
		}
		s.stop()
		s.building.Wait()
		wait, cancel := context.WithTimeout(ctx, closeWait)
		defer cancel()
		if s.built(wait) {
			s.write(ctx)
		}
	})
	return nil
}

// write replaces the file by what the index saves now. It is the former one or the new one
// whole, whatever happens meanwhile.
func (s *saved) write(ctx context.Context) {
	part := &draft{path: s.path + ".new"}
	if isDatabase(s.path) || isDatabase(part.path) {
		s.log.Warn("a database, such as a backup, has the name under which the index is saved: it stays, and nothing is saved until it is moved away", "name", graphFile)
		return
	}
	err := s.safely(func() error { return s.index.Save(ctx, part) })
	if err == nil {
		err = part.publish(s.path)
	}
	part.discard()
	if err != nil && ctx.Err() == nil {
		s.log.Warn("what the index has made could not be saved; it is made anew at the next opening", "error", quire.Cause(err))
	}
}
