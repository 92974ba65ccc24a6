package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

var rateCases = []testCase{
	{"missing", ratesMissing},
	{"round trip", rateRoundTrip},
	{"awkward text", rateText},
	{"copied", rateCopied},
	{"order", ratesOrder},
	{"window", ratesWindow},
	{"replace", rateReplace},
	{"without its subject", rateOfNothing},
	{"sequence goes on", rateSequence},
	{"deleted with their subject", ratesCascade},
	{"kept when their subject is replaced", ratesSubjectReplaced},
}

func sampleRate(subject quire.Subject, userID string) quire.Rate {
	return quire.Rate{
		Subject:   subject,
		UserID:    userID,
		Rating:    4,
		Message:   "Why\r\nI rate it so",
		Votes:     1 << 40,
		CreatedAt: at(22),
		UpdatedAt: new(at(23)),
	}
}

// putRate writes a rate and returns it as it was stored, and the replaced one.
func putRate(s *store, r quire.Rate) (stored quire.Rate, replaced *quire.Rate) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) (err error) {
		stored, replaced, err = tx.PutRate(ctx, r)
		return err
	})
	return stored, replaced
}

// addRate writes a rate that must be new.
func addRate(s *store, r quire.Rate) quire.Rate {
	s.tb.Helper()
	stored, replaced := putRate(s, r)
	if replaced != nil {
		s.tb.Errorf("PutRate of %s on %+v replaced %+v, want a new one", r.UserID, r.Subject, *replaced)
	}
	return stored
}

func checkRates(t *testing.T, s *store, subject quire.Subject, want ...quire.Rate) {
	t.Helper()
	equal(t, fmt.Sprintf("rates of %+v", subject), get(s, allRates, subject), want)
}

func ratesMissing(t *testing.T, s *store) {
	seedOwners(s)
	for _, subject := range []quire.Subject{onElemental("a"), onElemental("nothing"), onList(1), onList(404)} {
		checkRates(t, s, subject)
	}
}

func rateRoundTrip(t *testing.T, s *store) {
	seedOwners(s)
	for _, subject := range []quire.Subject{onElemental("a"), onList(1)} {
		in := sampleRate(subject, "u1")
		full := addRate(s, in)
		in.ID = full.ID
		equal(t, "the stored", full, in)
		bare := addRate(s, quire.Rate{Subject: subject, UserID: "u2", CreatedAt: epoch})
		checkRates(t, s, subject, full, bare)
	}
	checkRates(t, s, onElemental("b"))
	checkRates(t, s, onList(2))
}

func rateText(t *testing.T, s *store) {
	seedOwners(s)
	var want []quire.Rate
	for _, text := range awkward {
		r := sampleRate(onElemental("a"), text)
		r.Message = text
		r.ID = addRate(s, r).ID
		want = append(want, r)
	}
	checkRates(t, s, onElemental("a"), want...)
}

func rateCopied(t *testing.T, s *store) {
	seedOwners(s)
	in := sampleRate(onElemental("a"), "u1")
	in.CreatedAt = time.Date(2025, 7, 1, 0, 30, 0, 1999, time.FixedZone("west", -7*3600))
	stored := addRate(s, in)
	checkTime(t, "CreatedAt as stored", stored.CreatedAt, in.CreatedAt)
	want := in
	want.ID, want.CreatedAt, want.UpdatedAt = stored.ID, stored.CreatedAt, new(at(23))
	*in.UpdatedAt = at(1000)
	equal(t, "stored, after a change on the way in", stored, want)
	*stored.UpdatedAt = at(1000)
	got := get(s, allRates, want.Subject)[0]
	equal(t, "after a change of what PutRate returned", got, want)
	*got.UpdatedAt = at(1000)
	checkRates(t, s, want.Subject, want)

	again := want
	again.Message, again.UpdatedAt = "Changed", new(at(24))
	stored, replaced := putRate(s, again)
	*stored.UpdatedAt, *replaced.UpdatedAt, *again.UpdatedAt = at(1000), at(1000), at(1000)
	want.Message, want.UpdatedAt = "Changed", new(at(24))
	checkRates(t, s, want.Subject, want)
}

func ratesOrder(t *testing.T, s *store) {
	seedOwners(s)
	want := map[quire.Subject][]quire.Rate{}
	var last int64
	for i := range 30 {
		subject := []quire.Subject{onElemental("a"), onList(1), onElemental("b")}[i%3]
		r := sampleRate(subject, fmt.Sprint("u", 100-i))
		r.CreatedAt = at(-i) // the ids alone say which came first
		r = addRate(s, r)
		if r.ID <= last {
			t.Fatalf("rate %d got id %d, the one before %d", i, r.ID, last)
		}
		last, want[subject] = r.ID, append(want[subject], r)
	}
	for subject, rates := range want {
		checkRates(t, s, subject, rates...)
	}
}

func ratesWindow(t *testing.T, s *store) {
	seedOwners(s)
	subjects := []quire.Subject{onElemental("a"), onList(1)}
	ids, rates := map[quire.Subject][]int64{}, map[int64]quire.Rate{}
	for i := range 24 {
		subject := subjects[i%2] // each takes the ids between those of the other
		r := addRate(s, sampleRate(subject, fmt.Sprint("u", 100-i)))
		ids[subject], rates[r.ID] = append(ids[subject], r.ID), r
	}
	for _, subject := range subjects {
		again := rates[ids[subject][5]]
		again.Rating = 1 // a replaced one keeps its place
		again, _ = putRate(s, again)
		rates[again.ID] = again
		checkWindows(t, s, ids[subject], rates, func(tx quire.ReadTx, ctx context.Context, w window) ([]quire.Rate, error) {
			return tx.Rates(ctx, subject, w.before, w.limit)
		})
	}
	for _, subject := range []quire.Subject{onElemental("b"), onElemental("nothing"), onList(2), onList(404)} {
		equal(t, fmt.Sprintf("rates of %+v", subject), get(s, func(tx quire.ReadTx, ctx context.Context, subject quire.Subject) ([]quire.Rate, error) {
			return tx.Rates(ctx, subject, ids[subjects[0]][3], 2)
		}, subject), nil)
	}
}

func rateReplace(t *testing.T, s *store) {
	seedOwners(s)
	for _, subject := range []quire.Subject{onElemental("a"), onList(1)} {
		old, other := addRate(s, sampleRate(subject, "u1")), addRate(s, sampleRate(subject, "u2"))
		in := quire.Rate{ID: other.ID, Subject: subject, UserID: "u1", Rating: 1, Message: "New", CreatedAt: at(70), UpdatedAt: new(at(71))}
		want := in
		want.ID, want.CreatedAt = old.ID, old.CreatedAt
		stored, replaced := putRate(s, in)
		equal(t, "stored", stored, want)
		equal(t, "replaced", replaced, &old)
		checkRates(t, s, subject, want, other)
		if next := addRate(s, sampleRate(subject, "u3")); next.ID <= other.ID {
			t.Errorf("a new rate got id %d, there was %d already", next.ID, other.ID)
		}
	}
}

func rateOfNothing(t *testing.T, s *store) {
	seedOwners(s)
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for _, subject := range []quire.Subject{onElemental("nothing"), onList(404)} {
			if _, _, err := tx.PutRate(ctx, sampleRate(subject, "u1")); !errors.Is(err, quire.ErrNotFound) {
				return fmt.Errorf("PutRate on %+v: got error %v, want ErrNotFound", subject, err)
			}
		}
		return tx.PutMeta(ctx, "later", nil)
	})
	checkRates(t, s, onElemental("nothing"))
	checkRates(t, s, onList(404))
	get(s, quire.ReadTx.Meta, "later")
}

func rateSequence(t *testing.T, s *store) {
	var last int64
	for i := range 4 {
		seedOwners(s)
		for _, subject := range []quire.Subject{onElemental("a"), onList(1)} {
			r := addRate(s, sampleRate(subject, "u1"))
			if r.ID <= last {
				t.Errorf("time %d, on %+v: a rate got id %d, there was %d before", i, subject, r.ID, last)
			}
			last = r.ID
		}
		put(s, quire.Tx.DeleteElemental, "a")
		put(s, quire.Tx.DeleteList, 1)
		if i%2 == 1 {
			s.reopen()
		}
	}
}

func ratesCascade(t *testing.T, s *store) {
	seedOwners(s)
	subjects := []quire.Subject{onElemental("a"), onList(1), onElemental("b"), onList(2)}
	var rates []quire.Rate
	for _, subject := range subjects {
		rates = append(rates, addRate(s, sampleRate(subject, "u1")))
	}
	put(s, quire.Tx.DeleteElemental, "a")
	put(s, quire.Tx.DeleteList, 1)
	for range 2 {
		checkRates(t, s, subjects[0])
		checkRates(t, s, subjects[1])
		checkRates(t, s, subjects[2], rates[2])
		checkRates(t, s, subjects[3], rates[3])
		seedOwners(s) // new ones of the same ids begin afresh
	}
	addRate(s, sampleRate(subjects[0], "u1"))
}

func ratesSubjectReplaced(t *testing.T, s *store) {
	seedOwners(s)
	e, l := addRate(s, sampleRate(onElemental("a"), "u1")), addRate(s, sampleRate(onList(1), "u1"))
	putElementals(s, sampleElemental("a", "u2"))
	putLists(s, sampleList(1, "u2"))
	checkRates(t, s, onElemental("a"), e)
	checkRates(t, s, onList(1), l)
}
