package quire_test

import (
	"runtime"
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
	if !strings.Contains(j.Error, "more than 3 passages") || j.Attempts != 1 {
		t.Errorf("%d attempts, %q", j.Attempts, j.Error)
	}
}

// A change that chunks do not repeat leaves them alone.
func TestUpdateWithoutMetadataReadsNoVectors(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		e := f.add(f.ann, "A document to describe", "text")
		f.inStep()
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

// TestMaxChunksOfManyHeadings ingests a text that is all headings: nobody makes the millions
// of passages that it has to find that they are too many.
func TestMaxChunksOfManyHeadings(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, stores[0].open(t), quire.EngineOptions{MaxChunks: 100})
	e := f.create(f.ann, document("Headings all the way", strings.Repeat("# a\n", 500_000)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	j := f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobFailed)
	runtime.ReadMemStats(&after)
	if !strings.Contains(j.Error, "more than 100 passages") {
		t.Errorf("job %+v", j)
	}
	t.Logf("%d bytes: %d KiB allocated", 4*500_000, (after.TotalAlloc-before.TotalAlloc)>>10)
}
