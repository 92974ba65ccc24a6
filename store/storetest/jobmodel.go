package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/quirelib/quire"
)

// jobModel is the plain model of the jobs of one history, in the order of their
// Seq. Jobs of former histories stay, so that every history has tenants of its own.
type jobModel struct {
	round int
	jobs  []quire.Job
}

func modelJobs(t *testing.T, s *store) {
	round := 0
	begin := func(_ *rapid.T, ctx context.Context, tx quire.Tx) (*jobModel, error) {
		round++
		return &jobModel{round: round}, finishJobs(ctx, tx, round-1)
	}
	runModel(t, s, begin, rapid.OneOf(drawPutJob(), drawPutJob(), drawClaim(), drawClaim(), drawDelete()))
}

// finishJobs ends the jobs of a history, which the next one would claim.
func finishJobs(ctx context.Context, tx quire.Tx, round int) error {
	for tenant := range 2 {
		active, err := tx.ActiveJobs(ctx, tenantID(round, tenant), "")
		if err != nil {
			return err
		}
		for _, j := range active {
			j.Status = quire.JobSucceeded
			if err := tx.PutJob(ctx, j); err != nil {
				return err
			}
		}
	}
	return nil
}

func tenantID(round, tenant int) string { return fmt.Sprint("round ", round, " tenant ", tenant) }

func (m *jobModel) clone() *jobModel { return &jobModel{m.round, slices.Clone(m.jobs)} }

func drawPutJob() *rapid.Generator[action[*jobModel]] {
	return rapid.Custom(func(rt *rapid.T) action[*jobModel] {
		tenant := rapid.IntRange(0, 1).Draw(rt, "tenant")
		j := queuedJob("", rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(rt, "id"), "", at(rapid.IntRange(0, 6).Draw(rt, "run after")))
		elemental := rapid.IntRange(0, 1).Draw(rt, "elemental")
		j.Status = rapid.SampledFrom([]quire.JobStatus{
			quire.JobQueued, quire.JobQueued, quire.JobQueued, quire.JobRunning, quire.JobRunning,
			quire.JobSucceeded, quire.JobFailed, quire.JobCancelled,
		}).Draw(rt, "status")
		j.CreatedAt = at(rapid.IntRange(0, 2).Draw(rt, "created"))
		j.LeaseUntil = at(rapid.IntRange(0, 6).Draw(rt, "lease until"))
		return func(ctx context.Context, tx quire.Tx, m *jobModel) error {
			j := j // the action may run in several histories
			j.TenantID = tenantID(m.round, tenant)
			j.ElementalID = fmt.Sprint(j.TenantID, " elemental ", elemental)
			if i := m.find(j.TenantID, j.ID); i >= 0 {
				m.jobs[i] = j
			} else {
				m.jobs = append(m.jobs, j)
			}
			return tx.PutJob(ctx, j)
		}
	})
}

func drawClaim() *rapid.Generator[action[*jobModel]] {
	return rapid.Custom(func(rt *rapid.T) action[*jobModel] {
		now := at(rapid.IntRange(0, 6).Draw(rt, "now"))
		until := now.Add(time.Duration(rapid.IntRange(0, 3).Draw(rt, "lease")) * time.Minute)
		return func(ctx context.Context, tx quire.Tx, m *jobModel) error {
			got, err := tx.ClaimJob(ctx, now, "worker", until)
			i := m.claimable(now)
			if i < 0 {
				if !errors.Is(err, quire.ErrNotFound) {
					return fmt.Errorf("ClaimJob at %v: got job %+v, error %v, want ErrNotFound", now, got, err)
				}
				return nil
			}
			j := &m.jobs[i]
			j.Status, j.LeaseOwner, j.LeaseUntil = quire.JobRunning, "worker", until
			j.Attempts++
			if j.StartedAt == nil {
				j.StartedAt = &now
			}
			return cmp.Or(err, differ("ClaimJob", noSeq(got), *j))
		}
	})
}

func drawDelete() *rapid.Generator[action[*jobModel]] {
	return rapid.Custom(func(rt *rapid.T) action[*jobModel] {
		tenant, id := rapid.IntRange(0, 1).Draw(rt, "tenant"), rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(rt, "id")
		return func(ctx context.Context, tx quire.Tx, m *jobModel) error {
			tenantID := tenantID(m.round, tenant)
			if i := m.find(tenantID, id); i >= 0 {
				m.jobs = slices.Delete(m.jobs, i, i+1)
			}
			return tx.DeleteJob(ctx, tenantID, id)
		}
	})
}

func (m *jobModel) find(tenantID, id string) int {
	return slices.IndexFunc(m.jobs, func(j quire.Job) bool { return j.TenantID == tenantID && j.ID == id })
}

// claimable returns the place of the job that a claim takes, or -1.
func (m *jobModel) claimable(now time.Time) int {
	return slices.IndexFunc(m.jobs, func(j quire.Job) bool {
		due := j.Status == quire.JobQueued && !j.RunAfter.After(now) || j.Status == quire.JobRunning && !j.LeaseUntil.After(now)
		busy := slices.ContainsFunc(m.jobs, func(o quire.Job) bool {
			return o.ElementalID == j.ElementalID && o.Status == quire.JobRunning && o.LeaseUntil.After(now)
		})
		return due && !busy
	})
}

// next returns the first moment with a claimable job, trying those at which
// anything can change.
func (m *jobModel) next() (time.Time, bool) {
	var moments []time.Time
	for _, j := range m.jobs {
		moments = append(moments, j.RunAfter, j.LeaseUntil)
	}
	slices.SortFunc(moments, time.Time.Compare)
	for _, t := range moments {
		if m.claimable(t) >= 0 {
			return t, true
		}
	}
	return time.Time{}, false
}

// matching returns the jobs that a condition holds for, by Seq.
func (m *jobModel) matching(cond func(quire.Job) bool) []quire.Job {
	var js []quire.Job
	for _, j := range m.jobs {
		if cond(j) {
			js = append(js, j)
		}
	}
	return js
}

func (m *jobModel) check(_ *rapid.T, ctx context.Context, tx quire.ReadTx) error {
	got, err := tx.NextJob(ctx)
	want, ok := m.next()
	switch {
	case !ok && !errors.Is(err, quire.ErrNotFound):
		return fmt.Errorf("NextJob: got %v, error %v, want ErrNotFound", got, err)
	case ok:
		if err := cmp.Or(err, differ("NextJob", got, want)); err != nil {
			return err
		}
	}
	for tenant := range 2 {
		if err := m.checkTenant(ctx, tx, tenantID(m.round, tenant)); err != nil {
			return err
		}
	}
	return nil
}

func (m *jobModel) checkTenant(ctx context.Context, tx quire.ReadTx, tenantID string) error {
	for _, elementalID := range []string{"", tenantID + " elemental 0", tenantID + " elemental 1"} {
		active, err := tx.ActiveJobs(ctx, tenantID, elementalID)
		want := m.matching(func(j quire.Job) bool {
			return j.TenantID == tenantID && !j.Status.Final() && (elementalID == "" || j.ElementalID == elementalID)
		})
		if err := cmp.Or(err, differ("ActiveJobs", withoutSeqs(active), want)); err != nil {
			return err
		}
		jobs, total, err := tx.Jobs(ctx, quire.JobQuery{TenantID: tenantID, ElementalID: elementalID, Limit: 100})
		want = m.matching(func(j quire.Job) bool {
			return j.TenantID == tenantID && (elementalID == "" || j.ElementalID == elementalID)
		})
		slices.Reverse(want) // ties by descending Seq
		slices.SortStableFunc(want, func(a, b quire.Job) int { return b.CreatedAt.Compare(a.CreatedAt) })
		err = cmp.Or(err, differ("Jobs", withoutSeqs(jobs), want), differ("total of Jobs", total, len(want)))
		if err != nil {
			return err
		}
	}
	return nil
}

func withoutSeqs(js []quire.Job) []quire.Job {
	for i := range js {
		js[i] = noSeq(js[i])
	}
	return js
}
