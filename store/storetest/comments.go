package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

var commentCases = []testCase{
	{"missing", commentsMissing},
	{"round trip", commentRoundTrip},
	{"awkward text", commentText},
	{"copied", commentCopied},
	{"order", commentsOrder},
	{"window", commentsWindow},
	{"stays with its elemental", commentStays},
	{"replace", commentReplace},
	{"without what it is about", commentOfNothing},
	{"sequence goes on", commentSequence},
	{"delete", commentDelete},
	{"long threads", commentThreads},
	{"deleted with their elemental", commentsCascade},
	{"kept when their elemental is replaced", commentsElementalReplaced},
}

func sampleComment(elementalID string, parentID int64) quire.Comment {
	return quire.Comment{
		ElementalID: elementalID,
		ParentID:    parentID,
		UserID:      "u1",
		Message:     "What I think\r\nof it",
		Votes:       1 << 40,
		CreatedAt:   at(20),
		UpdatedAt:   new(at(21)),
	}
}

// putComment writes a comment and returns it as it was stored.
func putComment(s *store, c quire.Comment) quire.Comment {
	s.tb.Helper()
	var stored quire.Comment
	s.update(func(ctx context.Context, tx quire.Tx) (err error) {
		stored, err = tx.PutComment(ctx, c)
		return err
	})
	return stored
}

func deleteComment(s *store, id int64) (n int) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) (err error) {
		n, err = tx.DeleteComment(ctx, id)
		return err
	})
	return n
}

func checkComments(t *testing.T, s *store, elementalID string, want ...quire.Comment) {
	t.Helper()
	equal(t, "comments of "+elementalID, get(s, allComments, elementalID), want)
}

func commentsMissing(t *testing.T, s *store) {
	seedOwners(s)
	missing(s, quire.ReadTx.Comment, 0)
	missing(s, quire.ReadTx.Comment, 404)
	checkComments(t, s, "a")
	checkComments(t, s, "nothing")
	equal(t, "deleted", deleteComment(s, 404), 0)
}

func commentRoundTrip(t *testing.T, s *store) {
	seedOwners(s)
	in := sampleComment("a", 0)
	comment := putComment(s, in)
	in.ID = comment.ID
	equal(t, "the stored", comment, in)
	in = sampleComment("a", comment.ID)
	reply := putComment(s, in)
	in.ID = reply.ID
	equal(t, "the stored reply", reply, in)
	bare := putComment(s, quire.Comment{ElementalID: "a", CreatedAt: epoch})
	for _, want := range []quire.Comment{comment, reply, bare} {
		equal(t, fmt.Sprint("comment ", want.ID), get(s, quire.ReadTx.Comment, want.ID), want)
	}
	checkComments(t, s, "a", comment, reply, bare)
	checkComments(t, s, "b")
}

func commentText(t *testing.T, s *store) {
	for name, text := range awkward {
		putElementals(s, bareElemental(text, "u1"))
		c := sampleComment(text, 0)
		c.UserID, c.Message = text, text
		c.ID = putComment(s, c).ID
		equal(t, name, get(s, quire.ReadTx.Comment, c.ID), c)
		checkComments(t, s, text, c)
	}
}

func commentCopied(t *testing.T, s *store) {
	seedOwners(s)
	in := sampleComment("a", 0)
	in.CreatedAt = time.Date(2025, 7, 1, 0, 30, 0, 1999, time.FixedZone("west", -7*3600))
	stored := putComment(s, in)
	checkTime(t, "CreatedAt as stored", stored.CreatedAt, in.CreatedAt)
	want := in
	want.ID, want.CreatedAt, want.UpdatedAt = stored.ID, stored.CreatedAt, new(at(21))
	*in.UpdatedAt = at(1000)
	equal(t, "stored, after a change on the way in", stored, want)
	*stored.UpdatedAt = at(1000)
	got := get(s, quire.ReadTx.Comment, want.ID)
	equal(t, "after a change of what PutComment returned", got, want)
	*got.UpdatedAt = at(1000)
	got = get(s, allComments, "a")[0]
	equal(t, "after a change of what Comment returned", got, want)
	*got.UpdatedAt = at(1000)
	checkComments(t, s, "a", want)
}

func commentsOrder(t *testing.T, s *store) {
	seedOwners(s)
	var want []quire.Comment
	for i := range 30 {
		c := sampleComment("a", 0)
		if i%3 == 2 {
			c.ParentID = want[i/2].ID
		}
		c.CreatedAt = at(-i) // the ids alone say which came first
		want = append(want, putComment(s, c))
		if i > 0 && want[i].ID <= want[i-1].ID || want[i].ID <= 0 {
			t.Fatalf("comment %d got id %d, the one before %d", i, want[i].ID, want[max(i, 1)-1].ID)
		}
		putComment(s, sampleComment("b", 0))
	}
	checkComments(t, s, "a", want...)
}

func commentsWindow(t *testing.T, s *store) {
	seedOwners(s)
	var ids []int64
	comments := map[int64]quire.Comment{}
	for i := range 12 {
		c := sampleComment("a", 0)
		if i%3 == 2 {
			c.ParentID = ids[i-2] // replies are comments among the others
		}
		c = putComment(s, c)
		ids, comments[c.ID] = append(ids, c.ID), c
		putComment(s, sampleComment("b", 0)) // takes the ids between
	}
	deleteComment(s, ids[7])
	ids = slices.Delete(ids, 7, 8)
	checkWindows(t, s, ids, comments, func(tx quire.ReadTx, ctx context.Context, w window) ([]quire.Comment, error) {
		return tx.Comments(ctx, "a", w.before, w.limit)
	})
	equal(t, "comments of nothing", get(s, func(tx quire.ReadTx, ctx context.Context, id string) ([]quire.Comment, error) {
		return tx.Comments(ctx, id, ids[3], 2)
	}, "nothing"), nil)
}

// commentStays checks that no comment moves to another elemental.
func commentStays(t *testing.T, s *store) {
	seedOwners(s)
	c := putComment(s, sampleComment("a", 0))
	reply := putComment(s, sampleComment("a", c.ID))
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for _, moved := range []quire.Comment{c, reply} {
			moved.ElementalID, moved.ParentID = "b", 0
			if _, err := tx.PutComment(ctx, moved); !errors.Is(err, quire.ErrNotFound) {
				return fmt.Errorf("PutComment on another elemental: got error %v, want ErrNotFound", err)
			}
		}
		return nil
	})
	checkComments(t, s, "a", c, reply)
	checkComments(t, s, "b")
}

func commentReplace(t *testing.T, s *store) {
	seedOwners(s)
	c, other := putComment(s, sampleComment("a", 0)), putComment(s, sampleComment("a", 0))
	reply := putComment(s, sampleComment("a", c.ID))
	changed := quire.Comment{ID: c.ID, ElementalID: "a", UserID: "u2", Message: "New", Votes: -1, CreatedAt: at(70)}
	equal(t, "the stored", putComment(s, changed), changed)
	checkComments(t, s, "a", changed, other, reply)
	next := putComment(s, sampleComment("a", 0))
	if next.ID <= reply.ID {
		t.Errorf("a new comment got id %d, there was %d already", next.ID, reply.ID)
	}
}

// commentOfNothing checks that a refused comment changes nothing and that the
// same transaction goes on.
func commentOfNothing(t *testing.T, s *store) {
	seedOwners(s)
	c := putComment(s, sampleComment("a", 0))
	unknown := sampleComment("a", 0)
	unknown.ID = c.ID + 100
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for what, refused := range map[string]quire.Comment{
			"elemental": sampleComment("nothing", 0), "parent": sampleComment("a", c.ID+100), "comment": unknown,
			"parent of this elemental": sampleComment("b", c.ID),
		} {
			if _, err := tx.PutComment(ctx, refused); !errors.Is(err, quire.ErrNotFound) {
				return fmt.Errorf("PutComment without its %s: got error %v, want ErrNotFound", what, err)
			}
		}
		return tx.PutMeta(ctx, "later", nil)
	})
	checkComments(t, s, "a", c)
	checkComments(t, s, "b")
	get(s, quire.ReadTx.Meta, "later")
}

func commentSequence(t *testing.T, s *store) {
	seedOwners(s)
	var last int64
	next := func(after string) {
		t.Helper()
		c := putComment(s, sampleComment("a", 0))
		if c.ID <= last {
			t.Errorf("after %s a comment got id %d, there was %d before", after, c.ID, last)
		}
		last = c.ID
	}
	next("nothing")
	next("another comment")
	deleteComment(s, last)
	next("a delete of the last one")
	deleteComment(s, last)
	s.reopen()
	next("a delete and a reopening")
	put(s, quire.Tx.DeleteElemental, "a")
	s.reopen()
	seedOwners(s)
	next("a delete of the elemental and a reopening")
}

func commentDelete(t *testing.T, s *store) {
	seedOwners(s)
	one := putComment(s, sampleComment("a", 0))
	two := putComment(s, sampleComment("a", 0))
	reply := putComment(s, sampleComment("a", one.ID))
	putComment(s, sampleComment("a", one.ID))
	putComment(s, sampleComment("a", reply.ID)) // to a reply
	kept := putComment(s, sampleComment("a", two.ID))
	equal(t, "deleted with its replies", deleteComment(s, one.ID), 4)
	equal(t, "deleted again", deleteComment(s, one.ID), 0)
	missing(s, quire.ReadTx.Comment, one.ID)
	missing(s, quire.ReadTx.Comment, reply.ID)
	checkComments(t, s, "a", two, kept)
	equal(t, "deleted reply", deleteComment(s, kept.ID), 1)
	checkComments(t, s, "a", two)
}

// commentThreads deletes replies to replies in a number that no recursion of a
// Store may fail at.
func commentThreads(t *testing.T, s *store) {
	seedOwners(s)
	const n = 3000
	var first int64
	thread := func(ctx context.Context, tx quire.Tx) error {
		parent := int64(0)
		for i := range n {
			c, err := tx.PutComment(ctx, sampleComment("a", parent))
			if err != nil {
				return err
			}
			if parent = c.ID; i == 0 {
				first = c.ID
			}
		}
		return nil
	}
	s.update(thread)
	equal(t, "deleted", deleteComment(s, first), n)
	checkComments(t, s, "a")
	s.update(thread)
	put(s, quire.Tx.DeleteElemental, "a")
	missing(s, quire.ReadTx.Comment, first)
}

func commentsCascade(t *testing.T, s *store) {
	seedOwners(s)
	c := putComment(s, sampleComment("a", 0))
	reply := putComment(s, sampleComment("a", c.ID))
	kept := putComment(s, sampleComment("b", 0))
	put(s, quire.Tx.DeleteElemental, "a")
	missing(s, quire.ReadTx.Comment, c.ID)
	missing(s, quire.ReadTx.Comment, reply.ID)
	checkComments(t, s, "b", kept)
	seedOwners(s) // a new one of the same id begins afresh
	checkComments(t, s, "a")
}

func commentsElementalReplaced(t *testing.T, s *store) {
	seedOwners(s)
	c := putComment(s, sampleComment("a", 0))
	reply := putComment(s, sampleComment("a", c.ID))
	putElementals(s, sampleElemental("a", "u2"))
	checkComments(t, s, "a", c, reply)
}
