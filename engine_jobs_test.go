package quire_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

// TestJobsKept: of the jobs of an elemental that have ended the last 16 are kept, none of
// them when it is deleted, and what the deletion cancels stays for who waits for it.
func TestJobsKept(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}})
				e := f.create(f.ann, document("What is ingested often", "a text"))
				other := f.create(f.ann, document("What is ingested once", "another text"))
				f.wait(f.ingest(f.ann, other.ID, "the other's"))
				for i := range 20 {
					f.wait(f.ingest(f.ann, e.ID, fmt.Sprint("trace ", i)))
				}
				jobs := func(id string) (ids []string) {
					page, err := f.eng.Jobs(t.Context(), f.ann.TenantID, id, quire.Page{Number: 1, Size: 100})
					f.check(err)
					for _, j := range page.Items {
						ids = append(ids, j.ID)
					}
					return ids
				}
				var want []string
				for i := 19; i >= 4; i-- {
					want = append(want, fmt.Sprint("trace ", i))
				}
				wantEqual(t, jobs(e.ID), want)
				wantEqual(t, f.ingest(f.ann, e.ID, "trace 4").Status, quire.JobSucceeded)

				gate := enginetest.NewGate()
				f.embedder.Hold(gate)
				f.update(f.ann, e.ID, "a new text")
				running := f.ingest(f.ann, e.ID, "running")
				<-gate.Arrived()
				f.check(f.Library.DeleteElemental(t.Context(), f.ann, e.ID))
				f.embedder.Hold(nil)
				gate.Open()
				f.waitStatus(running, quire.JobCancelled)
				wantEqual(t, jobs(e.ID), []string{"running"})
				wantEqual(t, jobs(other.ID), []string{"the other's"})
			})
		})
	}
}
