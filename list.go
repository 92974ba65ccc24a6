package quire

import (
	"context"
	"iter"
)

// List is a list as the Library returns it, without its items.
type List struct {
	ListRecord
	Owner      User
	Type       ListType
	Tags       []Tag
	TotalItems int // how many the actor may see
	URL        string
}

// ItemInput puts an elemental into a list.
type ItemInput struct {
	ElementalID string
	// OrderIndex is its place; equal places are ordered by id. nil: after all others
	// (a new member), unchanged (a present one).
	OrderIndex *int64
}

// ListInput is what a new list is made of.
type ListInput struct {
	Title         string // 1..100 characters, not blank
	Description   string
	Template      string // lays out the compiled text: {{title}}, {{description}}, {{items}}
	TypeID        int    // in the catalogue; 0 for the first list type
	Mode          string
	Visibility    Visibility  // 0 means Public
	Items         []ItemInput // elementals that the actor owns or that are Public; named twice, the last one counts
	TagIDs        []int64     // tags of the actor
	VideoURL      string
	TutorialSteps []TutorialStep
	IsPremium     bool
	IsFixedPrice  bool
	Price         *int64
	PriceOriginal *int64
	Settings      Settings // System is ignored
}

// ListPatch changes a list: nil fields stay as they are.
type ListPatch struct {
	Title           *string
	Description     *string
	Template        *string
	KeepTemplate    bool // Template applies only if the present one is empty
	TypeID          *int
	Mode            *string
	Visibility      *Visibility
	Items           *[]ItemInput // added and re-ordered
	ReplaceItems    bool         // Items become the exact membership
	TagIDs          *[]int64
	VideoURL        *string
	TutorialSteps   *[]TutorialStep
	IsPremium       *bool
	IsFixedPrice    *bool
	Price           *int64
	NoPrice         bool
	PriceOriginal   *int64
	NoPriceOriginal bool
	KnowledgeBase   *bool
	IsTemplate      *bool
}

// ItemsInput selects a page of a list's items.
type ItemsInput struct {
	Page  Page
	Order ItemOrder // "" means OrderIndex
	Desc  bool
}

// CreateList adds a list that the actor owns.
func (l *Library) CreateList(ctx context.Context, a Actor, in ListInput) (List, error) { panic("stub") }

// List reads a list by id: any user may, whatever its visibility.
func (l *Library) List(ctx context.Context, a Actor, id int64) (List, error) { panic("stub") }

// UpdateList changes a list of the actor.
func (l *Library) UpdateList(ctx context.Context, a Actor, id int64, p ListPatch) (List, error) {
	panic("stub")
}

// DeleteList deletes a list of the actor; its elementals stay.
func (l *Library) DeleteList(ctx context.Context, a Actor, id int64) error { panic("stub") }

// ListItems reads one page of a list's elementals: those that the actor owns and
// those that are Public.
func (l *Library) ListItems(ctx context.Context, a Actor, id int64, in ItemsInput) (Paged[Elemental], error) {
	panic("stub")
}

// AllListItems iterates over all of a list's elementals that the actor may see, by
// their order in the list, reading them in portions: memory does not grow with
// the list. An error is the last thing yielded.
func (l *Library) AllListItems(ctx context.Context, a Actor, id int64) iter.Seq2[Elemental, error] {
	panic("stub")
}

// RemoveListItems takes elementals out of a list of the actor. Those that are not
// in it do not matter.
func (l *Library) RemoveListItems(ctx context.Context, a Actor, id int64, elementalIDs []string) error {
	panic("stub")
}

// SearchLists finds the actor's lists and others' Public ones. A blank Text
// selects all, newest first. Columns and rows of tables are left out.
func (l *Library) SearchLists(ctx context.Context, a Actor, in SearchInput) (Paged[List], error) {
	panic("stub")
}

// UserLists reads one page of the actor's own lists, newest first; all of them, on
// one page, if page is nil.
func (l *Library) UserLists(ctx context.Context, a Actor, page *Page) (Paged[List], error) {
	panic("stub")
}
