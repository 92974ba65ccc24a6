package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/quirelib/quire"
)

var reopenCases = []testCase{
	{"empty", reopenEmpty},
	{"everything is there", reopenAll},
	{"what was rolled back is not", reopenRolledBack},
	{"sequence goes on", reopenSeq},
	{"again and again", reopenOften},
	{"many rows", reopenMany},
}

func reopenEmpty(t *testing.T, s *store) {
	before := readAll(s)
	s.reopen()
	equal(t, "contents", readAll(s), before)
	s.update(seed)
}

func reopenAll(t *testing.T, s *store) {
	s.update(seed)
	seeded := readAll(s)
	s.reopen()
	equal(t, "contents after seed", readAll(s), seeded)
	s.update(rewrite)
	rewritten := readAll(s)
	s.reopen()
	equal(t, "contents after rewrite", readAll(s), rewritten)
	equal(t, "chunks", get(s, countChunks, struct{}{}), len(rewritten.Chunks))
	checkTagged(t, s, 11, []string{"e3"}, nil)
	equal(t, "counts", countItems(s, anyone, 1, 2, 3), map[int64]int{1: 1, 3: 1})
}

func reopenRolledBack(t *testing.T, s *store) {
	s.update(seed)
	before := readAll(s)
	err := s.Update(t.Context(), func(tx quire.Tx) error {
		if err := rewrite(t.Context(), tx); err != nil {
			return err
		}
		return errStop
	})
	if err != errStop {
		t.Fatalf("Update: got error %v, want fn's own", err)
	}
	s.reopen()
	equal(t, "contents", readAll(s), before)
}

func reopenSeq(t *testing.T, s *store) {
	var want []string
	for i := range 6 {
		id := fmt.Sprint("j", 9-i)
		put(s, quire.Tx.PutJob, queuedJob("t", id, "e", epoch))
		want = append(want, id)
		s.reopen()
	}
	equal(t, "by Seq", activeJobs(s, "t", ""), want)
}

func reopenOften(t *testing.T, s *store) {
	for i := range uint64(10) {
		if err := addTo(t.Context(), s, "n", 1); err != nil {
			t.Fatalf("Update: %s", quire.Cause(err))
		}
		s.reopen()
		if n := readCounter(s, "n"); n != i+1 {
			t.Fatalf("after opening %d times: counter %d", i+1, n)
		}
	}
}

// reopenMany checks rows in a number that does not fit into small buffers, and
// search results with their order.
func reopenMany(t *testing.T, s *store) {
	n := scale(800)
	putLists(s, plainList(1, "u1"))
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for i := range n {
			e := sampleElemental(fmt.Sprintf("e%04d", i), "u1")
			text := quire.IndexedText{Title: "word", Body: fmt.Sprintf("text %d word", i%10)}
			if err := tx.PutElemental(ctx, e, text); err != nil {
				return err
			}
			if err := tx.PutItem(ctx, sampleItem(1, e.ID, int64(i%50))); err != nil {
				return err
			}
		}
		return nil
	})
	all, byIndex, found := get(s, ownedElementals, "u1"), get(s, quire.ReadTx.Items, 1), search(s, words("word"))
	equal(t, "elementals", len(all), n)
	equal(t, "found", len(found), n)
	s.reopen()
	equal(t, "ElementalsOf", get(s, ownedElementals, "u1"), all)
	equal(t, "Items", get(s, quire.ReadTx.Items, 1), byIndex)
	equal(t, "found in the same order", search(s, words("word")), found)
}
