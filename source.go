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
	userID       string
	source       string
	typeName     string
	categoryName string
	title        string
	tagIDs       []string
	tagNames     []string
}

// chunkMeta gathers the metadata for the chunks of an elemental as it is in tx.
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
	for _, tagID := range rec.TagIDs {
		if t, ok := tags[tagID]; ok {
			m.tagIDs = append(m.tagIDs, strconv.FormatInt(tagID, 10))
			m.tagNames = append(m.tagNames, t.Title)
		}
	}
	return m, nil
}

// apply sets the metadata of a chunk that comes from its elemental's own text and
// reports whether that changed anything. The id follows the source, which is part
// of it, as it would in another ingest.
func (m chunkMeta) apply(c *Chunk) bool {
	same := c.UserID == m.userID && c.Source == m.source && c.TypeName == m.typeName &&
		c.CategoryName == m.categoryName && c.Title == m.title &&
		slices.Equal(c.TagIDs, m.tagIDs) && slices.Equal(c.TagNames, m.tagNames)
	if same {
		return false
	}
	c.UserID, c.Source, c.TypeName, c.CategoryName, c.Title = m.userID, m.source, m.typeName, m.categoryName, m.title
	c.TagIDs, c.TagNames = slices.Clone(m.tagIDs), slices.Clone(m.tagNames)
	c.ID = id.Point(c.ElementalID, c.ItemID, c.Source, strconv.Itoa(c.Ordinal))
	return true
}
