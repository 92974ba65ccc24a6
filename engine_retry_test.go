package quire_test

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

// inBubble runs a test on an Engine over a Store in memory, with a clock that jumps
// to the next moment at which something happens.
func inBubble(t *testing.T, test func(t *testing.T, f *engineFixture)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(t, onMemory(t)) })
}

func TestRetries(t *testing.T) {
	inBubble(t, func(t *testing.T, f *engineFixture) {
		var log strings.Builder
		f.opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
		f.restart()
		f.embedder.Fail(2, errors.New("secret text of the provider"))
		e := f.create(f.ann, document("Two failures and a success", "a private text"))
		begin := time.Now()
		job := f.ingest(f.ann, e.ID, "")
		synctest.Wait()
		queued, err := f.eng.Job(t.Context(), f.ann.TenantID, job.ID)
		f.check(err)
		if queued.Status != quire.JobQueued || queued.Stage != "queued" || queued.Attempts != 1 || queued.LeaseOwner != "" ||
			queued.RunAfter.Before(begin) || queued.RunAfter.After(begin.Add(time.Second)) {
			t.Errorf("after the first failure: %+v", queued)
		}
		if queued.Error != "the embedder does not answer" {
			t.Errorf("error %q", queued.Error)
		}
		done := f.waitStatus(job, quire.JobSucceeded)
		if done.Attempts != 3 || done.Error != "" {
			t.Errorf("job %+v", done)
		}
		if took := time.Since(begin); took > 4*time.Second {
			t.Errorf("took %v", took)
		}
		wantEqual(t, f.texts(e.ID), []string{"Two failures and a success", "a private text"})
		if !strings.Contains(log.String(), "secret text of the provider") || strings.Contains(log.String(), "private") {
			t.Errorf("log: %s", log.String())
		}
	})
}

// TestWaitSaysWhatItWaitedFor: with the end of its context comes the job, which says why
// nothing has happened.
func TestWaitSaysWhatItWaitedFor(t *testing.T) {
	inBubble(t, func(t *testing.T, f *engineFixture) {
		f.embedder.Fail(1000, quire.Errorf(quire.CodeUnavailable, "the model refuses this server's key (status 401)"))
		e := f.create(f.ann, document("A text that nobody embeds", "a text"))
		job := f.ingest(f.ann, e.ID, "")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		got, err := f.eng.Wait(ctx, f.ann.TenantID, job.ID)
		wantCode(t, err, quire.CodeDeadline)
		if got.ID != job.ID || got.Status.Final() || got.Attempts < 2 || !strings.Contains(got.Error, "refuses this server's key") {
			t.Errorf("the job is %+v", got)
		}
	})
}

func TestAttemptsEnd(t *testing.T) {
	inBubble(t, func(t *testing.T, f *engineFixture) {
		f.opts.MaxAttempts = 4
		f.restart()
		e := f.add(f.ann, "All attempts fail", "old")
		f.update(f.ann, e.ID, "new")
		f.embedder.Fail(4, errors.New("secret"))
		job := f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobFailed)
		if job.Attempts != 4 || job.Error == "" || strings.Contains(job.Error, "secret") || job.FinishedAt == nil {
			t.Errorf("job %+v", job)
		}
		wantEqual(t, f.texts(e.ID), []string{"All attempts fail", "old"}) // what there was stays
		f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
		wantEqual(t, f.texts(e.ID), []string{"All attempts fail", "new"})
	})
}

func TestInvalidIsPermanent(t *testing.T) {
	inBubble(t, func(t *testing.T, f *engineFixture) {
		f.embedder.Fail(1, quire.Errorf(quire.CodeInvalid, "the text is too strange"))
		e := f.create(f.ann, document("Refused for good", "text"))
		job := f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobFailed)
		if job.Attempts != 1 || job.Error != "the embedder refused it: the text is too strange" {
			t.Errorf("job %+v", job)
		}
	})
}

// TestAskingAgainStartsOver asks for an ingest that waits for its next attempt.
func TestAskingAgainStartsOver(t *testing.T) {
	inBubble(t, func(t *testing.T, f *engineFixture) {
		f.embedder.Fail(7, errors.New("down")) // more than it may be tried
		e := f.create(f.ann, document("Asked for again", "text"))
		job := f.ingest(f.ann, e.ID, "")
		for {
			synctest.Wait()
			if j := f.storedJob(job); j.Status == quire.JobQueued && j.Attempts >= 3 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if again := f.ingest(f.ann, e.ID, ""); again.ID != job.ID {
			t.Errorf("job %s beside %s", again.ID, job.ID)
		}
		f.waitStatus(job, quire.JobSucceeded)
	})
}

func TestBadVectors(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]enginetest.Spoil{
		"one too few": enginetest.SpoilMissing, "one too many": enginetest.SpoilExtra, "dimension": enginetest.SpoilDimension,
		"NaN": enginetest.SpoilNaN, "infinity": enginetest.SpoilInf, "zero": enginetest.SpoilZero,
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, f *engineFixture) {
				f.embedder.Spoil(5, spoil)
				e := f.create(f.ann, document("Spoiled vectors here", "one\n\ntwo"))
				job := f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobFailed)
				if !strings.HasPrefix(job.Error, "the embedder returned ") {
					t.Errorf("error %q", job.Error)
				}
				wantEqual(t, f.texts(e.ID), []string(nil))
				f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
				f.embedder.Spoil(1, spoil)
				_, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "one", Filters: quire.Filters{TenantID: f.ann.TenantID}})
				wantCode(t, err, quire.CodeUnavailable)
				if got := f.search(f.ann, "one", quire.Filters{}); len(got) != 3 {
					t.Errorf("found %q", got)
				}
			})
		})
	}
}

// TestVectorsAreMadeUnitLength shows that an embedder's scale does not matter.
func TestVectorsAreMadeUnitLength(t *testing.T) {
	t.Parallel()
	f := onMemory(t)
	f.stop(t.Context())
	eng, err := quire.NewEngine(t.Context(), f.Library, f.index, scaled{f.embedder, 3e19}, f.llm, &f.opts)
	f.check(err)
	f.eng = eng
	e := f.add(f.ann, "Vectors of any length", "text")
	for _, c := range f.stored(e.ID) {
		var sum float64
		for _, x := range c.Vector {
			sum += float64(x) * float64(x)
		}
		if sum < 0.9999 || sum > 1.0001 {
			t.Errorf("a vector of squared length %v", sum)
		}
	}
}

type scaled struct {
	*enginetest.Embedder
	factor float32
}

func (s scaled) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := s.Embedder.Embed(ctx, texts)
	for _, v := range vectors {
		for i := range v {
			v[i] *= s.factor
		}
	}
	return vectors, err
}

// TestPoisonIsolated ingests a text that makes the embedder panic among others.
func TestPoisonIsolated(t *testing.T) {
	inBubble(t, func(t *testing.T, f *engineFixture) {
		f.opts.Workers = 1
		f.restart()
		f.embedder.PanicOn("poison")
		bad := f.create(f.ann, document("This one is poison", "poison"))
		job := f.ingest(f.ann, bad.ID, "")
		for range 3 {
			f.add(f.ann, "This one is healthy", "text")
		}
		failed := f.waitStatus(job, quire.JobFailed)
		if failed.Attempts != 5 || failed.Error != "the embedder failed unexpectedly" {
			t.Errorf("job %+v", failed)
		}
	})
}

// badChunker returns what no Chunker may.
type badChunker struct{ spans []quire.Span }

func (c badChunker) Chunks(string) []quire.Span {
	if c.spans == nil {
		panic("chunker")
	}
	return c.spans
}

func TestBadChunker(t *testing.T) {
	t.Parallel()
	const split = "Split in a bad way\n\ntext é"
	for name, spans := range map[string][]quire.Span{
		"panic":                        nil,
		"past the end":                 {{Start: 0, End: 1000}},
		"before":                       {{Start: -1, End: 3}},
		"empty":                        {{Start: 3, End: 3}},
		"out of order":                 {{Start: 3, End: 4}, {Start: 0, End: 2}},
		"none":                         {},
		"a gap":                        {{Start: 0, End: 5}, {Start: 9, End: 24}},
		"no end":                       {{Start: 0, End: 20}},
		"begins inside of a character": {{Start: 0, End: len(split)}, {Start: len(split) - 1, End: len(split)}},
		"ends inside of a character":   {{Start: 0, End: len(split) - 1}, {Start: 0, End: len(split)}},
		"a heading that is no text":    {{Start: 0, End: len(split), Heading: []string{"a\xff"}}},
		"a heading with NUL":           {{Start: 0, End: len(split), Heading: []string{"a\x00"}}},
		"a long heading":               {{Start: 0, End: len(split), Heading: []string{strings.Repeat("a", 1<<20)}}},
		"many headings":                {{Start: 0, End: len(split), Heading: make([]string, 101)}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, f *engineFixture) {
				f.opts.Chunker = badChunker{spans}
				f.restart()
				e := f.create(f.ann, document("Split in a bad way", "text é"))
				job := f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobFailed)
				if job.Error == "" || name != "panic" && job.Attempts != 1 {
					t.Errorf("job %+v", job)
				}
			})
		})
	}
}

// TestCloseKeepsAttempts closes in the middle of an ingest, more often than it may
// be tried.
func TestCloseKeepsAttempts(t *testing.T) {
	inBubble(t, func(t *testing.T, f *engineFixture) {
		gate := enginetest.NewGate()
		f.embedder.Hold(gate)
		e := f.create(f.ann, document("Stopped many times", "text"))
		job := f.ingest(f.ann, e.ID, "")
		for range 8 {
			<-gate.Arrived()
			f.stop(t.Context())
			j := f.storedJob(job)
			if j.Status != quire.JobQueued || j.Attempts != 0 || j.Stage != "queued" || j.LeaseOwner != "" || j.Error != "" {
				t.Errorf("after closing: %+v", j)
			}
			f.start()
		}
		gate.Open()
		if done := f.waitStatus(job, quire.JobSucceeded); done.Attempts != 1 {
			t.Errorf("job %+v", done)
		}
	})
}

// storedJob reads a job without the Engine.
func (f *engineFixture) storedJob(j quire.Job) quire.Job {
	f.t.Helper()
	err := f.store.View(f.t.Context(), func(tx quire.ReadTx) (err error) {
		j, err = tx.Job(f.t.Context(), j.TenantID, j.ID)
		return err
	})
	f.check(err)
	return j
}

// killed makes a job look as a killed process leaves it: running, under a lease.
func (f *engineFixture) killed(elementalID string, attempts int) quire.Job {
	f.t.Helper()
	now := time.Now().UTC()
	j := quire.Job{
		ID: "killed-" + elementalID, TenantID: f.ann.TenantID, ElementalID: elementalID, Status: quire.JobRunning, Stage: "embed",
		Done: 1, Total: 2, Attempts: attempts, CreatedAt: now, StartedAt: &now, LeaseOwner: "the dead", LeaseUntil: now.Add(time.Minute),
	}
	f.check(f.store.Update(f.t.Context(), func(tx quire.Tx) error { return tx.PutJob(f.t.Context(), j) }))
	return j
}

// shared hides that nobody else can have a Store open.
type shared struct{ quire.Store }

func TestKilledProcess(t *testing.T) {
	t.Parallel()
	t.Run("exclusive store", func(t *testing.T) {
		inBubble(t, func(t *testing.T, f *engineFixture) {
			e := f.create(f.ann, document("Was running when it died", "text"))
			waiting := f.create(f.ann, document("Was waiting for its time", "text"))
			late := time.Now().Add(10 * time.Minute).UTC()
			f.stop(t.Context())
			queued := quire.Job{ID: "queued", TenantID: f.ann.TenantID, ElementalID: waiting.ID, Status: quire.JobQueued, Stage: "queued",
				Attempts: 2, Error: "down", CreatedAt: time.Now().UTC(), RunAfter: late}
			f.check(f.store.Update(t.Context(), func(tx quire.Tx) error { return tx.PutJob(t.Context(), queued) }))
			before := f.storedJob(queued)
			job := f.killed(e.ID, 1)
			begin := time.Now()
			f.start()
			done := f.waitStatus(job, quire.JobSucceeded)
			if took := time.Since(begin); took > time.Second || done.Attempts != 2 {
				t.Errorf("after %v: %+v", took, done)
			}
			wantEqual(t, f.storedJob(queued), before) // looked at, but not touched
			if done := f.waitStatus(queued, quire.JobSucceeded); done.Attempts != 3 || done.StartedAt.Before(late) {
				t.Errorf("queued job %+v", done)
			}
		})
	})
	t.Run("shared store", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			f := newEngineFixture(t, shared{stores[0].open(t)}, quire.EngineOptions{Chunker: paragraphs{}})
			e := f.create(f.ann, document("Was running when it died", "text"))
			f.stop(t.Context())
			job := f.killed(e.ID, 1)
			begin := time.Now()
			f.start()
			f.waitStatus(job, quire.JobSucceeded)
			if took := time.Since(begin); took < 50*time.Second || took > 75*time.Second {
				t.Errorf("taken over after %v, the lease was a minute", took)
			}
		})
	})
	t.Run("it was the job that killed it", func(t *testing.T) {
		inBubble(t, func(t *testing.T, f *engineFixture) {
			e := f.create(f.ann, document("Kills every process", "text"))
			f.stop(t.Context())
			job := f.killed(e.ID, 5)
			calls := f.embedder.Calls()
			f.start()
			if done := f.waitStatus(job, quire.JobFailed); done.Error == "" || done.Attempts != 5 || f.embedder.Calls() != calls {
				t.Errorf("job %+v", done)
			}
		})
	})
}

// TestLostLease lets another worker, of another process, take a job over while the
// first one still runs: the first changes nothing any more.
func TestLostLease(t *testing.T) {
	inBubble(t, func(t *testing.T, f *engineFixture) {
		gate := enginetest.NewGate()
		f.embedder.Hold(gate)
		e := f.create(f.ann, document("Taken over by another", "text"))
		job := f.ingest(f.ann, e.ID, "")
		<-gate.Arrived()
		j := f.storedJob(job)
		j.LeaseOwner, j.Attempts = "another process", 2
		f.check(f.store.Update(t.Context(), func(tx quire.Tx) error { return tx.PutJob(t.Context(), j) }))
		gate.Open()
		synctest.Wait()
		wantEqual(t, f.texts(e.ID), []string(nil))
		if now := f.storedJob(job); now.LeaseOwner != "another process" || now.Status != quire.JobRunning {
			t.Errorf("job %+v", now)
		}
		// The other one goes silent, so that its lease ends.
		f.waitStatus(job, quire.JobSucceeded)
	})
}

// TestHeartbeatStopsALostAttempt notices the same without the embedder coming back.
func TestHeartbeatStopsALostAttempt(t *testing.T) {
	inBubble(t, func(t *testing.T, f *engineFixture) {
		f.opts.Workers = 1
		f.restart()
		gate := enginetest.NewGate()
		f.embedder.Hold(gate)
		e := f.create(f.ann, document("Taken over and stuck", "text"))
		job := f.ingest(f.ann, e.ID, "")
		<-gate.Arrived()
		j := f.storedJob(job)
		j = quire.Job{ID: j.ID, TenantID: j.TenantID, ElementalID: j.ElementalID, Status: quire.JobCancelled, CreatedAt: j.CreatedAt}
		f.check(f.store.Update(t.Context(), func(tx quire.Tx) error { return tx.PutJob(t.Context(), j) }))
		f.embedder.Hold(nil)
		f.add(f.ann, "The worker is free again", "text")
		wantEqual(t, f.texts(e.ID), []string(nil))
	})
}

// TestDeleteStopsTheEmbedder deletes while the embedder is at work: the worker is
// free at once.
func TestDeleteStopsTheEmbedder(t *testing.T) {
	inBubble(t, func(t *testing.T, f *engineFixture) {
		f.opts.Workers = 1
		f.restart()
		gate := enginetest.NewGate()
		f.embedder.Hold(gate)
		e := f.create(f.ann, document("Deleted while at work", "text"))
		job := f.ingest(f.ann, e.ID, "")
		<-gate.Arrived()
		f.embedder.Hold(nil)
		begin := time.Now()
		_, err := f.eng.DeleteElemental(t.Context(), f.ann.TenantID, e.ID)
		f.check(err)
		f.waitStatus(job, quire.JobCancelled)
		f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
		if took := time.Since(begin); took > 0 {
			t.Errorf("took %v", took)
		}
	})
}

// failingStore fails the next Updates or Views, whoever makes them, before they took effect,
// or all Views while it is down.
type failingStore struct {
	quire.Store
	updates, views chan error
	down           atomic.Bool
}

func (s *failingStore) Update(ctx context.Context, fn func(tx quire.Tx) error) error {
	select {
	case err := <-s.updates:
		return err
	default:
		return s.Store.Update(ctx, fn)
	}
}

func (s *failingStore) View(ctx context.Context, fn func(tx quire.ReadTx) error) error {
	select {
	case err := <-s.views:
		return err
	default:
		if s.down.Load() {
			return errors.New("out of order")
		}
		return s.Store.View(ctx, fn)
	}
}

// TestStoreFailures makes workers find the Store out of order for a while.
func TestStoreFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &failingStore{Store: stores[0].open(t), updates: make(chan error, 100), views: make(chan error, 100)}
		f := newEngineFixture(t, s, quire.EngineOptions{Chunker: paragraphs{}})
		e := f.create(f.ann, document("A store out of order", "text"))
		gate := enginetest.NewGate()
		f.embedder.Hold(gate)
		job := f.ingest(f.ann, e.ID, "")
		<-gate.Arrived()
		for range 4 {
			s.updates <- errors.New("disk full") // heartbeats, the commit, writing down how it ended
		}
		for range 3 {
			s.views <- errors.New("no such file")
		}
		gate.Open()
		synctest.Wait()
		time.Sleep(3 * time.Minute)
		f.waitStatus(job, quire.JobSucceeded)
		wantEqual(t, f.texts(e.ID), []string{"A store out of order", "text"})
	})
}

// liar is a Store whose Updates report failure: after they took effect, or without
// that, as a test wants.
type liar struct {
	quire.Store
	lie  atomic.Bool
	kept atomic.Bool // what the Update wrote stays
}

func (s *liar) Update(ctx context.Context, fn func(tx quire.Tx) error) error {
	broken := errors.New("connection lost")
	if !s.lie.Load() {
		return s.Store.Update(ctx, fn)
	}
	err := s.Store.Update(ctx, func(tx quire.Tx) error {
		if err := fn(tx); err != nil || s.kept.Load() {
			return err
		}
		return broken
	})
	return cmp.Or(err, broken)
}

// TestUnclearCommit loses the Store's answer to a commit: the index follows what
// really happened.
func TestUnclearCommit(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{true, false} {
		s := &liar{Store: stores[0].open(t)}
		f := newEngineFixture(t, s, quire.EngineOptions{Chunker: paragraphs{}})
		e := f.add(f.ann, "Lost on the way back", "text")
		s.kept.Store(kept)
		s.lie.Store(true)
		_, err := f.eng.DeleteElemental(t.Context(), f.ann.TenantID, e.ID)
		if err == nil {
			t.Error("the failure was not reported")
		}
		s.lie.Store(false)
		want := []string{"Lost on the way back", "text"}
		if kept {
			want = nil
		}
		wantEqual(t, f.texts(e.ID), want)
		if got := f.search(f.ann, "text", quire.Filters{}); len(got) != len(want) {
			t.Errorf("kept=%t: found %q", kept, got)
		}
	}
}

// growing is an Embedder whose vectors become longer under the same fingerprint.
type growing struct {
	*enginetest.Embedder
	more atomic.Int64
}

func (g *growing) Dimension() int { return g.Embedder.Dimension() + int(g.more.Load()) }

func (g *growing) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := g.Embedder.Embed(ctx, texts)
	for i := range vectors {
		vectors[i] = append(vectors[i], make([]float32, g.more.Load())...)
	}
	return vectors, err
}

// TestGrowingVectors: vectors of another length never come among those that are stored,
// neither in the same process nor in the next one.
func TestGrowingVectors(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, stores[0].open(t), quire.EngineOptions{Chunker: paragraphs{}, MaxAttempts: 1})
	f.stop(t.Context())
	g := &growing{Embedder: f.embedder}
	open := func() (err error) {
		f.index = enginetest.NewIndex()
		f.eng, err = quire.NewEngine(t.Context(), f.Library, f.index, g, f.llm, &f.opts)
		return err
	}
	f.check(open())
	f.add(f.ann, "A list of fruit", "apple pie")
	g.more.Store(8)
	e := f.create(f.ann, document("A list of boats", "a red boat"))
	if j := f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobFailed); !strings.Contains(j.Error, "numbers") {
		t.Errorf("the job says %q", j.Error)
	}
	f.stop(t.Context())
	wantCode(t, open(), quire.CodeConflict)
	g.more.Store(0)
	f.check(open())
	if got := f.search(f.ann, "apple pie", quire.Filters{}); len(got) == 0 || got[0] != "apple pie" {
		t.Errorf("found %q", got)
	}
}

// wantsQuiet is an error of a service that says when to come back.
type wantsQuiet time.Duration

func (w wantsQuiet) Error() string             { return "too many requests" }
func (w wantsQuiet) RetryDelay() time.Duration { return time.Duration(w) }

// A service that says how long it wants to be left alone is left alone so long, an hour at
// most.
func TestRetryAfter(t *testing.T) {
	for name, tt := range map[string]struct{ asked, least time.Duration }{
		"ten minutes": {10 * time.Minute, 10 * time.Minute},
		"a week":      {7 * 24 * time.Hour, time.Hour},
		"the past":    {-time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, f *engineFixture) {
				f.embedder.Fail(1, quire.Errorf(quire.CodeUnavailable, "busy").WithCause(wantsQuiet(tt.asked)))
				e := f.create(f.ann, document("Has to wait", "text"))
				begin := time.Now()
				job := f.ingest(f.ann, e.ID, "")
				if job, err := f.eng.Wait(context.Background(), job.TenantID, job.ID); err != nil || job.Status != quire.JobSucceeded {
					t.Errorf("job %+v, error %v", job, err)
				}
				if took := time.Since(begin); took < tt.least || took > tt.least+5*time.Second {
					t.Errorf("tried again after %v, want %v", took, tt.least)
				}
			})
		})
	}
}
