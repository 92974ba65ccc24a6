package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/quirelib/quire"
)

var counterCases = []testCase{
	{"put", countersPut},
	{"each of them", countersEach},
	{"written with the record", countersWithRecord},
	{"without their record", countersOfNothing},
	{"untouched by what they count", countersUntouched},
}

// sampleCounters are different in each field.
func sampleCounters(n int64) quire.Counters {
	return quire.Counters{
		Comments: n + 1, Rates: n + 2, RatingSum: n + 3, Sales: n + 4, Upvotes: n + 5, Uses: n + 6, Saves: n + 7,
	}
}

func putCounters(s *store, subject quire.Subject, c quire.Counters) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) error { return tx.PutCounters(ctx, subject, c) })
}

// countersPut checks that the record keeps everything else, and is found as
// before.
func countersPut(t *testing.T, s *store) {
	e, l := sampleElemental("e", "u1"), plainList(1, "u1")
	putElementals(s, e, sampleElemental("other", "u1"))
	putLists(s, l, plainList(2, "u1"))
	e.Counters, l.Counters = sampleCounters(70), sampleCounters(80)
	putCounters(s, onElemental("e"), e.Counters)
	putCounters(s, onList(1), l.Counters)
	equal(t, "elemental", get(s, quire.ReadTx.Elemental, "e"), e)
	equal(t, "list", get(s, quire.ReadTx.List, 1), l)
	equal(t, "other elemental", get(s, quire.ReadTx.Elemental, "other"), sampleElemental("other", "u1"))
	equal(t, "other list", get(s, quire.ReadTx.List, 2), plainList(2, "u1"))
	checkSearch(t, s, words("body of e"), "e")
	checkListSearch(t, s, new(words("list 1")), 1)
	equal(t, "ElementalsOf", get(s, ownedElementals, "u1")[0], e)
	equal(t, "Cells", get(s, quire.ReadTx.Cells, e.TableID)[0], e)
}

func countersEach(t *testing.T, s *store) {
	seedOwners(s)
	for i, c := range []quire.Counters{
		{Comments: 1}, {Rates: 1}, {RatingSum: 1}, {Sales: 1}, {Upvotes: 1}, {Uses: 1}, {Saves: 1},
		{Comments: math.MaxInt64, Rates: math.MinInt64}, {},
	} {
		putCounters(s, onElemental("a"), c)
		putCounters(s, onList(1), c)
		equal(t, fmt.Sprint("elemental ", i), get(s, quire.ReadTx.Elemental, "a").Counters, c)
		equal(t, fmt.Sprint("list ", i), get(s, quire.ReadTx.List, 1).Counters, c)
	}
}

func countersWithRecord(t *testing.T, s *store) {
	seedOwners(s)
	putCounters(s, onElemental("a"), sampleCounters(1))
	putCounters(s, onList(1), sampleCounters(1))
	e, l := bareElemental("a", "u1"), plainList(1, "u1")
	for _, n := range []int64{5, 0} {
		e.Counters, l.Counters = sampleCounters(n), sampleCounters(n+1)
		putElementals(s, e)
		putLists(s, l)
		equal(t, "elemental", get(s, quire.ReadTx.Elemental, "a"), e)
		equal(t, "list", get(s, quire.ReadTx.List, 1), l)
	}
}

func countersOfNothing(t *testing.T, s *store) {
	for _, subject := range []quire.Subject{onElemental("nothing"), onList(404)} {
		err := s.Update(t.Context(), func(tx quire.Tx) error {
			return tx.PutCounters(t.Context(), subject, sampleCounters(1))
		})
		if !errors.Is(err, quire.ErrNotFound) {
			t.Errorf("PutCounters of %+v: got error %v, want ErrNotFound", subject, err)
		}
	}
	missing(s, quire.ReadTx.Elemental, "nothing")
	missing(s, quire.ReadTx.List, 404)
}

// countersUntouched checks that no other writer counts.
func countersUntouched(t *testing.T, s *store) {
	seedOwners(s)
	for _, subject := range []quire.Subject{onElemental("a"), onList(1)} {
		putCounters(s, subject, sampleCounters(1))
		putMarks(s, sampleMark(subject, "u1"))
		addRate(s, sampleRate(subject, "u1"))
		deleteMark(s, subject, "u1", quire.MarkUpvote)
	}
	deleteComment(s, putComment(s, sampleComment("a", 0)).ID)
	equal(t, "elemental", get(s, quire.ReadTx.Elemental, "a").Counters, sampleCounters(1))
	equal(t, "list", get(s, quire.ReadTx.List, 1).Counters, sampleCounters(1))
}
