package store

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/quirelib/quire"
)

// deriveChunks keeps chunkByID; the chunks of an elemental are one row.
func (d *data) deriveChunks(old, cur *[]quire.Chunk) {
	if old != nil {
		for i := range *old {
			delete(d.chunkByID, (*old)[i].ID)
		}
	}
	if cur != nil {
		for i := range *cur {
			d.chunkByID[(*cur)[i].ID] = &(*cur)[i]
		}
	}
}

// Chunks implements [quire.ChunkReader].
func (tx readTx) Chunks(ctx context.Context, ids []string) (map[string]quire.Chunk, error) {
	return pick(ctx, tx.chunkByID, ids, cloneText)
}

// ChunksOf implements [quire.ChunkReader].
func (tx readTx) ChunksOf(ctx context.Context, elementalID string) ([]quire.Chunk, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return cloneChunks(tx.chunksOf(elementalID)), nil
}

// chunksOf returns the row itself.
func (tx readTx) chunksOf(elementalID string) []quire.Chunk {
	if row := tx.chunks.rows[elementalID]; row != nil {
		return *row
	}
	return nil
}

func cloneChunks(chunks []quire.Chunk) []quire.Chunk {
	clones := slices.Clone(chunks)
	for i := range clones {
		clones[i] = cloneChunk(clones[i])
	}
	return clones
}

// AllVectors implements [quire.ChunkReader].
func (tx readTx) AllVectors(ctx context.Context) iter.Seq2[quire.Chunk, error] {
	return tx.AllChunks(ctx)
}

// AllChunks implements [quire.ChunkReader].
func (tx readTx) AllChunks(ctx context.Context) iter.Seq2[quire.Chunk, error] {
	return func(yield func(quire.Chunk, error) bool) {
		all := maps.Clone(tx.chunks.rows) // the consumer may write meanwhile
		for _, elementalID := range slices.Sorted(maps.Keys(all)) {
			for _, c := range *all[elementalID] {
				if err := ctx.Err(); err != nil {
					yield(quire.Chunk{}, err)
					return
				}
				if !yield(cloneChunk(c), nil) {
					return
				}
			}
		}
	}
}

// PlainChunks implements [quire.ChunkReader].
func (tx readTx) PlainChunks(ctx context.Context, after string, limit int) ([]quire.Chunk, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var ids []string
	for id := range tx.chunkByID {
		if id > after {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	ids = ids[:min(limit, len(ids))]
	chunks := make([]quire.Chunk, len(ids))
	for i, id := range ids {
		chunks[i] = cloneText(*tx.chunkByID[id])
	}
	return chunks, nil
}

// MatchChunks implements [quire.ChunkReader].
func (tx readTx) MatchChunks(ctx context.Context, f quire.Filters) ([]quire.ChunkRef, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var refs []quire.ChunkRef
	match := f.Matcher()
	for id, c := range tx.chunkByID {
		if match(c) {
			refs = append(refs, quire.ChunkRef{ID: id, ElementalID: c.ElementalID})
		}
	}
	slices.SortFunc(refs, func(a, b quire.ChunkRef) int {
		return cmp.Or(cmp.Compare(a.ElementalID, b.ElementalID), cmp.Compare(a.ID, b.ID))
	})
	return refs, nil
}

// CountChunks implements [quire.ChunkReader].
func (tx readTx) CountChunks(ctx context.Context) (int, error) {
	return len(tx.chunkByID), ctx.Err()
}

// ReplaceChunks implements [quire.ChunkWriter].
func (tx *writeTx) ReplaceChunks(ctx context.Context, elementalID string, chunks []quire.Chunk) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(chunks) == 0 {
		tx.chunks.set(&tx.undo, elementalID, nil)
		return nil
	}
	row := cloneChunks(chunks)
	slices.SortFunc(row, func(a, b quire.Chunk) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.ItemID, b.ItemID), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	tx.chunks.set(&tx.undo, elementalID, &row)
	return nil
}

// TagChunks implements [quire.ChunkWriter].
func (tx *writeTx) TagChunks(ctx context.Context, elementalID string, ids, names []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	row := slices.Clone(tx.chunksOf(elementalID))
	if len(row) == 0 {
		return nil
	}
	for i := range row {
		row[i].TagIDs, row[i].TagNames = slices.Clone(ids), slices.Clone(names)
	}
	tx.chunks.set(&tx.undo, elementalID, &row)
	return nil
}
