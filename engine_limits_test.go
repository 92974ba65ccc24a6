package quire_test

import (
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

func TestMaxChunks(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, stores[0].open(t), quire.EngineOptions{Chunker: paragraphs{}, MaxChunks: 3})
	fits := f.create(f.ann, document("As long as may be", "one\n\ntwo"))
	f.waitStatus(f.ingest(f.ann, fits.ID, ""), quire.JobSucceeded)
	over := f.create(f.ann, document("One passage too many", "one\n\ntwo\n\nthree"))
	j := f.waitStatus(f.ingest(f.ann, over.ID, ""), quire.JobFailed)
	if !strings.Contains(j.Error, "4 passages; at most 3") || j.Attempts != 1 {
		t.Errorf("%d attempts, %q", j.Attempts, j.Error)
	}
}

// A change that chunks do not repeat leaves them alone.
func TestUpdateWithoutMetadataReadsNoVectors(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		e := f.add(f.ann, "A document to describe", "text")
		before := f.index.Replaces()
		_, err := f.UpdateElemental(t.Context(), f.ann, e.ID, quire.ElementalPatch{Description: ptr("described"), Visibility: ptr(quire.Unlisted)})
		f.check(err)
		if n := f.index.Replaces() - before; n != 0 {
			t.Errorf("the index was written %d times", n)
		}
		_, err = f.UpdateElemental(t.Context(), f.ann, e.ID, quire.ElementalPatch{CategoryID: ptr(1)})
		f.check(err)
		if n := f.index.Replaces() - before; n != 1 {
			t.Errorf("the index was written %d times for a new category", n)
		}
	})
}
