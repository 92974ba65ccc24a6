package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/quirelib/quire"
)

// createBatch is how many documents are stored in one transaction.
const createBatch = 32

// changes counts what a synchronisation did.
type changes struct{ added, changed, removed, unchanged, skipped int }

func (c changes) String() string {
	s := fmt.Sprintf("%d added, %d changed, %d removed, %d unchanged", c.added, c.changed, c.removed, c.unchanged)
	if c.skipped > 0 {
		s += fmt.Sprintf("; %d skipped", c.skipped)
	}
	return s
}

// documents is how many documents there are after the synchronisation.
func (c changes) documents() int { return c.added + c.changed + c.unchanged }

// A syncer makes a folder of the library hold what the files hold. A change and
// its ingest are stored in one transaction, so that a run that is killed leaves
// nothing behind that the next one does not finish.
type syncer struct {
	folder *folder
	fsys   fs.FS
	report func(path, what string) // is told of every file without a document, or with a flaw

	stored map[string]known  // the documents that were not seen yet
	paths  map[string]string // by id, of those that were
	batch  []document        // new ones, to be stored
	unread []string          // folders that could not be read
	count  changes
}

// run stores all changes; after each file it calls done.
func (s *syncer) run(ctx context.Context, c corpus, done func()) error {
	var err error
	if s.stored, err = s.folder.stored(ctx); err != nil {
		return err
	}
	s.paths = map[string]string{}
	for _, sk := range c.skipped {
		if sk.unread {
			s.unread = append(s.unread, sk.path)
			sk.reason += "; what is known of it stays"
		}
		s.skip(&sk)
	}
	for _, p := range c.files {
		if err := s.file(ctx, p); err != nil {
			return err
		}
		done()
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	return s.removeRest(ctx)
}

// file compares one file with what is stored of it.
func (s *syncer) file(ctx context.Context, p string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	id := s.folder.elementalID(p)
	doc, err := read(s.fsys, p)
	if sk := (*skipped)(nil); errors.As(err, &sk) {
		if _, have := s.stored[id]; have && sk.unread {
			sk.reason += "; what is known of it stays"
			s.seen(id, p)
			s.count.unchanged++
		}
		s.skip(sk)
		return nil
	}
	if doc.note != "" {
		s.report(p, doc.note)
	}
	old, have := s.stored[id]
	switch {
	case !have:
		return s.add(ctx, doc)
	case old.digest == digest(doc.title, doc.body):
		s.count.unchanged++
	default:
		if err := s.folder.change(ctx, doc); err != nil {
			return err
		}
		s.count.changed++
	}
	s.seen(id, p)
	return nil
}

func (s *syncer) seen(id, p string) {
	delete(s.stored, id)
	s.paths[id] = p
}

func (s *syncer) skip(sk *skipped) {
	s.count.skipped++
	s.report(sk.path, sk.reason)
}

// add stores a new document, a batch of them at a time.
func (s *syncer) add(ctx context.Context, doc document) error {
	s.batch = append(s.batch, doc)
	if len(s.batch) < createBatch {
		return nil
	}
	return s.flush(ctx)
}

func (s *syncer) flush(ctx context.Context) error {
	if len(s.batch) == 0 {
		return nil
	}
	errs, err := s.folder.add(ctx, s.batch)
	if err != nil {
		return err
	}
	for i, doc := range s.batch {
		if errs[i] != nil {
			s.skip(&skipped{path: doc.path, reason: "was refused: " + errs[i].Error()})
			continue
		}
		s.seen(s.folder.elementalID(doc.path), doc.path)
		s.count.added++
	}
	s.batch = nil
	return nil
}

// removeRest removes the documents whose file is gone: those that were not seen. In
// folders that could not be read nobody knows which these are: theirs stay.
func (s *syncer) removeRest(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(s.stored)) {
		if p := s.stored[id].path; s.mayBeThere(p) {
			s.seen(id, p)
			s.count.unchanged++
			continue
		}
		if err := s.folder.remove(ctx, id); err != nil && !errors.Is(err, quire.ErrNotFound) {
			return err
		}
		s.count.removed++
	}
	return nil
}

// mayBeThere reports whether a path may lie in a folder that could not be read.
func (s *syncer) mayBeThere(p string) bool {
	return slices.ContainsFunc(s.unread, func(dir string) bool { return p == "" || strings.HasPrefix(p, dir+"/") })
}
