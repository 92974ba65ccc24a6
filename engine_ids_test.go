package quire_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/extract"
)

// TestChunkIDs: the id of a passage is a UUID made of its place, whatever ids callers
// choose and however alike texts are; the same place has the same id again, and no id of an
// elemental is there in two tenants.
func TestChunkIDs(t *testing.T) {
	t.Parallel()
	var made, refused, again atomic.Int64
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			f := newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}, Extractor: extract.New(nil)})
			ids := map[string]string{} // of passages, with whose they are
			same := strings.Repeat("the same text\n\n", 20)
			for i, chosen := range []string{"1", "11", "1.1", "1-1", "0", "", ""} {
				for _, a := range []quire.Actor{f.ann, f.bob} {
					in := document("The same title", same)
					in.Media.Files = []quire.Upload{{Name: "1", Data: []byte(same)}, {Name: "1", Data: []byte(same)}}
					if in.ID = chosen; chosen != "" && a == f.bob {
						_, err := f.CreateElemental(t.Context(), a, in)
						wantCode(t, err, quire.CodeConflict)
						refused.Add(1)
						in.ID += fmt.Sprint(".", i)
					}
					e := f.create(a, in)
					f.waitStatus(f.ingest(a, e.ID, ""), quire.JobSucceeded)
					made.Add(int64(f.wantOwnIDs(e, ids)))
					first := f.idsOf(e.ID)
					f.waitStatus(f.ingest(a, e.ID, ""), quire.JobSucceeded)
					wantEqual(t, f.idsOf(e.ID), first)
					again.Add(int64(len(first)))
				}
			}
		})
	}
	t.Cleanup(func() {
		if !t.Failed() {
			t.Logf("G9: %d passages of the same texts in 2 tenants on %d stores: 0 ids twice, %d ids the same when ingested again; %d ids of elementals of another tenant refused",
				made.Load(), len(stores), again.Load(), refused.Load())
		}
	})
}

// idsOf returns the ids of the passages of an elemental, by their places.
func (f *engineFixture) idsOf(elementalID string) map[string]string {
	f.t.Helper()
	ids := map[string]string{}
	f.check(f.store.View(f.t.Context(), func(tx quire.ReadTx) error {
		chunks, err := tx.ChunksOf(f.t.Context(), elementalID)
		for _, c := range chunks {
			ids[fmt.Sprint(c.ItemID, " ", c.Source, " ", c.Ordinal)] = c.ID
		}
		return err
	}))
	return ids
}

// wantOwnIDs checks that no passage of an elemental has an id that is there already, adds
// them, and returns how many there are.
func (f *engineFixture) wantOwnIDs(e quire.Elemental, ids map[string]string) (n int) {
	f.t.Helper()
	for place, chunkID := range f.idsOf(e.ID) {
		if u, err := uuid.Parse(chunkID); err != nil || u.String() != chunkID {
			f.t.Errorf("%q is no UUID: %v", chunkID, err)
		}
		if owner, taken := ids[chunkID]; taken {
			f.t.Errorf("%s: %s is an id of %s too", chunkID, e.ID+" "+place, owner)
		}
		ids[chunkID] = e.ID + " " + place
		n++
	}
	if n < 60 {
		f.t.Errorf("%s has %d passages", e.ID, n)
	}
	return n
}
