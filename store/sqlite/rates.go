package sqlite

import (
	"context"
	"errors"
	"slices"

	"github.com/quirelib/quire"
)

var (
	rateColumns = columns{"user_id", "rating", "message", "votes", "created_at", "updated_at"}
	selectRate  = `SELECT r.id, ` + subjectOf("r") + `, ` + rateColumns.of("r") + ` FROM rates r `
	insertRate  = slices.Concat(subjectColumns, rateColumns).insert("rates", subjectValues...)
)

func scanRate(row scanner) (r quire.Rate, err error) {
	err = row.Scan(&r.ID, &r.Subject.ElementalID, &r.Subject.ListID, &r.UserID, &r.Rating, &r.Message, &r.Votes,
		moment{&r.CreatedAt}, optMoment{&r.UpdatedAt})
	return r, err
}

// Rates implements quire.EngagementReader.
func (t *tx) Rates(ctx context.Context, s quire.Subject, before int64, limit int) ([]quire.Rate, error) {
	cond, arg := about(s)
	rs, err := all(ctx, t, scanRate, selectRate+`WHERE r.`+cond+` AND r.id < ? ORDER BY r.id DESC LIMIT ?`, arg, noBound(before), limit)
	slices.Reverse(rs)
	return rs, err
}

func (t *tx) rate(ctx context.Context, s quire.Subject, userID string) (quire.Rate, error) {
	cond, arg := about(s)
	return one(ctx, t, scanRate, selectRate+`WHERE r.`+cond+` AND r.user_id = ?`, arg, userID)
}

// PutRate implements quire.EngagementWriter.
func (t *tx) PutRate(ctx context.Context, r quire.Rate) (stored quire.Rate, replaced *quire.Rate, err error) {
	old, err := t.rate(ctx, r.Subject, r.UserID)
	switch {
	case err == nil:
		replaced = &old
		err = t.run(ctx, `UPDATE rates SET rating = ?, message = ?, votes = ?, updated_at = ? WHERE id = ?`,
			r.Rating, r.Message, r.Votes, optMicros(r.UpdatedAt), old.ID)
	case errors.Is(err, quire.ErrNotFound):
		_, err = t.exec(ctx, insertRate, r.Subject.ElementalID, r.Subject.ListID, r.UserID, r.Rating, r.Message, r.Votes,
			micros(r.CreatedAt), optMicros(r.UpdatedAt))
		err = noSubject(ctx, err)
	}
	if err != nil {
		return quire.Rate{}, nil, err
	}
	stored, err = t.rate(ctx, r.Subject, r.UserID)
	return stored, replaced, err
}
