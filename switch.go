package quire

import (
	"cmp"
	"context"
	"maps"
)

// switchModel changes to the Embedder that was given, all at once: in one transaction
// every chunk gets its new vector, and the index is filled anew before anybody can
// search it again. If chunks without a new vector have appeared, nothing changes and it
// returns their texts, or some of them; atOnce embeds a last batch of these in the
// transaction.
func (e *Engine) switchModel(ctx context.Context, atOnce bool) (missing []unembedded, err error) {
	locked, total := false, 0
	former := e.mirror.current()
	defer func() { // also when something panics
		if locked {
			e.mirror.endSwitch(former, err == nil)
		}
	}()
	err = errPanicked
	err = e.lib.update(ctx, func(tx Tx) error {
		all, err := e.readPages(ctx, tx)
		if err != nil {
			return err
		}
		if missing = all.missing; len(missing) > 0 {
			if !atOnce || !all.complete || len(missing) > e.opts.BatchSize {
				return nil
			}
			vectors, err := e.newVectors(ctx, missing)
			if err != nil {
				return err
			}
			if err := tx.PutVectors(ctx, e.mirror.given.fingerprint, vectors); err != nil {
				return err
			}
			missing = nil
		}
		if fit, err := e.keptFit(ctx, tx); err != nil || !fit {
			return cmp.Or(err, errLengths)
		}
		if err := e.adopt(ctx, tx, all.retitled); err != nil {
			return err
		}
		if total, err = tx.CountChunks(ctx); err != nil {
			return err
		}
		if err := e.mirror.lock.Lock(ctx); err != nil {
			return err
		}
		locked = true
		return e.mirror.fill(ctx, tx)
	})
	if err == nil && locked {
		e.change.set(total, total)
	}
	return missing, err
}

// errLengths: another process has kept vectors of another length meanwhile.
var errLengths error = Errorf(CodeUnavailable, "vectors of different lengths were kept under the fingerprint of the new embedder; a fingerprint must name everything that changes the vectors")

// readPages reads all pages of chunks; if there is as much to embed as fills one, not
// all.
func (e *Engine) readPages(ctx context.Context, tx ReadTx) (reembedChunks, error) {
	all := reembedChunks{retitled: make(map[string]bool)}
	seen := make(map[string]bool)
	for len(all.missing) < reembedPage {
		page, err := e.readPage(ctx, tx, all.last)
		if err != nil || page.last == "" {
			all.complete = err == nil
			return all, err
		}
		all.last = page.last
		for _, text := range page.missing {
			if !seen[text.hash] {
				seen[text.hash] = true
				all.missing = append(all.missing, text)
			}
		}
		maps.Copy(all.retitled, page.retitled)
	}
	return all, nil
}

// adopt gives every chunk its new vector, and those of the retitled elementals the hash
// of the text that it is of, and notes the Embedder.
func (e *Engine) adopt(ctx context.Context, tx Tx, retitled map[string]bool) error {
	for elementalID := range retitled {
		chunks, err := tx.ChunksOf(ctx, elementalID)
		if err != nil {
			return err
		}
		for i := range chunks {
			c := &chunks[i]
			c.Hash = hashText(embedText(c.Title, c.Heading, c.Text))
		}
		if err := tx.ReplaceChunks(ctx, elementalID, chunks); err != nil {
			return err
		}
	}
	if _, err := tx.AdoptVectors(ctx, e.mirror.given.fingerprint); err != nil {
		return err
	}
	if err := tx.DeleteVectors(ctx); err != nil {
		return err
	}
	return noteModel(ctx, tx, e.mirror.given)
}

// endSwitch releases the index after a change of the Embedder. If that has failed, what
// the index holds is not what the Store holds.
func (m *mirror) endSwitch(former *model, done bool) {
	defer m.lock.Unlock()
	m.generation++
	if !done {
		m.model.Store(former)
		m.stale = true
	}
}
