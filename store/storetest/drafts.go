package storetest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/quirelib/quire"
)

var draftCases = []testCase{
	{"kept", draftsKept},
	{"of elementals and fingerprints apart", draftsApart},
	{"no chunk's and no change's", draftsAlone},
	{"deleted", draftsDeleted},
	{"bit for bit", draftsBits},
	{"copied", draftsCopied},
	{"awkward text", draftsText},
	{"rolled back", draftsRolledBack},
	{"reopened", draftsReopened},
}

// draftsQuery are the arguments of Drafts.
type draftsQuery struct{ elementalID, fingerprint string }

func draftsOf(tx quire.ReadTx, ctx context.Context, q draftsQuery) (map[string][]float32, error) {
	return tx.Drafts(ctx, q.elementalID, q.fingerprint)
}

func putDrafts(s *store, elementalID, fingerprint string, vectors map[string][]float32) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) error {
		return tx.PutDrafts(ctx, elementalID, fingerprint, vectors)
	})
}

func deleteDrafts(s *store, elementalID string) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) error { return tx.DeleteDrafts(ctx, elementalID) })
}

func wantDrafts(s *store, what, elementalID, fingerprint string, want map[string][]float32) {
	s.tb.Helper()
	equal(s.tb, what, get(s, draftsOf, draftsQuery{elementalID, fingerprint}), want)
}

func draftsKept(t *testing.T, s *store) {
	wantDrafts(s, "of an empty Store", "e", "f", nil)
	putDrafts(s, "e", "f", nil)
	wantDrafts(s, "after none", "e", "f", nil)
	putDrafts(s, "e", "f", kept(0, 1))
	wantDrafts(s, "of an elemental that there is not", "e", "f", kept(0, 1))
	putDrafts(s, "e", "f", kept(2))
	wantDrafts(s, "after another batch", "e", "f", kept(0, 1, 2))
	putDrafts(s, "e", "f", map[string][]float32{"hash 1": {7}})
	want := kept(0, 2)
	want["hash 1"] = []float32{7}
	wantDrafts(s, "one replaced", "e", "f", want)
}

func draftsApart(t *testing.T, s *store) {
	putDrafts(s, "e", "f", kept(0))
	putDrafts(s, "e", "g", kept(0, 1))
	putDrafts(s, "e2", "f", map[string][]float32{"hash 0": {5}})
	wantDrafts(s, "e, f", "e", "f", kept(0))
	wantDrafts(s, "e, g", "e", "g", kept(0, 1))
	wantDrafts(s, "e2, f", "e2", "f", map[string][]float32{"hash 0": {5}})
	for _, q := range []draftsQuery{{"e2", "g"}, {"E", "f"}, {"e", "F"}, {"", "f"}, {"e", ""}} {
		wantDrafts(s, fmt.Sprint(q), q.elementalID, q.fingerprint, nil)
	}
}

// draftsAlone: they are apart from the vectors of chunks and of a change of the Embedder.
func draftsAlone(t *testing.T, s *store) {
	putChunks(s, "e", sampleChunk("e", 0))
	putVectors(s, "f", kept(1))
	wantDrafts(s, "beside those", "e", "embedder-1", nil)
	wantDrafts(s, "beside those", "e", "f", nil)
	putDrafts(s, "e", "f", kept(0))
	wantMissing(s, "a draft does not count", "f", []string{"hash 0", "hash 1"}, []string{"hash 0"})
	adopted(s, "f", 0)
	s.update(func(ctx context.Context, tx quire.Tx) error { return tx.DeleteVectors(ctx) })
	putChunks(s, "e")
	wantDrafts(s, "after those have gone", "e", "f", kept(0))
}

func draftsDeleted(t *testing.T, s *store) {
	deleteDrafts(s, "e")
	putDrafts(s, "e", "f", kept(0))
	putDrafts(s, "e", "g", kept(1))
	putDrafts(s, "e2", "f", kept(2))
	deleteDrafts(s, "e")
	wantDrafts(s, "e, f", "e", "f", nil)
	wantDrafts(s, "e, g", "e", "g", nil)
	wantDrafts(s, "e2, f", "e2", "f", kept(2))
	putDrafts(s, "e", "f", kept(3))
	wantDrafts(s, "anew", "e", "f", kept(3))
}

func draftsBits(t *testing.T, s *store) {
	want := []float32{0, float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32, math.MaxFloat32, 1.0 / 3, 1e-38}
	putDrafts(s, "e", "f", map[string][]float32{"h": want})
	got := get(s, draftsOf, draftsQuery{"e", "f"})["h"]
	if !slices.EqualFunc(got, want, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func draftsCopied(t *testing.T, s *store) {
	in := map[string][]float32{"h": {1, 2}}
	putDrafts(s, "e", "f", in)
	in["h"][0], in["h2"] = 99, []float32{3}
	got := get(s, draftsOf, draftsQuery{"e", "f"})
	equal(t, "after a change on the way in", got, map[string][]float32{"h": {1, 2}})
	got["h"][0], got["h2"] = 99, []float32{3}
	wantDrafts(s, "after a change on the way out", "e", "f", map[string][]float32{"h": {1, 2}})
}

func draftsText(t *testing.T, s *store) {
	for name, text := range awkward {
		putDrafts(s, text, text, map[string][]float32{text: {1}})
		wantDrafts(s, name, text, text, map[string][]float32{text: {1}})
	}
}

func draftsRolledBack(t *testing.T, s *store) {
	putDrafts(s, "e", "f", kept(0))
	putDrafts(s, "e2", "f", kept(0))
	err := s.Update(t.Context(), func(tx quire.Tx) error {
		ctx := t.Context()
		if err := tx.PutDrafts(ctx, "e", "f", kept(1)); err != nil {
			return err
		}
		if err := tx.DeleteDrafts(ctx, "e2"); err != nil {
			return err
		}
		if got, err := tx.Drafts(ctx, "e", "f"); err != nil || len(got) != 2 {
			return fmt.Errorf("inside there are %d, error %w", len(got), err)
		}
		return errStop
	})
	if err != errStop {
		t.Fatalf("Update: %v", err)
	}
	wantDrafts(s, "e", "e", "f", kept(0))
	wantDrafts(s, "e2", "e2", "f", kept(0))
}

func draftsReopened(t *testing.T, s *store) {
	putDrafts(s, "e", "f", kept(0, 1))
	s.reopen()
	wantDrafts(s, "after reopening", "e", "f", kept(0, 1))
	deleteDrafts(s, "e")
	s.reopen()
	wantDrafts(s, "deleted", "e", "f", nil)
}
