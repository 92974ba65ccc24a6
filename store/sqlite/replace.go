package sqlite

import (
	"context"
	"slices"

	"github.com/quirelib/quire"
)

// storedChunk is a row of chunks without its vector.
type storedChunk struct {
	num int64
	quire.Chunk
}

var (
	selectStoredChunk = `SELECT c.num, ` + plainChunkColumns.of("c") + ` FROM chunks c WHERE c.elemental_id = ?`
	updateChunk       = plainChunkColumns.update("chunks") + ` WHERE num = ?`
)

// chunkChanges are what turns the chunks of an elemental into others.
type chunkChanges struct {
	deleted  []int64       // by num
	updated  []storedChunk // all but the vector
	retagged []int64       // those of updated whose tags are others
	inserted []*quire.Chunk
}

// ReplaceChunks implements quire.ChunkWriter. It writes what differs only: a row is most
// of all its vector, and in a large elemental most rows stay what they are.
func (t *tx) ReplaceChunks(ctx context.Context, elementalID string, chunks []quire.Chunk) error {
	if len(chunks) == 0 {
		return t.run(ctx, `DELETE FROM chunks WHERE elemental_id = ?`, elementalID) // takes the rows of chunk_tags along
	}
	scan := func(row scanner) (c storedChunk, err error) {
		err = row.Scan(append([]any{&c.num}, chunkFields(&c.Chunk)...)...)
		return c, err
	}
	stored, err := all(ctx, t, scan, selectStoredChunk, elementalID)
	if err != nil {
		return err
	}
	return t.changeChunks(ctx, differences(stored, chunks))
}

// differences returns what there is to change.
func differences(stored []storedChunk, chunks []quire.Chunk) (d chunkChanges) {
	old := make(map[string]*storedChunk, len(stored))
	for i := range stored {
		old[stored[i].ID] = &stored[i]
	}
	for i := range chunks {
		c := &chunks[i]
		o := old[c.ID]
		if o == nil || !sameVector(&o.Chunk, c) {
			d.inserted = append(d.inserted, c) // after the old one was deleted, if there is one
			continue
		}
		delete(old, c.ID)
		tagged := slices.Equal(o.TagIDs, c.TagIDs) && slices.Equal(o.TagNames, c.TagNames)
		if !tagged {
			d.retagged = append(d.retagged, o.num)
		}
		if !tagged || !sameFields(&o.Chunk, c) {
			d.updated = append(d.updated, storedChunk{o.num, *c})
		}
	}
	for _, o := range old {
		d.deleted = append(d.deleted, o.num)
	}
	return d
}

// sameVector reports whether two chunks have the same vector: that of the same text by
// the same Embedder. Looking at the vectors would take longer than writing them.
func sameVector(a, b *quire.Chunk) bool {
	return a.Hash != "" && a.Hash == b.Hash && a.Fingerprint != "" && a.Fingerprint == b.Fingerprint && a.Text == b.Text
}

// sameFields reports whether two chunks with the same vector are the same but for tags.
func sameFields(a, b *quire.Chunk) bool {
	return a.TenantID == b.TenantID && a.UserID == b.UserID && a.ColumnID == b.ColumnID && a.ItemID == b.ItemID && a.Source == b.Source &&
		a.TypeName == b.TypeName && a.CategoryName == b.CategoryName && a.Title == b.Title && slices.Equal(a.Heading, b.Heading) &&
		a.Start == b.Start && a.End == b.End && a.Ordinal == b.Ordinal
}

func (t *tx) changeChunks(ctx context.Context, d chunkChanges) error {
	var ss []statement
	if len(d.deleted) > 0 {
		ss = append(ss, statement{`DELETE FROM chunks WHERE num IN ` + members, []any{array(d.deleted)}})
	}
	for i := range d.updated {
		c := &d.updated[i]
		ss = append(ss, statement{updateChunk, append(plainChunkValues(&c.Chunk), c.num)})
	}
	if len(d.retagged) > 0 {
		nums := array(d.retagged)
		ss = append(ss, statement{`DELETE FROM chunk_tags WHERE chunk IN ` + members, []any{nums}},
			statement{insertChunkTags("id", "tag_ids", `c.num IN `+members), []any{nums}},
			statement{insertChunkTags("name", "tag_names", `c.num IN `+members), []any{nums}})
	}
	if err := t.runAll(ctx, ss); err != nil || len(d.inserted) == 0 {
		return err
	}
	// SQLite gives new rows numbers above all there are.
	top, err := one(ctx, t, value[int64], `SELECT coalesce(max(c.num), 0) FROM chunks c`)
	if err != nil {
		return err
	}
	for _, c := range d.inserted {
		if err := t.insertChunk(ctx, c); err != nil {
			return err
		}
	}
	return t.runAll(ctx, []statement{
		{insertChunkTags("id", "tag_ids", `c.num > ?`), []any{top}},
		{insertChunkTags("name", "tag_names", `c.num > ?`), []any{top}},
	})
}

// insertChunkTags fills chunk_tags for the chunks with that condition. Different tags can
// have the same name.
func insertChunkTags(kind, column, condition string) string {
	return `INSERT OR IGNORE INTO chunk_tags (chunk, kind, value)
		SELECT c.num, '` + kind + `', j.value FROM chunks c CROSS JOIN json_each(c.` + column + `) j
		WHERE ` + condition
}
