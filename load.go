package quire

import (
	"cmp"
	"context"
	"fmt"
)

// batchChunks is from how many chunks on a batch of whole elementals is handed to the index:
// enough that handing over costs nothing beside reading them.
const batchChunks = 256

// load puts all chunks of the Store into the index, which is empty, in their order. While
// the index takes one batch, the next is read; there are never more than these two.
func (m *mirror) load(ctx context.Context, tx ReadTx, made *model) (err error) {
	batches := make(chan []Chunk)
	done := make(chan struct{})
	var refused error
	go func() {
		defer close(done)
		for batch := range batches {
			if refused = m.index.take(ctx, batch); refused != nil {
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
	for c, err := range tx.AllChunks(ctx) {
		if err != nil {
			return err
		}
		if err := m.check(&c, made); err != nil {
			return err
		}
		if n := len(batch); n >= batchChunks && batch[n-1].ElementalID != c.ElementalID && !hand() {
			return nil // with what was refused
		}
		batch = append(batch, c)
	}
	hand()
	return nil
}

// check refuses a stored chunk whose vector was not made by that Embedder.
func (m *mirror) check(c *Chunk, made *model) error {
	if c.Fingerprint != made.fingerprint {
		return m.mixed(made.fingerprint, c.Fingerprint)
	}
	if len(c.Vector) != made.length {
		return Errorf(CodeConflict, "a stored vector has %d numbers, but those of the embedder with the same fingerprint have %d; a fingerprint must name everything that changes the vectors", len(c.Vector), made.length)
	}
	return nil
}

// take adds the chunks of elementals that the indexes do not have, one after the other.
func (x indexes) take(ctx context.Context, chunks []Chunk) error {
	for len(chunks) > 0 {
		first, n := &chunks[0], 1
		for n < len(chunks) && chunks[n].ElementalID == first.ElementalID {
			n++
		}
		if err := x.replace(ctx, first.TenantID, first.ElementalID, chunks[:n]); err != nil {
			return fmt.Errorf("fill the index: %w", err)
		}
		chunks = chunks[n:]
	}
	return nil
}
