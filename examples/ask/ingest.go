package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/quirelib/quire"
)

// unfinished returns the ingests to wait for, oldest first: those of this run and
// those that an earlier one did not live to finish. Where the last ingest of one
// of the documents failed, it is asked for again.
func unfinished(ctx context.Context, f *folder, paths map[string]string) ([]quire.Job, error) {
	latest, err := latestJobs(ctx, f)
	if err != nil {
		return nil, err
	}
	var jobs []quire.Job
	for id := range paths {
		job, have := latest[id]
		if !have || job.Status == quire.JobFailed || job.Status == quire.JobCancelled {
			job, err = f.q.Engine.Ingest(ctx, f.actor.TenantID, quire.IngestRequest{ElementalID: id})
			if err != nil {
				return nil, err
			}
		}
		if !job.Status.Final() {
			jobs = append(jobs, job)
		}
	}
	slices.SortFunc(jobs, func(a, b quire.Job) int { return cmp.Compare(a.Seq, b.Seq) })
	return jobs, nil
}

// latestJobs returns the newest job of each elemental.
func latestJobs(ctx context.Context, f *folder) (map[string]quire.Job, error) {
	latest := map[string]quire.Job{}
	for n, read := 1, 0; ; n++ {
		page, err := f.q.Engine.Jobs(ctx, f.actor.TenantID, "", quire.Page{Number: n, Size: quire.MaxPageSize})
		if err != nil {
			return nil, err
		}
		for _, job := range page.Items {
			if _, newer := latest[job.ElementalID]; !newer {
				latest[job.ElementalID] = job
			}
		}
		if read += len(page.Items); len(page.Items) == 0 || read >= page.Total {
			return latest, nil
		}
	}
}

// await waits for the jobs, showing how far they are, and reports those that
// failed.
func await(ctx context.Context, f *folder, jobs []quire.Job, p *progress, report func(elementalID, what string)) error {
	for i, job := range jobs {
		for j, err := range f.q.Engine.Progress(ctx, f.actor.TenantID, job.ID) {
			if err != nil {
				return err
			}
			if j.Status == quire.JobFailed {
				report(j.ElementalID, "could not be ingested: "+j.Error)
			}
			p.set(float64(i) + fraction(j))
		}
	}
	return nil
}

// fraction is how far a job is, 0 to 1.
func fraction(j quire.Job) float64 {
	switch {
	case j.Status.Final():
		return 1
	case j.Total == 0:
		return 0
	}
	return float64(j.Done) / float64(j.Total)
}
