package quire_test

import (
	"fmt"
	"testing"

	"github.com/quirelib/quire"
)

func TestTags(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		create := func(a quire.Actor, title string) quire.Tag {
			t.Helper()
			tag, err := f.CreateTag(ctx, a, quire.TagInput{Title: title, Color: "#fff", ElementalTypeID: 1})
			if err != nil {
				t.Fatal(err)
			}
			return tag
		}
		mine, his := create(f.ann, "urgent"), create(f.bob, "later")
		for field, in := range map[string]quire.TagInput{
			"title": {Title: " ", Color: "#fff", ElementalTypeID: 1}, "color": {Title: "x", Color: "#fffff", ElementalTypeID: 1},
			"elementalTypeId": {Title: "x", Color: "#fff", ElementalTypeID: 77},
		} {
			_, err := f.CreateTag(ctx, f.ann, in)
			wantField(t, err, field)
		}
		e := f.create(f.ann, document("A document with tags", "body"))
		list := f.list(f.ann, quire.ListInput{Title: "Tagged", TagIDs: []int64{mine.ID}})
		for range 2 {
			tagged, err := f.AttachTag(ctx, f.ann, e.ID, mine.ID)
			if err != nil || len(tagged.Tags) != 1 || tagged.Version != 2 {
				t.Fatalf("attach: %+v, version %d, %v", tagged.Tags, tagged.Version, err)
			}
		}
		_, err := f.AttachTag(ctx, f.ann, e.ID, his.ID)
		wantCode(t, err, quire.CodeNotFound)
		_, err = f.AttachTag(ctx, f.bob, e.ID, his.ID)
		wantCode(t, err, quire.CodeForbidden)
		if got := f.find(f.bob, "urgent"); len(got) != 1 {
			t.Errorf("found by tag: %q", got)
		}

		_, err = f.UpdateTag(ctx, f.bob, mine.ID, quire.TagPatch{Title: ptr("stolen")})
		wantCode(t, err, quire.CodeNotFound)
		if _, err := f.UpdateTag(ctx, f.ann, mine.ID, quire.TagPatch{Title: ptr("relaxed")}); err != nil {
			t.Fatal(err)
		}
		if got := f.find(f.bob, "relaxed"); len(got) != 1 {
			t.Errorf("found by the new title: %q", got)
		}
		if got := f.find(f.bob, "urgent"); len(got) != 0 {
			t.Errorf("found by the old title: %q", got)
		}
		if lists, _ := f.SearchLists(ctx, f.ann, quire.SearchInput{Text: "relaxed"}); lists.Total != 1 || lists.Items[0].ID != list.ID {
			t.Errorf("list not found by its tag: %+v", lists)
		}

		// Nothing but the tag has changed.
		if got, err := f.Elemental(ctx, f.ann, e.ID); err != nil || got.Version != 2 || got.Tags[0].Title != "relaxed" {
			t.Errorf("after the new title: version %d, tags %+v, %v", got.Version, got.Tags, err)
		}
		if got, err := f.List(ctx, f.ann, list.ID); err != nil || got.Version != 1 || got.UpdatedAt != nil || got.Tags[0].Title != "relaxed" {
			t.Errorf("after the new title: version %d of the list, tags %+v, %v", got.Version, got.Tags, err)
		}

		if err := f.DeleteTag(ctx, f.ann, mine.ID); err != nil {
			t.Fatal(err)
		}
		if got, _ := f.Elemental(ctx, f.ann, e.ID); len(got.Tags) != 0 || len(got.TagIDs) != 0 {
			t.Errorf("still tagged: %+v", got.Tags)
		}
		if got := f.find(f.bob, "relaxed"); len(got) != 0 {
			t.Errorf("found by a deleted tag: %q", got)
		}
		if tags, err := f.Tags(ctx, f.ann); err != nil || len(tags) != 0 {
			t.Errorf("tags %+v, %v", tags, err)
		}
		wantCode(t, f.DeleteTag(ctx, f.ann, mine.ID), quire.CodeNotFound)

		other := create(f.ann, "other")
		if got, err := f.AttachTag(ctx, f.ann, e.ID, other.ID); err != nil || len(got.Tags) != 1 {
			t.Fatal(err)
		}
		for range 2 {
			if got, err := f.DetachTag(ctx, f.ann, e.ID, other.ID); err != nil || len(got.Tags) != 0 {
				t.Errorf("detach: %+v, %v", got.Tags, err)
			}
		}
	})
}

// TestTagLimit takes as many tags as are allowed, and not one more.
func TestTagLimit(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		var ids []int64
		for i := range quire.MaxTags + 1 {
			tag, err := f.CreateTag(ctx, f.ann, quire.TagInput{Title: fmt.Sprint("tag ", i), Color: "#fff", ElementalTypeID: 1})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, tag.ID)
		}
		in := document("A document of many tags", "body")
		in.TagIDs = append(ids[:quire.MaxTags:quire.MaxTags], ids[0]) // the same one twice counts once
		e := f.create(f.ann, in)
		list := f.list(f.ann, quire.ListInput{Title: "Tagged", TagIDs: ids[1:]})

		in.TagIDs = ids
		_, err := f.CreateElemental(ctx, f.ann, in)
		wantField(t, err, "tagIds")
		many, err := f.CreateElementals(ctx, f.ann, []quire.ElementalInput{in})
		if err != nil {
			t.Fatal(err)
		}
		wantField(t, many[0].Err, "tagIds")
		_, err = f.UpdateElemental(ctx, f.ann, e.ID, quire.ElementalPatch{TagIDs: &ids})
		wantField(t, err, "tagIds")
		_, err = f.CreateTable(ctx, f.ann, quire.TableInput{Title: "A table of many tags", Columns: []string{"c"}, Rows: []string{"r"}, TagIDs: ids})
		wantField(t, err, "tagIds")
		_, err = f.CreateList(ctx, f.ann, quire.ListInput{Title: "Tagged", TagIDs: ids})
		wantField(t, err, "tagIds")
		_, err = f.UpdateList(ctx, f.ann, list.ID, quire.ListPatch{TagIDs: &ids})
		wantField(t, err, "tagIds")
		_, err = f.AttachTag(ctx, f.ann, e.ID, ids[quire.MaxTags])
		wantField(t, err, "tagIds")

		if _, err := f.AttachTag(ctx, f.ann, e.ID, ids[0]); err != nil {
			t.Errorf("a tag that is there already: %v", err)
		}
		if _, err := f.DetachTag(ctx, f.ann, e.ID, ids[0]); err != nil {
			t.Error(err)
		}
		if got, err := f.AttachTag(ctx, f.ann, e.ID, ids[quire.MaxTags]); err != nil || len(got.Tags) != quire.MaxTags {
			t.Errorf("%d tags, %v", len(got.Tags), err)
		}
	})
}
