package quire

import (
	"context"
	"sync/atomic"
	"time"
)

// writeHealth is what is known of how the Store takes writes.
type writeHealth struct {
	failing  atomic.Bool  // a write has failed for a reason of the Store's, and no probe succeeded since
	failures atomic.Int64 // all writes that did
}

// update is Update of the Store, whose failures Health shows.
func (l *Library) update(ctx context.Context, fn func(tx Tx) error) error {
	err := l.store.Update(ctx, fn)
	if CodeOf(err) == CodeUnavailable {
		l.writes.failing.Store(true)
		l.writes.failures.Add(1)
	}
	return err
}

// probeName is the name of what writable writes.
const probeName = "probe"

// probePatience is how long a probe waits: a Store that is busy with a long write is up.
const probePatience = time.Second

// writable returns nil unless a write has failed, else what comes of another one, after which a
// Store that takes it is up again: other calls of update may have had nothing to write.
func (l *Library) writable(ctx context.Context) error {
	if !l.writes.failing.Load() {
		return nil
	}
	patient, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	err := l.update(patient, func(tx Tx) error {
		return tx.PutMeta(patient, probeName, []byte(now().Format(time.RFC3339)))
	})
	switch {
	case err == nil:
		l.writes.failing.Store(false)
	case patient.Err() != nil && ctx.Err() == nil:
		return nil
	}
	return err
}
