package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/quirelib/quire"
)

var claimCases = []testCase{
	{"by sequence", claimBySeq},
	{"what it sets", claimSets},
	{"not before RunAfter", claimRunAfter},
	{"again when the lease has ended", claimLease},
	{"final jobs never", claimFinal},
	{"passes over a busy elemental", claimBusy},
	{"busy elemental with a future job", claimBusyLater},
	{"inside an update", claimInUpdate},
	{"rolled back", claimRollback},
	{"next job", claimNext},
	{"next job of a busy elemental", claimNextBusy},
}

func claim(s *store, now time.Time, owner string, leaseUntil time.Time) (quire.Job, error) {
	ctx := s.tb.Context()
	var j quire.Job
	err := s.Update(ctx, func(tx quire.Tx) (err error) {
		j, err = tx.ClaimJob(ctx, now, owner, leaseUntil)
		return err
	})
	return j, err
}

// checkClaim claims a job at now and checks which it is, "" for none.
func checkClaim(t *testing.T, s *store, now, leaseUntil time.Time, want string) quire.Job {
	t.Helper()
	j, err := claim(s, now, "worker", leaseUntil)
	switch {
	case want == "" && !errors.Is(err, quire.ErrNotFound):
		t.Errorf("ClaimJob at %v: got job %q, error %v, want ErrNotFound", now, j.ID, err)
	case want != "" && err != nil:
		t.Errorf("ClaimJob at %v: got error %v, want job %q", now, err, want)
	case j.ID != want:
		t.Errorf("ClaimJob at %v: got job %q, want %q", now, j.ID, want)
	}
	return j
}

func checkNext(t *testing.T, s *store, want time.Time) {
	t.Helper()
	equal(t, "NextJob", get(s, nextJob, struct{}{}), want)
}

func claimBySeq(t *testing.T, s *store) {
	put(s, quire.Tx.PutJob,
		queuedJob("t2", "z", "e1", at(5)), queuedJob("t1", "a", "e2", at(1)), queuedJob("t3", "m", "e3", at(3)))
	for _, want := range []string{"z", "a", "m", ""} { // not by RunAfter, id or tenant
		checkClaim(t, s, at(5), at(99), want)
	}
}

func claimSets(t *testing.T, s *store) {
	j := sampleJob("t", "j", "e") // every field is set, StartedAt too
	j.Status = quire.JobQueued
	put(s, quire.Tx.PutJob, j)
	now := at(50).Add(999) // less than a microsecond
	got := checkClaim(t, s, now, at(60).In(time.FixedZone("east", 3600)), "j")
	want := get(s, jobByKey, jobKey{"t", "j"})
	equal(t, "returned and stored", got, want)
	j.Status, j.LeaseOwner, j.LeaseUntil, j.Attempts, j.Seq = quire.JobRunning, "worker", at(60), 3, got.Seq
	equal(t, "the claimed", got, j)

	put(s, quire.Tx.PutJob, queuedJob("t", "new", "e2", at(1)))
	got = checkClaim(t, s, now, at(60), "new")
	want = queuedJob("t", "new", "e2", at(1))
	want.Status, want.LeaseOwner, want.LeaseUntil, want.Attempts, want.StartedAt, want.Seq = quire.JobRunning, "worker", at(60), 1, new(at(50)), got.Seq
	equal(t, "the claimed for the first time", got, want)
}

func claimRunAfter(t *testing.T, s *store) {
	put(s, quire.Tx.PutJob, queuedJob("t", "later", "e1", at(10)), queuedJob("t", "sooner", "e2", at(5)))
	checkClaim(t, s, at(5).Add(-time.Microsecond), at(99), "")
	checkClaim(t, s, at(5), at(99), "sooner") // although later has the smaller Seq
	checkClaim(t, s, at(10).Add(-time.Microsecond), at(99), "")
	checkClaim(t, s, at(10).In(time.FixedZone("west", -3600)), at(99), "later")
	put(s, quire.Tx.PutJob, queuedJob("t", "at once", "e3", time.Time{}))
	checkClaim(t, s, at(1), at(99), "at once")
}

func claimLease(t *testing.T, s *store) {
	put(s, quire.Tx.PutJob, queuedJob("t", "j", "e1", at(1)), queuedJob("t", "k", "e2", at(1)))
	first := checkClaim(t, s, at(1), at(10), "j")
	checkClaim(t, s, at(1), at(20), "k")
	checkClaim(t, s, at(10).Add(-time.Microsecond), at(30), "")
	second := checkClaim(t, s, at(10), at(30), "j")
	first.Attempts, first.LeaseUntil = 2, at(30) // StartedAt stays
	equal(t, "taken over", second, first)
	third := checkClaim(t, s, at(40), at(50), "j")
	equal(t, "attempts", third.Attempts, 3)
	checkClaim(t, s, at(40), at(50), "k")
	checkClaim(t, s, at(40), at(50), "")

	third.LeaseUntil = at(90) // a worker that is alive renews its lease
	put(s, quire.Tx.PutJob, third)
	checkClaim(t, s, at(60), at(99), "k")
	checkClaim(t, s, at(60), at(99), "")
}

func claimFinal(t *testing.T, s *store) {
	for _, status := range []quire.JobStatus{quire.JobSucceeded, quire.JobFailed, quire.JobCancelled} {
		j := sampleJob("t", string(status), string(status))
		j.Status = status
		put(s, quire.Tx.PutJob, j)
	}
	checkClaim(t, s, at(1000), at(2000), "")
	missing(s, nextJob, struct{}{})
}

func claimBusy(t *testing.T, s *store) {
	put(s, quire.Tx.PutJob, queuedJob("t", "first", "e", at(1)))
	checkClaim(t, s, at(1), at(10), "first")
	put(s, quire.Tx.PutJob, queuedJob("t", "second", "e", at(1)), queuedJob("t", "other", "e2", at(1)))
	checkClaim(t, s, at(2), at(50), "other")
	checkClaim(t, s, at(2), at(50), "")
	first := checkClaim(t, s, at(10), at(20), "first") // the lease has ended: the smallest Seq
	checkClaim(t, s, at(10), at(20), "")
	first.Status = quire.JobSucceeded
	put(s, quire.Tx.PutJob, first)
	checkClaim(t, s, at(10), at(20), "second")
}

// claimBusyLater has the running job behind the queued one in Seq.
func claimBusyLater(t *testing.T, s *store) {
	put(s, quire.Tx.PutJob, queuedJob("t", "waits", "e", at(5)), queuedJob("t", "runs", "e", at(1)))
	checkClaim(t, s, at(1), at(10), "runs")
	checkClaim(t, s, at(5), at(99), "")
	checkClaim(t, s, at(10), at(20), "waits") // runs is still marked running, but its lease ended
	checkClaim(t, s, at(10), at(20), "")      // and now waits keeps it from being taken over
	checkClaim(t, s, at(20), at(30), "waits")
}

func claimInUpdate(t *testing.T, s *store) {
	var got []string
	s.update(func(ctx context.Context, tx quire.Tx) error {
		for _, id := range []string{"a", "b"} {
			if err := tx.PutJob(ctx, queuedJob("t", id, "e "+id, at(1))); err != nil {
				return err
			}
		}
		for range 2 {
			j, err := tx.ClaimJob(ctx, at(1), "worker", at(5))
			if err != nil {
				return err
			}
			got = append(got, j.ID)
		}
		_, err := tx.ClaimJob(ctx, at(1), "worker", at(5))
		if !errors.Is(err, quire.ErrNotFound) {
			return errors.New("a third job was claimed")
		}
		return nil
	})
	equal(t, "claimed", got, []string{"a", "b"})
}

func claimRollback(t *testing.T, s *store) {
	put(s, quire.Tx.PutJob, queuedJob("t", "j", "e", at(1)))
	before := get(s, jobByKey, jobKey{"t", "j"})
	err := s.Update(t.Context(), func(tx quire.Tx) error {
		if _, err := tx.ClaimJob(t.Context(), at(1), "worker", at(5)); err != nil {
			return err
		}
		return errStop
	})
	if err != errStop {
		t.Fatalf("Update: got error %v, want that of fn", err)
	}
	equal(t, "the job", get(s, jobByKey, jobKey{"t", "j"}), before)
	checkClaim(t, s, at(1), at(5), "j")
}

func claimNext(t *testing.T, s *store) {
	put(s, quire.Tx.PutJob, queuedJob("t1", "a", "e1", at(30)), sampleJob("t", "final", "e0"))
	checkNext(t, s, at(30))
	put(s, quire.Tx.PutJob, queuedJob("t2", "b", "e2", at(20)))
	checkNext(t, s, at(20))
	b := checkClaim(t, s, at(20), at(25), "b")
	checkNext(t, s, at(25)) // the end of the lease
	b.LeaseUntil = at(40)
	put(s, quire.Tx.PutJob, b)
	checkNext(t, s, at(30))
	checkClaim(t, s, at(30), at(50), "a")
	checkNext(t, s, at(40))
	b.Status = quire.JobCancelled
	put(s, quire.Tx.PutJob, b)
	checkNext(t, s, at(50))
	put(s, quire.Tx.PutJob, queuedJob("t3", "c", "e3", time.Time{}))
	checkNext(t, s, time.Time{})
}

// claimNextBusy checks that a job which would be passed over does not count
// before the lease that it waits for has ended: the Engine would spin.
func claimNextBusy(t *testing.T, s *store) {
	put(s, quire.Tx.PutJob, queuedJob("t", "runs", "e", at(1)))
	runs := checkClaim(t, s, at(1), at(10), "runs")
	put(s, quire.Tx.PutJob, queuedJob("t", "waits", "e", at(2)))
	checkNext(t, s, at(10))
	put(s, quire.Tx.PutJob, queuedJob("t", "other", "e2", at(5)))
	checkNext(t, s, at(5))
	checkClaim(t, s, at(5), at(60), "other")
	checkNext(t, s, at(10))
	runs.Status = quire.JobSucceeded
	put(s, quire.Tx.PutJob, runs)
	checkNext(t, s, at(2))
}
