package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

var jobCases = []testCase{
	{"missing", jobsMissing},
	{"round trip", jobRoundTrip},
	{"awkward ids and text", jobText},
	{"copied", jobCopied},
	{"sequence", jobSeq},
	{"replace keeps the sequence", jobReplace},
	{"tenants are apart", jobTenants},
	{"pages, newest first", jobPages},
	{"active", jobActive},
	{"counts", jobCounts},
	{"delete", jobDelete},
	{"orphans", jobOrphans},
}

// jobKey is what Job is asked for.
type jobKey struct{ tenantID, id string }

func jobByKey(tx quire.ReadTx, ctx context.Context, k jobKey) (quire.Job, error) {
	return tx.Job(ctx, k.tenantID, k.id)
}

// activeJobs returns the ids of the active jobs.
func activeJobs(s *store, tenantID, elementalID string) []string {
	s.tb.Helper()
	var ids []string
	s.view(func(ctx context.Context, tx quire.ReadTx) error {
		jobs, err := tx.ActiveJobs(ctx, tenantID, elementalID)
		for _, j := range jobs {
			ids = append(ids, j.ID)
		}
		return err
	})
	return ids
}

// noSeq leaves the sequence out of a comparison.
func noSeq(j quire.Job) quire.Job {
	j.Seq = 0
	return j
}

func countJobs(tx quire.ReadTx, ctx context.Context, _ struct{}) (map[quire.JobStatus]int, error) {
	return tx.CountJobs(ctx)
}

func nextJob(tx quire.ReadTx, ctx context.Context, _ struct{}) (time.Time, error) {
	return tx.NextJob(ctx)
}

func jobsMissing(t *testing.T, s *store) {
	missing(s, jobByKey, jobKey{"t", "nothing"})
	missing(s, nextJob, struct{}{})
	jobs, total := find(s, quire.ReadTx.Jobs, quire.JobQuery{TenantID: "t", Limit: 5})
	equal(t, "Jobs", jobs, nil)
	equal(t, "their number", total, 0)
	equal(t, "ActiveJobs", activeJobs(s, "t", ""), nil)
	for status, n := range get(s, countJobs, struct{}{}) {
		if n != 0 {
			t.Errorf("CountJobs: %d jobs %s in an empty Store", n, status)
		}
	}
	_, err := claim(s, epoch, "worker", at(1))
	if !errors.Is(err, quire.ErrNotFound) {
		t.Errorf("ClaimJob: got error %v, want ErrNotFound", err)
	}
}

func jobRoundTrip(t *testing.T, s *store) {
	full := sampleJob("t", "full", "e")
	bare := quire.Job{ID: "bare", TenantID: "t", ElementalID: "e", Status: quire.JobSucceeded, CreatedAt: epoch}
	put(s, quire.Tx.PutJob, full, bare)
	for _, want := range []quire.Job{full, bare} {
		got := get(s, jobByKey, jobKey{"t", want.ID})
		equal(t, want.ID, noSeq(got), noSeq(want))
	}
	if j := get(s, jobByKey, jobKey{"t", "bare"}); !j.RunAfter.IsZero() || !j.LeaseUntil.IsZero() {
		t.Errorf("zero times came back as RunAfter %v, LeaseUntil %v", j.RunAfter, j.LeaseUntil)
	}
	for _, status := range []quire.JobStatus{quire.JobQueued, quire.JobRunning, quire.JobSucceeded, quire.JobFailed, quire.JobCancelled} {
		j := sampleJob("t", string(status), "e")
		j.Status = status
		put(s, quire.Tx.PutJob, j)
		equal(t, string(status), noSeq(get(s, jobByKey, jobKey{"t", string(status)})), noSeq(j))
	}
	odd := sampleJob("t", "odd", "e")
	odd.RunAfter = time.Date(2025, 7, 1, 0, 30, 0, 1999, time.FixedZone("west", -7*3600))
	odd.FinishedAt = new(odd.RunAfter)
	put(s, quire.Tx.PutJob, odd)
	got := get(s, jobByKey, jobKey{"t", "odd"})
	checkTime(t, "RunAfter", got.RunAfter, odd.RunAfter)
	checkTime(t, "FinishedAt", *got.FinishedAt, *odd.FinishedAt)
}

func jobText(t *testing.T, s *store) {
	texts := map[string]string{"upper": "trace", "lower": "Trace", "blank after": "trace ", "blank before": " trace"}
	for name, text := range awkward {
		texts[name] = text
	}
	for _, text := range texts {
		j := queuedJob(text, text, text, epoch)
		j.Stage, j.Error, j.LeaseOwner = text, text, text
		put(s, quire.Tx.PutJob, j)
	}
	for name, text := range texts { // after all were put: none replaced another
		j := get(s, jobByKey, jobKey{text, text})
		equal(t, name, []string{j.ID, j.TenantID, j.ElementalID, j.Stage, j.Error, j.LeaseOwner}, []string{text, text, text, text, text, text})
		equal(t, name+" active", activeJobs(s, text, text), []string{text})
	}
}

func jobCopied(t *testing.T, s *store) {
	j, want := sampleJob("t", "j", "e"), sampleJob("t", "j", "e")
	j.Status, want.Status = quire.JobQueued, quire.JobQueued
	put(s, quire.Tx.PutJob, j)
	spoil := func(j quire.Job) { *j.StartedAt, *j.FinishedAt = at(1000), at(1000) }
	spoil(j)
	got := get(s, jobByKey, jobKey{"t", "j"})
	equal(t, "after a change on the way in", noSeq(got), noSeq(want))
	spoil(got)
	jobs, _ := find(s, quire.ReadTx.Jobs, quire.JobQuery{TenantID: "t", Limit: 1})
	equal(t, "after a change of what Job returned", noSeq(jobs[0]), noSeq(want))
	spoil(jobs[0])
	s.view(func(ctx context.Context, tx quire.ReadTx) (err error) {
		jobs, err = tx.ActiveJobs(ctx, "t", "e")
		return err
	})
	equal(t, "after a change of what Jobs returned", noSeq(jobs[0]), noSeq(want))
	spoil(jobs[0])
	claimed, err := claim(s, at(100), "w", at(200))
	if err != nil {
		t.Fatalf("ClaimJob: %v", err)
	}
	equal(t, "after a change of what ActiveJobs returned", claimed.StartedAt, want.StartedAt)
	spoil(claimed)
	equal(t, "after a change of what ClaimJob returned", get(s, jobByKey, jobKey{"t", "j"}).StartedAt, want.StartedAt)
}

func jobSeq(t *testing.T, s *store) {
	last := int64(-1 << 62)
	for i, seq := range []int64{0, 5, -3, 1 << 40, 5, 0} {
		id := fmt.Sprint("j", i)
		j := queuedJob(fmt.Sprint("t", i%2), id, "e", epoch)
		j.Seq = seq // which does not matter
		put(s, quire.Tx.PutJob, j)
		got := get(s, jobByKey, jobKey{j.TenantID, id}).Seq
		if got <= last {
			t.Errorf("job %d has Seq %d, the one before has %d", i, got, last)
		}
		last = got
	}
}

func jobReplace(t *testing.T, s *store) {
	put(s, quire.Tx.PutJob, queuedJob("t", "a", "e", epoch), queuedJob("t", "b", "e2", epoch))
	before := get(s, jobByKey, jobKey{"t", "a"})
	changed := sampleJob("t", "a", "e3")
	changed.Seq = 1 << 40
	put(s, quire.Tx.PutJob, changed)
	changed.Seq = before.Seq
	equal(t, "the replaced", get(s, jobByKey, jobKey{"t", "a"}), changed)
	equal(t, "active", activeJobs(s, "t", ""), []string{"b"})
	again := queuedJob("t", "a", "e", epoch)
	put(s, quire.Tx.PutJob, again)
	again.Seq = before.Seq
	equal(t, "queued again", get(s, jobByKey, jobKey{"t", "a"}), again)
	equal(t, "active again, in its old place", activeJobs(s, "t", ""), []string{"a", "b"})
	_, total := find(s, quire.ReadTx.Jobs, quire.JobQuery{TenantID: "t", Limit: 1})
	equal(t, "number of jobs", total, 2)
}

func jobTenants(t *testing.T, s *store) {
	one, two := queuedJob("t1", "same", "e1", at(1)), queuedJob("t2", "same", "e2", at(2))
	put(s, quire.Tx.PutJob, one, two)
	equal(t, "of the first", get(s, jobByKey, jobKey{"t1", "same"}).ElementalID, "e1")
	equal(t, "of the second", get(s, jobByKey, jobKey{"t2", "same"}).ElementalID, "e2")
	missing(s, jobByKey, jobKey{"t3", "same"})
	missing(s, jobByKey, jobKey{"", "same"})
	for tenant, want := range map[string]int{"t1": 1, "t2": 1, "t3": 0, "": 0, "T1": 0} {
		jobs, total := find(s, quire.ReadTx.Jobs, quire.JobQuery{TenantID: tenant, Limit: 5})
		equal(t, "Jobs of "+tenant, len(jobs), want)
		equal(t, "total of "+tenant, total, want)
		equal(t, "ActiveJobs of "+tenant, len(activeJobs(s, tenant, "")), want)
	}
	equal(t, "of another's elemental", activeJobs(s, "t1", "e2"), nil)
}

func jobPages(t *testing.T, s *store) {
	// Ids say the wanted place; they are put in another order than that.
	for _, j := range []struct {
		id      string
		created int
	}{{"6", 1}, {"5", 2}, {"3", 3}, {"4", 2}, {"2", 3}, {"1", 3}, {"0", 9}} {
		job := queuedJob("t", j.id, "e", epoch)
		job.CreatedAt = at(j.created)
		put(s, quire.Tx.PutJob, job, queuedJob("other", j.id, "e", epoch), queuedJob("t", "of another elemental "+j.id, "e2", epoch))
	}
	pages := func(elementalID string) func(offset, limit int) ([]string, int) {
		return func(offset, limit int) ([]string, int) {
			jobs, total := find(s, quire.ReadTx.Jobs, quire.JobQuery{TenantID: "t", ElementalID: elementalID, Offset: offset, Limit: limit})
			var ids []string
			for _, j := range jobs {
				ids = append(ids, j.ID)
			}
			return ids, total
		}
	}
	all, _ := pages("")(0, 7)
	equal(t, "Jobs", all, []string{"0", "1", "2", "3", "4", "5", "6"})
	checkPages(t, 14, pages(""))
	of, _ := pages("e")(0, 100)
	equal(t, "Jobs of an elemental", of, all)
	checkPages(t, 7, pages("e"))
	none, total := pages("E")(0, 100)
	equal(t, "Jobs of no elemental", none, nil)
	equal(t, "their number", total, 0)
}

func jobActive(t *testing.T, s *store) {
	for i, status := range []quire.JobStatus{
		quire.JobQueued, quire.JobSucceeded, quire.JobRunning, quire.JobFailed, quire.JobQueued, quire.JobCancelled, quire.JobRunning,
	} {
		j := sampleJob("t", fmt.Sprint(9-i), fmt.Sprint("e", i%4))
		j.Status, j.CreatedAt = status, at(-i)
		put(s, quire.Tx.PutJob, j)
	}
	equal(t, "of the tenant, by Seq", activeJobs(s, "t", ""), []string{"9", "7", "5", "3"})
	equal(t, "of an elemental", activeJobs(s, "t", "e0"), []string{"9", "5"})
	equal(t, "of another", activeJobs(s, "t", "e2"), []string{"7", "3"})
	equal(t, "of one with final jobs only", activeJobs(s, "t", "e1"), nil)
	equal(t, "of an unknown one", activeJobs(s, "t", "e9"), nil)
}

func jobCounts(t *testing.T, s *store) {
	want := map[quire.JobStatus]int{
		quire.JobQueued: 3, quire.JobRunning: 1, quire.JobSucceeded: 2, quire.JobFailed: 4,
	}
	for status, n := range want {
		for i := range n {
			j := sampleJob(fmt.Sprint("t", i%2), fmt.Sprint(status, i), "e")
			j.Status = status
			put(s, quire.Tx.PutJob, j)
		}
	}
	got := get(s, countJobs, struct{}{})
	for _, status := range []quire.JobStatus{quire.JobQueued, quire.JobRunning, quire.JobSucceeded, quire.JobFailed, quire.JobCancelled} {
		equal(t, string(status), got[status], want[status])
	}
}

func jobDelete(t *testing.T, s *store) {
	remove := func(tenantID, id string) {
		t.Helper()
		s.update(func(ctx context.Context, tx quire.Tx) error { return tx.DeleteJob(ctx, tenantID, id) })
	}
	left := func(want ...quire.Job) {
		t.Helper()
		for _, j := range want {
			equal(t, j.ID, noSeq(get(s, jobByKey, jobKey{j.TenantID, j.ID})), noSeq(j))
		}
	}
	final, active, other := sampleJob("t", "a", "e"), queuedJob("t", "b", "e", at(1)), sampleJob("t2", "a", "e")
	put(s, quire.Tx.PutJob, final, active, other)
	remove("t", "nothing")
	remove("t3", "a")
	left(final, active, other)
	remove("t", "a")
	remove("t", "a") // twice is no error
	missing(s, jobByKey, jobKey{"t", "a"})
	left(active, other)
	equal(t, "active", activeJobs(s, "t", "e"), []string{"b"})
	remove("t", "b")
	equal(t, "active", activeJobs(s, "t", "e"), nil)
	missing(s, nextJob, struct{}{})
	before := get(s, jobByKey, jobKey{"t2", "a"}).Seq
	put(s, quire.Tx.PutJob, final) // its id is free again, its Seq is not
	left(final, other)
	if seq := get(s, jobByKey, jobKey{"t", "a"}).Seq; seq <= before {
		t.Errorf("Seq %d was given before", seq)
	}
	jobs, total := find(s, quire.ReadTx.Jobs, quire.JobQuery{TenantID: "t", ElementalID: "e", Limit: 5})
	if len(jobs) != 1 || total != 1 {
		t.Errorf("Jobs: %d of %d, want the one that is left", len(jobs), total)
	}
}

func jobOrphans(t *testing.T, s *store) {
	orphans := func(before time.Time, limit int) (ids []string) {
		t.Helper()
		s.view(func(ctx context.Context, tx quire.ReadTx) error {
			jobs, err := tx.OrphanJobs(ctx, before, limit)
			for _, j := range jobs {
				ids = append(ids, j.ID)
			}
			return err
		})
		return ids
	}
	ended := func(tenantID, id, elementalID string, status quire.JobStatus, second int) quire.Job {
		j, finished := sampleJob(tenantID, id, elementalID), at(second)
		j.Status, j.FinishedAt = status, &finished
		return j
	}
	equal(t, "of no jobs", orphans(at(100), 10), nil)
	putElementals(s, bareElemental("here", "u"))
	put(s, quire.Tx.PutJob,
		ended("t", "late", "gone", quire.JobCancelled, 9),
		ended("t", "first", "gone", quire.JobCancelled, 3),
		ended("t2", "second", "gone too", quire.JobCancelled, 2),
		ended("t", "of an elemental", "here", quire.JobCancelled, 1),
		ended("t", "that failed", "gone", quire.JobFailed, 1),
		queuedJob("t", "that is queued", "gone", at(1)))
	equal(t, "orphans", orphans(at(9), 10), []string{"first", "second"})
	equal(t, "a moment later", orphans(at(10), 10), []string{"late", "first", "second"})
	equal(t, "at most", orphans(at(10), 2), []string{"late", "first"})
}
