package quire_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

// Many users do everything at once, some of it twice: the counters are exact.
func TestCountersAreExactUnderConcurrency(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		const users = 12
		list := f.list(f.ann, quire.ListInput{Title: "Engaging"})
		subjects := []quire.Subject{{ElementalID: f.create(f.ann, document("An engaging document", "body")).ID}, {ListID: list.ID}}
		var wg sync.WaitGroup
		for i := range users {
			a := f.user(fmt.Sprintf("user-%d", i))
			for _, s := range subjects {
				wg.Go(func() {
					for range 2 {
						_, e1 := f.Use(ctx, a, s)
						_, e2 := f.Upvote(ctx, a, s, true)
						_, e3 := f.Save(ctx, a, s, i%2 == 0) // every other one takes back what is not there
						e4 := f.Favorite(ctx, a, s, true)
						_, e5 := f.Rate(ctx, a, s, 1+i%5, "rated")
						_, e6 := f.Sell(ctx, a, s)
						for _, err := range []error{e1, e2, e3, e4, e5, e6} {
							if err != nil {
								t.Error(err)
							}
						}
					}
				})
			}
		}
		wg.Wait()
		sum := int64(0)
		for i := range users {
			sum += int64(1 + i%5)
		}
		want := quire.Counters{Rates: users, RatingSum: sum, Sales: 2 * users, Upvotes: users, Uses: 2 * users, Saves: users / 2}
		e, err := f.Elemental(ctx, f.bob, subjects[0].ElementalID)
		if err != nil {
			t.Fatal(err)
		}
		l, err := f.List(ctx, f.bob, list.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]quire.Counters{want, want}, []quire.Counters{e.Counters, l.Counters}); diff != "" {
			t.Error(diff)
		}
		if e.Version != 1 || e.UpdatedAt != nil {
			t.Errorf("engagement is no change of the content: version %d", e.Version)
		}
	})
}

func TestComments(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		e := f.create(f.ann, document("A document to discuss", "body"))
		comment, err := f.Comment(ctx, f.bob, e.ID, "First!")
		if err != nil {
			t.Fatal(err)
		}
		reply, err := f.Reply(ctx, f.ann, e.ID, comment.ID, "Thank you")
		if err != nil || reply.ParentID != comment.ID {
			t.Fatalf("%+v, %v", reply, err)
		}
		nested, err := f.Reply(ctx, f.bob, e.ID, reply.ID, "Welcome")
		if err != nil || nested.ParentID != comment.ID {
			t.Errorf("a reply to a reply belongs to %d, %v", nested.ParentID, err)
		}
		count := func(want int64) {
			t.Helper()
			if got, err := f.Elemental(ctx, f.ann, e.ID); err != nil || got.Counters.Comments != want {
				t.Errorf("%d comments, %v; want %d", got.Counters.Comments, err, want)
			}
		}
		count(3)
		other := f.create(f.bob, document("Another one to discuss", "body"))
		_, err = f.Reply(ctx, f.bob, other.ID, comment.ID, "to a comment that is elsewhere")
		wantCode(t, err, quire.CodeNotFound)
		wantCode(t, f.DeleteComment(ctx, f.bob, other.ID, comment.ID), quire.CodeNotFound)
		carl := f.user("carl")
		wantCode(t, f.DeleteComment(ctx, carl, e.ID, comment.ID), quire.CodeForbidden)
		if err := f.DeleteComment(ctx, f.bob, e.ID, nested.ID); err != nil {
			t.Error(err)
		}
		count(2)
		if err := f.DeleteComment(ctx, f.ann, e.ID, comment.ID); err != nil { // the owner of the elemental
			t.Error(err)
		}
		count(0)
		_, err = f.Reply(ctx, f.ann, e.ID, comment.ID, "too late")
		wantCode(t, err, quire.CodeNotFound)
	})
}

func TestEngagementRules(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		s := quire.Subject{ElementalID: f.create(f.ann, document("A document to rate", "body")).ID}
		for _, rating := range []int{0, 6, -1} {
			_, err := f.Rate(ctx, f.bob, s, rating, "")
			wantField(t, err, "rating")
		}
		_, err := f.Comment(ctx, f.bob, s.ElementalID, " \n")
		wantField(t, err, "message")
		_, err = f.Use(ctx, f.bob, quire.Subject{})
		wantCode(t, err, quire.CodeInvalid)
		_, err = f.Use(ctx, f.bob, quire.Subject{ElementalID: "unknown"})
		wantCode(t, err, quire.CodeNotFound)
		_, err = f.Upvote(ctx, quire.Actor{}, s, true)
		wantCode(t, err, quire.CodeUnauthenticated)
		if c, err := f.Upvote(ctx, f.bob, s, false); err != nil || c.Upvotes != 0 {
			t.Errorf("a vote taken back that was not given: %+v, %v", c, err)
		}
	})
}
