package quire

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// jobsKept is how many jobs of an elemental are kept, the newest: for who asks how an ingest
// ended, or for it again by the same trace id.
const jobsKept = 16

// jobRest is how long a job is kept after it has ended, so that whoever waits for it reads how.
const jobRest = time.Minute

// oldJobs is how many of the oldest jobs of an elemental are looked at when a new one comes.
const oldJobs = 64

// dropOldJobs makes room for a new job of an elemental: of the jobs that would not be among
// the jobsKept newest, the oldest that have ended go. Their Seq says which are new, whatever
// the clock was set to.
func dropOldJobs(ctx context.Context, tx Tx, rec ElementalRecord) error {
	const kept = jobsKept - 1
	jobs, err := oldestJobs(ctx, tx, rec, kept+oldJobs)
	if err != nil {
		return err
	}
	slices.SortFunc(jobs, func(a, b Job) int { return cmp.Compare(b.Seq, a.Seq) })
	rested := now().Add(-jobRest)
	return dropJobs(ctx, tx, jobs[min(kept, len(jobs)):], func(j Job) bool { return j.FinishedAt == nil || j.FinishedAt.Before(rested) })
}

// dropEndedJobs deletes the jobs of an elemental that have ended.
func dropEndedJobs(ctx context.Context, tx Tx, rec ElementalRecord) error {
	jobs, err := oldestJobs(ctx, tx, rec, math.MaxInt)
	if err != nil {
		return err
	}
	return dropJobs(ctx, tx, jobs, func(Job) bool { return true })
}

// dropOrphanJobs deletes jobs that were cancelled when their elementals were deleted: not in the
// transaction that did, so that whoever waits for them reads how they ended, but in a later one
// that leaves such jobs itself.
func dropOrphanJobs(ctx context.Context, tx Tx) error {
	jobs, err := tx.OrphanJobs(ctx, now().Add(-jobRest), 4*oldJobs)
	if err != nil {
		return err
	}
	return dropJobs(ctx, tx, jobs, func(Job) bool { return true })
}

// orphanWatch says when orphan jobs are looked for, which reads all jobs that were cancelled: after
// some have become such, and a minute or as many as are looked for.
type orphanWatch struct {
	mu     sync.Mutex
	since  int // how many were cancelled since
	looked time.Time
}

// due reports whether it is time, when so many more are cancelled.
func (w *orphanWatch) due(cancelled int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since += cancelled
	if cancelled == 0 || w.since < oldJobs && time.Since(w.looked) < jobRest {
		return false
	}
	w.since, w.looked = 0, time.Now()
	return true
}

// oldestJobs returns the jobs of an elemental, of more than most the last in their order.
func oldestJobs(ctx context.Context, tx Tx, rec ElementalRecord, most int) ([]Job, error) {
	q := JobQuery{TenantID: rec.TenantID, ElementalID: rec.ID, Limit: 1}
	jobs, total, err := tx.Jobs(ctx, q)
	if err != nil || total <= 1 {
		return jobs, err
	}
	q.Offset, q.Limit = max(0, total-most), min(most, total)
	jobs, _, err = tx.Jobs(ctx, q)
	return jobs, err
}

// dropJobs deletes those jobs that have ended and may go.
func dropJobs(ctx context.Context, tx Tx, jobs []Job, may func(Job) bool) error {
	for _, j := range jobs {
		if !j.Status.Final() || !may(j) {
			continue
		}
		if err := tx.DeleteJob(ctx, j.TenantID, j.ID); err != nil {
			return err
		}
	}
	return nil
}
