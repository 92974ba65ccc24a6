package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

var markCases = []testCase{
	{"missing", marksMissing},
	{"round trip", markRoundTrip},
	{"awkward text", markText},
	{"copied", markCopied},
	{"added or replaced", markReplace},
	{"removed or not", markDelete},
	{"many subjects", marksMany},
	{"last, newest first", marksLast},
	{"without its subject", markOfNothing},
	{"deleted with their subject", marksCascade},
	{"kept when their subject is replaced", marksSubjectReplaced},
}

// onElemental and onList are what users engage with.
func onElemental(id string) quire.Subject { return quire.Subject{ElementalID: id} }
func onList(id int64) quire.Subject       { return quire.Subject{ListID: id} }

func sampleMark(subject quire.Subject, userID string) quire.Mark {
	return quire.Mark{Subject: subject, UserID: userID, Kind: quire.MarkUpvote, CreatedAt: at(19)}
}

// putMarks writes marks that must all be new, in one Update.
func putMarks(s *store, ms ...quire.Mark) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for _, m := range ms {
			if added, err := tx.PutMark(ctx, m); !added || err != nil {
				return fmt.Errorf("PutMark of %+v: added %t, error %w", m, added, err)
			}
		}
		return nil
	})
}

func deleteMark(s *store, subject quire.Subject, userID string, kind quire.MarkKind) (removed bool) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) (err error) {
		removed, err = tx.DeleteMark(ctx, subject, userID, kind)
		return err
	})
	return removed
}

// marksQuery is what Marks is asked for.
type marksQuery struct {
	userID   string
	subjects []quire.Subject
}

// userMarks reads Marks in an order of its own.
func userMarks(tx quire.ReadTx, ctx context.Context, q marksQuery) ([]quire.Mark, error) {
	ms, err := tx.Marks(ctx, q.userID, q.subjects)
	slices.SortFunc(ms, func(a, b quire.Mark) int {
		return cmp.Or(cmp.Compare(a.Subject.ElementalID, b.Subject.ElementalID),
			cmp.Compare(a.Subject.ListID, b.Subject.ListID), cmp.Compare(a.Kind, b.Kind))
	})
	return ms, err
}

// checkMarks checks the marks of a user on the subjects.
func checkMarks(t *testing.T, s *store, userID string, subjects []quire.Subject, want ...quire.Mark) {
	t.Helper()
	equal(t, "marks of "+userID, get(s, userMarks, marksQuery{userID, subjects}), want)
}

// checkLast checks the newest marks on a subject.
func checkLast(t *testing.T, s *store, subject quire.Subject, kind quire.MarkKind, limit int, want ...quire.Mark) {
	t.Helper()
	s.view(func(ctx context.Context, tx quire.ReadTx) error {
		got, err := tx.LastMarks(ctx, subject, kind, limit)
		equal(t, fmt.Sprintf("last %d of %s on %+v", limit, kind, subject), got, want)
		return err
	})
}

func marksMissing(t *testing.T, s *store) {
	seedOwners(s)
	all := []quire.Subject{onElemental("a"), onElemental("nothing"), onList(1), onList(404)}
	checkMarks(t, s, "u1", all)
	checkMarks(t, s, "u1", nil)
	for _, subject := range all {
		checkLast(t, s, subject, quire.MarkUpvote, 5)
		if deleteMark(s, subject, "u1", quire.MarkUpvote) {
			t.Errorf("a mark on %+v was removed, there was none", subject)
		}
	}
}

func markRoundTrip(t *testing.T, s *store) {
	seedOwners(s)
	var want []quire.Mark
	subjects := []quire.Subject{onList(1), onList(2), onElemental("a"), onElemental("b")}
	for _, subject := range subjects[1:3] {
		for _, kind := range []quire.MarkKind{quire.MarkFavorite, quire.MarkSave, quire.MarkUpvote} {
			m := sampleMark(subject, "u1")
			m.Kind, m.CreatedAt = kind, time.Date(2025, 7, 1, 0, 30, len(want), 1000, time.UTC)
			putMarks(s, m)
			want = append(want, m)
		}
	}
	putMarks(s, sampleMark(onElemental("a"), "u2"), sampleMark(onList(1), "U1"))
	checkMarks(t, s, "u1", subjects, want...)
	checkMarks(t, s, "u1", slices.Concat(subjects, subjects), want...) // each once
	checkMarks(t, s, "u1", []quire.Subject{onElemental("a")}, want[3:]...)
	checkMarks(t, s, "u2", subjects, sampleMark(onElemental("a"), "u2"))
	checkMarks(t, s, "u3", subjects)
	checkLast(t, s, onElemental("a"), quire.MarkSave, 5, want[4])
}

func markText(t *testing.T, s *store) {
	seedOwners(s)
	for _, text := range awkward {
		m := sampleMark(onElemental("a"), text)
		m.Kind = quire.MarkKind(text)
		putMarks(s, m)
		checkMarks(t, s, text, []quire.Subject{onElemental("a")}, m)
		checkLast(t, s, onElemental("a"), m.Kind, 5, m)
	}
}

func markCopied(t *testing.T, s *store) {
	seedOwners(s)
	want, subjects := sampleMark(onElemental("a"), "u1"), []quire.Subject{onElemental("a")}
	putMarks(s, want)
	get(s, userMarks, marksQuery{"u1", subjects})[0].UserID = "spoilt"
	checkMarks(t, s, "u1", subjects, want)
	late := sampleMark(onList(1), "u1")
	late.CreatedAt = time.Date(2025, 7, 1, 0, 30, 0, 1999, time.FixedZone("west", -7*3600))
	putMarks(s, late)
	got := get(s, userMarks, marksQuery{"u1", []quire.Subject{onList(1)}})[0]
	checkTime(t, "CreatedAt", got.CreatedAt, late.CreatedAt)
}

func markReplace(t *testing.T, s *store) {
	seedOwners(s)
	subjects := []quire.Subject{onElemental("a"), onList(1)}
	for _, subject := range subjects {
		putMarks(s, sampleMark(subject, "u1"), sampleMark(subject, "u2"))
		again := sampleMark(subject, "u1")
		again.CreatedAt = at(30)
		s.update(func(ctx context.Context, tx quire.Tx) error {
			added, err := tx.PutMark(ctx, again)
			equal(t, fmt.Sprintf("added again to %+v", subject), added, false)
			return err
		})
		checkLast(t, s, subject, quire.MarkUpvote, 5, again, sampleMark(subject, "u2"))
		if !deleteMark(s, subject, "u1", quire.MarkUpvote) {
			t.Error("a mark was not removed")
		}
		putMarks(s, sampleMark(subject, "u1")) // is new again
	}
}

func markDelete(t *testing.T, s *store) {
	seedOwners(s)
	for _, subject := range []quire.Subject{onElemental("a"), onList(1)} {
		saved := sampleMark(subject, "u1")
		saved.Kind = quire.MarkSave
		putMarks(s, sampleMark(subject, "u1"), saved, sampleMark(subject, "u2"))
		for i := range 3 {
			removed := deleteMark(s, subject, "u1", quire.MarkUpvote)
			equal(t, fmt.Sprintf("removed from %+v, time %d", subject, i), removed, i == 0)
		}
		checkMarks(t, s, "u1", []quire.Subject{subject}, saved)
		checkMarks(t, s, "u2", []quire.Subject{subject}, sampleMark(subject, "u2"))
	}
}

func marksMany(t *testing.T, s *store) {
	ids, exist := manyIDs(400, "elemental")
	var es []quire.ElementalRecord
	var ls []quire.ListRecord
	var want, lists []quire.Mark
	for i, id := range exist {
		es = append(es, bareElemental(id, "u1"))
		want = append(want, sampleMark(onElemental(id), "u1"))
		ls = append(ls, plainList(int64(i+1), "u1"))
		lists = append(lists, sampleMark(onList(int64(i+1)), "u1"))
	}
	putElementals(s, es...)
	putLists(s, ls...)
	putMarks(s, want...)
	putMarks(s, lists...)
	var subjects []quire.Subject
	for i, id := range ids {
		subjects = append(subjects, onElemental(id), onList(int64(i+1)))
	}
	checkMarks(t, s, "u1", subjects, slices.Concat(lists, want)...)
	checkMarks(t, s, "u2", subjects)
}

func marksLast(t *testing.T, s *store) {
	seedOwners(s)
	for _, subject := range []quire.Subject{onElemental("a"), onList(1)} {
		var want []quire.Mark
		for _, m := range []struct {
			user string
			min  int
		}{{"u9", 9}, {"U7", 5}, {"u1", 5}, {"u10", 5}, {"u2", 5}, {"u0", 1}} {
			r := sampleMark(subject, m.user)
			r.CreatedAt = at(m.min)
			want = append(want, r)
		}
		for _, i := range []int{3, 0, 5, 4, 1, 2} {
			putMarks(s, want[i])
		}
		other := sampleMark(subject, "u1")
		other.Kind = quire.MarkSave
		putMarks(s, other)
		for limit := 1; limit < 8; limit++ {
			checkLast(t, s, subject, quire.MarkUpvote, limit, want[:min(limit, len(want))]...)
		}
		checkLast(t, s, subject, quire.MarkSave, 5, other)
		checkLast(t, s, subject, quire.MarkFavorite, 5)
	}
}

func markOfNothing(t *testing.T, s *store) {
	seedOwners(s)
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for _, subject := range []quire.Subject{onElemental("nothing"), onList(404)} {
			added, err := tx.PutMark(ctx, sampleMark(subject, "u1"))
			if added || !errors.Is(err, quire.ErrNotFound) {
				return fmt.Errorf("PutMark on %+v: added %t, error %v, want ErrNotFound", subject, added, err)
			}
		}
		_, err := tx.PutMark(ctx, sampleMark(onElemental("a"), "u1"))
		return err
	})
	checkMarks(t, s, "u1", []quire.Subject{onElemental("a"), onElemental("nothing"), onList(404)}, sampleMark(onElemental("a"), "u1"))
}

func marksCascade(t *testing.T, s *store) {
	seedOwners(s)
	subjects := []quire.Subject{onElemental("a"), onList(1), onElemental("b"), onList(2)}
	for _, subject := range subjects {
		putMarks(s, sampleMark(subject, "u1"), sampleMark(subject, "u2"))
	}
	put(s, quire.Tx.DeleteElemental, "a")
	put(s, quire.Tx.DeleteList, 1)
	checkMarks(t, s, "u1", subjects, sampleMark(onList(2), "u1"), sampleMark(onElemental("b"), "u1"))
	seedOwners(s) // new ones of the same ids begin afresh
	checkMarks(t, s, "u1", subjects, sampleMark(onList(2), "u1"), sampleMark(onElemental("b"), "u1"))
	checkLast(t, s, onElemental("a"), quire.MarkUpvote, 5)
	checkLast(t, s, onList(1), quire.MarkUpvote, 5)
}

func marksSubjectReplaced(t *testing.T, s *store) {
	seedOwners(s)
	e, l := sampleMark(onElemental("a"), "u1"), sampleMark(onList(1), "u1")
	putMarks(s, e, l)
	putElementals(s, sampleElemental("a", "u2"))
	putLists(s, sampleList(1, "u2"))
	checkMarks(t, s, "u1", []quire.Subject{onElemental("a"), onList(1)}, l, e)
}
