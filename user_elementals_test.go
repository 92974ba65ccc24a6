package quire_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// TestUserElementals lists what a user has: all but cells, the newest first, by type and
// by tag, and nothing of another user.
func TestUserElementals(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		want := func(a quire.Actor, in quire.UserElementalsInput, want ...string) []quire.Elemental {
			t.Helper()
			in.Page.Size = 100
			found, err := f.UserElementals(ctx, a, in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, elementalIDsOf(found.Items)); diff != "" || found.Total != len(want) {
				t.Errorf("%+v: total %d (-want +got):\n%s", in, found.Total, diff)
			}
			return found.Items
		}
		tag, err := f.CreateTag(ctx, f.ann, quire.TagInput{Title: "Boats", Color: "#fff", ElementalTypeID: quire.TypeDocument})
		if err != nil {
			t.Fatal(err)
		}
		alone := document("A document in no list", "its text")
		alone.TagIDs, alone.Visibility = []int64{tag.ID}, quire.Unlisted
		first := f.create(f.ann, alone)
		second := f.create(f.ann, document("A document in a list", "its text"))
		f.list(f.ann, quire.ListInput{Title: "A list", Items: []quire.ItemInput{{ElementalID: second.ID}}})
		table := f.table(f.ann, 1, 2, []string{"a", "b"})
		others := f.create(f.bob, document("A document of Bob", "its text"))
		f.list(f.ann, quire.ListInput{Title: "Of Bob", Items: []quire.ItemInput{{ElementalID: others.ID}}})

		all := want(f.ann, quire.UserElementalsInput{}, table.ID, second.ID, first.ID)
		for _, e := range all {
			if e.Body != "" || e.Details != nil || e.Owner.ID != "ann" || e.Type.Name == "" || e.URL == "" {
				t.Errorf("not as on pages of lists: %+v", e)
			}
		}
		if tags := all[2].Tags; len(tags) != 1 || tags[0].Title != "Boats" {
			t.Errorf("its tags are %+v", tags)
		}
		want(f.bob, quire.UserElementalsInput{}, others.ID)
		want(f.ann, quire.UserElementalsInput{TypeID: quire.TypeDocument}, second.ID, first.ID)
		want(f.ann, quire.UserElementalsInput{TypeID: quire.TypeTable}, table.ID)
		want(f.ann, quire.UserElementalsInput{TagID: tag.ID}, first.ID)
		want(f.ann, quire.UserElementalsInput{TypeID: quire.TypeTable, TagID: tag.ID})
		want(f.bob, quire.UserElementalsInput{TagID: tag.ID}) // a tag of Ann
		want(f.ann, quire.UserElementalsInput{TypeID: 404})
		want(f.ann, quire.UserElementalsInput{TypeID: -1, TagID: -1})

		cells := f.read(table.ID).Details.Rows[0].Cells
		ids := []string{cells[0].ID, cells[1].ID}
		found, err := f.UserElementals(ctx, f.ann, quire.UserElementalsInput{TypeID: quire.TypeCell})
		if err != nil || found.Total != 2 || found.Page != (quire.Page{Number: 1, Size: quire.DefaultPageSize}) {
			t.Errorf("cells: %+v, %v", found, err)
		}
		got := elementalIDsOf(found.Items)
		slices.Sort(ids)
		slices.Sort(got)
		if diff := cmp.Diff(ids, got); diff != "" {
			t.Errorf("cells (-want +got):\n%s", diff)
		}

		// What changes keeps its place, and what is gone is gone.
		if _, err := f.UpdateElemental(ctx, f.ann, first.ID, quire.ElementalPatch{Body: ptr("another text")}); err != nil {
			t.Fatal(err)
		}
		if err := f.DeleteElemental(ctx, f.ann, second.ID); err != nil {
			t.Fatal(err)
		}
		want(f.ann, quire.UserElementalsInput{}, table.ID, first.ID)
	})
}

func elementalIDsOf(es []quire.Elemental) (ids []string) {
	for _, e := range es {
		ids = append(ids, e.ID)
	}
	return ids
}
