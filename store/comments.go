package store

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/quirelib/quire"
)

func (d *data) deriveComment(old, cur *quire.Comment) {
	if old != nil {
		d.commentsOf.remove(old.ElementalID, old.ID)
		d.repliesTo.remove(old.ParentID, old.ID)
	}
	if cur != nil {
		d.commentsOf.add(cur.ElementalID, cur.ID, cur)
		d.repliesTo.add(cur.ParentID, cur.ID, cur)
	}
}

// Comment implements [quire.EngagementReader].
func (tx readTx) Comment(ctx context.Context, id int64) (quire.Comment, error) {
	return found(ctx, tx.comments.rows[id], cloneComment, "comment")
}

// Comments implements [quire.EngagementReader].
func (tx readTx) Comments(ctx context.Context, elementalID string, before int64, limit int) ([]quire.Comment, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var cs []quire.Comment
	for _, c := range tx.commentsOf[elementalID] {
		if before == 0 || c.ID < before {
			cs = append(cs, cloneComment(*c))
		}
	}
	slices.SortFunc(cs, func(a, b quire.Comment) int { return cmp.Compare(a.ID, b.ID) })
	return cs[max(0, len(cs)-limit):], nil
}

// commentNotes is how long the messages of the comments are that are read with an elemental.
func (tx readTx) commentNotes(elementalID string) (n int64) {
	about := tx.commentsOf[elementalID]
	latest := slices.SortedFunc(maps.Values(about), func(a, b *quire.Comment) int { return cmp.Compare(b.ID, a.ID) })
	shown := map[int64]bool{}
	for _, c := range page(latest, 0, quire.MaxShown) {
		shown[c.ID], shown[c.ParentID] = true, true
	}
	for id := range shown {
		if c := about[id]; c != nil {
			n += int64(len(c.Message))
		}
	}
	return n
}

// PutComment implements [quire.EngagementWriter]. A comment that is replaced stays
// with its elemental, and so do its replies.
func (tx *writeTx) PutComment(ctx context.Context, c quire.Comment) (quire.Comment, error) {
	if err := ctx.Err(); err != nil {
		return quire.Comment{}, err
	}
	if err := tx.exists(quire.Subject{ElementalID: c.ElementalID}); err != nil {
		return quire.Comment{}, err
	}
	about := tx.commentsOf[c.ElementalID]
	if c.ID != 0 && about[c.ID] == nil || c.ParentID != 0 && about[c.ParentID] == nil {
		return quire.Comment{}, notFound("comment")
	}
	if c.ID == 0 {
		c.ID = tx.next(&tx.lastComment)
	}
	c = cloneComment(c)
	tx.comments.set(&tx.undo, c.ID, &c)
	return cloneComment(c), nil
}

// DeleteComment implements [quire.EngagementWriter].
func (tx *writeTx) DeleteComment(ctx context.Context, id int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	deleted := 0
	for rest := []int64{id}; len(rest) > 0; {
		id := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		if tx.comments.rows[id] == nil {
			continue
		}
		for reply := range tx.repliesTo[id] {
			rest = append(rest, reply)
		}
		tx.comments.set(&tx.undo, id, nil)
		deleted++
	}
	return deleted, nil
}
