package quire

import (
	"cmp"
	"context"
	"iter"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"
)

// pollEvery is how soon a waiter sees what another process did to a job.
const pollEvery = 3 * time.Second

// maxTraceID is the length limit of a trace id, in characters.
const maxTraceID = 200

// IngestRequest asks for an elemental to be ingested.
type IngestRequest struct {
	ElementalID string
	// TraceID becomes the job's id: 1..200 characters, no control characters; the
	// same one for the same elemental returns the same job, as long as that is kept (see
	// [Job]), for another ErrConflict.
	// "": an id is made; where an ingest of the elemental waits already, it is that one.
	TraceID string
}

func (r IngestRequest) check(tenantID string) error {
	var probs problems
	if tenantID == "" {
		probs.add("tenant_id", "must not be empty")
	}
	if r.ElementalID == "" {
		probs.add("elemental_id", "must not be empty")
	}
	if !utf8.ValidString(r.TraceID) || utf8.RuneCountInString(r.TraceID) > maxTraceID {
		probs.add("trace_id", "must be text of at most %d characters", maxTraceID)
	}
	for _, c := range r.TraceID {
		if unicode.IsControl(c) {
			probs.add("trace_id", "must not hold control characters")
			break
		}
	}
	return probs.err()
}

// Ingest queues the ingest of an elemental of the tenant. When it returns, the job
// is durable. ErrNotFound if the tenant has no such elemental.
func (e *Engine) Ingest(ctx context.Context, tenantID string, req IngestRequest) (Job, error) {
	if err := e.open(ctx); err != nil {
		return Job{}, err
	}
	if err := req.check(tenantID); err != nil {
		return Job{}, err
	}
	var job Job
	err := e.lib.commit(ctx, func(tx Tx, ch *changes) error {
		rec, err := tenantElemental(ctx, tx, tenantID, req.ElementalID)
		if err != nil {
			return err
		}
		job, err = ch.enqueue(ctx, tx, rec, req.TraceID)
		return err
	})
	return job, err
}

// tenantElemental reads an elemental; another tenant's is ErrNotFound, like one that
// does not exist.
func tenantElemental(ctx context.Context, tx ReadTx, tenantID, id string) (ElementalRecord, error) {
	rec, err := tx.Elemental(ctx, id)
	if CodeOf(err) == CodeNotFound || err == nil && rec.TenantID != tenantID {
		return ElementalRecord{}, Errorf(CodeNotFound, "the tenant has no such elemental")
	}
	return rec, err
}

// Job reads a job of the tenant.
func (e *Engine) Job(ctx context.Context, tenantID, id string) (Job, error) {
	if err := e.open(ctx); err != nil {
		return Job{}, err
	}
	var job Job
	err := e.lib.store.View(ctx, func(tx ReadTx) error {
		j, err := tx.Job(ctx, tenantID, id)
		if CodeOf(err) == CodeNotFound {
			return Errorf(CodeNotFound, "no such job")
		}
		job = j
		return cmp.Or(err, nameProblems(ctx, tx, &job))
	})
	return job, err
}

// nameProblems sets the names of the files that a job could not read.
func nameProblems(ctx context.Context, tx ReadTx, j *Job) error {
	for i := range j.Problems {
		p := &j.Problems[i]
		name, err := fileName(ctx, tx, p.ItemID)
		if err != nil {
			return err
		}
		p.Name = name
	}
	return nil
}

// fileName returns the name of the file that an item is; "" if there is none any more.
func fileName(ctx context.Context, tx ReadTx, itemID string) (string, error) {
	fileID, err := strconv.ParseInt(itemID, 10, 64)
	if err != nil {
		return "", err
	}
	m, err := tx.Media(ctx, fileID)
	if err != nil && CodeOf(err) != CodeNotFound {
		return "", err
	}
	return m.Name, nil
}

// Jobs reads one page of the tenant's jobs, newest first: those of one elemental, or with
// "" of all. A cell has no jobs of its own, its table has.
func (e *Engine) Jobs(ctx context.Context, tenantID, elementalID string, page Page) (Paged[Job], error) {
	if err := e.open(ctx); err != nil {
		return Paged[Job]{}, err
	}
	if tenantID == "" {
		return Paged[Job]{}, Errorf(CodeInvalid, "tenant_id must not be empty")
	}
	page, err := page.normal()
	if err != nil {
		return Paged[Job]{}, err
	}
	out := Paged[Job]{Page: page}
	err = e.lib.store.View(ctx, func(tx ReadTx) error {
		var err error
		out.Items, out.Total, err = tx.Jobs(ctx, JobQuery{TenantID: tenantID, ElementalID: elementalID, Offset: page.offset(), Limit: page.Size})
		for i := range out.Items {
			err = cmp.Or(err, nameProblems(ctx, tx, &out.Items[i]))
		}
		return err
	})
	return out, err
}

// Wait waits until a job of the tenant has reached a final state and returns it. A
// failed job is no error of Wait: look at its Status and Error. While the Embedder does not
// answer or refuses its key, no job fails, so that Wait goes on: when ctx ends, the job comes
// with the error as it was last seen, and its Error says what it waits for; with no more than its
// ID and TenantID if it has not been seen. ErrNotFound if there is no such job, or no more: its
// elemental may be deleted when it has ended and before Wait has read how.
func (e *Engine) Wait(ctx context.Context, tenantID, id string) (Job, error) {
	last := Job{ID: id, TenantID: tenantID}
	for j, err := range e.Progress(ctx, tenantID, id) {
		if err != nil {
			return last, err
		}
		last = j
	}
	return last, nil
}

// Progress yields a job of the tenant whenever its status, stage or counts have
// changed, ending with its final state. It begins with the present state. An error
// is the last thing yielded.
func (e *Engine) Progress(ctx context.Context, tenantID, id string) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		var last Job
		for {
			event := e.jobEvents.wait()
			j, err := e.Job(ctx, tenantID, id)
			if err != nil {
				yield(Job{}, err)
				return
			}
			if progressed(last, j) && !yield(j, nil) || j.Status.Final() {
				return
			}
			last = j
			timer := time.NewTimer(pollEvery)
			select {
			case <-event:
			case <-timer.C:
			case <-ctx.Done():
			case <-e.life.Done():
			}
			timer.Stop()
		}
	}
}

// progressed reports whether a waiter is to be told of the change from a to b.
func progressed(a, b Job) bool {
	return a.Status != b.Status || a.Stage != b.Stage || a.Done != b.Done || a.Total != b.Total || a.Attempts != b.Attempts
}
