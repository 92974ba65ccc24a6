package chromem

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

func open(testing.TB) quire.VectorIndex { return New(nil) }

func TestConformance(t *testing.T) { enginetest.RunIndex(t, open) }

func BenchmarkIndex(b *testing.B) { enginetest.BenchIndex(b, open) }

// chunk makes a chunk of tenant "t".
func chunk(elementalID, id string, vector ...float32) quire.Chunk {
	return quire.Chunk{ID: id, TenantID: "t", ElementalID: elementalID, Vector: vector}
}

func replace(t *testing.T, x *Index, elementalID string, chunks ...quire.Chunk) {
	t.Helper()
	if err := x.Replace(t.Context(), "t", elementalID, chunks); err != nil {
		t.Fatalf("Replace(%q): %v", elementalID, err)
	}
}

// search returns the ids that a search of tenant "t" finds.
func search(t *testing.T, x *Index, query []float32, f quire.Filters, limit int) []string {
	t.Helper()
	f.TenantID = "t"
	hits, err := x.Search(t.Context(), query, f, limit)
	if err != nil {
		t.Fatalf("Search(%+v): %v", f, err)
	}
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids
}

func wantIDs(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func wantInvalid(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, quire.ErrInvalid) {
		t.Errorf("%s: error %v, want ErrInvalid", what, err)
	}
}
