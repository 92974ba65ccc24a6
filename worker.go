package quire

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/quirelib/quire/internal/id"
)

const (
	idlePoll     = 10 * time.Second // how soon a worker sees what another process queued
	storePause   = 5 * time.Second  // after an error of the Store
	raceDelay    = time.Second      // after a job that was due could not be claimed
	backoffBase  = time.Second
	backoffLimit = 5 * time.Minute
	retryLimit   = time.Hour        // what a service may ask for
	outagePause  = time.Minute      // at most, from one look for a service that answers nobody to the next
	settleTime   = 30 * time.Second // for writing down how an attempt ended
)

// How an attempt can end without an outcome of its own.
var (
	errLost = errors.New("the job is no longer this worker's")
	errGone = errors.New("the elemental does not exist any more")
	// errOvertaken: it changed again and again while it was ingested.
	errOvertaken = errors.New("the elemental keeps changing")
)

// outage is a failure for which the job can do nothing: the service that embeds answers
// nobody.
type outage struct{ error }

func (o outage) Unwrap() error { return o.error }

// runningJobs are the attempts of this process by lease owner.
type runningJobs struct {
	mu      sync.Mutex
	cancels map[string]context.CancelCauseFunc
}

func (r *runningJobs) add(owner string, cancel context.CancelCauseFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancels == nil {
		r.cancels = make(map[string]context.CancelCauseFunc)
	}
	r.cancels[owner] = cancel
}

func (r *runningJobs) remove(owner string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.cancels, owner)
}

// stop cancels the attempts of the owners that are of this process.
func (r *runningJobs) stop(owners []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, owner := range owners {
		if cancel, ok := r.cancels[owner]; ok {
			cancel(errLost)
		}
	}
}

// jobsChanged tells workers and waiters that jobs were added or changed, and stops
// the running attempts whose jobs were cancelled.
func (e *Engine) jobsChanged(cancelled []string) {
	e.running.stop(cancelled)
	e.ready.send()
	e.jobEvents.send()
}

// work claims jobs and runs them until the Engine is closed.
func (e *Engine) work() {
	for e.life.Err() == nil {
		ready := e.ready.wait()
		var wait time.Duration
		err := guarded(partStore, func() (err error) {
			wait, err = e.untilNext(e.life)
			return err
		})
		if err == nil && wait == 0 {
			var job Job
			var claimed bool
			err = guarded(partStore, func() (err error) {
				job, claimed, err = e.claim(e.life)
				return err
			})
			if err == nil && claimed {
				e.run(job)
				continue
			}
			wait = raceDelay
		}
		if err != nil {
			if e.life.Err() == nil {
				e.log.Error("a worker cannot take its next job", "error", Cause(err))
			}
			// Whatever is signalled: what has failed may have been a signal of its own.
			wait, ready = storePause, nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-ready:
		case <-timer.C:
		case <-e.life.Done():
		}
		timer.Stop()
	}
}

// untilNext returns how long there is nothing to claim; 0 if a job may be due.
func (e *Engine) untilNext(ctx context.Context) (time.Duration, error) {
	longest := idlePoll
	if e.exclusive {
		longest = leaseTime // the signal comes first: nobody else can queue
	}
	var next time.Time
	err := e.lib.store.View(ctx, func(tx ReadTx) (err error) {
		next, err = tx.NextJob(ctx)
		return err
	})
	if CodeOf(err) == CodeNotFound {
		return longest, nil
	}
	return min(max(time.Until(next), 0), longest), err
}

// claim takes the next job, if there is one. Each claim has an owner of its own, so
// that no two attempts are ever taken for one another.
func (e *Engine) claim(ctx context.Context) (job Job, claimed bool, err error) {
	err = e.lib.commit(ctx, func(tx Tx, ch *changes) error {
		at := now()
		job, err = tx.ClaimJob(ctx, at, id.New(), at.Add(leaseTime))
		if CodeOf(err) == CodeNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		if job.Attempts > e.opts.MaxAttempts {
			// Only processes that died in the middle leave a job with its attempts used up. This
			// claim is no further one.
			job.Attempts--
			return ch.putJob(ctx, tx, job.ended(JobFailed, "given up: every attempt was cut short by the end of the program"))
		}
		claimed = true
		job.Stage, job.Done, job.Total = stageExtract, 0, 0
		return tx.PutJob(ctx, job)
	})
	if err != nil {
		return Job{}, false, err
	}
	if claimed {
		e.jobEvents.send()
	}
	return job, claimed, nil
}

// run makes one attempt at a job and writes down how it ended.
func (e *Engine) run(job Job) {
	ctx, cancel := context.WithCancelCause(e.life)
	defer cancel(nil)
	e.running.add(job.LeaseOwner, cancel)
	defer e.running.remove(job.LeaseOwner)

	a := &attempt{engine: e, job: job, vectors: make(map[string][]float32)}
	stop := a.keepLease(ctx, cancel)
	err := a.safely(ctx)
	if err != nil && job.Attempts >= e.opts.MaxAttempts && a.nobodyThere(ctx, err) {
		err = outage{err}
	}
	stop()
	if err != nil {
		e.settle(job, err)
	}
}

// settle writes down that an attempt ended without success. A job that is not the
// attempt's any more is left alone.
func (e *Engine) settle(job Job, failure error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.life), settleTime)
	defer cancel()
	var after Job
	err := guarded(partStore, func() error {
		return e.lib.commit(ctx, func(tx Tx, ch *changes) error {
			j, mine, err := own(ctx, tx, job)
			if err != nil || !mine {
				return err
			}
			after = e.afterFailure(j, failure)
			return ch.putJob(ctx, tx, after)
		})
	})
	log := e.log.With("job", job.ID, "attempt", job.Attempts)
	switch {
	case err != nil:
		log.Error("the end of an ingest could not be written down; it runs again when its lease has ended", "error", Cause(err))
	case after.Error != "":
		log.Warn("an ingest failed", "status", after.Status, "error", Cause(failure))
	}
}

// afterFailure decides what becomes of a job whose attempt ended with failure.
func (e *Engine) afterFailure(j Job, failure error) Job {
	switch {
	case errors.Is(failure, errGone):
		return j.ended(JobCancelled, "")
	case errors.Is(failure, errOvertaken): // no failure either, only not its turn
		j.Attempts--
		return j.requeued(now().Add(backoffBase))
	case e.life.Err() != nil: // not its fault: as if it had not been started
		j.Attempts--
		return j.requeued(time.Time{})
	}
	pause := pauseAfter(failure, j.Attempts)
	var down outage
	switch {
	case errors.As(failure, &down): // the last attempt is still to come
		j.Attempts--
		pause = min(RetryAfter(failure), retryLimit) + rand.N(outagePause)
	case CodeOf(failure) == CodeInvalid || j.Attempts >= e.opts.MaxAttempts:
		return j.ended(JobFailed, shown(failure))
	}
	j.Error = shown(failure)
	return j.requeued(now().Add(pause))
}

// shown is the text of a failure that a user may see.
func shown(failure error) string {
	var e *Error
	if errors.As(failure, &e) {
		return e.Message
	}
	return "the ingest failed for an internal reason; the log says which"
}

// pauseAfter is the pause after a failure, the last one of so many attempts: that which
// the service asks for, and the backoff on top of it, so that not all come back at once.
func pauseAfter(failure error, attempts int) time.Duration {
	return min(RetryAfter(failure), retryLimit) + backoff(attempts)
}

// backoff is the pause after so many attempts: exponential with full jitter (as in
// "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
func backoff(attempts int) time.Duration {
	limit := backoffLimit
	if shift := attempts - 1; shift < 16 { // else far over the limit
		limit = min(limit, backoffBase<<shift)
	}
	return rand.N(limit + 1)
}
