package quire

import (
	"bytes"
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

// probeName is the name of what writable writes; probeBytes is how much that is, about as
// what a small elemental takes with its passages: a full disk still takes a few bytes.
const (
	probeName  = "probe"
	probeBytes = 256 << 10
)

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
	mark := []byte(now().Format(time.RFC3339))
	err := l.probe(patient, bytes.Repeat(mark, probeBytes/len(mark)))
	if err == nil {
		l.writes.failing.Store(false)
		err = l.probe(patient, mark) // which gives the room back
	}
	if patient.Err() != nil && ctx.Err() == nil {
		return nil
	}
	return err
}

// probe replaces what is written to try whether the Store takes it.
func (l *Library) probe(ctx context.Context, value []byte) error {
	return l.update(ctx, func(tx Tx) error { return tx.PutMeta(ctx, probeName, value) })
}
