package sqlite

import (
	"context"

	"github.com/quirelib/quire"
)

var _ quire.VerifiedStore = (*Store)(nil)

// Verify implements quire.VerifiedStore: SQLite's integrity check, with that of the full-
// text indexes, and its check of references; the schema against that of a new file; then
// each row of each table, whether it can be decoded, and its checksum if it has one; then
// what stands twice, that it is the same. It counts as "rows" the rows with a checksum,
// passages among them.
func (s *Store) Verify(ctx context.Context, v *quire.Verification) error {
	if err := s.verifyStructure(ctx, v); err != nil {
		return err
	}
	return s.View(ctx, func(read quire.ReadTx) error {
		t := read.(*tx)
		for _, verify := range t.verifications() {
			if err := unreadable(v, verify.what, verify.check(ctx, v)); err != nil {
				return err
			}
		}
		return nil
	})
}

// verification is a check of a part of the file.
type verification struct {
	what  string // that cannot be read if the check fails
	check func(context.Context, *quire.Verification) error
}

// verifications are all checks of rows.
func (t *tx) verifications() []verification {
	checks := []verification{
		{"elementals", t.verifyElementals},
		{"lists", t.verifyLists},
		{"media", t.verifyMedia},
		{"chunks", t.verifyChunks},
		{"jobs", t.verifyJobs},
	}
	checks = append(checks, t.verifyPlainTables()...)
	return append(checks, t.verifyCopies()...)
}

// unreadable makes a fault of an error that says that something is damaged. Others, such as
// that of a disk that does not answer, it returns.
func unreadable(v *quire.Verification, what string, err error) error {
	if quire.CodeOf(err) != quire.CodeCorrupt {
		return err
	}
	v.Add("file", "", "not all of the %s can be read: %s", what, quire.Cause(err))
	return nil
}

// verifyStructure reads by a connection of its own. FTS5 keeps with a connection what it
// knows of an index; a search looks whether that still holds, but the check does not, and
// may call a sound file damaged.
func (s *Store) verifyStructure(ctx context.Context, v *quire.Verification) error {
	x, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer x.end()
	o, err := (*Options)(nil).normal()
	if err != nil {
		return err
	}
	db, err := newPool(s.path, o.reader(), 1)
	if err != nil {
		return err
	}
	defer db.Close()
	err = s.inPlace()
	if err == nil {
		err = db.PingContext(x.ctx)
	}
	if err == nil { // that it has opened this file
		err = s.inPlace()
	}
	if err == nil {
		err = readStructure(x.ctx, db, v)
	}
	return x.failure(ctx, err)
}
