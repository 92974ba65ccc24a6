package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/quirelib/quire"
)

var (
	jobColumns = columns{"tenant_id", "id", "elemental_id", "status", "stage", "done", "total", "attempts", "error", "problems",
		"created_at", "started_at", "finished_at", "run_after", "lease_owner", "lease_until"}
	selectJob = `SELECT ` + jobColumns.of("j") + `, j.seq FROM jobs j `
	insertJob = jobColumns.insert("jobs")
	updateJob = jobColumns[2:].update("jobs") + ` WHERE tenant_id = ? AND id = ?`
)

func scanJob(row scanner) (j quire.Job, err error) {
	err = row.Scan(&j.TenantID, &j.ID, &j.ElementalID, &j.Status, &j.Stage, &j.Done, &j.Total, &j.Attempts, &j.Error, arrayTo[quire.JobProblem]{&j.Problems},
		moment{&j.CreatedAt}, optMoment{&j.StartedAt}, optMoment{&j.FinishedAt}, moment{&j.RunAfter},
		&j.LeaseOwner, moment{&j.LeaseUntil}, &j.Seq)
	return j, err
}

// jobValues are the values of jobColumns without those of the key.
func jobValues(j quire.Job) []any {
	return []any{j.ElementalID, j.Status, j.Stage, j.Done, j.Total, j.Attempts, j.Error, array(j.Problems),
		micros(j.CreatedAt), optMicros(j.StartedAt), optMicros(j.FinishedAt), micros(j.RunAfter),
		j.LeaseOwner, micros(j.LeaseUntil)}
}

// Job implements quire.JobReader.
func (t *tx) Job(ctx context.Context, tenantID, id string) (quire.Job, error) {
	return one(ctx, t, scanJob, selectJob+`WHERE j.tenant_id = ? AND j.id = ?`, tenantID, id)
}

// Jobs implements quire.JobReader.
func (t *tx) Jobs(ctx context.Context, q quire.JobQuery) ([]quire.Job, int, error) {
	var w where
	w.add(`j.tenant_id = ?`, q.TenantID)
	w.addIf(`j.elemental_id = ?`, q.ElementalID)
	total, err := one(ctx, t, value[int], `SELECT count(*) FROM jobs j WHERE `+w.String(), w.args...)
	if err != nil {
		return nil, 0, err
	}
	jobs, err := all(ctx, t, scanJob, selectJob+`WHERE `+w.String()+`
		ORDER BY j.created_at DESC, j.seq DESC LIMIT ? OFFSET ?`, append(w.args, q.Limit, q.Offset)...)
	return jobs, total, err
}

// ActiveJobs implements quire.JobReader.
func (t *tx) ActiveJobs(ctx context.Context, tenantID, elementalID string) ([]quire.Job, error) {
	var w where
	w.add(`j.status IN ('queued', 'running')`) // as in the index jobs_active
	w.add(`j.tenant_id = ?`, tenantID)
	w.addIf(`j.elemental_id = ?`, elementalID)
	return all(ctx, t, scanJob, selectJob+`INDEXED BY jobs_active WHERE `+w.String()+` ORDER BY j.seq`, w.args...)
}

// OrphanJobs implements quire.JobReader.
func (t *tx) OrphanJobs(ctx context.Context, before time.Time, limit int) ([]quire.Job, error) {
	return all(ctx, t, scanJob, selectJob+`INDEXED BY jobs_by_status WHERE j.status = 'cancelled' AND j.finished_at < ?
		AND NOT EXISTS (SELECT 1 FROM elementals e WHERE e.id = j.elemental_id) ORDER BY j.seq LIMIT ?`, micros(before), limit)
}

// CountJobs implements quire.JobReader.
func (t *tx) CountJobs(ctx context.Context) (map[quire.JobStatus]int, error) {
	counts := map[quire.JobStatus]int{}
	_, err := all(ctx, t, func(row scanner) (struct{}, error) {
		var status quire.JobStatus
		var n int
		err := row.Scan(&status, &n)
		counts[status] = n
		return struct{}{}, err
	}, `SELECT j.status, count(*) FROM jobs j GROUP BY j.status`)
	return counts, err
}

// NextJob implements quire.JobReader. A queued job whose elemental has running
// ones cannot be claimed before the last of their leases has ended, when one of
// those can: they stand for it.
func (t *tx) NextJob(ctx context.Context) (time.Time, error) {
	at, err := one(ctx, t, value[sql.Null[int64]], `SELECT min(at) FROM (
		SELECT max(j.lease_until) AS at FROM jobs j INDEXED BY jobs_running
		WHERE j.status = 'running' GROUP BY j.elemental_id
		UNION ALL
		SELECT * FROM (
			SELECT j.run_after FROM jobs j INDEXED BY jobs_queued
			WHERE j.status = 'queued' AND NOT EXISTS (
				SELECT 1 FROM jobs r WHERE r.status = 'running' AND r.elemental_id = j.elemental_id)
			ORDER BY j.run_after LIMIT 1))`)
	switch {
	case err != nil:
		return time.Time{}, err
	case !at.Valid:
		return time.Time{}, quire.ErrNotFound
	}
	return time.UnixMicro(at.V).UTC(), nil
}

// PutJob implements quire.JobWriter.
func (t *tx) PutJob(ctx context.Context, j quire.Job) error {
	// An upsert would take a Seq even if it replaces.
	n, err := t.exec(ctx, updateJob, append(jobValues(j), j.TenantID, j.ID)...)
	if err != nil {
		return failure(ctx, err)
	}
	if n > 0 {
		return nil
	}
	return t.run(ctx, insertJob, append([]any{j.TenantID, j.ID}, jobValues(j)...)...)
}

// runnableJob selects the smallest seq of a job that can be claimed. NOT EXISTS
// leaves out the jobs of elementals that another one holds.
const runnableJob = `
	SELECT min(seq) FROM (
		SELECT * FROM (SELECT j.seq FROM jobs j WHERE j.status = 'queued' AND j.run_after <= ?1` + notHeld + `
			ORDER BY j.seq LIMIT 1)
		UNION ALL
		SELECT * FROM (SELECT j.seq FROM jobs j WHERE j.status = 'running' AND j.lease_until <= ?1` + notHeld + `
			ORDER BY j.seq LIMIT 1))`

const notHeld = ` AND NOT EXISTS (
	SELECT 1 FROM jobs r WHERE r.status = 'running' AND r.elemental_id = j.elemental_id AND r.lease_until > ?1)`

// ClaimJob implements quire.JobWriter. Updates run one at a time, so that what is
// found here cannot be claimed by another before it is written.
func (t *tx) ClaimJob(ctx context.Context, now time.Time, owner string, leaseUntil time.Time) (quire.Job, error) {
	seq, err := one(ctx, t, value[sql.Null[int64]], runnableJob, micros(now))
	switch {
	case err != nil:
		return quire.Job{}, err
	case !seq.Valid:
		return quire.Job{}, quire.ErrNotFound
	}
	err = t.run(ctx, `UPDATE jobs SET status = 'running', lease_owner = ?, lease_until = ?,
		attempts = attempts + 1, started_at = coalesce(started_at, ?) WHERE seq = ?`,
		owner, micros(leaseUntil), micros(now), seq.V)
	if err != nil {
		return quire.Job{}, err
	}
	return one(ctx, t, scanJob, selectJob+`WHERE j.seq = ?`, seq.V)
}

// DeleteJob implements quire.JobWriter.
func (t *tx) DeleteJob(ctx context.Context, tenantID, id string) error {
	return t.run(ctx, `DELETE FROM jobs WHERE tenant_id = ? AND id = ?`, tenantID, id)
}
