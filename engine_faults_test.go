package quire_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

// around is an Embedder that does something before each call.
type around struct {
	*enginetest.Embedder
	before func(ctx context.Context, texts []string) error
}

func (a around) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := a.before(ctx, texts); err != nil {
		return nil, err
	}
	return a.Embedder.Embed(ctx, texts)
}

// startWith makes the fixture's Engine one over another embedder.
func (f *engineFixture) startWith(e quire.Embedder) {
	f.t.Helper()
	f.stop(f.t.Context())
	f.index = enginetest.NewIndex()
	eng, err := quire.NewEngine(f.t.Context(), f.Library, f.index, e, f.llm, &f.opts)
	f.check(err)
	f.eng = eng
}

// TestFailureAtEachBatch lets an ingest fail for good at each of its batches: what was
// ingested before stays whole.
func TestFailureAtEachBatch(t *testing.T) {
	t.Parallel()
	const batches = 12
	var failed, whole atomic.Int64
	t.Cleanup(func() {
		t.Logf("C4: an ingest of %d batches failed at each of them, on %d stores: %d of %d times the former passages were whole",
			batches, len(stores), whole.Load(), failed.Load())
	})
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			f := newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}, BatchSize: 1, MaxAttempts: 1})
			var left atomic.Int64
			f.startWith(around{f.embedder, func(_ context.Context, texts []string) error {
				if left.Add(-1) == 0 {
					return errors.New("refused")
				}
				return nil
			}})
			body := func(version int) string {
				parts := make([]string, batches)
				for i := range parts {
					parts[i] = fmt.Sprintf("version %d, part %d", version, i)
				}
				return strings.Join(parts, "\n\n")
			}
			e := f.add(f.ann, "Failing at each of its batches", body(0))
			for at := 1; at <= batches; at++ {
				before := f.texts(e.ID)
				f.update(f.ann, e.ID, body(at))
				left.Store(int64(at))
				f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobFailed)
				failed.Add(1)
				if got := f.texts(e.ID); slices.Equal(got, before) {
					whole.Add(1)
				} else {
					t.Errorf("failed at batch %d: there is %q, before that %q", at, got, before)
				}
				if found := f.search(f.ann, "version", quire.Filters{ElementalID: e.ID}); len(found) != batches+1 {
					t.Errorf("failed at batch %d: a search finds %q", at, found)
				}
				f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
			}
		})
	}
}

// TestParallelIngests asks for the ingest of one elemental from many sides.
func TestParallelIngests(t *testing.T) {
	t.Parallel()
	const many = 100
	var asked, jobs, wrong atomic.Int64
	t.Cleanup(func() {
		t.Logf("C5: %d ingests asked for, %d at a time: %d jobs; %d elementals with other passages than wanted",
			asked.Load(), many, jobs.Load(), wrong.Load())
	})
	for _, s := range stores {
		for _, traced := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/traced=%t", s.name, traced), func(t *testing.T) {
				t.Parallel()
				f := newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}, BatchSize: 1, Workers: 4})
				gate := enginetest.NewGate()
				f.embedder.Hold(gate)
				e := f.create(f.ann, document("Asked for by everyone", "one\n\ntwo\n\nthree"))
				trace := ""
				if traced {
					trace = "the same for all"
				}
				askAll := func() map[string]bool {
					ids := make([]string, many)
					var wg sync.WaitGroup
					for i := range ids {
						wg.Go(func() { ids[i] = f.ingest(f.ann, e.ID, trace).ID })
					}
					wg.Wait()
					asked.Add(many)
					distinct := map[string]bool{}
					for _, id := range ids {
						distinct[id] = true
					}
					return distinct
				}
				first := f.ingest(f.ann, e.ID, trace)
				<-gate.Arrived() // runs, so that what is asked for now must be another job, unless it has its trace id
				all := askAll()
				if len(all) != 1 || all[first.ID] != traced {
					t.Errorf("%d jobs for %d ingests at once; that of the first ingest among them: %t", len(all), many, all[first.ID])
				}
				jobs.Add(int64(len(all)))
				gate.Open()
				f.settle(f.ann)
				got := f.texts(e.ID)
				want := []string{"Asked for by everyone", "one", "two", "three"}
				if !slices.Equal(got, want) {
					wrong.Add(1)
					t.Errorf("there is %q, want %q", got, want)
				}
				if n := len(f.embedder.Texts()); n != len(want) {
					t.Errorf("%d texts were embedded, want %d", n, len(want))
				}
			})
		}
	}
}

// TestPoisonAmongMany ingests one text that fails for good among a thousand others.
func TestPoisonAmongMany(t *testing.T) {
	t.Parallel()
	const many = 1000
	run := func(t *testing.T, poison func() error) (took time.Duration, done int, bad quire.Job) {
		synctest.Test(t, func(t *testing.T) {
			f := newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Chunker: paragraphs{}, Workers: 2, Text: noText{}})
			f.startWith(around{f.embedder, func(ctx context.Context, texts []string) error {
				select {
				case <-time.After(100 * time.Millisecond):
				case <-ctx.Done():
				}
				if poison != nil && strings.Contains(texts[0], "number 0 ") {
					return poison()
				}
				return nil
			}})
			begin := time.Now()
			jobs := make([]quire.Job, many)
			for i := range jobs {
				jobs[i] = f.ingest(f.ann, f.create(f.ann, document(fmt.Sprintf("Elemental number %d of many", i), "text")).ID, "")
			}
			for _, job := range jobs[1:] {
				if f.wait(job).Status == quire.JobSucceeded {
					done++
				}
			}
			took = time.Since(begin)
			bad = f.wait(jobs[0])
		})
		return took, done, bad
	}
	usual, _, _ := run(t, nil)
	slowest, ingested, attempts := time.Duration(0), many, map[string]int{}
	for name, poison := range map[string]func() error{
		"panics":  func() error { panic("poison") },
		"fails":   func() error { return errors.New("refused") },
		"invalid": func() error { return quire.Errorf(quire.CodeInvalid, "the text is too strange") },
	} {
		took, done, bad := run(t, poison)
		if done != many-1 {
			t.Errorf("%s: %d of %d others were ingested", name, done, many-1)
		}
		tries := 5
		if name == "invalid" {
			tries = 1 // it would be refused again
		}
		if bad.Status != quire.JobFailed || bad.Error == "" || bad.Attempts != tries {
			t.Errorf("%s: job %+v", name, bad)
		}
		if took > usual*12/10 {
			t.Errorf("%s: the others took %v, without it %v", name, took, usual)
		}
		slowest, ingested, attempts[name] = max(slowest, took), min(ingested, done), bad.Attempts
	}
	t.Logf("C7: 1 poison among %d texts: %d others ingested, in at most %.2f times their time without it; itself given up after attempts %v",
		many, ingested, float64(slowest)/float64(usual), attempts)
}

// noText is a TextIndex that holds nothing: for tests in which it does not matter.
type noText struct{}

func (noText) Replace(context.Context, string, string, []quire.Chunk) error { return nil }
func (noText) Search(context.Context, string, quire.Filters, int) ([]quire.TextHit, error) {
	return nil, nil
}
func (noText) Reset(context.Context) error { return nil }
func (noText) Close() error                { return nil }

// TestServiceFaults lets the service that embeds go wrong in every way there is, three
// times in the middle of an ingest.
func TestServiceFaults(t *testing.T) {
	t.Parallel()
	const faults, parts = 3, 7
	scripts := map[string]func(e *enginetest.Embedder){
		"too many requests": func(e *enginetest.Embedder) {
			e.Fail(faults, quire.Errorf(quire.CodeUnavailable, "busy").WithCause(wantsQuiet(30*time.Second)))
		},
		"server error":      func(e *enginetest.Embedder) { e.Fail(faults, errors.New("status 500")) },
		"time limit":        func(e *enginetest.Embedder) { e.Fail(faults, context.DeadlineExceeded) },
		"cancelled by it":   func(e *enginetest.Embedder) { e.Fail(faults, context.Canceled) },
		"cut connection":    func(e *enginetest.Embedder) { e.Fail(faults, io.ErrUnexpectedEOF) },
		"no vectors at all": func(e *enginetest.Embedder) { e.Spoil(faults, enginetest.SpoilMissing) }, // batches are of one text
		"too many vectors":  func(e *enginetest.Embedder) { e.Spoil(faults, enginetest.SpoilExtra) },
		"another dimension": func(e *enginetest.Embedder) { e.Spoil(faults, enginetest.SpoilDimension) },
		"no number":         func(e *enginetest.Embedder) { e.Spoil(faults, enginetest.SpoilNaN) },
		"infinity":          func(e *enginetest.Embedder) { e.Spoil(faults, enginetest.SpoilInf) },
		"zero vector":       func(e *enginetest.Embedder) { e.Spoil(faults, enginetest.SpoilZero) },
		"one after the other": func(e *enginetest.Embedder) {
			e.Fail(1, errors.New("status 500"))
			e.Fail(1, io.EOF)
			e.Spoil(1, enginetest.SpoilZero)
		},
	}
	var ran, lost, bad, over atomic.Int64
	t.Cleanup(func() {
		t.Logf("C8: %d fault scripts: %d ingests lost, %d bad vectors stored, %d calls over the budget", ran.Load(), lost.Load(), bad.Load(), over.Load())
	})
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ran.Add(1)
				f := newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Chunker: paragraphs{}, BatchSize: 1, Workers: 1})
				gate := enginetest.NewGate()
				f.embedder.Hold(gate)
				body := make([]string, parts-1)
				for i := range body {
					body[i] = fmt.Sprint("part ", i)
				}
				e := f.create(f.ann, document("Embedded by a service that fails", strings.Join(body, "\n\n")))
				begin := time.Now()
				job := f.ingest(f.ann, e.ID, "")
				gate.Pass(3)
				for range 4 {
					<-gate.Arrived()
				}
				script(f.embedder)
				gate.Open()
				if done := f.waitStatus(job, quire.JobSucceeded); done.Status != quire.JobSucceeded {
					lost.Add(1)
				}
				if name == "too many requests" && time.Since(begin) < faults*30*time.Second {
					t.Errorf("the service wanted to be left alone for 30 s %d times, and was for %v", faults, time.Since(begin))
				}
				// What has come back is not asked for again.
				if extra := f.embedder.Calls() - parts - faults; extra > 0 {
					over.Add(int64(extra))
					t.Errorf("%d calls, want %d batches and %d failures", f.embedder.Calls(), parts, faults)
				}
				for _, c := range f.stored(e.ID) {
					if !slices.Equal(c.Vector, f.embedder.Vector(embedded(c))) {
						bad.Add(1)
						t.Errorf("%q has another vector", c.Text)
					}
				}
				if got := f.texts(e.ID); len(got) != parts {
					t.Errorf("there is %q", got)
				}
			})
		})
	}
}

// embedded is the text that was embedded for a chunk of a text without headings.
func embedded(c quire.Chunk) string {
	if strings.Contains(c.Text, c.Title) {
		return c.Text
	}
	return c.Title + "\n" + c.Text
}

// TestOutage: the service that embeds answers nobody for an hour.
func TestOutage(t *testing.T) {
	t.Parallel()
	const documents = 20
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		f := newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Chunker: paragraphs{}, Workers: 2})
		end := time.Now()
		var vain atomic.Int64
		f.startWith(around{f.embedder, func(context.Context, []string) error {
			if time.Now().Before(end) {
				vain.Add(1)
				return errors.New("nobody there")
			}
			return nil
		}})
		before := f.add(f.ann, "Here before the outage", "some older words")
		end = time.Now().Add(time.Hour)

		var jobs []quire.Job
		refused, found, down := 0, 0, 0
		for i := range documents {
			e, err := f.CreateElemental(ctx, f.ann, document(fmt.Sprint("Made in the outage ", i), "newer words"))
			if err != nil {
				refused++
				t.Error(err)
				continue
			}
			jobs = append(jobs, f.ingest(f.ann, e.ID, ""))
			if titles := f.find(f.ann, "outage"); len(titles) != i+2 {
				t.Errorf("the content search finds %q", titles)
			}
			hits, err := f.eng.Search(ctx, quire.SearchRequest{Query: "older", Mode: quire.SearchText, Filters: quire.Filters{TenantID: f.ann.TenantID}})
			if err != nil || len(hits) == 0 || hits[0].Chunk.ElementalID != before.ID {
				t.Errorf("the search by words finds %v, %v", hits, err)
			} else {
				found++
			}
			_, err = f.eng.Chat(ctx, quire.ChatRequest{Query: "older", Filters: quire.Filters{TenantID: f.ann.TenantID}})
			if wantCode(t, err, quire.CodeUnavailable); err != nil {
				down++
			}
			time.Sleep(time.Hour/documents - time.Second)
		}
		health := f.eng.Health(ctx)
		for name, c := range health.Components {
			if c.Up != (name != "embedder") {
				t.Errorf("after an hour, %s is up: %t", name, c.Up)
			}
		}
		if err := f.eng.Healthy(ctx); err != nil {
			t.Errorf("the engine does not work: %v", err)
		}
		time.Sleep(time.Until(end))
		drained := 0
		for _, job := range jobs {
			if f.waitStatus(job, quire.JobSucceeded).Status == quire.JobSucceeded {
				drained++
			}
		}
		caughtUp := time.Since(end)
		if caughtUp > 2*time.Minute {
			t.Errorf("it took %v to catch up", caughtUp)
		}
		if h := f.eng.Health(ctx); !h.Up {
			t.Errorf("afterwards: %+v", h)
		}
		t.Logf("C9: an hour without the service that embeds: %d changes of content, %d refused, %d of %d searches by words answered, %d of %d chats unavailable; %d of %d ingests drained %v afterwards, after %d calls in vain",
			documents, refused, found, documents, down, documents, drained, documents, caughtUp.Round(time.Second), vain.Load())
	})
}

// loud is a Store that counts its Updates, of which all but the first, that of NewEngine,
// fail at the commit until there were many.
type loud struct {
	quire.Store
	fails   atomic.Bool
	first   atomic.Bool
	updates atomic.Int64
}

func (s *loud) Update(ctx context.Context, fn func(tx quire.Tx) error) error {
	if !s.fails.Load() || s.first.CompareAndSwap(false, true) || s.updates.Add(1) > 1000 {
		return s.Store.Update(ctx, fn)
	}
	err := s.Store.Update(ctx, func(tx quire.Tx) error { return cmp.Or(fn(tx), errors.New("disk full")) })
	return err
}

// TestFullStoreIsNoLoop: workers that cannot write down that they give a job up do not try
// it without a pause.
func TestFullStoreIsNoLoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &loud{Store: stores[0].open(t)}
		f := newEngineFixture(t, s, quire.EngineOptions{Chunker: paragraphs{}, Workers: 2})
		e := f.create(f.ann, document("Attempts are used up", "text"))
		f.stop(t.Context())
		job := f.killed(e.ID, 5)
		s.fails.Store(true)
		f.start()
		time.Sleep(2 * time.Minute) // the lease of the killed process is over after one
		tries := s.updates.Load()
		if tries < 2 || tries > 40 {
			t.Errorf("%d tries in a minute", tries)
		}
		s.fails.Store(false)
		f.waitStatus(job, quire.JobFailed)
		t.Logf("A4: 2 workers on a full disk tried to write %d times in the minute after its lease", tries)
	})
}
