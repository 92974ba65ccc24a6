package quire

import "time"

// JobStatus is the state of an ingest job: [JobQueued], [JobRunning], [JobSucceeded],
// [JobFailed] or [JobCancelled].
type JobStatus string

// The states of a job. Queued and running jobs are active; the other states are
// final.
const (
	JobQueued    JobStatus = "queued"
	JobRunning   JobStatus = "running"
	JobSucceeded JobStatus = "succeeded" // also when a newer version of the elemental was ingested instead
	JobFailed    JobStatus = "failed"    // Error says why
	JobCancelled JobStatus = "cancelled" // by Engine.CancelJob, or the elemental or its chunks were deleted meanwhile
)

// Final reports whether the state is one that no longer changes.
func (s JobStatus) Final() bool {
	return s == JobSucceeded || s == JobFailed || s == JobCancelled
}

// JobProblem says why a part of an elemental was not ingested with the rest.
type JobProblem struct {
	ItemID string // of the file
	Name   string // of the file as long as there is one; looked up, so that no job outlives it
	Reason string // follows the name in a sentence, such as "is empty"; safe to show
}

// Job is one ingest of one elemental: durable from the moment Ingest returns. An elemental
// keeps its 16 newest jobs, those that are active and those that ended within the last minute:
// others go when the next ingest is asked for. With the elemental they are deleted, but for
// those that its deletion cancels.
type Job struct {
	ID          string // the trace id that the caller gave, else generated; unique in its tenant
	TenantID    string
	ElementalID string
	Status      JobStatus
	Stage       string // "queued", "extract", "embed", "commit" or "done"
	Done        int    // chunks embedded so far in this attempt
	Total       int    // chunks of this attempt; 0 until they are known
	Attempts    int    // how often it was started
	Error       string // why the last attempt failed; safe to show; "" if it did not
	// Problems are what a job that succeeded had to leave out: attached files that could
	// not be read, at most 100 of them.
	Problems []JobProblem

	CreatedAt  time.Time
	StartedAt  *time.Time // first start
	FinishedAt *time.Time

	// What follows is for the Store and the Engine.

	Seq        int64     // the order of creation in the Store
	RunAfter   time.Time // not to be started before; zero, whatever the clock says, at once
	LeaseOwner string    // the worker that runs it; "" if none
	LeaseUntil time.Time // when another worker may take it over
}
