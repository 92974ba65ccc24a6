package storetest

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/quirelib/quire"
)

var tagCases = []testCase{
	{"missing", tagsMissing},
	{"round trip", tagRoundTrip},
	{"awkward text", tagText},
	{"replace", tagReplace},
	{"delete", tagDelete},
	{"of an owner by creation", tagsOrder},
	{"many ids", tagMany},
	{"tagged", tagged},
	{"tagged follows changes", taggedChanges},
}

func tagsMissing(t *testing.T, s *store) {
	missing(s, quire.ReadTx.Tag, 404)
	equal(t, "tags of nobody", get(s, quire.ReadTx.TagsOf, "nobody"), nil)
	equal(t, "their ids", get(s, quire.ReadTx.TagIDsOf, "nobody"), nil)
	equal(t, "no ids", get(s, quire.ReadTx.Tags, nil), nil)
	equal(t, "unknown ids", get(s, quire.ReadTx.Tags, []int64{404, 405}), nil)
	put(s, quire.Tx.DeleteTag, 404)
}

func tagRoundTrip(t *testing.T, s *store) {
	low, high := sampleTag(1, "u1"), sampleTag(1<<53-1, "u1")
	bare := quire.Tag{ID: 2, OwnerID: "u1", CreatedAt: epoch, UpdatedAt: epoch}
	put(s, quire.Tx.PutTag, low, high, bare)
	for _, want := range []quire.Tag{low, high, bare} {
		equal(t, "Tag", get(s, quire.ReadTx.Tag, want.ID), want)
	}
	equal(t, "Tags", get(s, quire.ReadTx.Tags, []int64{high.ID, 404, low.ID, low.ID}), map[int64]quire.Tag{low.ID: low, high.ID: high})
}

func tagText(t *testing.T, s *store) {
	id := int64(1)
	for name, text := range awkward {
		tag := quire.Tag{
			ID: id, OwnerID: text, Title: text, Color: text, Description: text,
			SourceUserID: text, SourceTagID: text, CreatedAt: epoch, UpdatedAt: epoch,
		}
		put(s, quire.Tx.PutTag, tag)
		equal(t, name, get(s, quire.ReadTx.Tag, id), tag)
		equal(t, name+" as owner", get(s, quire.ReadTx.TagsOf, text), []quire.Tag{tag})
		id++
	}
}

func tagReplace(t *testing.T, s *store) {
	put(s, quire.Tx.PutTag, sampleTag(1, "u1"), sampleTag(2, "u1"))
	changed := quire.Tag{ID: 1, OwnerID: "u2", Title: "New", Color: "#fff", CreatedAt: at(90), UpdatedAt: at(91)}
	put(s, quire.Tx.PutTag, changed)
	equal(t, "the replaced", get(s, quire.ReadTx.Tag, 1), changed)
	equal(t, "of the old owner", get(s, quire.ReadTx.TagsOf, "u1"), []quire.Tag{sampleTag(2, "u1")})
	equal(t, "of the new owner", get(s, quire.ReadTx.TagsOf, "u2"), []quire.Tag{changed})
}

func tagDelete(t *testing.T, s *store) {
	put(s, quire.Tx.PutTag, sampleTag(1, "u1"), sampleTag(2, "u1"))
	e := sampleElemental("e1", "u1")
	e.TagIDs = []int64{1, 2}
	putElementals(s, e)
	put(s, quire.Tx.DeleteTag, 1)
	put(s, quire.Tx.DeleteTag, 1) // twice is no error
	missing(s, quire.ReadTx.Tag, 1)
	equal(t, "the other", get(s, quire.ReadTx.TagsOf, "u1"), []quire.Tag{sampleTag(2, "u1")})
	equal(t, "an elemental that names it", get(s, quire.ReadTx.Elemental, "e1"), e)
}

func tagsOrder(t *testing.T, s *store) {
	var want []quire.Tag
	for _, k := range []struct {
		id  int64
		min int
	}{{100, 1}, {3, 2}, {20, 2}, {1 << 52, 2}, {1, 3}} {
		tag := sampleTag(k.id, "u1")
		tag.CreatedAt = at(k.min)
		want = append(want, tag)
	}
	for _, i := range []int{3, 0, 4, 2, 1} {
		put(s, quire.Tx.PutTag, want[i])
	}
	put(s, quire.Tx.PutTag, sampleTag(5, "u2"))
	equal(t, "TagsOf", get(s, quire.ReadTx.TagsOf, "u1"), want)
	equal(t, "TagIDsOf", get(s, quire.ReadTx.TagIDsOf, "u1"), []int64{100, 3, 20, 1 << 52, 1})
}

func tagMany(t *testing.T, s *store) {
	var ids []int64
	want := map[int64]quire.Tag{}
	for i := range int64(40_000) {
		ids = append(ids, i+1)
		if i%100 == 99 {
			want[i+1] = sampleTag(i+1, "u1")
		}
	}
	put(s, quire.Tx.PutTag, slices.Collect(maps.Values(want))...)
	equal(t, "Tags", get(s, quire.ReadTx.Tags, ids), want)
}

// readTagged returns what has a tag.
func readTagged(s *store, tagID int64) (elementals []string, lists []int64) {
	s.tb.Helper()
	s.view(func(ctx context.Context, tx quire.ReadTx) (err error) {
		elementals, lists, err = tx.Tagged(ctx, tagID)
		return err
	})
	return elementals, lists
}

func checkTagged(t *testing.T, s *store, tagID int64, wantElementals []string, wantLists []int64) {
	t.Helper()
	elementals, lists := readTagged(s, tagID)
	equal(t, "tagged elementals", elementals, wantElementals)
	equal(t, "tagged lists", lists, wantLists)
}

func tagged(t *testing.T, s *store) {
	for id, tags := range map[string][]int64{"b": {5, 1}, "a": {1}, "B": {1, 2}, "c": {2}, "d": nil} {
		e := sampleElemental(id, "u1")
		e.TagIDs = tags
		putElementals(s, e)
	}
	for id, tags := range map[int64][]int64{10: {1}, 9: {2, 1}, 8: {11}, 1 << 50: {1}} {
		l := sampleList(id, "u2")
		l.TagIDs = tags
		putLists(s, l)
	}
	checkTagged(t, s, 1, []string{"B", "a", "b"}, []int64{9, 10, 1 << 50})
	checkTagged(t, s, 2, []string{"B", "c"}, []int64{9})
	checkTagged(t, s, 5, []string{"b"}, nil)
	checkTagged(t, s, 11, nil, []int64{8})
	checkTagged(t, s, 404, nil, nil)
}

func taggedChanges(t *testing.T, s *store) {
	e, l := sampleElemental("e", "u1"), sampleList(7, "u1")
	e.TagIDs, l.TagIDs = []int64{1, 2}, []int64{1, 2}
	putElementals(s, e)
	putLists(s, l)
	e.TagIDs, l.TagIDs = []int64{3, 2}, []int64{3, 2}
	putElementals(s, e)
	putLists(s, l)
	checkTagged(t, s, 1, nil, nil)
	checkTagged(t, s, 2, []string{"e"}, []int64{7})
	checkTagged(t, s, 3, []string{"e"}, []int64{7})
	put(s, quire.Tx.DeleteElemental, "e")
	put(s, quire.Tx.DeleteList, 7)
	checkTagged(t, s, 3, nil, nil)
}
