package quire

import "context"

// CompactingStore is an optional ability of a Store: to leave nothing of what was deleted
// in its files.
type CompactingStore interface {
	Store
	// Compact returns when no file of the Store holds anything that was deleted before it
	// was called. Views may run meanwhile; Updates may have to wait. It cannot be called
	// inside a transaction. Cancelled, it may be called again.
	Compact(ctx context.Context) error
}

// Compact makes what was deleted unreadable in the files too: without it, deleted text
// lies in free space until that is used again. The SQLite Store is written anew for it,
// which takes as much room as it has, both beside it and for a temporary file; reading goes on
// meanwhile, writing waits. At last it waits for what reads since before, without end where
// that does not end: give it a deadline; after one that has passed it may be called again. When Compact returns nil, no file of a Store that is a
// [CompactingStore] holds a text that was deleted before the call; over any other Store it does
// nothing and returns nil.
//
// Answers that are kept for an Idempotency-Key are not deleted with what they show: they
// go after 24 hours, with the first Compact after that.
func (l *Library) Compact(ctx context.Context) error {
	if l.closed.Load() {
		return ErrClosed
	}
	if err := l.apart(ctx); err != nil {
		return err
	}
	err := l.change(ctx, func(tx Tx, _ *changes) error { return tx.DeleteReceipts(ctx, now().Add(-receiptAge)) })
	if err != nil {
		return err
	}
	if s, ok := l.store.(CompactingStore); ok {
		return s.Compact(ctx)
	}
	return nil
}
