package store

import (
	"context"
	"maps"

	"github.com/quirelib/quire"
)

// exists returns ErrNotFound if there is no such elemental or list.
func (tx readTx) exists(s quire.Subject) error {
	switch {
	case s.ListID != 0 && tx.lists.rows[s.ListID] == nil:
		return notFound("list")
	case s.ListID == 0 && tx.elementals.rows[s.ElementalID] == nil:
		return notFound("elemental")
	}
	return nil
}

// PutCounters implements [quire.EngagementWriter].
func (tx *writeTx) PutCounters(ctx context.Context, s quire.Subject, c quire.Counters) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := tx.exists(s); err != nil {
		return err
	}
	if s.ListID != 0 {
		l := *tx.lists.rows[s.ListID]
		l.record.Counters = c
		tx.lists.set(&tx.undo, s.ListID, &l)
	} else {
		e := *tx.elementals.rows[s.ElementalID]
		e.record.Counters = c
		tx.elementals.set(&tx.undo, s.ElementalID, &e)
	}
	return nil
}

// deleteEngagement deletes the media of a subject and what users did with it.
func (tx *writeTx) deleteEngagement(s quire.Subject) {
	tx.deleteMediaOf(quire.MediaOwner(s))
	for k := range maps.Clone(tx.marksOn[s]) {
		tx.marks.set(&tx.undo, k, nil)
	}
	for id := range maps.Clone(tx.commentsOf[s.ElementalID]) { // none of a list
		tx.comments.set(&tx.undo, id, nil)
	}
	for userID := range maps.Clone(tx.ratesOf[s]) {
		tx.rates.set(&tx.undo, rateKey{s, userID}, nil)
	}
}
