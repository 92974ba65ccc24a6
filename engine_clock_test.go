package quire_test

import (
	"fmt"
	"slices"
	"strings"
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

// clockState brings an ingest of e to where the clock is set, and returns its job and what goes on
// afterwards. later is to be asked for after the step.
type clockState struct {
	workers  int
	attempts int // that the job takes
	prepare  func(f *engineFixture, e, later quire.Elemental) (job quire.Job, goOn func())
}

// clockStates are what an ingest may be doing meanwhile.
var clockStates = map[string]clockState{
	"queued": {2, 1, func(f *engineFixture, e, _ quire.Elemental) (quire.Job, func()) {
		f.stop(f.t.Context())
		f.embedder.Hold(enginetest.NewGate()) // nobody gets on with it
		f.start()
		job := f.ingest(f.ann, e.ID, "")
		f.stop(f.t.Context())
		f.embedder.Hold(nil)
		return job, f.start
	}},
	// Longer than its lease, wherever the step puts the end of that, beside a worker that looks for work.
	"running": {2, 1, func(f *engineFixture, e, later quire.Elemental) (quire.Job, func()) {
		job, open := f.heldBack(e)
		return job, func() {
			time.Sleep(time.Minute)
			f.embedder.Hold(nil)
			f.waitStatus(f.ingest(f.ann, later.ID, ""), quire.JobSucceeded)
			time.Sleep(3 * time.Hour)
			open()
		}
	}},
	"killed": {2, 2, func(f *engineFixture, e, _ quire.Elemental) (quire.Job, func()) {
		f.stop(f.t.Context())
		return f.killed(e.ID, 1), f.start
	}},
	// Behind others that were asked for before it; what is asked for later has a later id and, where
	// the clock is set back, an earlier time.
	"in line": {1, 1, func(f *engineFixture, e, later quire.Elemental) (quire.Job, func()) {
		first := f.create(f.ann, document("The first in line", "zero"))
		_, open := f.heldBack(first)
		job := f.ingest(f.ann, e.ID, "z")
		return job, func() {
			f.ingest(f.ann, later.ID, "a")
			open()
			f.settle(f.ann)
			wantEqual(f.t, slices.DeleteFunc(f.embedder.Texts(), func(text string) bool { return !strings.Contains(text, "\n") }), []string{
				"The first in line\nzero", "Ingested by an odd clock\none", "Ingested by an odd clock\ntwo", "Asked for after the step\nthree",
			})
		}
	}},
}

// heldBack asks for the ingest of an elemental, which waits for its vectors until open is called.
func (f *engineFixture) heldBack(e quire.Elemental) (job quire.Job, open func()) {
	f.t.Helper()
	gate := enginetest.NewGate()
	f.embedder.Hold(gate)
	job = f.ingest(f.ann, e.ID, "")
	<-gate.Arrived()
	return job, gate.Open
}

// TestClockSteps sets the clock back by an hour and ahead by a day, while an ingest is
// queued, runs, was running when its process was killed, or waits for its turn.
func TestClockSteps(t *testing.T) {
	t.Parallel()
	cases, right := 0, 0
	for _, s := range stores {
		for name, state := range clockStates {
			for step, by := range map[string]time.Duration{"back by an hour": time.Hour, "ahead by a day": -24 * time.Hour} {
				cases++
				if t.Run(fmt.Sprint(s.name, ", ", name, ", ", step), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						state.step(newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}, Workers: state.workers}), by)
					})
				}) {
					right++
				}
			}
		}
	}
	t.Logf("C12: %d of %d steps of the clock, on %d stores, changed neither order nor leases", right, cases, len(stores))
}

// step sets the clock in a state: all is ingested soon, in as many attempts as without the step.
func (s clockState) step(f *engineFixture, by time.Duration) {
	e := f.create(f.ann, document("Ingested by an odd clock", "one\n\ntwo"))
	later := f.create(f.ann, document("Asked for after the step", "three"))
	job, goOn := s.prepare(f, e, later)
	time.Sleep(30 * time.Second) // no worker is about to look for a job before the lease is renewed
	synctest.Wait()
	f.shiftJobs(by)
	goOn()
	begin := time.Now()
	next := f.ingest(f.ann, later.ID, "")
	for _, j := range []quire.Job{job, next} {
		done := f.waitStatus(j, quire.JobSucceeded)
		if want := map[bool]int{true: s.attempts, false: 1}[j.ID == job.ID]; done.Attempts != want {
			f.t.Errorf("%d attempts instead of %d: %+v", done.Attempts, want, done)
		}
		for _, at := range []time.Time{done.CreatedAt, *done.StartedAt, *done.FinishedAt} {
			if at.Location() != time.UTC {
				f.t.Errorf("%v is not in UTC", at)
			}
		}
	}
	if took := time.Since(begin); took > 2*time.Minute {
		f.t.Errorf("took %v", took)
	}
	wantEqual(f.t, fmt.Sprint(f.texts(e.ID), f.texts(later.ID)), "[Ingested by an odd clock one two] [Asked for after the step three]")
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
