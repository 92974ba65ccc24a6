package store

import (
	"context"
	"maps"
	"slices"
)

// drafts are vectors of one elemental by fingerprint and hash.
type drafts map[vectorKey][]float32

// Drafts implements [quire.DraftReader].
func (tx readTx) Drafts(ctx context.Context, elementalID, fingerprint string) (map[string][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	byHash := map[string][]float32{}
	if of := tx.drafts.rows[elementalID]; of != nil {
		for key, vector := range *of {
			if key.fingerprint == fingerprint {
				byHash[key.hash] = slices.Clone(vector)
			}
		}
	}
	return byHash, nil
}

// PutDrafts implements [quire.DraftWriter].
func (tx *writeTx) PutDrafts(ctx context.Context, elementalID, fingerprint string, vectors map[string][]float32) error {
	if err := ctx.Err(); err != nil || len(vectors) == 0 {
		return err
	}
	of := drafts{}
	if old := tx.drafts.rows[elementalID]; old != nil {
		maps.Copy(of, *old)
	}
	for hash, vector := range vectors {
		of[vectorKey{fingerprint, hash}] = slices.Clone(vector)
	}
	tx.drafts.set(&tx.undo, elementalID, &of)
	return nil
}

// DeleteDrafts implements [quire.DraftWriter].
func (tx *writeTx) DeleteDrafts(ctx context.Context, elementalID string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx.drafts.set(&tx.undo, elementalID, nil)
	return nil
}
