package sqlite

import (
	"context"
	"math"
	"slices"

	"github.com/quirelib/quire"
)

var (
	commentColumns = columns{"elemental", "parent", "user_id", "message", "votes", "created_at", "updated_at"}
	selectComment  = `SELECT c.id, e.id, coalesce(c.parent, 0), ` + commentColumns[2:].of("c") + `
		FROM comments c CROSS JOIN elementals e ON e.num = c.elemental `
	insertComment = commentColumns.insert("comments", numOfElemental, parentComment)
	// A comment stays with its elemental, and so do its replies.
	updateComment = `UPDATE comments SET parent = ` + parentComment + `, user_id = ?, message = ?, votes = ?,
		created_at = ?, updated_at = ? WHERE id = ? AND elemental = ` + numOfElemental
)

// parentComment is the id of a comment about an elemental. That of a missing one is
// 0, which no comment has, so that it violates the foreign key; none is NULL.
const parentComment = `CASE ? WHEN 0 THEN NULL ELSE coalesce(
	(SELECT p.id FROM comments p WHERE p.id = ? AND p.elemental = ` + numOfElemental + `), 0) END`

func scanComment(row scanner) (c quire.Comment, err error) {
	err = row.Scan(&c.ID, &c.ElementalID, &c.ParentID, &c.UserID, &c.Message, &c.Votes,
		moment{&c.CreatedAt}, optMoment{&c.UpdatedAt})
	return c, err
}

// Comment implements quire.EngagementReader.
func (t *tx) Comment(ctx context.Context, id int64) (quire.Comment, error) {
	return one(ctx, t, scanComment, selectComment+`WHERE c.id = ?`, id)
}

// Comments implements quire.EngagementReader.
func (t *tx) Comments(ctx context.Context, elementalID string, before int64, limit int) ([]quire.Comment, error) {
	cs, err := all(ctx, t, scanComment, selectComment+`WHERE c.elemental = `+numOfElemental+` AND c.id < ?
		ORDER BY c.id DESC LIMIT ?`, elementalID, noBound(before), limit)
	slices.Reverse(cs)
	return cs, err
}

// noBound is the bound of an id that stands for none.
func noBound(before int64) int64 {
	if before == 0 {
		return math.MaxInt64
	}
	return before
}

// PutComment implements quire.EngagementWriter.
func (t *tx) PutComment(ctx context.Context, c quire.Comment) (quire.Comment, error) {
	values := []any{c.ParentID, c.ParentID, c.ElementalID, c.UserID, c.Message, c.Votes,
		micros(c.CreatedAt), optMicros(c.UpdatedAt)}
	var n int64
	var err error
	if c.ID == 0 {
		n, err = t.exec(ctx, insertComment, append([]any{c.ElementalID}, values...)...)
	} else {
		n, err = t.exec(ctx, updateComment, append(values, c.ID, c.ElementalID)...)
	}
	switch {
	case isNullViolation(err):
		return quire.Comment{}, quire.Errorf(quire.CodeNotFound, "the elemental does not exist").WithCause(err)
	case isForeignKeyViolation(err):
		return quire.Comment{}, quire.Errorf(quire.CodeNotFound, "the comment that this replies to does not exist").WithCause(err)
	case err != nil:
		return quire.Comment{}, failure(ctx, err)
	case n == 0:
		return quire.Comment{}, quire.Errorf(quire.CodeNotFound, "the comment does not exist")
	}
	if c.ID == 0 {
		if c.ID, err = t.lastID(ctx); err != nil {
			return quire.Comment{}, err
		}
	}
	return t.Comment(ctx, c.ID)
}

// DeleteComment implements quire.EngagementWriter. UNION, unlike UNION ALL, ends
// even if a comment were a reply to its own reply.
func (t *tx) DeleteComment(ctx context.Context, id int64) (int, error) {
	n, err := t.exec(ctx, `WITH RECURSIVE thread (id) AS (
			SELECT c.id FROM comments c WHERE c.id = ?
			UNION
			SELECT c.id FROM thread CROSS JOIN comments c ON c.parent = thread.id)
		DELETE FROM comments WHERE id IN (SELECT thread.id FROM thread)`, id)
	return int(n), failure(ctx, err)
}
