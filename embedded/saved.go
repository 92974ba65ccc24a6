package embedded

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

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
	loaded bool // until then there is nothing to save

	stop     context.CancelFunc // ends the building that is waited for
	building sync.WaitGroup
	closing  sync.Once
}

// keep has an index, which is filled next, put off what a file may save it, until what it
// returns is called. Close then writes the file.
func (q *Quire) keep(index quire.SavedIndex, path string, log *slog.Logger) (load func(context.Context)) {
	s := &saved{index: index, path: path, log: cmp.Or(log, slog.New(slog.DiscardHandler)), stop: func() {}}
	index.Hold()
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
	s.loaded = true
	if found && err == nil {
		return
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.building.Go(func() {
		if s.index.Built(life) == nil {
			s.write(life)
		}
	})
}

// read gives the index what is in the file, or nothing if there is none.
func (s *saved) read(ctx context.Context) (found bool, err error) {
	f, err := os.Open(s.path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, errors.Join(err, s.index.Load(ctx, strings.NewReader("")))
	}
	defer f.Close()
	return true, s.index.Load(ctx, f)
}

// close saves what the index has made, unless ctx ends before. It is no error if that fails.
// An index that was not filled, because Open failed, is let go.
func (s *saved) close(ctx context.Context) error {
	s.closing.Do(func() {
		if !s.loaded {
			_ = s.index.Load(ctx, strings.NewReader(""))
			return
		}
		s.stop()
		s.building.Wait()
		s.write(ctx)
	})
	return nil
}

// write replaces the file by what the index saves now. It is the former one or the new one
// whole, whatever happens meanwhile.
func (s *saved) write(ctx context.Context) {
	part := &draft{path: s.path + ".new"}
	err := s.index.Save(ctx, part)
	if err == nil {
		err = part.publish(s.path)
	}
	part.discard()
	if err != nil && ctx.Err() == nil {
		s.log.Warn("what the index has made could not be saved; it is made anew at the next opening", "error", quire.Cause(err))
	}
}

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
	return syncDir(filepath.Dir(path))
}

// discard removes a draft that was not published.
func (d *draft) discard() {
	if d.file != nil {
		d.file.Close()
		os.Remove(d.path)
	}
}

// syncDir makes a rename in a directory durable.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" { // has no sync of directories
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
