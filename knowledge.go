package quire

import (
	"context"
	"io"
	"iter"
)

// KnowledgeFormat is the form of compiled knowledge text.
type KnowledgeFormat string

// The formats.
const (
	FormatText     KnowledgeFormat = "text"     // "Title: .." lines, items numbered and indented
	FormatMarkdown KnowledgeFormat = "markdown" // headings
	FormatJSON     KnowledgeFormat = "json"
)

// GroupBy is how table elementals are laid out in knowledge text.
type GroupBy string

// The groupings.
const (
	GroupByRow    GroupBy = "row"
	GroupByColumn GroupBy = "column"
)

// KnowledgeFields are the names that a fields parameter may hold.
var KnowledgeFields = []string{"id", "title", "type", "description", "content", "url", "images", "video", "tutorial", "files"}

// KnowledgeOptions select what is compiled and how.
type KnowledgeOptions struct {
	Format  KnowledgeFormat // "" means FormatText
	GroupBy GroupBy         // "" means GroupByRow
	// Fields are names out of KnowledgeFields; empty means title, description and
	// content. An unknown name is ErrInvalid.
	Fields []string
}

// Knowledge is compiled content: the head of a list or an elemental, and the
// items of a list.
type Knowledge struct {
	Title       string
	Description string
	Type        string // name of the list type or elemental type
	// Items iterates over a list's items; nil for an elemental. It reads them in
	// portions while it is consumed. An error is the last thing yielded.
	Items iter.Seq2[KnowledgeItem, error]
}

// KnowledgeItem is one item as its selected fields: what JSON output shows under
// the keys of KnowledgeItem.Fields, in order.
type KnowledgeItem struct {
	Title       string
	Description string
	Type        string
	Fields      KnowledgeObject // the selected fields, such as Title, Description, Body
}

// KnowledgeObject is a JSON object with ordered keys.
type KnowledgeObject []KnowledgeEntry

// KnowledgeEntry is a key with its value.
type KnowledgeEntry struct {
	Key   string
	Value any // string, []string or []KnowledgeObject
}

// ListKnowledge compiles a list for reading item by item.
func (l *Library) ListKnowledge(ctx context.Context, a Actor, id int64, opts KnowledgeOptions) (Knowledge, error) {
	panic("stub")
}

// WriteListKnowledge writes the compiled text of a list in the format of opts, item
// by item: memory does not grow with the list. What was written before an error
// stays written.
func (l *Library) WriteListKnowledge(ctx context.Context, a Actor, id int64, opts KnowledgeOptions, w io.Writer) error {
	panic("stub")
}

// ElementalKnowledge compiles one elemental: the text in the format of opts and
// its selected fields as an object.
func (l *Library) ElementalKnowledge(ctx context.Context, a Actor, id string, opts KnowledgeOptions) (string, KnowledgeObject, error) {
	panic("stub")
}

// KnowledgeText lays out an elemental that was already read: for responses that
// carry it beside the elemental.
func (l *Library) KnowledgeText(e Elemental, opts KnowledgeOptions) (string, KnowledgeObject, error) {
	panic("stub")
}
