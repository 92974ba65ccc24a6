package quire_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// readsCounted counts what write transactions read of lists, and the texts of elementals.
type readsCounted struct {
	quire.Store
	lists, elementals int
}

type readsCountedTx struct {
	quire.Tx
	s *readsCounted
}

func (s *readsCounted) Update(ctx context.Context, fn func(tx quire.Tx) error) error {
	return s.Store.Update(ctx, func(tx quire.Tx) error { return fn(readsCountedTx{tx, s}) })
}

func (tx readsCountedTx) List(ctx context.Context, id int64) (quire.ListRecord, error) {
	tx.s.lists++
	return tx.Tx.List(ctx, id)
}

func (tx readsCountedTx) Elemental(ctx context.Context, id string) (quire.ElementalRecord, error) {
	tx.s.elementals++
	return tx.Tx.Elemental(ctx, id)
}

// TestTargetsAreReadOnce: whoever names a list many times, or an id that is taken, does not make
// all writers wait while the same long texts are read again and again.
func TestTargetsAreReadOnce(t *testing.T) {
	t.Parallel()
	s := &readsCounted{Store: store.NewMemory()}
	f := newFixture(t, s, nil)
	ctx := t.Context()
	list, err := f.CreateList(ctx, f.ann, quire.ListInput{Title: "Named often"})
	if err != nil {
		t.Fatal(err)
	}
	large, err := f.CreateElemental(ctx, f.ann, document("A large document", strings.Repeat("words ", 1000)))
	if err != nil {
		t.Fatal(err)
	}
	const entries = 1000
	ins := make([]quire.ElementalInput, 10)
	for i := range ins {
		ins[i] = document("Into one list", "text")
		ins[i].Lists = slices.Repeat([]int64{list.ID}, entries/len(ins))
	}
	ins[9].ID = large.ID
	s.lists, s.elementals = 0, 0
	items, err := f.CreateElementals(ctx, f.ann, ins)
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range items {
		if want := i == 9; (quire.CodeOf(item.Err) == quire.CodeConflict) != want || item.Err != nil && !want {
			t.Errorf("item %d: %v", i, item.Err)
		}
	}
	if s.lists > 1 || s.elementals > 0 {
		t.Errorf("%d lists and %d elementals were read for %d entries of one list", s.lists, s.elementals, entries)
	}
}

// TestListsOfACall: the lists that the elementals of one call go into are counted together.
func TestListsOfACall(t *testing.T) {
	t.Parallel()
	f := newFixture(t, store.NewMemory(), &quire.LibraryOptions{MaxIDs: 100})
	list, err := f.CreateList(t.Context(), f.ann, quire.ListInput{Title: "Named often"})
	if err != nil {
		t.Fatal(err)
	}
	ins := make([]quire.ElementalInput, 7)
	for i := range ins {
		ins[i] = document("Into one list", "text")
		ins[i].Lists = slices.Repeat([]int64{list.ID}, 100)
	}
	items, err := f.CreateElementals(t.Context(), f.ann, ins)
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range items {
		if i < 5 && item.Err != nil {
			t.Errorf("item %d: %v", i, item.Err)
		}
		if i >= 5 {
			wantField(t, item.Err, "lists_to_save")
		}
	}
}
