package quire_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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

// TestTraceOfAFormerElemental: a trace id whose ingest was cancelled with the elemental that it was
// of is free for another of the same id.
func TestTraceOfAFormerElemental(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		in := document("Made again under its id", "the former text")
		in.ID = "again"
		f.create(f.ann, in)
		gate := enginetest.NewGate()
		f.embedder.Hold(gate)
		running := f.ingest(f.ann, in.ID, "trace")
		<-gate.Arrived()
		f.check(f.Library.DeleteElemental(t.Context(), f.ann, in.ID))
		f.embedder.Hold(nil)
		gate.Open()
		f.waitStatus(running, quire.JobCancelled)
		in.Body = "the text that is there now"
		f.create(f.ann, in)
		f.wait(f.ingest(f.ann, in.ID, "trace"))
		wantEqual(t, f.ingest(f.ann, in.ID, "trace").Status, quire.JobSucceeded)
		_, err := f.eng.DeleteElemental(t.Context(), f.ann.TenantID, in.ID)
		f.check(err)
		wantEqual(t, f.ingest(f.ann, in.ID, "trace").Status, quire.JobSucceeded) // it asks for nothing new
	})
}

// TestLastVersion: an ingest notices a change that comes meanwhile whatever the version is.
func TestLastVersion(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		e := f.create(f.ann, document("Changed very often", "the former text"))
		f.check(f.store.Update(t.Context(), func(tx quire.Tx) error {
			rec, err := tx.Elemental(t.Context(), e.ID)
			rec.Version = quire.MaxVersion
			return errors.Join(err, tx.PutElemental(t.Context(), rec, quire.IndexedText{Title: "changed"}))
		}))
		gate := enginetest.NewGate()
		f.embedder.Hold(gate)
		j := f.ingest(f.ann, e.ID, "trace")
		<-gate.Arrived()
		f.update(f.ann, e.ID, "the text that is there now")
		f.embedder.Hold(nil)
		gate.Open()
		f.wait(j)
		for _, c := range f.chunks(f.embedder) {
			if strings.Contains(c.Text, "former") {
				t.Errorf("found is %q", c.Text)
			}
		}
	})
}

// bodyless is a Store that refuses to read elementals with their bodies while a change is made.
type bodyless struct{ quire.Store }

type bodylessTx struct{ quire.Tx }

func (s bodyless) Update(ctx context.Context, fn func(quire.Tx) error) error {
	return s.Store.Update(ctx, func(tx quire.Tx) error { return fn(bodylessTx{tx}) })
}

func (bodylessTx) Elementals(context.Context, []string) (map[string]quire.ElementalRecord, error) {
	return nil, errors.New("many elementals are read with their bodies while others wait")
}

// TestDeletionsReadNoBodies: a deletion among what waits to be ingested reads no bodies, of which
// there may be any number.
func TestDeletionsReadNoBodies(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, bodyless{stores[0].open(t)}, quire.EngineOptions{Chunker: paragraphs{}})
	gate := enginetest.NewGate()
	f.embedder.Hold(gate)
	var jobs []quire.Job
	for i := range 250 {
		e := f.create(f.ann, document(fmt.Sprint("One of many to be ingested ", i), "a text"))
		jobs = append(jobs, f.ingest(f.ann, e.ID, ""))
	}
	<-gate.Arrived()
	_, err := f.eng.Delete(t.Context(), quire.Filters{TenantID: f.ann.TenantID, Source: "document"})
	f.check(err)
	f.embedder.Hold(nil)
	gate.Open()
	for _, j := range jobs {
		f.waitStatus(j, quire.JobCancelled)
	}
}
