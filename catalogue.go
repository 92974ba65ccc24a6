package quire

import "context"

// ElementalType is a kind of elemental.
type ElementalType struct {
	ID        int
	Name      string
	Creatable bool // users may create it directly
}

// Category is what an elemental is filed under.
type Category struct {
	ID      int
	Name    string
	TypeIDs []int // the types it is offered for
}

// Topic is a subject that elementals of some categories can have.
type Topic struct {
	ID          int
	Name        string
	CategoryIDs []int // the categories it is offered for
}

// ListType is a kind of list.
type ListType struct {
	ID   int
	Name string
}

// Catalogue holds the values that elementals and lists choose from. It is data:
// seeded with a default, extensible by the application.
type Catalogue struct {
	Types      []ElementalType
	Categories []Category
	Topics     []Topic
	ListTypes  []ListType
}

// Catalogue returns the present catalogue, which the caller may keep and change.
func (l *Library) Catalogue(ctx context.Context) (Catalogue, error) { panic("stub") }

// SetCatalogue replaces the catalogue. Ids must be positive and unique, names not
// blank, references known, and the built-in types must stay. It is for the
// application.
func (l *Library) SetCatalogue(ctx context.Context, c Catalogue) error { panic("stub") }

// Name returns the name of a visibility, "" for an unknown one.
func (v Visibility) Name() string {
	switch v {
	case Public:
		return "Public"
	case Unlisted:
		return "Unlisted"
	}
	return ""
}
