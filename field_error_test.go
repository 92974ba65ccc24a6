package quire_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// TestTextOfFaults holds what a program in Go and its log read of an input that is refused:
// all that is wrong, within bounds, with the names that the fields have in Go. What the HTTP
// interface shows, Message and Fields, has wire names only.
func TestTextOfFaults(t *testing.T) {
	t.Parallel()
	f := newFixture(t, store.NewMemory(), nil)
	ctx := t.Context()
	tests := []struct {
		name          string
		do            func() error
		text, message string
		fields        int
	}{
		{
			"one, by another name", func() error {
				_, err := f.CreateElemental(ctx, f.ann, quire.ElementalInput{Title: "A title that fits", TypeID: 3, CategoryID: 18})
				return err
			},
			"template (in Go Body; of a list Template): is required and must not be blank; it is the text of the elemental",
			"template: is required and must not be blank; it is the text of the elemental", 1,
		},
		{
			"one, by its own name", func() error {
				_, err := f.CreateElemental(ctx, f.ann, quire.ElementalInput{Title: "short", TypeID: 3, CategoryID: 18, Body: "b"})
				return err
			},
			"title: must have between 10 and 100 characters", "title: must have between 10 and 100 characters", 1,
		},
		{
			"some", func() error {
				_, err := f.UserElementals(ctx, f.ann, quire.UserElementalsInput{Page: quire.Page{Number: -1, Size: 101}})
				return err
			},
			"size (in Go Page.Size): must be between 1 and 100; page (in Go Page.Number): must be between 1 and 21474836",
			"size: must be between 1 and 100", 2,
		},
		{
			"more than are named", func() error {
				_, err := f.CreateElemental(ctx, f.ann, quire.ElementalInput{
					ID: "/", Title: "short", TypeID: 3, CategoryID: 18, Command: "a\x00b", Price: ptr(int64(-1)), Visibility: 3,
					TutorialSteps: []quire.TutorialStep{{Title: "one", VideoURL: "two"}},
				})
				return err
			},
			"id: must be 1 to 64 letters, digits, '-', '_' or '.', and not only dots; template (in Go Body; of a list Template): is required and must not be blank; " +
				"it is the text of the elemental; title: must have between 10 and 100 characters; command: must not contain NUL characters; visibility: must be 1 (Public) or 2 (Unlisted); and 2 more",
			"id: must be 1 to 64 letters, digits, '-', '_' or '.', and not only dots", 7,
		},
		{
			"inside of a field by another name", func() error {
				_, err := f.CreateList(ctx, f.ann, quire.ListInput{Title: "L", Items: []quire.ItemInput{{ElementalID: "none"}}})
				return err
			},
			"item_ids/0 (in Go Items): must name an elemental of yours or a Public one", "item_ids/0: must name an elemental of yours or a Public one", 1,
		},
		{
			"a message of its own", func() error {
				return &quire.Error{Code: quire.CodeConflict, Message: "taken", Fields: []quire.FieldError{{Field: "template", Message: "taken"}}}
			},
			"taken", "taken", 1,
		},
	}
	for _, tt := range tests {
		err := tt.do()
		var e *quire.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff([]string{tt.text, tt.message}, []string{e.Error(), e.Message}); diff != "" || len(e.Fields) != tt.fields {
			t.Errorf("%s: %d fields (-want +got)\n%s", tt.name, len(e.Fields), diff)
		}
	}
}
