package sqlite

import (
	"context"
	"slices"

	"github.com/quirelib/quire"
)

var (
	markColumns = columns{"kind", "user_id", "created_at"}
	selectMark  = `SELECT ` + subjectOf("m") + `, ` + markColumns.of("m") + ` FROM marks m `
	insertMark  = slices.Concat(subjectColumns, markColumns).insert("marks", subjectValues...)
)

func scanMark(row scanner) (m quire.Mark, err error) {
	err = row.Scan(&m.Subject.ElementalID, &m.Subject.ListID, &m.Kind, &m.UserID, moment{&m.CreatedAt})
	return m, err
}

// Marks implements quire.EngagementReader.
func (t *tx) Marks(ctx context.Context, userID string, subjects []quire.Subject) ([]quire.Mark, error) {
	return allAbout(ctx, t, scanMark, selectMark+`WHERE m.user_id = ? AND m.`, ``, subjects, userID)
}

// LastMarks implements quire.EngagementReader.
func (t *tx) LastMarks(ctx context.Context, s quire.Subject, kind quire.MarkKind, limit int) ([]quire.Mark, error) {
	cond, arg := about(s)
	return all(ctx, t, scanMark, selectMark+`WHERE m.`+cond+` AND m.kind = ?
		ORDER BY m.created_at DESC, m.user_id LIMIT ?`, arg, kind, limit)
}

// PutMark implements quire.EngagementWriter.
func (t *tx) PutMark(ctx context.Context, m quire.Mark) (added bool, err error) {
	cond, arg := about(m.Subject)
	n, err := t.exec(ctx, `UPDATE marks SET created_at = ? WHERE `+cond+` AND user_id = ? AND kind = ?`,
		micros(m.CreatedAt), arg, m.UserID, m.Kind)
	if err != nil || n > 0 {
		return false, failure(ctx, err)
	}
	_, err = t.exec(ctx, insertMark, m.Subject.ElementalID, m.Subject.ListID, m.Kind, m.UserID, micros(m.CreatedAt))
	return err == nil, noSubject(ctx, err)
}

// DeleteMark implements quire.EngagementWriter.
func (t *tx) DeleteMark(ctx context.Context, s quire.Subject, userID string, kind quire.MarkKind) (removed bool, err error) {
	cond, arg := about(s)
	n, err := t.exec(ctx, `DELETE FROM marks WHERE `+cond+` AND user_id = ? AND kind = ?`, arg, userID, kind)
	return n > 0, failure(ctx, err)
}
