package quire

import "time"

// Visibility says who finds an elemental or list. Both kinds can be read by id
// by every authenticated user; only Public ones are found by others' searches.
type Visibility int

// The visibilities.
const (
	Public   Visibility = 1
	Unlisted Visibility = 2
)

// The ids of the built-in elemental types.
const (
	TypePrompt   = 1
	TypeSnippet  = 2
	TypeDocument = 3
	TypeCell     = 8 // a cell of a table; made by the Library only
	TypeTable    = 9 // a table; made by the Library only
)

// CategoryText is the id of the built-in category that an elemental gets in
// CreateElementals, and a table in CreateTable, when it names none.
const CategoryText = 18

// The orientations of the lists of a table.
const (
	TableColumn = "column"
	TableRow    = "row"
)

// Settings are the switches of an elemental or list.
type Settings struct {
	// KnowledgeBase: ingest by itself after creation and after every change. Without it an
	// elemental is ingested only when [Engine.Ingest] is called, and switching it off deletes
	// nothing: passages stay, and are found, as they were ingested last, until the next
	// ingest, [Engine.DeleteElemental], or the deletion of the elemental. Of a list it has no
	// effect.
	KnowledgeBase bool
	Template      bool
	System        bool // set by the application only, never by a user
}

// TutorialStep is one step of a how-to that belongs to an elemental or list.
type TutorialStep struct {
	Title       string
	Description string
	VideoURL    string
}

// User is a person or program that owns content.
type User struct {
	ID        string
	TenantID  string // the tenant its content belongs to; its own id by default
	Name      string
	Username  string
	Email     string
	AvatarURL string
	CreatedAt time.Time
}

// Key is an API key as it is stored: never the secret, only its hash.
type Key struct {
	ID         string
	UserID     string
	Name       string
	Hash       string     // lower-case hex SHA-256 of the secret
	Prefix     string     // the first characters of the secret, to tell keys apart
	CreatedAt  time.Time  // UTC
	LastUsedAt *time.Time // UTC, exact to a minute; nil if never used
	ExpiresAt  *time.Time // UTC; nil if it does not expire
	RevokedAt  *time.Time // UTC; nil if it is not revoked
}

// UserKey is a key with the user it belongs to.
type UserKey struct {
	Key  Key
	User User
}

// Tag is a label that its owner attaches to elementals and lists.
type Tag struct {
	ID              int64 // 1 <= ID < 2^53, random
	OwnerID         string
	Title           string // 1..100 characters
	Color           string // "#" and 3, 4, 6 or 8 hex digits
	Description     string
	ElementalTypeID int
	SourceUserID    string // where it was copied from, as its owner says; "" if unknown
	SourceTagID     string
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// ElementalRecord is an elemental as a Store keeps it. References are ids; the
// Library resolves them into an [Elemental].
type ElementalRecord struct {
	ID            string
	OwnerID       string
	TenantID      string
	TypeID        int
	CategoryID    int
	TopicIDs      []int
	Title         string
	Description   string
	Body          string
	Command       string
	Visibility    Visibility
	VideoURL      string
	TutorialSteps []TutorialStep
	IsPremium     bool
	IsFixedPrice  bool
	Price         *int64 // nil: no price
	PriceOriginal *int64
	Settings      Settings
	TagIDs        []int64 // in the order of attachment, no duplicates
	ColumnID      int64   // of a cell: the column list it is in; else 0
	RowID         int64   // of a cell: the row list it is in; else 0
	TableID       string  // of a cell: the table it belongs to; else ""
	Counters      Counters
	Version       int64 // 1 at creation, one more with each change
	CreatedAt     time.Time
	UpdatedAt     *time.Time // nil until the first change
}

// ListRecord is a list as a Store keeps it.
type ListRecord struct {
	ID               int64 // 1 <= ID < 2^53, random
	OwnerID          string
	TenantID         string
	TypeID           int
	Title            string
	Description      string
	Template         string // lays out the compiled text; "" for the default layout
	Visibility       Visibility
	VideoURL         string
	TutorialSteps    []TutorialStep
	IsPremium        bool
	IsFixedPrice     bool
	Price            *int64
	PriceOriginal    *int64
	Settings         Settings
	TagIDs           []int64
	TableID          string // id of the table elemental that it is a column or row of; "" for none
	TableOrientation string // TableColumn, TableRow or ""
	TableIndex       int64  // orders the columns or rows of its table, from 0; deleted ones leave gaps
	Counters         Counters
	Version          int64
	CreatedAt        time.Time
	UpdatedAt        *time.Time
}

// ListItem is the membership of an elemental in a list. An elemental is in a
// list at most once.
type ListItem struct {
	ListID      int64
	ElementalID string
	OrderIndex  int64
	AddedAt     time.Time
}
