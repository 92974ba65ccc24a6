package quire

import (
	"context"
	"sync/atomic"
	"time"
)

// writeHealth is what is known of how the Store takes writes.
type writeHealth struct {
	failing  atomic.Bool  // the last write failed for a reason of the Store's
	failures atomic.Int64 // all writes that did
}

// update is Update of the Store, whose failures Health shows.
func (l *Library) update(ctx context.Context, fn func(tx Tx) error) error {
	err := l.store.Update(ctx, fn)
	switch {
	case err == nil:
		l.writes.failing.Store(false)
	case CodeOf(err) == CodeUnavailable:
		l.writes.failing.Store(true)
		l.writes.failures.Add(1)
	}
	return err
}

// probeName is the name of what writable writes.
const probeName = "probe"

// writable returns nil if the last write succeeded, else what comes of another one: when there
// is room on a disk again nobody need have tried.
func (l *Library) writable(ctx context.Context) error {
	if !l.writes.failing.Load() {
		return nil
	}
	return l.update(ctx, func(tx Tx) error {
		return tx.PutMeta(ctx, probeName, []byte(now().Format(time.RFC3339)))
	})
}
