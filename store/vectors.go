package store

import (
	"context"
	"maps"
	"slices"
)

type vectorKey struct{ fingerprint, hash string }

// MissingVectors implements [quire.VectorReader].
func (tx readTx) MissingVectors(ctx context.Context, fingerprint string, hashes []string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var missing []string
	seen := make(map[string]bool, len(hashes))
	for _, hash := range hashes {
		if !seen[hash] && tx.vectors.rows[vectorKey{fingerprint, hash}] == nil {
			missing = append(missing, hash)
		}
		seen[hash] = true
	}
	return missing, nil
}

// VectorLengths implements [quire.VectorReader].
func (tx readTx) VectorLengths(ctx context.Context, fingerprint string) ([]int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	lengths := map[int]bool{}
	for key, vector := range tx.vectors.rows {
		if key.fingerprint == fingerprint {
			lengths[len(*vector)] = true
		}
	}
	return slices.Sorted(maps.Keys(lengths)), nil
}

// PutVectors implements [quire.VectorWriter].
func (tx *writeTx) PutVectors(ctx context.Context, fingerprint string, vectors map[string][]float32) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for hash, vector := range vectors {
		tx.vectors.set(&tx.undo, vectorKey{fingerprint, hash}, new(slices.Clone(vector)))
	}
	return nil
}

// AdoptVectors implements [quire.VectorWriter].
func (tx *writeTx) AdoptVectors(ctx context.Context, fingerprint string) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	adopted := 0
	for elementalID, row := range tx.chunks.rows {
		chunks, before := slices.Clone(*row), adopted
		for i := range chunks {
			if vector := tx.vectors.rows[vectorKey{fingerprint, chunks[i].Hash}]; vector != nil {
				chunks[i].Vector, chunks[i].Fingerprint = *vector, fingerprint
				adopted++
			}
		}
		if adopted > before {
			tx.chunks.set(&tx.undo, elementalID, &chunks)
		}
	}
	return adopted, nil
}

// DeleteVectors implements [quire.VectorWriter].
func (tx *writeTx) DeleteVectors(ctx context.Context, except ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for key := range tx.vectors.rows {
		if !slices.Contains(except, key.fingerprint) {
			tx.vectors.set(&tx.undo, key, nil)
		}
	}
	return nil
}
