package quire_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

// leaving is an Embedder that says when a call has ended with its context.
type leaving struct {
	*enginetest.Embedder
	left chan struct{}
}

func (l leaving) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := l.Embedder.Embed(ctx, texts)
	if ctx.Err() != nil {
		l.left <- struct{}{}
	}
	return vectors, err
}

// cancel cancels a job and checks that it is told and stored as it ended.
func (f *engineFixture) cancel(j quire.Job, want quire.JobStatus) quire.Job {
	f.t.Helper()
	got, err := f.eng.CancelJob(f.t.Context(), j.TenantID, j.ID)
	f.check(err)
	if got.Status != want || got.Stage != "done" || got.LeaseOwner != "" || got.FinishedAt == nil || got.Error != "" {
		f.t.Errorf("cancelled: %+v, want %s", got, want)
	}
	wantEqual(f.t, f.storedJob(j), got)
	return got
}

// TestCancelJob cancels an ingest while it is queued and at each of its batches. What was
// ingested before stays, and the next ingest is like any other.
func TestCancelJob(t *testing.T) {
	t.Parallel()
	const body = "one\n\ntwo\n\nthree"
	for _, s := range stores {
		for point := range 4 {
			t.Run(fmt.Sprint(s.name, " at ", point), func(t *testing.T) {
				t.Parallel()
				f := newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}, Workers: 1, BatchSize: 1})
				f.stop(t.Context())
				l := leaving{f.embedder, make(chan struct{}, 1)}
				var err error
				f.index = enginetest.NewIndex()
				f.eng, err = quire.NewEngine(t.Context(), f.Library, f.index, l, f.llm, &f.opts)
				f.check(err)
				e, job, gate := f.ingestUpTo(point, true, "To be cancelled at some point", body)
				f.cancel(job, quire.JobCancelled)
				if point > 0 {
					select {
					case <-l.left:
					case <-time.After(time.Minute):
						t.Error("the embedder was still at work a minute later")
					}
				}
				wantEqual(t, f.texts(e.ID), []string{"To be cancelled at some point", "an older text"})
				gate.Open()
				f.settle(f.bob)
				calls := f.embedder.Calls()
				f.cancel(job, quire.JobCancelled) // again
				f.waitStatus(job, quire.JobCancelled)
				f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
				wantEqual(t, f.texts(e.ID), []string{"To be cancelled at some point", "one", "two", "three"})
				if n := f.embedder.Calls() - calls; n != 3 {
					t.Errorf("%d batches after the cancelled ingest, want 3", n)
				}
			})
		}
	}
}

// TestCancelWaitingJob cancels an ingest between two attempts.
func TestCancelWaitingJob(t *testing.T) {
	inBubble(t, func(t *testing.T, f *engineFixture) {
		f.embedder.Fail(1, quire.ErrUnavailable)
		e := f.create(f.ann, document("Waits for its next attempt", "text"))
		job := f.ingest(f.ann, e.ID, "")
		synctest.Wait()
		if j := f.storedJob(job); j.Status != quire.JobQueued || j.Attempts != 1 {
			t.Fatalf("job %+v", j)
		}
		f.cancel(job, quire.JobCancelled)
		time.Sleep(time.Hour)
		if calls := f.embedder.Calls(); calls != 1 {
			t.Errorf("the embedder was called %d times, want 1", calls)
		}
	})
}

// reading is an Extractor that reads until its context ends.
type reading struct{ begun, left chan struct{} }

func (r reading) Extract(ctx context.Context, _ quire.File, _ []byte) (string, error) {
	r.begun <- struct{}{}
	<-ctx.Done()
	r.left <- struct{}{}
	return "", ctx.Err()
}

// TestCancelWhileFilesAreRead cancels an ingest in its first stage.
func TestCancelWhileFilesAreRead(t *testing.T) {
	t.Parallel()
	r := reading{make(chan struct{}), make(chan struct{}, 1)}
	f := newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Chunker: paragraphs{}, Extractor: r})
	e := f.create(f.ann, document("With a long file", "text"))
	f.attach(e.ID, quire.Upload{Name: "a.txt", Data: []byte("long")})
	job := f.ingest(f.ann, e.ID, "")
	<-r.begun
	f.cancel(job, quire.JobCancelled)
	select {
	case <-r.left:
	case <-time.After(time.Minute):
		t.Error("the file was still read a minute later")
	}
	f.waitStatus(job, quire.JobCancelled)
	wantEqual(t, f.texts(e.ID), []string(nil))
}

// committing is a Store that stands still in a transaction that replaces chunks.
type committing struct {
	quire.Store
	begun, goOn chan struct{}
}

func (s committing) Update(ctx context.Context, fn func(tx quire.Tx) error) error {
	return s.Store.Update(ctx, func(tx quire.Tx) error { return fn(committingTx{tx, s}) })
}

type committingTx struct {
	quire.Tx
	store committing
}

func (t committingTx) ReplaceChunks(ctx context.Context, elementalID string, chunks []quire.Chunk) error {
	t.store.begun <- struct{}{}
	<-t.store.goOn
	return t.Tx.ReplaceChunks(ctx, elementalID, chunks)
}

// TestCancelWhileItCommits: the commit comes first, and the job has succeeded.
func TestCancelWhileItCommits(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			c := committing{s.open(t), make(chan struct{}), make(chan struct{})}
			f := newEngineFixture(t, c, quire.EngineOptions{Chunker: paragraphs{}})
			e := f.create(f.ann, document("Is just being written", "text"))
			job := f.ingest(f.ann, e.ID, "")
			<-c.begun
			ended := make(chan quire.Job)
			go func() {
				j, err := f.eng.CancelJob(t.Context(), job.TenantID, job.ID)
				if err != nil {
					t.Error(err)
				}
				ended <- j
			}()
			time.Sleep(20 * time.Millisecond)
			c.goOn <- struct{}{}
			if j := <-ended; j.Status != quire.JobSucceeded {
				t.Errorf("job %+v", j)
			}
			wantEqual(t, f.texts(e.ID), []string{"Is just being written", "text"})
		})
	}
}

func TestCancelJobRefuses(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		e := f.create(f.ann, document("A job of Ann's", "text"))
		job := f.waitStatus(f.ingest(f.ann, e.ID, "hers"), quire.JobSucceeded)
		wantEqual(t, f.cancel(job, quire.JobSucceeded), job)
		for _, tt := range []struct{ tenantID, id string }{{f.bob.TenantID, "hers"}, {f.ann.TenantID, "none"}, {"", "hers"}} {
			_, err := f.eng.CancelJob(t.Context(), tt.tenantID, tt.id)
			wantCode(t, err, quire.CodeNotFound)
		}
		ctx, end := context.WithCancel(t.Context())
		end()
		if _, err := f.eng.CancelJob(ctx, f.ann.TenantID, "hers"); err != context.Canceled {
			t.Errorf("with a cancelled context: %v", err)
		}
		f.stop(t.Context())
		_, err := f.eng.CancelJob(t.Context(), f.ann.TenantID, "hers")
		wantCode(t, err, quire.CodeClosed)
	})
}

// TestSearchBesideClose: when parts are closed while a search runs, that is what it says.
func TestSearchBesideClose(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Chunker: paragraphs{}})
	f.add(f.ann, "Of a lighthouse", "the lamp burns")
	f.check(f.index.Close())
	_, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "lamp", Filters: quire.Filters{TenantID: f.ann.TenantID}})
	wantCode(t, err, quire.CodeClosed)
}
