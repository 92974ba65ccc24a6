package quire_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

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
					time.Sleep(2 * time.Minute) // until then it is kept for who waits for it
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

				// The clock is set back by a day: what is new has older times than the rest.
				f.check(f.store.Update(t.Context(), func(tx quire.Tx) error {
					of, _, err := tx.Jobs(t.Context(), quire.JobQuery{TenantID: f.ann.TenantID, ElementalID: e.ID, Limit: 100})
					for _, j := range of {
						j.CreatedAt = j.CreatedAt.Add(24 * time.Hour)
						err = errors.Join(err, tx.PutJob(t.Context(), j))
					}
					return err
				}))
				want = nil
				for i := range 5 {
					after := fmt.Sprint("after ", i)
					f.wait(f.ingest(f.ann, e.ID, after))
					time.Sleep(2 * time.Minute)
					want = slices.Insert(want, 0, after)
				}
				kept := jobs(e.ID)
				wantEqual(t, kept[len(kept)-len(want):], want)

				deleted := func(id, trace string) { // while its ingest runs
					gate := enginetest.NewGate()
					f.embedder.Hold(gate)
					running := f.ingest(f.ann, id, trace)
					<-gate.Arrived()
					f.check(f.Library.DeleteElemental(t.Context(), f.ann, id))
					f.embedder.Hold(nil)
					gate.Open()
					f.waitStatus(running, quire.JobCancelled)
				}
				f.update(f.ann, e.ID, "a new text")
				deleted(e.ID, "running")
				wantEqual(t, jobs(e.ID), []string{"running"})
				wantEqual(t, jobs(other.ID), []string{"the other's"})
				for i := range 3 { // each takes away what those before it left
					time.Sleep(2 * time.Minute)
					next := f.create(f.ann, document("What is deleted soon", fmt.Sprint("a text ", i)))
					deleted(next.ID, fmt.Sprint("running ", i))
					wantEqual(t, jobs(""), []string{fmt.Sprint("running ", i), "the other's"})
				}
			})
		})
	}
}

// TestJobsAreFound: whoever waits for a job reads how it ended, however many others of the
// elemental end meanwhile.
func TestJobsAreFound(t *testing.T) {
	t.Parallel()
	const clients, each = 8, 50
	f := onMemory(t)
	e := f.create(f.ann, document("What is ingested by many", "a text"))
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := range each {
				j, err := f.eng.Ingest(t.Context(), f.ann.TenantID, quire.IngestRequest{ElementalID: e.ID, TraceID: fmt.Sprint(c, " ", i)})
				if err == nil {
					j, err = f.eng.Wait(t.Context(), f.ann.TenantID, j.ID)
				}
				if err != nil || j.Status != quire.JobSucceeded {
					t.Errorf("job %s, %v", j.Status, err)
				}
			}
		})
	}
	wg.Wait()
}
