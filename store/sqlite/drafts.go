package sqlite

import "context"

var upsertDraft = columns{"elemental_id", "fingerprint", "hash", "vector"}.upsert("drafts", "elemental_id, fingerprint, hash")

// Drafts implements quire.DraftReader.
func (t *tx) Drafts(ctx context.Context, elementalID, fingerprint string) (map[string][]float32, error) {
	type draft struct {
		hash   string
		vector []float32
	}
	scan := func(row scanner) (d draft, err error) {
		err = row.Scan(&d.hash, vectorTo{&d.vector})
		return d, err
	}
	drafts, err := all(ctx, t, scan, `SELECT d.hash, d.vector FROM drafts d
		WHERE d.elemental_id = ? AND d.fingerprint = ?`, elementalID, fingerprint)
	byHash := make(map[string][]float32, len(drafts))
	for _, d := range drafts {
		byHash[d.hash] = d.vector
	}
	return byHash, err
}

// PutDrafts implements quire.DraftWriter.
func (t *tx) PutDrafts(ctx context.Context, elementalID, fingerprint string, vectors map[string][]float32) error {
	if len(vectors) == 0 {
		return ctx.Err()
	}
	for hash, vector := range vectors {
		if err := t.run(ctx, upsertDraft, elementalID, fingerprint, hash, vectorBlob(vector)); err != nil {
			return err
		}
	}
	return nil
}

// DeleteDrafts implements quire.DraftWriter.
func (t *tx) DeleteDrafts(ctx context.Context, elementalID string) error {
	return t.run(ctx, `DELETE FROM drafts WHERE elemental_id = ?`, elementalID)
}
