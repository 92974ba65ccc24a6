package quire

import (
	"context"
	"iter"
	"slices"
)

// Comments iterates over all comments and replies of an elemental, newest first.
// They are read in portions of MaxShown, each in a transaction of its own: what is
// written meanwhile is left out, and so is what is deleted. An error is the last
// thing yielded; ErrNotFound if there is no such elemental.
func (l *Library) Comments(ctx context.Context, a Actor, elementalID string) iter.Seq2[UserComment, error] {
	read := func(tx ReadTx, before int64) ([]UserComment, error) {
		comments, err := tx.Comments(ctx, elementalID, before, MaxShown)
		if err != nil {
			return nil, err
		}
		return withWriters(ctx, tx, a, comments)
	}
	return newestFirst(ctx, l, a, Subject{ElementalID: elementalID}, read, func(c UserComment) int64 { return c.ID })
}

// Rates iterates over all rates of a subject, the one that was given last first; one
// that was changed keeps its place. They are read like [Library.Comments].
func (l *Library) Rates(ctx context.Context, a Actor, s Subject) iter.Seq2[UserRate, error] {
	read := func(tx ReadTx, before int64) ([]UserRate, error) {
		rates, err := tx.Rates(ctx, s, before, MaxShown)
		if err != nil {
			return nil, err
		}
		return withRaters(ctx, tx, a, rates)
	}
	return newestFirst(ctx, l, a, s, read, func(r UserRate) int64 { return r.ID })
}

// newestFirst iterates over what belongs to a subject. read returns a portion of it:
// those with the largest ids below a bound, 0 for none, by ascending id.
func newestFirst[T any](ctx context.Context, l *Library, a Actor, s Subject, read func(tx ReadTx, before int64) ([]T, error), idOf func(T) int64) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var before int64
		for {
			var part []T
			err := l.viewAs(ctx, a, func(tx ReadTx) (err error) {
				if before == 0 {
					if _, err := counters(ctx, tx, s); err != nil {
						return err
					}
				}
				part, err = read(tx, before)
				return err
			})
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, v := range slices.Backward(part) {
				if !yield(v, nil) {
					return
				}
			}
			if len(part) < MaxShown {
				return
			}
			before = idOf(part[0])
		}
	}
}

// withWriters adds to comments who wrote them.
func withWriters(ctx context.Context, tx ReadTx, a Actor, comments []Comment) ([]UserComment, error) {
	ids := make([]string, len(comments))
	for i, c := range comments {
		ids[i] = c.UserID
	}
	users, err := usersSeen(ctx, tx, a, ids)
	out := make([]UserComment, len(comments))
	for i, c := range comments {
		out[i] = UserComment{Comment: c, User: users[c.UserID]}
	}
	return out, err
}

// withRaters adds to rates who gave them.
func withRaters(ctx context.Context, tx ReadTx, a Actor, rates []Rate) ([]UserRate, error) {
	ids := make([]string, len(rates))
	for i, r := range rates {
		ids[i] = r.UserID
	}
	users, err := usersSeen(ctx, tx, a, ids)
	out := make([]UserRate, len(rates))
	for i, r := range rates {
		out[i] = UserRate{Rate: r, User: users[r.UserID]}
	}
	return out, err
}
