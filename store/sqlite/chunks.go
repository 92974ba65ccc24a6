package sqlite

import (
	"context"
	"iter"
	"slices"

	"github.com/quirelib/quire"
)

var (
	chunkColumns = columns{"id", "tenant_id", "user_id", "elemental_id", "column_id", "item_id", "source",
		"type_name", "category_name", "tag_ids", "tag_names", "title", "heading", "start_byte", "end_byte", "ordinal",
		"hash", "fingerprint", "passage", "vector"}
	plainChunkColumns = chunkColumns[:len(chunkColumns)-1] // without the vector
	indexedColumns    = columns{"id", "tenant_id", "user_id", "elemental_id", "source", "type_name", "category_name",
		"tag_ids", "tag_names", "heading", "fingerprint", "vector"} // what a VectorIndex reads, and all that may be damaged

	selectChunk      = `SELECT ` + chunkColumns.of("c") + ` FROM chunks c `
	selectPlainChunk = `SELECT ` + plainChunkColumns.of("c") + ` FROM chunks c `
	selectIndexed    = `SELECT ` + indexedColumns.of("c") + ` FROM chunks c `
	insertChunk      = slices.Concat(chunkColumns, columns{"sum"}).insert("chunks")
)

// inOrder is the order of all chunks.
const inOrder = `ORDER BY c.elemental_id, c.source, c.item_id, c.ordinal, c.id`

// chunkFields are where the values of plainChunkColumns are scanned to.
func chunkFields(c *quire.Chunk) []any {
	return []any{&c.ID, &c.TenantID, &c.UserID, &c.ElementalID, &c.ColumnID, &c.ItemID, &c.Source,
		&c.TypeName, &c.CategoryName, arrayTo[string]{&c.TagIDs}, arrayTo[string]{&c.TagNames}, &c.Title,
		arrayTo[string]{&c.Heading}, &c.Start, &c.End, &c.Ordinal, &c.Hash, &c.Fingerprint, &c.Text}
}

// indexedFields are where the values of indexedColumns are scanned to.
func indexedFields(c *quire.Chunk) []any {
	return []any{&c.ID, &c.TenantID, &c.UserID, &c.ElementalID, &c.Source, &c.TypeName, &c.CategoryName,
		arrayTo[string]{&c.TagIDs}, arrayTo[string]{&c.TagNames}, arrayTo[string]{&c.Heading}, &c.Fingerprint, vectorTo{&c.Vector}}
}

func scanPlainChunk(row scanner) (c quire.Chunk, err error) {
	err = row.Scan(chunkFields(&c)...)
	return c, err
}

// scanChunks returns what scans the rows of a query.
func scanChunks() func(scanner) (quire.Chunk, error) {
	return scanInto(func(c *quire.Chunk) []any { return append(chunkFields(c), vectorTo{&c.Vector}) })
}

// scanInto returns what scans rows to the fields. It makes the list of where values go
// once, not for each row.
func scanInto(fieldsOf func(*quire.Chunk) []any) func(scanner) (quire.Chunk, error) {
	c := new(quire.Chunk)
	fields := fieldsOf(c)
	return func(row scanner) (quire.Chunk, error) {
		*c = quire.Chunk{} // what cannot be read has nothing of the row before
		err := row.Scan(fields...)
		return *c, err
	}
}

// Chunks implements quire.ChunkReader.
func (t *tx) Chunks(ctx context.Context, ids []string) (map[string]quire.Chunk, error) {
	return byID(ctx, t, scanPlainChunk, selectPlainChunk+`WHERE c.id IN `+members, ids,
		func(c quire.Chunk) string { return c.ID })
}

// ChunksOf implements quire.ChunkReader.
func (t *tx) ChunksOf(ctx context.Context, elementalID string) ([]quire.Chunk, error) {
	return all(ctx, t, scanChunks(), selectChunk+`WHERE c.elemental_id = ?
		ORDER BY c.source, c.item_id, c.ordinal, c.id`, elementalID)
}

// AllChunks implements quire.ChunkReader.
func (t *tx) AllChunks(ctx context.Context) iter.Seq2[quire.Chunk, error] {
	return stream(ctx, t, scanChunks(), selectChunk+inOrder)
}

// AllVectors implements quire.ChunkReader.
func (t *tx) AllVectors(ctx context.Context) iter.Seq2[quire.Chunk, error] {
	return stream(ctx, t, scanInto(indexedFields), selectIndexed+inOrder)
}

// PlainChunks implements quire.ChunkReader.
func (t *tx) PlainChunks(ctx context.Context, after string, limit int) ([]quire.Chunk, error) {
	return all(ctx, t, scanPlainChunk, selectPlainChunk+`WHERE c.id > ? ORDER BY c.id LIMIT ?`, after, limit)
}

// MatchChunks implements quire.ChunkReader.
func (t *tx) MatchChunks(ctx context.Context, f quire.Filters) ([]quire.ChunkRef, error) {
	var w where
	if f.ElementalID == "" && len(f.TagIDs)+len(f.TagNames) > 0 {
		w.add(`+c.tenant_id = ?`, f.TenantID) // the + has SQLite start from the tags, not from all of the tenant
	} else {
		w.add(`c.tenant_id = ?`, f.TenantID)
	}
	w.addIf(`c.elemental_id = ?`, f.ElementalID)
	w.addIf(`c.user_id = ?`, f.UserID)
	w.addIf(`c.source = ?`, f.Source)
	w.addIf(`c.type_name = ?`, f.TypeName)
	w.addIf(`c.category_name = ?`, f.CategoryName)
	w.tagged("id", f.TagIDs)
	w.tagged("name", f.TagNames)
	scan := func(row scanner) (r quire.ChunkRef, err error) {
		err = row.Scan(&r.ID, &r.ElementalID)
		return r, err
	}
	return all(ctx, t, scan, `SELECT c.id, c.elemental_id FROM chunks c WHERE `+w.String()+`
		ORDER BY c.elemental_id, c.id`, w.args...)
}

// tagged adds the condition that a chunk has one of the tags, if there are any.
func (w *where) tagged(kind string, tags []string) {
	if len(tags) > 0 {
		w.add(`c.num IN (SELECT g.chunk FROM chunk_tags g WHERE g.kind = ? AND g.value IN `+members+`)`, kind, array(tags))
	}
}

// CountChunks implements quire.ChunkReader.
func (t *tx) CountChunks(ctx context.Context) (int, error) {
	return one(ctx, t, value[int], `SELECT count(*) FROM chunks c`)
}

// TagChunks implements quire.ChunkWriter. It leaves the rows of chunk_tags that
// stay; the + has SQLite look for them by chunk, not by all that have a tag.
func (t *tx) TagChunks(ctx context.Context, elementalID string, ids, names []string) error {
	return t.runAll(ctx, []statement{
		{`UPDATE chunks SET tag_ids = ?, tag_names = ? WHERE elemental_id = ?`, []any{array(ids), array(names), elementalID}},
		{`DELETE FROM chunk_tags WHERE chunk IN (SELECT c.num FROM chunks c WHERE c.elemental_id = ?)
			AND (+kind = 'id' AND value NOT IN ` + members + ` OR +kind = 'name' AND value NOT IN ` + members + `)`,
			[]any{elementalID, array(ids), array(names)}},
		{insertChunkTags("id", "tag_ids", `c.elemental_id = ?`), []any{elementalID}},
		{insertChunkTags("name", "tag_names", `c.elemental_id = ?`), []any{elementalID}},
	})
}

// plainChunkValues are the values of plainChunkColumns.
func plainChunkValues(c *quire.Chunk) []any {
	return []any{c.ID, c.TenantID, c.UserID, c.ElementalID, c.ColumnID, c.ItemID, c.Source,
		c.TypeName, c.CategoryName, array(c.TagIDs), array(c.TagNames), c.Title, array(c.Heading),
		c.Start, c.End, c.Ordinal, c.Hash, c.Fingerprint, c.Text}
}

func (t *tx) insertChunk(ctx context.Context, c *quire.Chunk) error {
	return t.run(ctx, insertChunk, append(plainChunkValues(c), vectorBlob(c.Vector), chunkSum(c))...)
}
