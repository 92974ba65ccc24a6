// Package rwlock has a lock for readers and a writer whose waits end with their contexts.
package rwlock

import (
	"context"
	"math"

	"golang.org/x/sync/semaphore"
)

// writer is what a writer takes, and a reader one of.
const writer = math.MaxInt32

// Lock is held by a writer or by any number of readers. As with [sync.RWMutex] nobody begins to
// read while somebody waits to write, so that who reads must not ask for it again. [New] makes it.
type Lock struct{ holders *semaphore.Weighted }

// New makes a lock that nobody holds.
func New() Lock { return Lock{semaphore.NewWeighted(writer)} }

// Lock waits until nobody else holds the lock, or for the end of the context, whose error it
// returns then.
func (l Lock) Lock(ctx context.Context) error { return l.holders.Acquire(ctx, writer) }

// Unlock lets go of what Lock has taken.
func (l Lock) Unlock() { l.holders.Release(writer) }

// RLock waits until no writer holds the lock or waits for it, or for the end of the context,
// whose error it returns then.
func (l Lock) RLock(ctx context.Context) error { return l.holders.Acquire(ctx, 1) }

// TryRLock takes the lock for reading if RLock would not wait, and reports whether it did.
func (l Lock) TryRLock() bool { return l.holders.TryAcquire(1) }

// RUnlock lets go of what RLock or TryRLock has taken.
func (l Lock) RUnlock() { l.holders.Release(1) }
