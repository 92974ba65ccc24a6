package store

import "context"

// maxReaders is how many read transactions can run at the same time; more wait.
const maxReaders = 64

// lock is a readers-writer lock whose waiting ends with the context, which that
// of sync.RWMutex does not. A reader holds one slot, the writer all of them.
type lock struct {
	writer chan struct{} // keeps two writers from sharing the slots half and half
	slots  chan struct{}
}

func newLock() *lock {
	return &lock{writer: make(chan struct{}, 1), slots: make(chan struct{}, maxReaders)}
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

func (l *lock) lockRead(ctx context.Context) error { return acquire(ctx, l.slots) }

func (l *lock) unlockRead() { <-l.slots }

// lockWrite waits for the readers that are there. Later ones queue up behind it
// for the slots, so that it is not starved.
func (l *lock) lockWrite(ctx context.Context) error {
	if err := acquire(ctx, l.writer); err != nil {
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

// release gives the writer's slots back.
func (l *lock) release(held int) {
	for range held {
		<-l.slots
	}
	<-l.writer
}
