package quire

import (
	"context"
	"iter"
	"time"
)

// IndexedText is what full-text search sees of an elemental or list: words
// separated by single spaces, already segmented, folded and free of anything but
// letters, marks and digits (see internal/segment). A Store indexes the words as
// they are: no stemming, no stop words, no further splitting.
type IndexedText struct {
	Title       string
	Description string
	Body        string
	Tags        string
}

// TextQuery is a parsed full-text query.
type TextQuery struct {
	// Phrases must all occur; each is one or more words, all in one field, next to
	// each other in this order. No phrases match nothing.
	Phrases [][]string
	// Prefix lets the last word of the last phrase match every word that it begins.
	// Among texts that are otherwise equal, those with the whole word come first.
	Prefix bool
}

// Viewer selects what a search may show: everything of OwnerID, and of others
// what is Public.
type Viewer struct {
	OwnerID    string
	OthersToo  bool // false: only what OwnerID owns
	ListsPlain bool // for lists: leave out those that are columns or rows of a table
}

// ElementalSearch selects a page of elementals by text.
type ElementalSearch struct {
	Text        TextQuery
	Viewer      Viewer
	TypeIDs     []int // only these types; empty: all
	Offset      int   // >= 0
	Limit       int   // >= 1
	WithoutBody bool  // leaves Body and TutorialSteps empty, so that a page of long texts takes no memory
}

// ElementalQuery selects a page of what a user owns.
type ElementalQuery struct {
	OwnerID string
	TypeID  int   // only this type; 0: all that are no cells of a table, which have a TableID
	TagID   int64 // only those whose TagIDs contain it; 0: whatever tags they have
	Offset  int   // >= 0
	Limit   int   // >= 1
}

// ElementalSize is how large an elemental is; the cells are those of a table.
type ElementalSize struct {
	Body     int64 // bytes
	Cells    int   // places for cells, with and without one: columns times rows
	CellBody int64 // bytes of the bodies of all cells
	// Notes is the bytes of what is shown besides: of the description, the tutorial steps, the
	// descriptions of the tags, and the messages of the comments and rates that are read with
	// it, MaxShown of each and the comments that these answer. Of a table also the notes of its
	// cells, which show no comments and rates, and those of its columns and rows. Steps count
	// with their texts, or more, as a Store keeps them; a tag counts wherever it is shown.
	Notes int64
}

// ListSize is how large a list is, without its items.
type ListSize struct {
	Description int64 // bytes
	// Notes is the bytes of all of its texts: of the description, the template, the tutorial
	// steps, the descriptions of the tags and the messages of the latest MaxShown rates, as
	// those of an ElementalSize.
	Notes int64
}

// CellText is a cell of a table without the rest of its record.
type CellText struct {
	ID              string
	ColumnID, RowID int64
	Body            string
}

// ElementalReader reads elementals.
type ElementalReader interface {
	// Elemental returns an elemental, or ErrNotFound.
	Elemental(ctx context.Context, id string) (ElementalRecord, error)
	// Elementals returns those of the elementals that exist, keyed by id; unknown
	// ids are left out. Any number of ids is allowed.
	Elementals(ctx context.Context, ids []string) (map[string]ElementalRecord, error)
	// ElementalsWithoutBody is Elementals with every Body and all TutorialSteps empty, so that
	// long texts take no memory.
	ElementalsWithoutBody(ctx context.Context, ids []string) (map[string]ElementalRecord, error)
	// ElementalSizes returns the sizes of those of the elementals that exist, keyed by
	// id, without reading their texts. Any number of ids is allowed.
	ElementalSizes(ctx context.Context, ids []string) (map[string]ElementalSize, error)
	// ElementalByTitle returns the id of an elemental of that owner, type and exact
	// title, or ErrNotFound. If there are several, the smallest id.
	ElementalByTitle(ctx context.Context, ownerID string, typeID int, title string) (string, error)
	// SearchElementals returns one page of the matches, best first, ties by
	// ascending id, and the number of all matches. A match in the title counts most,
	// then tags, description, body. A page past the end is empty.
	SearchElementals(ctx context.Context, q ElementalSearch) ([]ElementalRecord, int, error)
	// NewestElementals returns one page of an owner's elementals, whatever their
	// visibility, newest CreatedAt first, ties by ascending id, and the number of all
	// that are selected. Every Body and all TutorialSteps are empty, as in
	// ElementalsWithoutBody. An unknown owner, type or tag has none, and a page past the end
	// is empty.
	NewestElementals(ctx context.Context, q ElementalQuery) ([]ElementalRecord, int, error)
	// Cells returns the cells of a table, by id.
	Cells(ctx context.Context, tableID string) ([]ElementalRecord, error)
	// CellTexts returns the texts of the cells of a table, by id: of all cells it reads
	// only what a search index needs.
	CellTexts(ctx context.Context, tableID string) ([]CellText, error)
	// ElementalsOf iterates over the elementals of an owner by ascending id. An
	// error ends the iteration.
	ElementalsOf(ctx context.Context, ownerID string) iter.Seq2[ElementalRecord, error]
	// TenantElementals is ElementalsOf for all elementals of a tenant.
	TenantElementals(ctx context.Context, tenantID string) iter.Seq2[ElementalRecord, error]
}

// ElementalWriter writes elementals.
type ElementalWriter interface {
	// PutElemental adds an elemental or replaces the one with its ID, and what
	// full-text search sees of it.
	PutElemental(ctx context.Context, e ElementalRecord, text IndexedText) error
	// PutElementalText replaces what full-text search sees of an elemental, and nothing
	// else. ErrNotFound if there is no such elemental.
	PutElementalText(ctx context.Context, id string, text IndexedText) error
	// DeleteElemental deletes an elemental with its list items, its text, its media,
	// marks, comments and rates. Its jobs and chunks stay: the caller ends and deletes
	// them; so do the lists and cells of a table.
	DeleteElemental(ctx context.Context, id string) error
}

// TableWriter changes all that is in a table at once.
type TableWriter interface {
	// ShowTable gives the columns, rows and cells of a table a visibility: each becomes
	// its [NextVersion], UpdatedAt that moment.
	ShowTable(ctx context.Context, tableID string, v Visibility, at time.Time) error
	// ClearTable deletes the columns, rows and cells of a table, each as DeleteList and
	// DeleteElemental do.
	ClearTable(ctx context.Context, tableID string) error
}

// ItemOrder is the order of a list's items.
type ItemOrder string

// The orders of items; each has the elemental's id as its last key, ascending in
// both directions.
const (
	OrderIndex     ItemOrder = "index"
	OrderCreatedAt ItemOrder = "created_at"
	OrderUpdatedAt ItemOrder = "updated_at" // an elemental that was never changed counts with its CreatedAt
	OrderTitle     ItemOrder = "title"      // by the bytes of the title
)

// ItemQuery selects a page of a list's items.
type ItemQuery struct {
	ListID int64
	Viewer Viewer // items are shown if the viewer owns them or they are Public
	Order  ItemOrder
	Desc   bool
	// WithoutBody leaves Body and TutorialSteps empty, so that a page of long texts takes no
	// memory.
	WithoutBody bool
	Offset      int // >= 0
	Limit       int // >= 1
}

// ListSearch selects a page of lists.
type ListSearch struct {
	Text   *TextQuery // nil: all that the viewer may see, newest CreatedAt first, ties by ascending id
	Viewer Viewer
	Offset int // >= 0
	Limit  int // >= 1
}

// ListReader reads lists and their items.
type ListReader interface {
	// List returns a list, or ErrNotFound.
	List(ctx context.Context, id int64) (ListRecord, error)
	// Lists returns those of the lists that exist, keyed by id; unknown ids are left out. Any
	// number of ids is allowed.
	Lists(ctx context.Context, ids []int64) (map[int64]ListRecord, error)
	// ListSizes returns the sizes of those of the lists that exist, keyed by id, without
	// reading their texts. Any number of ids is allowed.
	ListSizes(ctx context.Context, ids []int64) (map[int64]ListSize, error)
	// FindLists returns the ids of one page of the matches, best first, ties by ascending id,
	// and the number of all matches.
	FindLists(ctx context.Context, q ListSearch) ([]int64, int, error)
	// SearchLists is FindLists with the lists themselves.
	SearchLists(ctx context.Context, q ListSearch) ([]ListRecord, int, error)
	// ListItems returns one page of a list's elementals and the number of all that
	// the viewer may see. An unknown list has none.
	ListItems(ctx context.Context, q ItemQuery) ([]ElementalRecord, int, error)
	// CountItems returns, for each of the lists, how many items the viewer may see;
	// lists without any are left out.
	CountItems(ctx context.Context, listIDs []int64, v Viewer) (map[int64]int, error)
	// Items returns the memberships of a list by OrderIndex, then elemental id,
	// whoever owns the elementals.
	Items(ctx context.Context, listID int64) ([]ListItem, error)
	// TableLists returns the columns and rows of a table: columns first, then by
	// TableIndex, then id.
	TableLists(ctx context.Context, tableID string) ([]ListRecord, error)
	// TenantLists iterates over the lists of a tenant, columns and rows of tables
	// included, by ascending id. An error ends the iteration.
	TenantLists(ctx context.Context, tenantID string) iter.Seq2[ListRecord, error]
}

// ListWriter writes lists and their items.
type ListWriter interface {
	// PutList adds a list or replaces the one with its ID, and what full-text search
	// sees of it (Body stays empty).
	PutList(ctx context.Context, l ListRecord, text IndexedText) error
	// DeleteList deletes a list with its memberships, media, marks and rates; the
	// elementals stay.
	DeleteList(ctx context.Context, id int64) error
	// PutItem adds a membership or replaces that of the same list and elemental.
	// ErrNotFound if the list or the elemental does not exist.
	PutItem(ctx context.Context, it ListItem) error
	// DeleteItem removes a membership.
	DeleteItem(ctx context.Context, listID int64, elementalID string) error
}
