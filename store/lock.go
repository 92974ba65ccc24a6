package store

import "context"

// maxReaders is how many read transactions can run at the same time; more wait.
const maxReaders = 64

// lock is a readers-writer lock whose waiting ends with the context, which that
// of sync.RWMutex does not. A reader holds one slot, the writer all of them. Both
// pass through the turnstile first, and the writer stays in it: so that it waits
// only for the readers before it, and no other writer takes slots meanwhile.
type lock struct {
	turnstile chan struct{}
	slots     chan struct{}
}

func newLock() *lock {
	return &lock{turnstile: make(chan struct{}, 1), slots: make(chan struct{}, maxReaders)}
}

// acquire puts a token into ch, or returns the context's error.
func acquire(ctx context.Context, ch chan struct{}) error {
	if err := ctx.Err(); err != nil {
		return err // select picks at random when both are possible
	}
	select {
	case ch <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *lock) lockRead(ctx context.Context) error {
	if err := acquire(ctx, l.turnstile); err != nil {
		return err
	}
	defer func() { <-l.turnstile }()
	return acquire(ctx, l.slots)
}

func (l *lock) unlockRead() { <-l.slots }

func (l *lock) lockWrite(ctx context.Context) error {
	if err := acquire(ctx, l.turnstile); err != nil {
		return err
	}
	for held := range maxReaders {
		if err := acquire(ctx, l.slots); err != nil {
			l.release(held)
			return err
		}
	}
	return nil
}

func (l *lock) unlockWrite() { l.release(maxReaders) }

// release gives the writer's slots and its place in the turnstile back.
func (l *lock) release(held int) {
	for range held {
		<-l.slots
	}
	<-l.turnstile
}
