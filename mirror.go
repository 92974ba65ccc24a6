package quire

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/quirelib/quire/internal/rwlock"
)

// mirror is the indexes of an engine together with what keeps them in step with
// the Store. See Library.commit for the order of locks.
type mirror struct {
	index indexes
	log   *slog.Logger

	given  *model
	former *model // EngineOptions.Former; nil without one

	// model is the one of given and former that made the vectors in the index. Whoever holds
	// the lock changes it; it is read without.
	model atomic.Pointer[model]

	lock rwlock.Lock // of what follows, and of the index
	// stale means that the index as a whole is to be filled again before it is used.
	stale bool
	// generation counts the write transactions that changed chunks. A reader that
	// finds it changed since before its View may hold an older snapshot of the Store
	// than the index is.
	generation uint64
	// behind are elementals, with their tenants, whose chunks the index could not
	// take over.
	behind map[string]string

	// renew drops the stored chunks of an elemental and has it ingested again.
	renew func(ctx context.Context, tx Tx, elementalID string) error
}

// indexes are the VectorIndex and, if there is one, the TextIndex. They hold the same
// chunks: what one of them did not take, both are given again.
type indexes struct {
	vectors VectorIndex
	text    TextIndex // nil without one
}

func (x indexes) replace(ctx context.Context, tenantID, elementalID string, chunks []Chunk) error {
	return x.both(
		func() error { return x.vectors.Replace(ctx, tenantID, elementalID, chunks) },
		func() error { return x.text.Replace(ctx, tenantID, elementalID, chunks) })
}

func (x indexes) reset(ctx context.Context) error {
	return x.both(func() error { return x.vectors.Reset(ctx) }, func() error { return x.text.Reset(ctx) })
}

// both does something with each of the indexes at the same time. It returns the first
// error, that of the vectors before that of the text.
func (x indexes) both(vectors, text func() error) error {
	if x.text == nil {
		return vectors()
	}
	var other error
	var done sync.WaitGroup
	done.Go(func() { other = text() })
	err := vectors()
	done.Wait()
	return cmp.Or(err, other)
}

// missed adds to sets the chunks of the elementals that the index is behind with,
// unless they are there already. The write lock is held.
func (m *mirror) missed(ctx context.Context, tx ReadTx, sets map[string]chunkSet) error {
	for elementalID, tenantID := range m.behind {
		if _, known := sets[elementalID]; known {
			continue
		}
		chunks, err := tx.ChunksOf(ctx, elementalID)
		if err != nil {
			return err
		}
		sets[elementalID] = chunkSet{tenantID: tenantID, chunks: chunks}
	}
	return nil
}

// endWrite makes the index follow a transaction and unlocks it.
func (m *mirror) endWrite(ctx context.Context, sets map[string]chunkSet, out outcome) {
	defer m.lock.Unlock()
	if out == rolledBack {
		return
	}
	m.generation++
	for elementalID, set := range sets {
		m.behind[elementalID] = set.tenantID
	}
	if out == committed && !m.stale {
		m.write(ctx, sets)
	}
}

// inStep reports whether the index holds what the Store holds. The lock is held.
func (m *mirror) inStep() bool { return !m.stale && len(m.behind) == 0 }

// write puts sets into the index; what it takes is no longer behind. It returns
// the first error. The write lock is held.
func (m *mirror) write(ctx context.Context, sets map[string]chunkSet) error {
	var first error
	for elementalID, set := range sets {
		err := m.index.replace(ctx, set.tenantID, elementalID, set.chunks)
		if err == nil {
			delete(m.behind, elementalID)
			continue
		}
		if first == nil {
			first = err
			m.log.Error("the index did not take a change; searches wait until it does", "error", Cause(err))
		}
	}
	return first
}

// lostRaces is how often a read begins again because of writers before it takes
// its turn among them.
const lostRaces = 16

// read runs fn with the index and a state of the Store that agree. fn may run
// more than once.
func (m *mirror) read(ctx context.Context, store Store, fn func(tx ReadTx, index indexes) error) error {
	for range lostRaces {
		if err := m.lock.RLock(ctx); err != nil {
			return err
		}
		before, inStep := m.generation, m.inStep()
		m.lock.RUnlock()
		if !inStep {
			if err := m.repair(ctx, store); err != nil {
				return err
			}
			continue
		}
		agreed := false
		err := store.View(ctx, func(tx ReadTx) error {
			if err := m.lock.RLock(ctx); err != nil {
				return err
			}
			defer m.lock.RUnlock()
			agreed = m.generation == before && m.inStep()
			if !agreed {
				return nil
			}
			return fn(tx, m.index)
		})
		if agreed || err != nil {
			return err
		}
	}
	// Inside an Update nobody else can commit.
	return store.Update(ctx, func(tx Tx) error {
		if err := m.lock.RLock(ctx); err != nil {
			return err
		}
		defer m.lock.RUnlock()
		if !m.inStep() {
			return errBehind
		}
		return fn(tx, m.index)
	})
}

// healthy reports whether the index answers and is in step, or could be brought
// there. An index that is being written to is at work, which is health enough.
func (m *mirror) healthy(ctx context.Context, store Store) error {
	if !m.lock.TryRLock() {
		return nil
	}
	inStep := m.inStep()
	_, err := m.index.vectors.Stats(ctx)
	m.lock.RUnlock()
	if !inStep {
		return m.repair(ctx, store)
	}
	return err
}

// errBehind is the answer while the index cannot follow the Store.
var errBehind = Errorf(CodeUnavailable, "the search index is being repaired; try again")

// repair takes over what the index is behind with. Like a commit it runs inside
// an Update, so that what it reads cannot be overtaken.
func (m *mirror) repair(ctx context.Context, store Store) error {
	var cause error
	err := store.Update(ctx, func(tx Tx) error {
		if err := m.lock.Lock(ctx); err != nil {
			return err
		}
		defer m.lock.Unlock()
		if m.stale {
			cause = m.fill(context.WithoutCancel(ctx), tx)
			return nil
		}
		sets := make(map[string]chunkSet)
		if err := m.missed(ctx, tx, sets); err != nil {
			return err
		}
		cause = m.write(context.WithoutCancel(ctx), sets)
		return nil
	})
	if err == nil && CodeOf(cause) == CodeClosed {
		return ErrClosed.WithCause(cause)
	}
	if err == nil && cause != nil {
		return errBehind.WithCause(cause)
	}
	return err
}
