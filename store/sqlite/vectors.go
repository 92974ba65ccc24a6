package sqlite

import "context"

var upsertVector = columns{"fingerprint", "hash", "vector"}.upsert("vectors", "fingerprint, hash")

// MissingVectors implements quire.VectorReader.
func (t *tx) MissingVectors(ctx context.Context, fingerprint string, hashes []string) ([]string, error) {
	if len(hashes) == 0 {
		return nil, ctx.Err()
	}
	return all(ctx, t, value[string], `SELECT DISTINCT h.value FROM json_each(?) h
		WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.fingerprint = ? AND v.hash = h.value)`, array(hashes), fingerprint)
}

// VectorLengths implements quire.VectorReader.
func (t *tx) VectorLengths(ctx context.Context, fingerprint string) ([]int, error) {
	return all(ctx, t, value[int], `SELECT DISTINCT length(v.vector) / 4 AS n FROM vectors v WHERE v.fingerprint = ? ORDER BY n`, fingerprint)
}

// PutVectors implements quire.VectorWriter.
func (t *tx) PutVectors(ctx context.Context, fingerprint string, vectors map[string][]float32) error {
	if len(vectors) == 0 {
		return ctx.Err()
	}
	for hash, vector := range vectors {
		if err := t.run(ctx, upsertVector, fingerprint, hash, vectorBlob(vector)); err != nil {
			return err
		}
	}
	return nil
}

// AdoptVectors implements quire.VectorWriter.
func (t *tx) AdoptVectors(ctx context.Context, fingerprint string) (int, error) {
	// UPDATE FROM would put all the vectors aside before it writes the first one.
	n, err := t.exec(ctx, `UPDATE chunks SET (fingerprint, vector) =
		(SELECT v.fingerprint, v.vector FROM vectors v WHERE v.fingerprint = ?1 AND v.hash = chunks.hash)
		WHERE EXISTS (SELECT 1 FROM vectors v WHERE v.fingerprint = ?1 AND v.hash = chunks.hash)`, fingerprint)
	return int(n), failure(ctx, err)
}

// DeleteVectors implements quire.VectorWriter.
func (t *tx) DeleteVectors(ctx context.Context, except ...string) error {
	if len(except) == 0 {
		return t.run(ctx, `DELETE FROM vectors`) // SQLite frees the whole tree at once
	}
	return t.run(ctx, `DELETE FROM vectors WHERE fingerprint NOT IN `+members, array(except))
}
