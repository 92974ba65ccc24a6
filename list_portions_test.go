package quire_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// portionsCounted keeps how many bytes of descriptions were read of elementals at once.
type portionsCounted struct {
	quire.Store
	most, reads int
}

type portionsCountedTx struct {
	quire.ReadTx
	s *portionsCounted
}

func (s *portionsCounted) View(ctx context.Context, fn func(tx quire.ReadTx) error) error {
	return s.Store.View(ctx, func(tx quire.ReadTx) error { return fn(portionsCountedTx{tx, s}) })
}

func (tx portionsCountedTx) ElementalsWithoutBody(ctx context.Context, ids []string) (map[string]quire.ElementalRecord, error) {
	found, err := tx.ReadTx.ElementalsWithoutBody(ctx, ids)
	n := 0
	for _, rec := range found {
		n += len(rec.Description)
	}
	tx.s.most = max(tx.s.most, n)
	tx.s.reads++
	return found, err
}

// TestItemsOfLongDescriptions: items without their bodies are read in portions of the descriptions
// too.
func TestItemsOfLongDescriptions(t *testing.T) {
	t.Parallel()
	s := &portionsCounted{Store: store.NewMemory()}
	f := newFixture(t, s, nil)
	ins := make([]quire.ElementalInput, 60)
	for i := range ins {
		ins[i] = document(fmt.Sprint("With a long description ", i), "text")
		ins[i].Description = strings.Repeat("\u65e5", 20_000)
	}
	items, err := f.CreateElementals(t.Context(), f.ann, ins)
	if err != nil {
		t.Fatal(err)
	}
	in := quire.ListInput{Title: "Of long descriptions"}
	for _, it := range items {
		in.Items = append(in.Items, quire.ItemInput{ElementalID: it.Elemental.ID})
	}
	list := f.list(f.ann, in)
	s.most = 0
	n := 0
	for e, err := range f.AllListItems(t.Context(), f.ann, list.ID, false) {
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Description) != 60_000 {
			t.Errorf("a description of %d bytes", len(e.Description))
		}
		n++
	}
	if n != len(ins) || s.most > 25*60_000 || s.most == 0 {
		t.Errorf("%d items, of which up to %d bytes of descriptions were read at once", n, s.most)
	}
}

// TestItemsWithComments: what a list does not show of its items does not make the portions of them
// small.
func TestItemsWithComments(t *testing.T) {
	t.Parallel()
	s := &portionsCounted{Store: store.NewMemory()}
	f := newFixture(t, s, nil)
	in := quire.ListInput{Title: "Of what is talked about"}
	message := strings.Repeat("\u65e5", 10_000)
	for i := range 100 {
		e := f.create(f.ann, document(fmt.Sprint("With long comments ", i), "text"))
		for range 2 {
			if _, err := f.Comment(t.Context(), f.ann, e.ID, message); err != nil {
				t.Fatal(err)
			}
		}
		in.Items = append(in.Items, quire.ItemInput{ElementalID: e.ID})
	}
	list := f.list(f.ann, in)
	s.reads = 0
	n := 0
	for _, err := range f.AllListItems(t.Context(), f.ann, list.ID, false) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 100 || s.reads > 4 {
		t.Errorf("%d items, for which the Store was asked %d times", n, s.reads)
	}
}
