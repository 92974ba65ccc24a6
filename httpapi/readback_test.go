package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

// engaged is an elemental and a list that two users have done everything with.
func (f *fixture) engaged() (id, listID string) {
	f.t.Helper()
	ctx, ann, bob := f.t.Context(), f.ann.Actor(), f.bob.Actor()
	id = f.elemental(f.ann, "A document to discuss", "")
	listID = f.list(f.ann, "With it", id)
	number, ok := parseNumericID(listID)
	if !ok {
		f.t.Fatal(listID)
	}
	one, e1 := f.lib.Comment(ctx, bob, id, "one <b>\u2028")
	two, e2 := f.lib.Comment(ctx, ann, id, "two")
	_, e3 := f.lib.Reply(ctx, ann, id, two.ID, "2a")
	_, e4 := f.lib.Reply(ctx, ann, id, one.ID, "1a")
	_, e5 := f.lib.Reply(ctx, bob, id, one.ID, "1b")
	gone, e6 := f.lib.Comment(ctx, bob, id, "deleted")
	e7 := f.lib.DeleteComment(ctx, bob, id, gone.ID)
	for _, err := range []error{e1, e2, e3, e4, e5, e6, e7} {
		if err != nil {
			f.t.Fatal(err)
		}
	}
	for _, s := range []quire.Subject{{ElementalID: id}, {ListID: number}} {
		_, e1 := f.lib.Rate(ctx, bob, s, 5, "good")
		_, e2 := f.lib.Rate(ctx, ann, s, 2, "")
		_, e3 := f.lib.Save(ctx, bob, s, true)
		_, e4 := f.lib.Upvote(ctx, ann, s, true)
		e5 := f.lib.Favorite(ctx, ann, s, true)
		for _, err := range []error{e1, e2, e3, e4, e5} {
			if err != nil {
				f.t.Fatal(err)
			}
		}
	}
	return id, listID
}

// What users did is shown with the elemental and the list, to each caller its own.
func TestEngagementIsReadBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	id, listID := f.engaged()
	for _, caller := range []account{f.ann, f.bob} {
		for path, at := range map[string]string{"/v1/elemental/" + id: "response.", "/v1/list/" + listID + "?expand_items=true": "response.items.0."} {
			a := f.do(caller.key, "GET", path, "").want(200)
			a.has(at+"comments.0.message", `"one <b>\u2028"`, at+"comments.0.user.id", `"bob"`, at+"comments.0.updated_at", "null",
				at+"comments.0.replies.0.message", `"1a"`, at+"comments.0.replies.1.message", `"1b"`, at+"comments.0.replies.1.user.id", `"bob"`,
				at+"comments.1.message", `"two"`, at+"comments.1.replies.0.message", `"2a"`, at+"comments.1.replies.0.user.id", `"ann"`,
				at+"total_comments", "5", at+"total_rates", "2", at+"total_saves", "1", at+"total_upvotes", "1", at+"average_rate", "3.5",
				at+"rates.0.rating", "5", at+"rates.0.message", `"good"`, at+"rates.0.user.id", `"bob"`,
				at+"rates.1.rating", "2", at+"rates.1.user.id", `"ann"`)
			if n := len(a.at(at + "comments").([]any)); n != 2 {
				t.Errorf("%d comments", n)
			}
			if a.at(at+"comments.0.replies.0.parent_id") != a.at(at+"comments.0.id") {
				t.Error("a reply names another comment")
			}
			if other := map[string]string{"ann": "bob@", "bob": "ann@"}[caller.ID]; strings.Contains(a.body, other) {
				t.Errorf("%s sees the address of another: %s", caller.ID, a.body)
			}
		}
		mine := caller.ID == "ann"
		for _, at := range []string{"/v1/list/" + listID, "/v1/lists", "/v1/user/lists"} {
			path := "response."
			if strings.HasSuffix(at, "lists") {
				path = "response.0."
			}
			if at == "/v1/user/lists" && !mine {
				continue // Bob has none
			}
			f.do(caller.key, "GET", at, "").want(200).has(
				path+"is_saved", fmt.Sprint(!mine), path+"is_voted", fmt.Sprint(mine), path+"is_favorite", fmt.Sprint(mine),
				path+"rates.0.user.id", `"bob"`, path+"rates.1.user.id", `"ann"`, path+"total_rates", "2",
				path+"last_saves.0.id", `"bob"`, path+"total_saves", "1", path+"total_upvotes", "1")
		}
	}
}

// More than is shown: the latest hundred, and what they reply to.
func TestManyCommentsAreCut(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	id := f.elemental(f.ann, "A much discussed document", "")
	const more = 7
	var first int64
	for i := range quire.MaxShown + more - 1 {
		c, err := f.lib.Comment(t.Context(), f.bob.Actor(), id, fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = c.ID
		}
	}
	if _, err := f.lib.Reply(t.Context(), f.ann.Actor(), id, first, "late"); err != nil {
		t.Fatal(err)
	}
	a := f.do(f.bob.key, "GET", "/v1/elemental/"+id, "").want(200).has("response.total_comments", fmt.Sprint(quire.MaxShown+more),
		"response.comments.0.message", `"0"`, "response.comments.0.replies.0.message", `"late"`,
		"response.comments.1.message", fmt.Sprintf("%q", fmt.Sprint(more)), "response.comments.1.replies", "[]")
	if n := len(a.at("response.comments").([]any)); n != quire.MaxShown {
		t.Errorf("%d comments are shown", n)
	}
}
