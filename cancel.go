package quire

import "context"

// CancelJob cancels an ingest of the tenant and returns the job. A queued one never
// starts; a running one is stopped, in this process at once, in another one that works on
// the same Store when that next renews its lease. One that has ended is returned as it
// is. What was ingested before stays. ErrNotFound if the tenant has no such job.
func (e *Engine) CancelJob(ctx context.Context, tenantID, id string) (Job, error) {
	if err := e.open(ctx); err != nil {
		return Job{}, err
	}
	var job Job
	err := e.lib.commit(ctx, func(tx Tx, ch *changes) error {
		j, err := tx.Job(ctx, tenantID, id)
		if CodeOf(err) == CodeNotFound {
			return Errorf(CodeNotFound, "no such job")
		}
		if err != nil {
			return err
		}
		if !j.Status.Final() {
			if j, err = ch.cancelJob(ctx, tx, j); err != nil {
				return err
			}
		}
		job = j
		return nameProblems(ctx, tx, &job)
	})
	return job, err
}
