package quire_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// messages are the threads of an elemental, as an actor reads them, in one line each:
// who wrote what, and the replies.
func (f *fixture) messages(a quire.Actor, id string) []string {
	f.t.Helper()
	e, err := f.Elemental(f.t.Context(), a, id)
	if err != nil {
		f.t.Fatal(err)
	}
	var out []string
	for _, thread := range e.Details.Comments {
		line := thread.User.ID + ": " + thread.Message
		for _, r := range thread.Replies {
			line += " > " + r.User.ID + ": " + r.Message
			if r.ParentID != thread.ID || r.ElementalID != id {
				f.t.Errorf("reply %+v is shown under the comment %d", r.Comment, thread.ID)
			}
		}
		out = append(out, line)
	}
	return out
}

func (f *fixture) comment(a quire.Actor, id, message string) quire.Comment {
	f.t.Helper()
	c, err := f.Comment(f.t.Context(), a, id, message)
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

func (f *fixture) reply(a quire.Actor, id string, to int64, message string) quire.Comment {
	f.t.Helper()
	c, err := f.Reply(f.t.Context(), a, id, to, message)
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

// collect returns all that an iteration yields, or its error.
func collect[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var out []T
	for v, err := range seq {
		if err != nil {
			return out, err
		}
		out = append(out, v)
	}
	return out, nil
}

// Replies are shown under their comment, everything in the order in which it was
// written; what was deleted is not shown.
func TestThreads(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		id := f.create(f.ann, document("A document to discuss", "body")).ID
		other := f.create(f.ann, document("Another one to discuss", "body")).ID
		one := f.comment(f.bob, id, "one")
		f.comment(f.bob, other, "elsewhere")
		two := f.comment(f.ann, id, "two")
		f.reply(f.ann, id, two.ID, "2a")
		a := f.reply(f.ann, id, one.ID, "1a")
		f.reply(f.bob, id, a.ID, "1b")
		f.reply(f.bob, id, two.ID, "2b")
		f.comment(f.ann, id, "three")
		want := []string{"bob: one > ann: 1a > bob: 1b", "ann: two > ann: 2a > bob: 2b", "ann: three"}
		for _, a := range []quire.Actor{f.ann, f.bob} {
			if diff := cmp.Diff(want, f.messages(a, id)); diff != "" {
				t.Error(diff)
			}
		}
		all, err := collect(f.Comments(ctx, f.ann, id))
		if err != nil {
			t.Fatal(err)
		}
		var messages []string
		for _, c := range all {
			messages = append(messages, c.User.ID+": "+c.Message)
		}
		if diff := cmp.Diff([]string{"ann: three", "bob: 2b", "bob: 1b", "ann: 1a", "ann: 2a", "ann: two", "bob: one"}, messages); diff != "" {
			t.Error(diff)
		}
		if err := f.DeleteComment(ctx, f.ann, id, one.ID); err != nil {
			t.Fatal(err)
		}
		if err := f.DeleteComment(ctx, f.ann, id, all[1].ID); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"ann: two > ann: 2a", "ann: three"}, f.messages(f.ann, id)); diff != "" {
			t.Error(diff)
		}
	})
}

// Of more than MaxShown comments the latest are shown; a reply among them brings the
// comment that it answers. Comments reads all.
func TestManyComments(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		id := f.create(f.ann, document("A much discussed document", "body")).ID
		const more = 120 // beyond MaxShown
		var written []int64
		for i := range quire.MaxShown + more {
			written = append(written, f.comment(f.bob, id, fmt.Sprint(i)).ID)
		}
		for range 2 { // two replies bring one comment, once
			written = append(written, f.reply(f.ann, id, written[3], "late").ID)
		}
		got := f.messages(f.ann, id)
		if len(got) != quire.MaxShown-2+1 || got[0] != "bob: 3 > ann: late > ann: late" || got[1] != fmt.Sprint("bob: ", more+2) {
			t.Errorf("%d threads, the first are %q", len(got), got[:2])
		}
		e, err := f.Elemental(ctx, f.ann, id)
		if err != nil || e.Counters.Comments != int64(len(written)) {
			t.Errorf("%d comments are counted, want %d, %v", e.Counters.Comments, len(written), err)
		}
		all, err := collect(f.Comments(ctx, f.ann, id))
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for _, c := range all {
			ids = append(ids, c.ID)
		}
		slices.Reverse(ids)
		if diff := cmp.Diff(written, ids); diff != "" {
			t.Errorf("Comments (-want +got):\n%s", diff)
		}
		t.Logf("%d comments read back, %d threads shown", len(all), len(got))
	})
}

// An iteration leaves out what is deleted or written while it goes on.
func TestCommentsMeanwhile(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		id := f.create(f.ann, document("A document in discussion", "body")).ID
		var written []int64
		for i := range quire.MaxShown + 5 {
			written = append(written, f.comment(f.bob, id, fmt.Sprint(i)).ID)
		}
		n := 0
		for _, err := range f.Comments(t.Context(), f.ann, id) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == 1 { // inside of the loop no transaction is open
				f.comment(f.ann, id, "later")
				if err := f.DeleteComment(t.Context(), f.ann, id, written[2]); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n != len(written)-1 {
			t.Errorf("%d comments, want %d", n, len(written)-1)
		}
	})
}

func TestManyRates(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		id := f.create(f.ann, document("A much rated document", "body")).ID
		subjects := []quire.Subject{{ElementalID: id}, {ListID: f.list(f.ann, quire.ListInput{Title: "Rated"}).ID}}
		const more = 105
		var raters []string
		for i := range quire.MaxShown + more {
			a := f.user(fmt.Sprintf("user-%03d", i))
			raters = append(raters, a.UserID)
			for _, s := range subjects {
				if _, err := f.Rate(ctx, a, s, 1+i%5, fmt.Sprint(i)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, s := range subjects { // a second one keeps its place
			if _, err := f.Rate(ctx, quire.Actor{UserID: raters[150], TenantID: raters[150]}, s, 5, "again"); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range subjects {
			var shown []quire.UserRate
			if s.ListID != 0 {
				l, err := f.List(ctx, f.ann, s.ListID)
				if err != nil {
					t.Fatal(err)
				}
				shown = l.Rates
			} else {
				e, err := f.Elemental(ctx, f.ann, s.ElementalID)
				if err != nil {
					t.Fatal(err)
				}
				shown = e.Details.Rates
			}
			var users []string
			for _, r := range shown {
				users = append(users, r.User.ID)
			}
			if diff := cmp.Diff(raters[more:], users); diff != "" {
				t.Errorf("shown (-want +got):\n%s", diff)
			}
			if r := shown[150-more]; r.Message != "again" || r.Rating != 5 {
				t.Errorf("the changed rate is %+v", r.Rate)
			}
			all, err := collect(f.Rates(ctx, f.ann, s))
			if err != nil {
				t.Fatal(err)
			}
			users = nil
			for _, r := range slices.Backward(all) {
				users = append(users, r.User.ID)
			}
			if diff := cmp.Diff(raters, users); diff != "" {
				t.Errorf("Rates (-want +got):\n%s", diff)
			}
		}
	})
}

// What cannot be read is an error, and the only thing yielded.
func TestHistoryOfNothing(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		e := f.create(f.ann, document("A document without any", "body"))
		comments := func(a quire.Actor, id string) error { _, err := collect(f.Comments(ctx, a, id)); return err }
		rates := func(a quire.Actor, s quire.Subject) error { _, err := collect(f.Rates(ctx, a, s)); return err }
		wantCode(t, comments(f.ann, "unknown"), quire.CodeNotFound)
		wantCode(t, comments(f.ann, ""), quire.CodeInvalid)
		wantCode(t, comments(quire.Actor{}, e.ID), quire.CodeUnauthenticated)
		wantCode(t, comments(f.ann, e.ID), "")
		wantCode(t, rates(f.ann, quire.Subject{ListID: 404}), quire.CodeNotFound)
		wantCode(t, rates(f.ann, quire.Subject{}), quire.CodeInvalid)
		wantCode(t, rates(f.ann, quire.Subject{ElementalID: e.ID, ListID: 1}), quire.CodeInvalid)
		wantCode(t, rates(quire.Actor{}, quire.Subject{ElementalID: e.ID}), quire.CodeUnauthenticated)
		wantCode(t, rates(f.ann, quire.Subject{ElementalID: e.ID}), "")
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		_, err := collect(f.Comments(cancelled, f.ann, e.ID))
		wantCode(t, err, quire.CodeCanceled)
		for range f.Comments(ctx, f.ann, e.ID) {
			t.Error("something of nothing")
		}
	})
}

// last_saves are the ten who saved a list last, newest first; the clock is a fake one.
func TestLastSaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, store.NewMemory(), nil)
		ctx := t.Context()
		list := f.list(f.ann, quire.ListInput{Title: "Saved"})
		save := func(a quire.Actor, on bool) {
			t.Helper()
			time.Sleep(time.Second)
			if _, err := f.Save(ctx, a, quire.Subject{ListID: list.ID}, on); err != nil {
				t.Fatal(err)
			}
		}
		var users []quire.Actor
		for i := range 13 {
			users = append(users, f.user(fmt.Sprint("user-", i)))
			save(users[i], true)
		}
		save(users[12], false)
		save(users[5], true) // saved before: it is the newest now
		got, err := f.List(ctx, f.bob, list.ID)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, u := range got.LastSaves {
			ids = append(ids, u.ID)
		}
		want := []string{"user-5", "user-11", "user-10", "user-9", "user-8", "user-7", "user-6", "user-4", "user-3", "user-2"}
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Error(diff)
		}
		if got.Counters.Saves != 12 {
			t.Errorf("%d saves are counted", got.Counters.Saves)
		}
	})
}

// Each caller sees its own marks, wherever lists are read.
func TestMarksOfTheCaller(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		first, second := f.list(f.ann, quire.ListInput{Title: "First"}), f.list(f.ann, quire.ListInput{Title: "Second"})
		_, e1 := f.Save(ctx, f.ann, quire.Subject{ListID: first.ID}, true)
		_, e2 := f.Upvote(ctx, f.bob, quire.Subject{ListID: first.ID}, true)
		e3 := f.Favorite(ctx, f.bob, quire.Subject{ListID: second.ID}, true)
		e4 := f.Favorite(ctx, f.ann, quire.Subject{ListID: first.ID}, true)
		e5 := f.Favorite(ctx, f.ann, quire.Subject{ListID: first.ID}, false)
		for _, err := range []error{e1, e2, e3, e4, e5} {
			if err != nil {
				t.Fatal(err)
			}
		}
		marks := func(l quire.List) [3]bool { return [3]bool{l.Saved, l.Favorite, l.Voted} }
		for _, c := range []struct {
			a             quire.Actor
			first, second [3]bool
		}{
			{f.ann, [3]bool{true, false, false}, [3]bool{}},
			{f.bob, [3]bool{false, false, true}, [3]bool{false, true, false}},
			{f.user("carl"), [3]bool{}, [3]bool{}},
		} {
			found, err := f.SearchLists(ctx, c.a, quire.SearchInput{Page: quire.Page{Size: 10}})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range found.Items {
				one, err := f.List(ctx, c.a, l.ID)
				if err != nil {
					t.Fatal(err)
				}
				want := map[int64][3]bool{first.ID: c.first, second.ID: c.second}[l.ID]
				if marks(l) != want || marks(one) != want {
					t.Errorf("%s sees saved, favourite, voted %v of %s in a search and %v alone, want %v", c.a.UserID, marks(l), l.Title, marks(one), want)
				}
			}
			if len(found.Items) != 2 {
				t.Errorf("%d lists", len(found.Items))
			}
		}
	})
}

// Nobody reads another one's mail address, wherever users are shown.
func TestEngagementHidesMailAddresses(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		e := f.create(f.ann, document("A document of addresses", "body"))
		list := f.list(f.ann, quire.ListInput{Title: "Addresses"})
		for _, a := range []quire.Actor{f.ann, f.bob} {
			f.reply(a, e.ID, f.comment(a, e.ID, "comment").ID, "reply")
			for _, s := range []quire.Subject{{ElementalID: e.ID}, {ListID: list.ID}} {
				if _, err := f.Rate(ctx, a, s, 3, ""); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := f.Save(ctx, a, quire.Subject{ListID: list.ID}, true); err != nil {
				t.Fatal(err)
			}
		}
		for _, a := range []quire.Actor{f.ann, f.bob, f.user("carl")} {
			e, err := f.Elemental(ctx, a, e.ID)
			if err != nil {
				t.Fatal(err)
			}
			l, err := f.List(ctx, a, list.ID)
			if err != nil {
				t.Fatal(err)
			}
			users := slices.Clone(l.LastSaves)
			for _, thread := range e.Details.Comments {
				users = append(users, thread.User, thread.Replies[0].User)
			}
			for _, r := range slices.Concat(e.Details.Rates, l.Rates) {
				users = append(users, r.User)
			}
			for c, err := range f.Comments(ctx, a, e.ID) {
				if err != nil {
					t.Fatal(err)
				}
				users = append(users, c.User)
			}
			for r, err := range f.Rates(ctx, a, quire.Subject{ListID: list.ID}) {
				if err != nil {
					t.Fatal(err)
				}
				users = append(users, r.User)
			}
			for _, u := range users {
				if u.ID == "" || (u.Email != "") != (u.ID == a.UserID) {
					t.Errorf("%s sees %q of %s", a.UserID, u.Email, u.ID)
				}
			}
			if len(users) != 2+4+4+4+2 {
				t.Errorf("%d users are shown", len(users))
			}
		}
	})
}
