package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/quirelib/quire"
)

// markKey is what a mark is found by.
type markKey struct {
	subject quire.Subject
	userID  string
	kind    quire.MarkKind
}

func keyOfMark(m *quire.Mark) markKey { return markKey{m.Subject, m.UserID, m.Kind} }

func (d *data) deriveMark(old, cur *quire.Mark) {
	if old != nil {
		d.marksOn.remove(old.Subject, keyOfMark(old))
	}
	if cur != nil {
		d.marksOn.add(cur.Subject, keyOfMark(cur), cur)
	}
}

// Marks implements [quire.EngagementReader].
func (tx readTx) Marks(ctx context.Context, userID string, subjects []quire.Subject) ([]quire.Mark, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var ms []quire.Mark
	seen := map[quire.Subject]bool{}
	for _, s := range subjects {
		if seen[s] {
			continue
		}
		seen[s] = true
		for k, m := range tx.marksOn[s] {
			if k.userID == userID {
				ms = append(ms, *m)
			}
		}
	}
	return ms, nil
}

// LastMarks implements [quire.EngagementReader].
func (tx readTx) LastMarks(ctx context.Context, s quire.Subject, kind quire.MarkKind, limit int) ([]quire.Mark, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var ms []quire.Mark
	for k, m := range tx.marksOn[s] {
		if k.kind == kind {
			ms = append(ms, *m)
		}
	}
	slices.SortFunc(ms, func(a, b quire.Mark) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.UserID, b.UserID))
	})
	return page(ms, 0, limit), nil
}

// PutMark implements [quire.EngagementWriter].
func (tx *writeTx) PutMark(ctx context.Context, m quire.Mark) (added bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if err := tx.exists(m.Subject); err != nil {
		return false, err
	}
	m.CreatedAt = moment(m.CreatedAt)
	added = tx.marks.rows[keyOfMark(&m)] == nil
	tx.marks.set(&tx.undo, keyOfMark(&m), &m)
	return added, nil
}

// DeleteMark implements [quire.EngagementWriter].
func (tx *writeTx) DeleteMark(ctx context.Context, s quire.Subject, userID string, kind quire.MarkKind) (removed bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	k := markKey{s, userID, kind}
	removed = tx.marks.rows[k] != nil
	tx.marks.set(&tx.undo, k, nil)
	return removed, nil
}
