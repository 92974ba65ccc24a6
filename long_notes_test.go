package quire_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirelib/quire"
)

// all collects what is yielded.
func all[T any](t *testing.T, items iter.Seq2[T, error]) (out []T) {
	t.Helper()
	for item, err := range items {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, item)
	}
	return out
}

// TestLongNotesInPortions compares what is read a portion at a time, since tags and steps are
// long, with what is read at once.
func TestLongNotesInPortions(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx, note := t.Context(), strings.Repeat("\U0001F600", 20_000)
		steps := slices.Repeat([]quire.TutorialStep{{Title: "A step", Description: note}}, 10)
		var tags []int64
		for i := range 30 {
			tag, err := f.CreateTag(ctx, f.ann, quire.TagInput{Title: fmt.Sprint("tag ", i), Color: "#fff", ElementalTypeID: 1, Description: note})
			if err != nil {
				t.Fatal(err)
			}
			tags = append(tags, tag.ID)
		}
		items := quire.ListInput{Title: "Of all"}
		for i := range 6 {
			in := document(fmt.Sprint("A long document ", i), "body")
			in.TutorialSteps = steps
			list := quire.ListInput{Title: fmt.Sprint("A long list ", i), TutorialSteps: steps}
			if i != 2 { // one without
				in.TagIDs = tags[5*(i%5) : 5*(i%5)+10]
				list.TagIDs = in.TagIDs
			}
			items.Items = append(items.Items, quire.ItemInput{ElementalID: f.create(f.ann, in).ID})
			f.list(f.ann, list)
		}
		list := f.list(f.ann, items)
		page := quire.Page{Size: 100}
		ids := make([]string, 6)
		for i, it := range items.Items {
			ids[i] = it.ElementalID
		}

		untagged := []func() (quire.Paged[quire.Elemental], quire.Paged[quire.Elemental], error){
			func() (found, want quire.Paged[quire.Elemental], err error) {
				if found, err = f.UserElementals(ctx, f.ann, quire.UserElementalsInput{Page: page, WithoutTags: true}); err == nil {
					want, err = f.UserElementals(ctx, f.ann, quire.UserElementalsInput{Page: page})
				}
				return found, want, err
			},
			func() (found, want quire.Paged[quire.Elemental], err error) {
				if found, err = f.ListItems(ctx, f.bob, list.ID, quire.ItemsInput{Page: page, WithoutTags: true}); err == nil {
					want, err = f.ListItems(ctx, f.bob, list.ID, quire.ItemsInput{Page: page})
				}
				return found, want, err
			},
			func() (found, want quire.Paged[quire.Elemental], err error) {
				in := quire.SearchInput{Text: "long", Page: page, WithoutBody: true}
				if want, err = f.SearchElementals(ctx, f.bob, in); err == nil {
					in.WithoutTags = true
					found, err = f.SearchElementals(ctx, f.bob, in)
				}
				return found, want, err
			},
		}
		for i, read := range untagged {
			found, want, err := read()
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range found.Items {
				if len(e.Tags) != 0 || len(e.TutorialSteps) != 0 {
					t.Errorf("page %d has %d tags and %d steps, want none", i, len(e.Tags), len(e.TutorialSteps))
				}
			}
			if diff := cmp.Diff(want.Items, all(t, f.WithTags(ctx, f.ann, found.Items))); diff != "" || found.Total != 6 || want.Total != 6 {
				t.Errorf("page %d of %d and %d: %s", i, found.Total, want.Total, diff)
			}
		}

		// In lists: light ones and whole ones.
		light, err := f.ListItems(ctx, f.bob, list.ID, quire.ItemsInput{Page: page})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(light.Items, all(t, f.AllListItems(ctx, f.bob, list.ID, false))); diff != "" {
			t.Error(diff)
		}
		whole, err := f.ListItems(ctx, f.bob, list.ID, quire.ItemsInput{Page: page, Details: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, items := range []iter.Seq2[quire.Elemental, error]{f.AllListItems(ctx, f.bob, list.ID, true), f.Elementals(ctx, f.bob, ids)} {
			if diff := cmp.Diff(whole.Items, all(t, items)); diff != "" {
				t.Error(diff)
			}
		}
		if len(whole.Items[0].TutorialSteps) != 10 || len(whole.Items[0].Tags) != 10 {
			t.Errorf("a whole item has %d steps and %d tags", len(whole.Items[0].TutorialSteps), len(whole.Items[0].Tags))
		}

		for _, text := range []string{"", "long", "nothing"} {
			in := quire.SearchInput{Text: text, Page: page}
			found, err := f.FindLists(ctx, f.bob, in)
			if err != nil {
				t.Fatal(err)
			}
			want, err := f.SearchLists(ctx, f.bob, in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Items, all(t, f.Lists(ctx, f.bob, found.Items)), cmpopts.EquateEmpty()); diff != "" || found.Total != want.Total || found.Page != want.Page {
				t.Errorf("%q: %d and %d of %v and %v: %s", text, found.Total, want.Total, found.Page, want.Page, diff)
			}
		}
		for _, page := range []*quire.Page{nil, {Number: 2, Size: 3}} {
			found, err := f.FindUserLists(ctx, f.ann, page)
			if err != nil {
				t.Fatal(err)
			}
			want, err := f.UserLists(ctx, f.ann, page)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Items, all(t, f.Lists(ctx, f.ann, found.Items))); diff != "" || found.Total != 7 || found.Page != want.Page {
				t.Errorf("%d of %v: %s", found.Total, found.Page, diff)
			}
		}

		// What is hidden or deleted meanwhile is left out.
		found, err := f.FindLists(ctx, f.bob, quire.SearchInput{Page: page})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.UpdateList(ctx, f.ann, found.Items[1], quire.ListPatch{Visibility: ptr(quire.Unlisted)}); err != nil {
			t.Fatal(err)
		}
		if err := f.DeleteList(ctx, f.ann, found.Items[3]); err != nil {
			t.Fatal(err)
		}
		var left []int64
		for _, l := range all(t, f.Lists(ctx, f.bob, found.Items)) {
			left = append(left, l.ID)
		}
		if want := slices.Concat(found.Items[:1], found.Items[2:3], found.Items[4:]); !slices.Equal(left, want) {
			t.Errorf("left are %v, want %v", left, want)
		}
	})
}
