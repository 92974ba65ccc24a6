package quire

import (
	"context"
	"strings"
)

// maxMessage is the length of a comment or the message of a rate, in characters.
const maxMessage = 10_000

// Use counts one use of a subject by the actor, each time that it is called.
func (l *Library) Use(ctx context.Context, a Actor, s Subject) (Counters, error) {
	return l.count(ctx, a, s, func(_ Tx, c *Counters) error { c.Uses = countOn(c.Uses); return nil })
}

// Sell counts one sale of a subject to the actor, each time that it is called. What
// was paid is the application's business.
func (l *Library) Sell(ctx context.Context, a Actor, s Subject) (Counters, error) {
	return l.count(ctx, a, s, func(_ Tx, c *Counters) error { c.Sales = countOn(c.Sales); return nil })
}

// Upvote gives a subject the actor's vote, or takes it back. Twice is no error and
// counts once.
func (l *Library) Upvote(ctx context.Context, a Actor, s Subject, on bool) (Counters, error) {
	return l.mark(ctx, a, s, MarkUpvote, on, func(c *Counters) *int64 { return &c.Upvotes })
}

// Save puts a subject among what the actor has saved, or takes it off. Twice is no
// error and counts once.
func (l *Library) Save(ctx context.Context, a Actor, s Subject, on bool) (Counters, error) {
	return l.mark(ctx, a, s, MarkSave, on, func(c *Counters) *int64 { return &c.Saves })
}

// Favorite makes a subject one of the actor's favourites, or ends that. Nothing
// counts them.
func (l *Library) Favorite(ctx context.Context, a Actor, s Subject, on bool) error {
	_, err := l.mark(ctx, a, s, MarkFavorite, on, func(*Counters) *int64 { return new(int64) })
	return err
}

// mark sets or removes a mark of the actor and keeps its counter.
func (l *Library) mark(ctx context.Context, a Actor, s Subject, kind MarkKind, on bool, counter func(*Counters) *int64) (Counters, error) {
	return l.count(ctx, a, s, func(tx Tx, c *Counters) error {
		if on {
			added, err := tx.PutMark(ctx, Mark{Subject: s, UserID: a.UserID, Kind: kind, CreatedAt: now()})
			if added {
				*counter(c)++
			}
			return err
		}
		removed, err := tx.DeleteMark(ctx, s, a.UserID, kind)
		if removed {
			*counter(c)--
		}
		return err
	})
}

// count changes the counters of a subject that the actor may read, in one
// transaction with what they count.
func (l *Library) count(ctx context.Context, a Actor, s Subject, change func(tx Tx, c *Counters) error) (Counters, error) {
	var c Counters
	err := l.changeAs(ctx, a, func(tx Tx, _ *changes) error {
		var err error
		if c, err = counters(ctx, tx, s); err != nil {
			return err
		}
		before := c
		if err := change(tx, &c); err != nil || c == before {
			return err
		}
		return tx.PutCounters(ctx, s, c)
	})
	if err != nil {
		return Counters{}, err
	}
	return c, nil
}

// counters reads the counters of a subject, or says that there is none.
func counters(ctx context.Context, tx ReadTx, s Subject) (Counters, error) {
	switch {
	case s.ElementalID != "" && s.ListID == 0:
		found, err := tx.ElementalsWithoutBody(ctx, []string{s.ElementalID})
		e, ok := found[s.ElementalID]
		if !ok && err == nil {
			err = ErrNotFound
		}
		return e.Counters, err
	case s.ElementalID == "" && s.ListID != 0:
		list, err := tx.List(ctx, s.ListID)
		return list.Counters, err
	}
	return Counters{}, Errorf(CodeInvalid, "a subject is either an elemental or a list")
}

// Rate gives the actor's rating of a subject: 1 to 5, with a message that may be
// empty. A second one replaces the first.
func (l *Library) Rate(ctx context.Context, a Actor, s Subject, rating int, message string) (Rate, error) {
	var probs problems
	if rating < 1 || rating > 5 {
		probs.add("rating", "must be between 1 and 5")
	}
	checkText(&probs, "message", message, maxMessage)
	if err := probs.err(); err != nil {
		return Rate{}, err
	}
	var r Rate
	_, err := l.count(ctx, a, s, func(tx Tx, c *Counters) error {
		t := now()
		stored, replaced, err := tx.PutRate(ctx, Rate{Subject: s, UserID: a.UserID, Rating: rating, Message: message, CreatedAt: t, UpdatedAt: &t})
		if err != nil {
			return err
		}
		r = stored
		c.RatingSum += int64(rating)
		if replaced == nil {
			c.Rates++
		} else {
			c.RatingSum -= int64(replaced.Rating)
		}
		return nil
	})
	return r, err
}

// Comment writes a comment of the actor on an elemental.
func (l *Library) Comment(ctx context.Context, a Actor, elementalID, message string) (Comment, error) {
	return l.comment(ctx, a, Comment{ElementalID: elementalID, Message: message})
}

// Reply answers a comment on an elemental. A reply to a reply answers the same
// comment: threads have one level. The elemental has to be named, so that the ids of
// comments, which follow one another, tell nothing of others; ErrNotFound if it has no
// such comment.
func (l *Library) Reply(ctx context.Context, a Actor, elementalID string, commentID int64, message string) (Comment, error) {
	var parent Comment
	err := l.viewAs(ctx, a, func(tx ReadTx) (err error) {
		parent, err = commentOn(ctx, tx, elementalID, commentID)
		return err
	})
	if err != nil {
		return Comment{}, err
	}
	if parent.ParentID != 0 {
		commentID = parent.ParentID
	}
	return l.comment(ctx, a, Comment{ElementalID: elementalID, ParentID: commentID, Message: message})
}

// commentOn reads a comment of an elemental: that of another is as unknown as one
// that does not exist.
func commentOn(ctx context.Context, tx ReadTx, elementalID string, id int64) (Comment, error) {
	c, err := tx.Comment(ctx, id)
	if err == nil && c.ElementalID != elementalID {
		err = ErrNotFound
	}
	return c, err
}

func (l *Library) comment(ctx context.Context, a Actor, c Comment) (Comment, error) {
	var probs problems
	if strings.TrimSpace(c.Message) == "" {
		probs.add("message", "must not be blank")
	}
	checkText(&probs, "message", c.Message, maxMessage)
	if err := probs.err(); err != nil {
		return Comment{}, err
	}
	c.UserID, c.CreatedAt = a.UserID, now()
	_, err := l.count(ctx, a, Subject{ElementalID: c.ElementalID}, func(tx Tx, n *Counters) error {
		if c.ParentID != 0 { // it may have been deleted since it was read
			if _, err := tx.Comment(ctx, c.ParentID); err != nil {
				return err
			}
		}
		var err error
		c, err = tx.PutComment(ctx, c)
		n.Comments++
		return err
	})
	if err != nil {
		return Comment{}, err
	}
	return c, nil
}

// DeleteComment deletes a comment on an elemental with its replies. Who wrote it may,
// and the owner of the elemental; for others it is ErrForbidden. ErrNotFound if the
// elemental has no such comment.
func (l *Library) DeleteComment(ctx context.Context, a Actor, elementalID string, id int64) error {
	return l.changeAs(ctx, a, func(tx Tx, _ *changes) error {
		c, err := commentOn(ctx, tx, elementalID, id)
		if err != nil {
			return err
		}
		e, err := tx.Elemental(ctx, c.ElementalID)
		if err != nil {
			return err
		}
		if a.UserID != c.UserID && a.UserID != e.OwnerID {
			return Errorf(CodeForbidden, "only its writer and the owner of the elemental may delete a comment")
		}
		deleted, err := tx.DeleteComment(ctx, id)
		if err != nil {
			return err
		}
		e.Counters.Comments -= int64(deleted)
		return tx.PutCounters(ctx, Subject{ElementalID: e.ID}, e.Counters)
	})
}
