package quire

import "context"

// TagInput is what a tag is made of.
type TagInput struct {
	Title           string // 1..100 characters, not blank
	Color           string // "#" and 3, 4, 6 or 8 hex digits
	Description     string
	ElementalTypeID int // in the catalogue
	SourceUserID    string
	SourceTagID     string
}

// TagPatch changes a tag: nil fields stay as they are.
type TagPatch struct {
	Title           *string
	Color           *string
	Description     *string
	ElementalTypeID *int
}

// CreateTag adds a tag of the actor.
func (l *Library) CreateTag(ctx context.Context, a Actor, in TagInput) (Tag, error) { panic("stub") }

// Tags reads all tags of the actor, oldest first.
func (l *Library) Tags(ctx context.Context, a Actor) ([]Tag, error) { panic("stub") }

// UpdateTag changes a tag of the actor; searches and stored chunks see it at once.
// Another user's tag is ErrNotFound.
func (l *Library) UpdateTag(ctx context.Context, a Actor, id int64, p TagPatch) (Tag, error) {
	panic("stub")
}

// DeleteTag deletes a tag of the actor and takes it off everything that has it.
func (l *Library) DeleteTag(ctx context.Context, a Actor, id int64) error { panic("stub") }

// AttachTag puts a tag of the actor on an elemental of the actor; twice is no
// error.
func (l *Library) AttachTag(ctx context.Context, a Actor, elementalID string, tagID int64) (Elemental, error) {
	panic("stub")
}

// DetachTag takes a tag of the actor off an elemental of the actor; if it is not
// on it, nothing changes.
func (l *Library) DetachTag(ctx context.Context, a Actor, elementalID string, tagID int64) (Elemental, error) {
	panic("stub")
}
