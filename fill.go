package quire

import (
	"context"
	"fmt"
)

// embedderName is the name under which the Store keeps the fingerprint of the Embedder
// whose vectors all stored chunks have. Whoever writes a chunk with a vector looks there
// in the same transaction.
const embedderName = "embedder"

// noteModel writes down that m is the Embedder of all chunks.
func noteModel(ctx context.Context, tx Tx, m *model) error {
	if stored, err := storedModel(ctx, tx); err != nil || stored == m.fingerprint {
		return err
	}
	return tx.PutMeta(ctx, embedderName, []byte(m.fingerprint))
}

// storedModel returns the fingerprint that was noted; "" if none was.
func storedModel(ctx context.Context, tx ReadTx) (string, error) {
	value, err := tx.Meta(ctx, embedderName)
	if CodeOf(err) == CodeNotFound {
		return "", nil
	}
	return string(value), err
}

// current returns the Embedder that is in use.
func (m *mirror) current() *model { return m.model.Load() }

// modelOfChunks returns the Embedder that stored chunks come from: without any that can be
// used, the one given. That all of them do, fill checks.
func (m *mirror) modelOfChunks(ctx context.Context, tx ReadTx) (*model, error) {
	for c, err := range tx.AllVectors(ctx) {
		switch {
		case unusable(&c, err):
			continue
		case err != nil:
			return nil, err
		}
		return m.modelOf(c.Fingerprint)
	}
	return m.given, nil
}

// modelOf returns the Embedder with a fingerprint.
func (m *mirror) modelOf(fingerprint string) (*model, error) {
	switch {
	case fingerprint == m.given.fingerprint:
		return m.given, nil
	case m.former != nil && fingerprint == m.former.fingerprint:
		return m.former, nil
	}
	return nil, m.mismatch(fingerprint)
}

// mixed is the error for chunks of two Embedders, which nothing here leaves behind.
func (m *mirror) mixed(one, other string) error {
	cause := &EmbedderMismatch{Stored: other, Given: m.given.fingerprint}
	return Errorf(CodeConflict, "the stored chunks were embedded by %q and by %q, and vectors of two embedders cannot be compared: delete the stored knowledge and ingest it again", one, other).WithCause(cause)
}

// mismatch is the error for chunks of an Embedder that is not at hand.
func (m *mirror) mismatch(stored string) error {
	cause := &EmbedderMismatch{Stored: stored, Given: m.given.fingerprint}
	if m.former != nil {
		cause.Former = m.former.fingerprint
	}
	return Errorf(CodeConflict, "%s; vectors of two embedders cannot be compared: open with the former embedder, or with it as EngineOptions.Former to have everything embedded anew, or delete the stored knowledge and ingest it again", cause.Error()).WithCause(cause)
}

// fill makes the index hold what the Store holds, of the Embedder that is noted there.
// Elementals with damaged chunks are renewed. The write lock is held. When it fails, the index
// is stale.
func (m *mirror) fill(ctx context.Context, tx Tx) error {
	m.stale = true
	fingerprint, err := storedModel(ctx, tx)
	if err != nil {
		return err
	}
	made, err := m.modelOf(fingerprint)
	if err != nil {
		return err
	}
	if err := m.index.reset(ctx); err != nil {
		return fmt.Errorf("empty the index: %w", err)
	}
	damaged := damage{of: make(map[string]string)}
	if err := m.load(ctx, tx, made, &damaged); err != nil {
		return err
	}
	for elementalID, tenantID := range damaged.of {
		if err := m.mend(ctx, tx, tenantID, elementalID); err != nil {
			return err
		}
	}
	m.model.Store(made)
	m.stale = false
	clear(m.behind)
	return nil
}

// mend renews an elemental with damaged chunks. tenantID is "" if the index was given none of
// them.
func (m *mirror) mend(ctx context.Context, tx Tx, tenantID, elementalID string) error {
	if elementalID == "" {
		m.log.Error("stored chunks name no elemental; they are deleted, and made again if the text that they come from is found")
	} else {
		m.log.Error("stored chunks are damaged; they are dropped and made again from their elemental", "elemental", elementalID)
	}
	if err := m.renew(ctx, tx, elementalID); err != nil || tenantID == "" {
		return err
	}
	if err := m.index.replace(ctx, tenantID, elementalID, nil); err != nil {
		return fmt.Errorf("empty the index of an elemental: %w", err)
	}
	return nil
}
