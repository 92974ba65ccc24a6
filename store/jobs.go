package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/quirelib/quire"
)

// jobKey is what a job is found by.
type jobKey struct{ tenantID, id string }

// jobOwner is what a job is of.
type jobOwner struct{ tenantID, elementalID string }

// deriveJob keeps activeJobs in the order of Seq, which no job changes, and jobsOf.
func (d *data) deriveJob(old, cur *quire.Job) {
	if old != nil {
		d.jobsOf.remove(jobOwner{old.TenantID, old.ElementalID}, old.ID)
	}
	if cur != nil {
		d.jobsOf.add(jobOwner{cur.TenantID, cur.ElementalID}, cur.ID, cur)
	}
	if old != nil && !old.Status.Final() {
		i, _ := d.activeIndex(old.Seq)
		d.activeJobs = slices.Delete(d.activeJobs, i, i+1)
	}
	if cur != nil && !cur.Status.Final() {
		i, _ := d.activeIndex(cur.Seq)
		d.activeJobs = slices.Insert(d.activeJobs, i, cur)
	}
}

func (d *data) activeIndex(seq int64) (int, bool) {
	return slices.BinarySearchFunc(d.activeJobs, seq, func(j *quire.Job, seq int64) int {
		return cmp.Compare(j.Seq, seq)
	})
}

// Job implements [quire.JobReader].
func (tx readTx) Job(ctx context.Context, tenantID, id string) (quire.Job, error) {
	return found(ctx, tx.jobs.rows[jobKey{tenantID, id}], cloneJob, "job")
}

// Jobs implements [quire.JobReader].
func (tx readTx) Jobs(ctx context.Context, q quire.JobQuery) ([]quire.Job, int, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	all := slices.Collect(maps.Values(tx.jobsOf[jobOwner{q.TenantID, q.ElementalID}]))
	if q.ElementalID == "" {
		for k, j := range tx.jobs.rows {
			if k.tenantID == q.TenantID {
				all = append(all, j)
			}
		}
	}
	slices.SortFunc(all, func(a, b *quire.Job) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Seq, a.Seq))
	})
	var jobs []quire.Job
	for _, j := range page(all, q.Offset, q.Limit) {
		jobs = append(jobs, cloneJob(*j))
	}
	return jobs, len(all), nil
}

// ActiveJobs implements [quire.JobReader].
func (tx readTx) ActiveJobs(ctx context.Context, tenantID, elementalID string) ([]quire.Job, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var jobs []quire.Job
	for _, j := range tx.activeJobs {
		if j.TenantID == tenantID && (elementalID == "" || j.ElementalID == elementalID) {
			jobs = append(jobs, cloneJob(*j))
		}
	}
	return jobs, nil
}

// OrphanJobs implements [quire.JobReader].
func (tx readTx) OrphanJobs(ctx context.Context, before time.Time, limit int) ([]quire.Job, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var jobs []quire.Job
	for _, j := range tx.jobs.rows {
		if j.Status == quire.JobCancelled && j.FinishedAt != nil && j.FinishedAt.Before(before) && tx.elementals.rows[j.ElementalID] == nil {
			jobs = append(jobs, cloneJob(*j))
		}
	}
	slices.SortFunc(jobs, func(a, b quire.Job) int { return cmp.Compare(a.Seq, b.Seq) })
	return jobs[:min(limit, len(jobs))], nil
}

// CountJobs implements [quire.JobReader].
func (tx readTx) CountJobs(ctx context.Context) (map[quire.JobStatus]int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	counts := map[quire.JobStatus]int{}
	for _, j := range tx.jobs.rows {
		counts[j.Status]++
	}
	return counts, nil
}

// NextJob implements [quire.JobReader].
func (tx readTx) NextJob(ctx context.Context) (time.Time, error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	running := map[string][]*quire.Job{} // by elemental
	for _, j := range tx.activeJobs {
		if j.Status == quire.JobRunning {
			running[j.ElementalID] = append(running[j.ElementalID], j)
		}
	}
	var earliest *time.Time
	for _, j := range tx.activeJobs {
		t := dueAt(j)
		for _, other := range running[j.ElementalID] {
			if other != j && other.LeaseUntil.After(t) {
				t = other.LeaseUntil
			}
		}
		if earliest == nil || t.Before(*earliest) {
			earliest = &t
		}
	}
	if earliest == nil {
		return time.Time{}, notFound("job")
	}
	return *earliest, nil
}

// dueAt is the moment from which an active job may be taken, as far as it depends
// on the job alone.
func dueAt(j *quire.Job) time.Time {
	if j.Status == quire.JobRunning {
		return j.LeaseUntil
	}
	return j.RunAfter
}

// PutJob implements [quire.JobWriter].
func (tx *writeTx) PutJob(ctx context.Context, j quire.Job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if old := tx.jobs.rows[jobKey{j.TenantID, j.ID}]; old != nil {
		j.Seq = old.Seq
	} else {
		j.Seq = tx.next(&tx.lastSeq)
	}
	tx.setJob(j)
	return nil
}

func (tx *writeTx) setJob(j quire.Job) {
	tx.jobs.set(&tx.undo, jobKey{j.TenantID, j.ID}, new(cloneJob(j)))
}

// ClaimJob implements [quire.JobWriter].
func (tx *writeTx) ClaimJob(ctx context.Context, now time.Time, owner string, leaseUntil time.Time) (quire.Job, error) {
	if err := ctx.Err(); err != nil {
		return quire.Job{}, err
	}
	i := slices.IndexFunc(tx.activeJobs, func(j *quire.Job) bool {
		return !dueAt(j).After(now) && !tx.leased(j.ElementalID, now)
	})
	if i < 0 {
		return quire.Job{}, notFound("job")
	}
	j := cloneJob(*tx.activeJobs[i])
	j.Status = quire.JobRunning
	j.LeaseOwner, j.LeaseUntil = owner, moment(leaseUntil)
	j.Attempts++
	if j.StartedAt == nil {
		j.StartedAt = new(moment(now))
	}
	tx.setJob(j)
	return j, nil
}

// DeleteJob implements [quire.JobWriter].
func (tx *writeTx) DeleteJob(ctx context.Context, tenantID, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if k := (jobKey{tenantID, id}); tx.jobs.rows[k] != nil {
		tx.jobs.set(&tx.undo, k, nil)
	}
	return nil
}

// leased reports whether a job of the elemental runs under a lease that lasts.
func (d *data) leased(elementalID string, now time.Time) bool {
	return slices.ContainsFunc(d.activeJobs, func(j *quire.Job) bool {
		return j.ElementalID == elementalID && j.Status == quire.JobRunning && j.LeaseUntil.After(now)
	})
}
