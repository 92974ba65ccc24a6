package quire

import (
	"context"
	"sync"
	"time"
)

const (
	leaseTime    = 60 * time.Second // how long a worker that is silent keeps its job
	heartbeat    = 20 * time.Second // how often a worker renews its lease
	progressTime = time.Second      // how often progress is written, at most
)

// The stages of a job. A running job is never in stage "queued": that tells jobs
// that ran from those that did not (see takeBack).
const (
	stageQueued  = "queued"
	stageExtract = "extract"
	stageEmbed   = "embed"
	stageCommit  = "commit"
	stageDone    = "done"
)

// now is the present time as a Store keeps it.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// ended returns the job in a final state.
func (j Job) ended(s JobStatus, reason string) Job {
	at := now()
	j.Status, j.Stage, j.Error, j.FinishedAt = s, stageDone, reason, &at
	j.LeaseOwner, j.LeaseUntil = "", time.Time{}
	return j
}

// requeued returns the job waiting for its next attempt.
func (j Job) requeued(runAfter time.Time) Job {
	j.Status, j.Stage, j.Done, j.Total, j.RunAfter = JobQueued, stageQueued, 0, 0, runAfter
	j.LeaseOwner, j.LeaseUntil = "", time.Time{}
	return j
}

// own reads the job of an attempt and reports whether the attempt still has it.
// Whatever an attempt writes, it writes in the transaction that asked this: a
// worker that was overtaken, however late it wakes up, changes nothing.
func own(ctx context.Context, tx ReadTx, claimed Job) (Job, bool, error) {
	j, err := tx.Job(ctx, claimed.TenantID, claimed.ID)
	if CodeOf(err) == CodeNotFound {
		return Job{}, false, nil
	}
	mine := err == nil && j.Status == JobRunning && j.LeaseOwner == claimed.LeaseOwner && j.Attempts == claimed.Attempts
	return j, mine, err
}

// progress is how far an attempt has come.
type progress struct {
	mu          sync.Mutex
	stage       string
	done, total int
	changed     bool
}

func (p *progress) set(stage string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage, p.done, p.total, p.changed = stage, done, total, true
}

// write copies the progress to a job and reports whether it has changed since the
// last time.
func (p *progress) write(j *Job) (changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stage != "" {
		j.Stage, j.Done, j.Total = p.stage, p.done, p.total
	}
	changed, p.changed = p.changed, false
	return changed
}

// keepLease renews the lease of an attempt and writes its progress until stop is
// called or ctx ends. When the job is no longer the attempt's, it cancels the
// attempt with errLost.
func (a *attempt) keepLease(ctx context.Context, cancel context.CancelCauseFunc) (stop func()) {
	ctx, end := context.WithCancel(ctx)
	var beat sync.WaitGroup
	beat.Go(func() {
		ticker := time.NewTicker(progressTime)
		defer ticker.Stop()
		last := time.Now()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			var seen Job
			if !a.progress.write(&seen) && time.Since(last) < heartbeat {
				continue
			}
			var mine bool
			err := guarded(partStore, func() (err error) {
				mine, err = a.renew(ctx, seen)
				return err
			})
			switch {
			case err != nil && ctx.Err() == nil:
				a.engine.log.Warn("the lease of an ingest was not renewed", "job", a.job.ID, "error", Cause(err))
			case err == nil && !mine:
				cancel(errLost)
				return
			}
			last = time.Now()
		}
	})
	return func() {
		end()
		beat.Wait()
	}
}

// renew extends the lease and writes the progress that seen holds.
func (a *attempt) renew(ctx context.Context, seen Job) (mine bool, err error) {
	err = a.engine.lib.update(ctx, func(tx Tx) error {
		var j Job
		if j, mine, err = own(ctx, tx, a.job); err != nil || !mine {
			return err
		}
		if seen.Stage != "" {
			j.Stage, j.Done, j.Total = seen.Stage, seen.Done, seen.Total
		}
		j.LeaseUntil = now().Add(leaseTime)
		return tx.PutJob(ctx, j)
	})
	if err == nil && mine {
		a.engine.jobEvents.send()
	}
	return mine, err
}

// takeBack puts the jobs that a killed process left running back into the queue.
// Nobody else can have the Store open, so whatever runs is dead.
func takeBack(ctx context.Context, tx Tx) error {
	counts, err := tx.CountJobs(ctx)
	if err != nil {
		return err
	}
	// Seen from the far future every lease has ended. A job claimed by that look is
	// not found by the next one, because its new lease reaches still further.
	future := now().AddDate(100, 0, 0)
	var claimed []Job
	for found := 0; found < counts[JobRunning]; {
		j, err := tx.ClaimJob(ctx, future, "", future.Add(time.Hour))
		if CodeOf(err) == CodeNotFound {
			break // a second running job of one elemental: its lease will end
		}
		if err != nil {
			return err
		}
		if j.Stage != stageQueued {
			found++
		}
		claimed = append(claimed, j)
	}
	for _, j := range claimed {
		after := j.RunAfter
		// The claim counted one attempt. That of the killed process stays counted: it
		// may be what killed it.
		j.Attempts--
		if j.StartedAt != nil && !j.StartedAt.Before(future) {
			j.StartedAt = nil
		}
		if err := tx.PutJob(ctx, j.requeued(after)); err != nil {
			return err
		}
	}
	return nil
}
