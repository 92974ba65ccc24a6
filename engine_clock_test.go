package quire_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

// shiftJobs moves all moments of the stored jobs: as if, since they were written, the
// clock had been set back by that much.
func (f *engineFixture) shiftJobs(by time.Duration) {
	f.t.Helper()
	ctx := f.t.Context()
	move := func(at time.Time) time.Time {
		if at.IsZero() {
			return at
		}
		return at.Add(by)
	}
	f.check(f.store.Update(ctx, func(tx quire.Tx) error {
		jobs, _, err := tx.Jobs(ctx, quire.JobQuery{TenantID: f.ann.TenantID, Limit: 1000})
		for _, j := range jobs {
			j.CreatedAt, j.RunAfter, j.LeaseUntil = move(j.CreatedAt), move(j.RunAfter), move(j.LeaseUntil)
			if j.StartedAt != nil {
				j.StartedAt = ptr(move(*j.StartedAt))
			}
			if err := tx.PutJob(ctx, j); err != nil {
				return err
			}
		}
		return err
	}))
}

// TestClockSteps sets the clock back by an hour and ahead by a day, while an ingest is
// queued, runs, was running when its process was killed, or waits for its next attempt.
func TestClockSteps(t *testing.T) {
	t.Parallel()
	states := map[string]func(f *engineFixture, elementalID string) (quire.Job, func()){
		"queued": func(f *engineFixture, elementalID string) (quire.Job, func()) {
			f.stop(f.t.Context())
			f.embedder.Hold(enginetest.NewGate()) // nobody gets on with it
			f.start()
			job := f.ingest(f.ann, elementalID, "")
			f.stop(f.t.Context())
			f.embedder.Hold(nil)
			return job, f.start
		},
		"running": func(f *engineFixture, elementalID string) (quire.Job, func()) {
			gate := enginetest.NewGate()
			f.embedder.Hold(gate)
			job := f.ingest(f.ann, elementalID, "")
			<-gate.Arrived()
			return job, func() {
				time.Sleep(time.Minute) // renewals of the lease
				gate.Open()
			}
		},
		"killed": func(f *engineFixture, elementalID string) (quire.Job, func()) {
			f.stop(f.t.Context())
			return f.killed(elementalID, 1), f.start
		},
	}
	cases, right := 0, 0
	for name, prepare := range states {
		for step, by := range map[string]time.Duration{"back by an hour": time.Hour, "ahead by a day": -24 * time.Hour} {
			cases++
			synctest.Test(t, func(t *testing.T) {
				f := newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Chunker: paragraphs{}, Workers: 2})
				e := f.create(f.ann, document("Ingested by an odd clock", "one\n\ntwo"))
				later := f.create(f.ann, document("Asked for after the step", "three"))
				job, goOn := prepare(f, e.ID)
				f.shiftJobs(by)
				begin := time.Now()
				goOn()
				next := f.ingest(f.ann, later.ID, "")
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
				defer cancel()
				for _, j := range []quire.Job{job, next} {
					done, err := f.eng.Wait(ctx, j.TenantID, j.ID)
					if err != nil || done.Status != quire.JobSucceeded {
						t.Errorf("%s, clock %s: job %+v, %v", name, step, done, err)
					}
					for _, at := range []time.Time{done.CreatedAt, *done.StartedAt, *done.FinishedAt} {
						if at.Location() != time.UTC {
							t.Errorf("%v is not in UTC", at)
						}
					}
				}
				if took := time.Since(begin); took > 2*time.Minute {
					t.Errorf("%s, clock %s: took %v", name, step, took)
				}
				wantEqual(t, fmt.Sprint(f.texts(e.ID), f.texts(later.ID)), "[Ingested by an odd clock one two] [Asked for after the step three]")
				if !t.Failed() {
					right++
				}
			})
		}
	}
	t.Logf("C12: %d of %d steps of the clock changed neither order nor leases", right, cases)
}

// TestVerifyAfterClockWasAhead: a change after the clock was set back is no fault, whether the
// elemental was ingested anew or not.
func TestVerifyAfterClockWasAhead(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Chunker: paragraphs{}})
	for _, known := range []bool{false, true} {
		id := f.add(f.ann, fmt.Sprint("Of a lighthouse, known: ", known), "the lamp burns").ID
		if known {
			_, err := f.UpdateElemental(t.Context(), f.ann, id, quire.ElementalPatch{KnowledgeBase: ptr(true)})
			f.check(err)
		}
		f.settle(f.ann)
		f.waitStatus(f.ingest(f.ann, id, ""), quire.JobSucceeded)
		f.shiftJobs(24 * time.Hour)
		f.update(f.ann, id, "the keeper sleeps")
		f.settle(f.ann)
		report, err := f.eng.Verify(t.Context())
		if err != nil || !report.Sound() {
			t.Errorf("%s: %v, %v", id, report.Faults, err)
		}
	}
}
