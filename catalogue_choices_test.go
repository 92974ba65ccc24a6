package quire_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// TestChoicesInMessages holds that who names something that the catalogue does not have, or
// nothing, is told what it has.
func TestChoicesInMessages(t *testing.T) {
	t.Parallel()
	f := newFixture(t, store.NewMemory(), nil)
	ctx := t.Context()
	const creatable = "1 (Prompt), 2 (Snippet), 3 (Document)"
	small := quire.Catalogue{
		Types: []quire.ElementalType{{ID: 1, Name: "Prompt", Creatable: true}, {ID: 2, Name: "Snippet", Creatable: true}, {ID: 3, Name: "Document", Creatable: true},
			{ID: 8, Name: "Cell"}, {ID: 9, Name: "Table"}},
		Categories: []quire.Category{{ID: 4, Name: "Knots"}, {ID: quire.CategoryText, Name: "Text"}},
		Topics:     []quire.Topic{{ID: 5, Name: "Bends", CategoryIDs: []int{4}}, {ID: 6, Name: "Other"}},
		ListTypes:  []quire.ListType{{ID: 7, Name: "Collection"}},
	}
	if err := f.SetCatalogue(ctx, small); err != nil {
		t.Fatal(err)
	}
	elemental := func(edit func(*quire.ElementalInput)) error {
		in := document("A title that is valid", "body")
		edit(&in)
		_, err := f.CreateElemental(ctx, f.ann, in)
		return err
	}
	tag := func(typeID int) error {
		_, err := f.CreateTag(ctx, f.ann, quire.TagInput{Title: "x", Color: "#fff", ElementalTypeID: typeID})
		return err
	}
	_, listErr := f.CreateList(ctx, f.ann, quire.ListInput{Title: "x", TypeID: 77})
	tests := []struct {
		err  error
		want string
	}{
		{elemental(func(in *quire.ElementalInput) { in.TypeID = 77 }), "type_id: must be a type that can be created: one of " + creatable},
		{elemental(func(in *quire.ElementalInput) { in.TypeID = 0 }), "type_id: is required; it must be one of " + creatable},
		{elemental(func(in *quire.ElementalInput) { in.TypeID = quire.TypeTable }),
			"type_id: must be one of " + creatable + "; a table is created whole, with its columns, rows and cells, as a table"},
		{elemental(func(in *quire.ElementalInput) { in.CategoryID = 77 }), "category_id: must be a category of the catalogue: one of 4 (Knots), 18 (Text)"},
		{elemental(func(in *quire.ElementalInput) { in.CategoryID = 0 }), "category_id: is required; it must be one of 4 (Knots), 18 (Text)"},
		{elemental(func(in *quire.ElementalInput) { in.TypeID, in.CategoryID = quire.TypePrompt, 4 }),
			"topic_ids: a prompt needs at least one topic, such as 5 (Bends)"},
		{elemental(func(in *quire.ElementalInput) { in.TopicIDs = []int{77, 78} }), "topic_ids/0: must be a topic of the catalogue, such as 5 (Bends), 6 (Other)"},
		{tag(0), "elementalTypeId: is required; it must be one of " + creatable + ", 8 (Cell), 9 (Table)"},
		{tag(77), "elementalTypeId: must be an elemental type of the catalogue: one of " + creatable + ", 8 (Cell), 9 (Table)"},
		{listErr, "content_type: must be a list type of the catalogue: one of 7 (Collection)"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, messageOf(tt.err)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// TestChoicesAreBounded holds that a large catalogue makes no large messages: neither one of
// them nor, as many topics can be wrong at once, all of them together.
func TestChoicesAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, store.NewMemory(), nil)
	c, err := f.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		c.Topics = append(c.Topics, quire.Topic{ID: 1000 + i, Name: fmt.Sprintf("Topic %d", i), CategoryIDs: []int{quire.CategoryText}})
	}
	if err := f.SetCatalogue(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	in := document("A title that is valid", "body")
	in.TopicIDs = []int{9001, 9002, 9003}
	_, err = f.CreateElemental(t.Context(), f.ann, in)
	var e *quire.Error
	if !errors.As(err, &e) || len(e.Fields) != 3 {
		t.Fatal(err)
	}
	if want := ", 1018 (Topic 18) and 981 more"; !strings.HasSuffix(e.Fields[0].Message, want) {
		t.Errorf("%q does not end in %q", e.Fields[0].Message, want)
	}
	want := []quire.FieldError{{Field: "topic_ids/1", Message: "must be a topic of the catalogue"}, {Field: "topic_ids/2", Message: "must be a topic of the catalogue"}}
	if diff := cmp.Diff(want, e.Fields[1:]); diff != "" {
		t.Error(diff)
	}
}

// TestBlankBodies holds that a blank text is as good as none: refused where one is required,
// and taken where none is needed, which then can be read and changed.
func TestBlankBodies(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		const want = "template: is required and must not be blank; it is the text of the elemental"
		for _, body := range []string{"", " ", "\n\t\u3000"} {
			_, err := f.CreateElemental(t.Context(), f.ann, document("A title that is valid", body))
			if got := messageOf(err); got != want {
				t.Errorf("%q: %q, want %q", body, got, want)
			}
			items, err := f.CreateElementals(t.Context(), f.ann, []quire.ElementalInput{document("A title that is valid", body)})
			if err != nil || items[0].Err != nil {
				t.Fatal(err, items[0].Err)
			}
			id := items[0].Elemental.ID
			if _, err := f.UpdateElemental(t.Context(), f.ann, id, quire.ElementalPatch{Title: ptr("Another title that is valid")}); err != nil {
				t.Error(err)
			}
			if e, err := f.Elemental(t.Context(), f.ann, id); err != nil || e.Body != body {
				t.Errorf("%q, %v; want %q", e.Body, err, body)
			}
		}
	})
}

// messageOf is the message of an error as the HTTP interface shows it.
func messageOf(err error) string {
	var e *quire.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return fmt.Sprint(err)
}
