package quire

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// batchChunks is from how many chunks on a batch of whole elementals is handed to the index:
// enough to share out among the processors.
const batchChunks = 1024

// load puts all chunks of the Store into the index, which is empty, in their order, but for
// those of elementals with a damaged one. While the index takes one batch, the next is read; there are
// never more than these two.
func (m *mirror) load(ctx context.Context, tx ReadTx, made *model, damaged *damage) (err error) {
	batches := make(chan []Chunk)
	done := make(chan struct{})
	var refused error
	go func() {
		defer close(done)
		for batch := range batches {
			if refused = m.index.take(ctx, batch, damaged); refused != nil {
				return
			}
		}
	}()
	defer func() { // also when the Store panics
		close(batches)
		<-done
		err = cmp.Or(refused, err) // what was refused was read before what err is about
	}()
	var batch, before []Chunk
	hand := func() bool {
		select {
		case batches <- batch:
			batch, before = before[:0], batch // the index is through with the one before
			return true
		case <-done:
			return false
		}
	}
	stored := tx.AllVectors
	if m.index.text != nil {
		stored = tx.AllChunks
	}
	var fit int
	var unfit error
	for c, err := range stored(ctx) {
		switch {
		case unusable(&c, err):
			batch = damaged.drop(batch, &c)
			continue
		case err != nil:
			return err
		case c.Fingerprint != made.fingerprint:
			return m.mixed(made.fingerprint, c.Fingerprint)
		case len(c.Vector) != made.length:
			unfit = errLength(len(c.Vector), made.length)
			batch = damaged.drop(batch, &c)
			continue
		}
		fit++
		if damaged.dropped(&c) {
			continue
		}
		if n := len(batch); n >= batchChunks && batch[n-1].ElementalID != c.ElementalID && !hand() {
			return nil // with what was refused
		}
		batch = append(batch, c)
	}
	if fit == 0 && unfit != nil { // then it is not the chunks
		return unfit
	}
	hand()
	return nil
}

// errLength is the error for stored vectors, all of which have another length than those of
// the Embedder with their fingerprint.
func errLength(stored, made int) error {
	return Errorf(CodeConflict, "a stored vector has %d numbers, but those of the embedder with the same fingerprint have %d; a fingerprint must name everything that changes the vectors", stored, made)
}

// take adds the chunks of elementals that the indexes do not have: to the vectors one
// elemental after the other, to the texts several at the same time, because they take longer.
// The error is that of the first elemental that has one and is not damaged.
func (x indexes) take(ctx context.Context, chunks []Chunk, damaged *damage) error {
	groups := byElemental(chunks)
	var texts []error
	var done sync.WaitGroup
	if x.text != nil {
		done.Go(func() { texts = each(groups, runtime.GOMAXPROCS(0), damaged.excuse(replacing(ctx, x.text))) })
	}
	vectors := each(groups, 1, damaged.excuse(replacing(ctx, x.vectors)))
	done.Wait()
	for i := range groups {
		err := vectors[i]
		if err == nil && x.text != nil {
			err = texts[i]
		}
		if err != nil {
			return fmt.Errorf("fill the index: %w", err)
		}
	}
	return nil
}

// byElemental splits chunks where the elemental changes.
func byElemental(chunks []Chunk) [][]Chunk {
	var groups [][]Chunk
	from := 0
	for i := range chunks {
		if i+1 == len(chunks) || chunks[i+1].ElementalID != chunks[i].ElementalID {
			groups = append(groups, chunks[from:i+1])
			from = i + 1
		}
	}
	return groups
}

// replacing returns what gives an index all chunks of an elemental.
func replacing(ctx context.Context, index interface {
	Replace(ctx context.Context, tenantID, elementalID string, chunks []Chunk) error
}) func([]Chunk) error {
	return func(chunks []Chunk) error {
		return index.Replace(ctx, chunks[0].TenantID, chunks[0].ElementalID, chunks)
	}
}

// each calls fn for the groups, in their order and so many at the same time, until one
// fails. It returns the error of each; groups in front of one that failed were all tried.
func each(groups [][]Chunk, atOnce int, fn func([]Chunk) error) []error {
	errs := make([]error, len(groups))
	var next atomic.Int64
	var failed atomic.Bool
	work := func() {
		for !failed.Load() {
			i := int(next.Add(1)) - 1
			if i >= len(groups) {
				return
			}
			if errs[i] = fn(groups[i]); errs[i] != nil {
				failed.Store(true)
			}
		}
	}
	var others sync.WaitGroup
	for range min(atOnce, len(groups)) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	return errs
}
