package quire

import (
	"context"
)

// Elemental is a content item as the Library returns it: the record with its
// references resolved.
type Elemental struct {
	ElementalRecord
	Owner    User
	Type     ElementalType
	Category Category
	Topics   []Topic
	Tags     []Tag
	URL      string
	// OrderIndex is the place in the list that it was read from; 0 elsewhere.
	OrderIndex int64
}

// ElementalInput is what a new elemental is made of.
type ElementalInput struct {
	// ID is optional: 1..64 letters, digits, '-', '_' or '.', ErrConflict if it is
	// taken. Default: a time-ordered UUID.
	ID string
	// Title has 10..100 characters (code points, trimmed) and at least one letter.
	Title       string
	TypeID      int    // TypePrompt, TypeSnippet, TypeDocument, or one that the catalogue marks as creatable
	CategoryID  int    // in the catalogue; required except in CreateElementals, where 0 means CategoryText
	TopicIDs    []int  // in the catalogue; a prompt needs one (in CreateElementals: if not nil)
	Body        string // Markdown; required except in CreateElementals
	Description string
	Command     string
	Visibility  Visibility // 0 means Public
	// Lists are lists of the actor to put the elemental into, at the end of each.
	Lists         []int64
	TagIDs        []int64 // tags of the actor
	VideoURL      string  // http or https; "" for none
	TutorialSteps []TutorialStep
	IsPremium     bool
	IsFixedPrice  bool
	Price         *int64 // >= 0; nil for none
	PriceOriginal *int64
	Settings      Settings // System is ignored
}

// ElementalPatch changes an elemental: nil fields stay as they are.
type ElementalPatch struct {
	Title           *string
	TypeID          *int
	CategoryID      *int
	TopicIDs        *[]int
	Body            *string
	KeepBody        bool // Body applies only if the present body is empty
	Description     *string
	Command         *string
	Visibility      *Visibility
	Lists           []int64  // put into these as well
	TagIDs          *[]int64 // replaces all tags
	VideoURL        *string
	TutorialSteps   *[]TutorialStep
	IsPremium       *bool
	IsFixedPrice    *bool
	Price           *int64
	NoPrice         bool // removes the price; wins over Price
	PriceOriginal   *int64
	NoPriceOriginal bool
	KnowledgeBase   *bool // Settings.KnowledgeBase
	Template        *bool // Settings.Template
}

// BatchItem is the outcome of one input of CreateElementals: an Elemental or an
// error, never both.
type BatchItem struct {
	Elemental *Elemental
	Err       error
}

// SearchInput is a search for elementals or lists.
type SearchInput struct {
	Text string
	Page Page
}

// CreateElemental adds an elemental that the actor owns.
func (l *Library) CreateElemental(ctx context.Context, a Actor, in ElementalInput) (Elemental, error) {
	panic("stub")
}

// CreateElementals adds many elementals in one transaction, each on its own: one
// that breaks a rule does not stop the rest. The result has one item for each
// input, in order. The error is for the call as a whole (no input, too many, the
// Store failed), and then nothing was created.
func (l *Library) CreateElementals(ctx context.Context, a Actor, ins []ElementalInput) ([]BatchItem, error) {
	panic("stub")
}

// Elemental reads an elemental by id: any user may, whatever its visibility.
func (l *Library) Elemental(ctx context.Context, a Actor, id string) (Elemental, error) {
	panic("stub")
}

// UpdateElemental changes an elemental of the actor. ErrForbidden if it is
// another user's.
func (l *Library) UpdateElemental(ctx context.Context, a Actor, id string, p ElementalPatch) (Elemental, error) {
	panic("stub")
}

// DeleteElemental deletes an elemental of the actor, its list items, its chunks
// and its jobs. ErrForbidden if it is another user's.
func (l *Library) DeleteElemental(ctx context.Context, a Actor, id string) error { panic("stub") }

// SearchElementals finds the actor's elementals and others' Public ones by text,
// best first. All words must occur in one of title, description, tags or body; the
// last one may be the beginning of a word. A text without any word is ErrInvalid
// if it is blank, else it finds nothing.
func (l *Library) SearchElementals(ctx context.Context, a Actor, in SearchInput) (Paged[Elemental], error) {
	panic("stub")
}
