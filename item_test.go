package quire_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// TestAllListItems reads a list whose items are shorter and longer than what is read at a
// time, whole and without bodies.
func TestAllListItems(t *testing.T) {
	t.Parallel()
	f := newFixture(t, store.NewMemory(), nil)
	sizes := []int{10, 2 << 20, 1, 700 << 10, 700 << 10, 5, 1 << 20, 1}
	for range 2 * 16 {
		sizes = append(sizes, 3)
	}
	list := f.list(f.ann, quire.ListInput{Title: "Texts of all lengths"})
	var ids []string
	for _, size := range sizes {
		e := f.create(f.ann, quire.ElementalInput{Title: "A text of some length", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: strings.Repeat("x", size), Lists: []int64{list.ID}})
		ids = append(ids, e.ID)
	}
	hidden := f.create(f.bob, quire.ElementalInput{Title: "A text of another", Body: "x", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Visibility: quire.Unlisted})
	for name, details := range map[string]bool{"whole": true, "without bodies": false} {
		var gotIDs []string
		var got []int
		for e, err := range f.AllListItems(t.Context(), f.ann, list.ID, details) {
			if err != nil {
				t.Fatal(err)
			}
			gotIDs, got = append(gotIDs, e.ID), append(got, len(e.Body))
		}
		want := sizes
		if !details {
			want = make([]int, len(sizes))
		}
		if diff := cmp.Diff(ids, gotIDs) + cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	var got []string
	for e, err := range f.Elementals(t.Context(), f.ann, []string{ids[1], "unknown", hidden.ID, ids[0]}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.ID)
	}
	if diff := cmp.Diff([]string{ids[1], ids[0]}, got); diff != "" {
		t.Error(diff)
	}
}
