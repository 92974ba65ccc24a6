package quire

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/quirelib/quire/internal/id"
)

// The kinds of source text.
const (
	sourceDocument  = "document"
	sourceElemental = "elemental"
)

// sourceName says what chunks of an elemental of that type come from.
func sourceName(typeID int) string {
	if typeID == TypeDocument {
		return sourceDocument
	}
	return sourceElemental
}

// sourceText is what is ingested of an elemental: title, description and body with
// a blank line between them, blank ones left out. The offsets of chunks count in it.
func sourceText(rec ElementalRecord) string {
	parts := []string{rec.Title, rec.Description, rec.Body}
	parts = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })
	return strings.Join(parts, "\n\n")
}

// chunkMeta is what chunks repeat of their elemental: to be filtered by and shown
// without reading it.
type chunkMeta struct {
	columnID     string // of a cell; what a chunk has of it never changes
	userID       string
	source       string
	typeName     string
	categoryName string
	title        string
	tagIDs       []string
	tagNames     []string
}

// source is a text that is ingested of an elemental, with the metadata of its chunks.
type source struct {
	rec  ElementalRecord // whose text it is: the elemental itself, or a cell of it
	file Media           // attached to rec, if the text is that of a file; else zero
	meta chunkMeta
}

// itemID is the item that the text belongs to: the file, or else the elemental or cell.
func (s source) itemID() string {
	if s.file.ID != 0 {
		return strconv.FormatInt(s.file.ID, 10)
	}
	return s.rec.ID
}

// sources are the texts that are ingested of an elemental: its own, those of its files,
// and of a table each cell with its files, row by row. Files have the metadata of what
// they are attached to.
func (l *Library) sources(ctx context.Context, tx ReadTx, rec ElementalRecord) ([]source, error) {
	sources, err := l.textSources(ctx, tx, rec)
	if err != nil {
		return nil, err
	}
	owners := make([]MediaOwner, len(sources))
	for i, s := range sources {
		owners[i].ElementalID = s.rec.ID
	}
	media, err := tx.MediaOf(ctx, owners)
	if err != nil || len(media) == 0 {
		return sources, err
	}
	var all []source
	for i, s := range sources {
		all = append(all, s)
		for _, m := range media[owners[i]] {
			if m.Kind == MediaFile {
				s.file, s.meta.source = m, sourceFile
				all = append(all, s)
			}
		}
	}
	return all, nil
}

// textSources are the sources without files. A cell has the tags of its table, its
// column and itself, in this order, each once.
func (l *Library) textSources(ctx context.Context, tx ReadTx, rec ElementalRecord) ([]source, error) {
	meta, err := l.chunkMeta(ctx, tx, rec)
	sources := []source{{rec: rec, meta: meta}}
	if err != nil || rec.TypeID != TypeTable {
		return sources, err
	}
	t, err := readTable(ctx, tx, rec)
	if err != nil {
		return nil, err
	}
	tags, err := tx.Tags(ctx, t.allTags())
	if err != nil {
		return nil, err
	}
	for _, row := range t.rows {
		for _, column := range t.columns {
			cell, ok := t.cells[crossing{column.ID, row.ID}]
			if !ok {
				continue
			}
			of := meta
			of.columnID = strconv.FormatInt(column.ID, 10)
			of.setTags(tags, unique(slices.Concat(rec.TagIDs, column.TagIDs, cell.TagIDs)))
			sources = append(sources, source{rec: cell, meta: of})
		}
	}
	return sources, nil
}

// chunkMetas gathers the metadata of all sources of an elemental, by item id.
func (l *Library) chunkMetas(ctx context.Context, tx ReadTx, rec ElementalRecord) (map[string]chunkMeta, error) {
	sources, err := l.sources(ctx, tx, rec)
	metas := make(map[string]chunkMeta, len(sources))
	for _, s := range sources {
		metas[s.itemID()] = s.meta
	}
	return metas, err
}

// allTags are the tags of the table, its columns and its cells, each once.
func (t *table) allTags() []int64 {
	ids := slices.Clone(t.rec.TagIDs)
	for _, column := range t.columns {
		ids = append(ids, column.TagIDs...)
	}
	for _, c := range t.cells {
		ids = append(ids, c.TagIDs...)
	}
	return unique(ids)
}

// chunkMeta gathers the metadata for the chunks of an elemental's own text as it is in tx.
func (l *Library) chunkMeta(ctx context.Context, tx ReadTx, rec ElementalRecord) (chunkMeta, error) {
	m := chunkMeta{userID: rec.OwnerID, source: sourceName(rec.TypeID), title: rec.Title}
	cat := l.catalogue.Load()
	typ, _ := cat.elementalType(rec.TypeID)
	category, _ := cat.category(rec.CategoryID)
	m.typeName, m.categoryName = typ.Name, category.Name // "" for what the catalogue does not know
	if len(rec.TagIDs) == 0 {
		return m, nil
	}
	tags, err := tx.Tags(ctx, rec.TagIDs)
	if err != nil {
		return m, err
	}
	m.setTags(tags, rec.TagIDs)
	return m, nil
}

// setTags makes ids, as far as there are such tags, the tags.
func (m *chunkMeta) setTags(tags map[int64]Tag, ids []int64) {
	m.tagIDs, m.tagNames = nil, nil
	for _, tagID := range ids {
		if t, ok := tags[tagID]; ok {
			m.tagIDs = append(m.tagIDs, strconv.FormatInt(tagID, 10))
			m.tagNames = append(m.tagNames, t.Title)
		}
	}
}

// apply sets the metadata of a chunk that comes from the source it is of, and
// reports whether that changed anything. The id follows the source, which is part
// of it, as it would in another ingest.
func (m chunkMeta) apply(c *Chunk) bool {
	if m.sameButTags(c) && slices.Equal(c.TagIDs, m.tagIDs) && slices.Equal(c.TagNames, m.tagNames) {
		return false
	}
	c.UserID, c.Source, c.TypeName, c.CategoryName, c.Title = m.userID, m.source, m.typeName, m.categoryName, m.title
	c.TagIDs, c.TagNames = slices.Clone(m.tagIDs), slices.Clone(m.tagNames)
	c.ID = id.Point(c.ElementalID, c.ItemID, c.Source, strconv.Itoa(c.Ordinal))
	return true
}

// sameButTags reports whether a chunk has the metadata but perhaps for the tags. apply
// leaves its id as it is then.
func (m chunkMeta) sameButTags(c *Chunk) bool {
	return c.UserID == m.userID && c.Source == m.source && c.TypeName == m.typeName &&
		c.CategoryName == m.categoryName && c.Title == m.title
}
