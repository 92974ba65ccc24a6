package quire_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
)

// TestChangeOfEmbedder changes content between the batches of a change of the embedder
// and compares what is found with engines that never changed theirs.
func TestChangeOfEmbedder(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			h := newThree(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}, BatchSize: 3})
			h.fill(6)
			steps := []func(f *engineFixture){
				func(*engineFixture) {},
				func(f *engineFixture) {
					in := document("Elemental that came meanwhile", "red boat\n\napples")
					in.ID = "late"
					f.create(f.ann, in)
					f.ingest(f.ann, "late", "")
				},
				func(f *engineFixture) { f.check(f.DeleteElemental(t.Context(), f.ann, "e0")) },
				func(f *engineFixture) {
					_, err := f.AttachTag(t.Context(), f.ann, "e1", h.tags[f])
					f.check(err)
				},
				func(f *engineFixture) {
					f.update(f.ann, "e2", "another stone bridge\n\nword 3")
					f.ingest(f.ann, "e2", "")
				},
				func(f *engineFixture) {
					_, err := f.eng.DeleteElemental(t.Context(), f.ann.TenantID, "e3")
					f.check(err)
				},
				func(f *engineFixture) {
					_, err := f.UpdateTag(t.Context(), f.ann, h.tags[f], quire.TagPatch{Title: ptr("marked"), Color: ptr("#000")})
					f.check(err)
				},
			}
			gate := enginetest.NewGate()
			given := newEmbedder()
			given.Hold(gate)
			former, _ := h.changed.change(given)
			for i, step := range steps {
				<-gate.Arrived()
				h.each(step)
				h.wantLike(h.old)
				h.changed.chunks(former)
				status := h.changed.eng.Reembedding()
				if !status.Running || status.Done < 3*i-3 || status.Total < status.Done {
					t.Errorf("after %d batches: %+v", i, status)
				}
				if counts := h.changed.eng.Health(t.Context()).Components["embedder"].Counts; counts["reembed_total"] != status.Total {
					t.Errorf("health: %v", counts)
				}
				gate.Pass(1)
			}
			gate.Open()
			h.changed.waitChanged()
			given.Hold(nil)
			h.wantLike(h.of)
			wantEqual(t, withoutTagIDs(h.changed.chunks(given)), withoutTagIDs(h.of.chunks(h.of.embedder)))
			h.changed.wantNothingKept(given)
			if c := h.changed.eng.Health(t.Context()).Components["embedder"]; c.Name != given.Fingerprint() || c.Counts != nil {
				t.Errorf("health: %+v", c)
			}
			once := map[string]int{}
			for _, text := range given.Texts() {
				once[text]++
			}
			for text, n := range once {
				if n > 1 && !slices.ContainsFunc(changeQueries, func(q quire.SearchRequest) bool { return q.Query == text }) {
					t.Errorf("%q was embedded %d times", text, n)
				}
			}
			// What was embedded anew is as if it had been ingested.
			calls := given.Calls()
			h.changed.waitStatus(h.changed.ingest(h.changed.ann, "e1", ""), quire.JobSucceeded)
			if given.Calls() != calls {
				t.Error("an ingest without a change asks the embedder")
			}
			h.changed.restart() // the former embedder is given still, and no longer used
			wantEqual(t, h.changed.eng.Reembedding(), quire.ReembedStatus{})
			h.changed.opts.Former = nil
			h.changed.restart()
			h.each(func(f *engineFixture) { f.update(f.ann, "e4", "red boat"); f.ingest(f.ann, "e4", "") })
			h.wantLike(h.of)
		})
	}
}

// TestSearchesWhileTheEmbedderChanges searches all the time, in content that stays the
// same, while that of another tenant is changed all the time: each result is that of the
// former embedder or that of the new one, and never the former again after the new.
func TestSearchesWhileTheEmbedderChanges(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			h := newThree(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}, BatchSize: 4})
			h.fill(10)
			f := h.changed
			var others []quire.Elemental
			for i := range 4 {
				others = append(others, f.add(f.bob, fmt.Sprint("Of the other tenant ", i), "text"))
			}
			before, after := make([][]result, len(changeQueries)), make([][]result, len(changeQueries))
			for i, q := range changeQueries {
				before[i], after[i] = h.old.results(q), h.of.results(q)
			}
			gate := enginetest.NewGate()
			given := newEmbedder()
			given.Hold(gate)
			f.change(given)

			var stop atomic.Bool
			var seen [2]atomic.Int64
			var wg sync.WaitGroup
			for reader := range 4 {
				wg.Go(func() {
					changed := false
					for i := reader; !stop.Load(); i++ {
						q := changeQueries[i%len(changeQueries)]
						q.Filters.TenantID = f.ann.TenantID
						hits, err := f.eng.Search(t.Context(), q)
						if err != nil {
							t.Error(err)
							return
						}
						got := fmt.Sprint(results(hits))
						switch {
						case !changed && got == fmt.Sprint(before[i%len(changeQueries)]):
							seen[0].Add(1)
						case got == fmt.Sprint(after[i%len(changeQueries)]):
							changed = true
							seen[1].Add(1)
						default:
							t.Errorf("changed=%t, but found %s", changed, got)
							return
						}
					}
				})
			}
			for writer, e := range others {
				wg.Go(func() {
					for i := 0; !stop.Load(); i++ {
						var err error
						switch i % 4 {
						case 0:
							_, err = f.UpdateElemental(t.Context(), f.bob, e.ID, quire.ElementalPatch{Body: ptr(fmt.Sprintf("text %d\n\nof %d", i, writer))})
						case 1, 2:
							var job quire.Job
							if job, err = f.eng.Ingest(t.Context(), f.bob.TenantID, quire.IngestRequest{ElementalID: e.ID}); err == nil && i%8 < 4 {
								_, err = f.eng.Wait(t.Context(), f.bob.TenantID, job.ID)
							}
						case 3:
							if i%3 == 0 {
								_, err = f.eng.DeleteElemental(t.Context(), f.bob.TenantID, e.ID)
							} else {
								_, err = f.UpdateElemental(t.Context(), f.bob, e.ID, quire.ElementalPatch{Title: ptr(fmt.Sprint("Of the other tenant ", i))})
							}
						}
						if err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			for range 5 {
				<-gate.Arrived()
				gate.Pass(1)
			}
			for seen[0].Load() < 20 && !t.Failed() {
				runtime.Gosched()
			}
			gate.Open()
			f.waitChanged()
			for n := seen[1].Load(); seen[1].Load() < n+20 && !t.Failed(); { // some searches more
				runtime.Gosched()
			}
			stop.Store(true)
			wg.Wait()
			f.settleAll(f.bob)
			f.chunks(given)
			f.wantNothingKept(given)
			for _, e := range others {
				final, err := f.Elemental(t.Context(), f.bob, e.ID)
				f.check(err)
				f.waitStatus(f.ingest(f.bob, e.ID, ""), quire.JobSucceeded)
				wantEqual(t, f.texts(e.ID), append([]string{final.Title}, strings.Split(final.Body, "\n\n")...))
			}
			t.Logf("%d searches before the change of the embedder, %d after it", seen[0].Load(), seen[1].Load())
			if seen[0].Load() == 0 || seen[1].Load() == 0 {
				t.Error("not before and after")
			}
		})
	}
}

// TestQueryOfTheFormerEmbedder lets a query be embedded by the former embedder while the
// engine changes to the new one.
func TestQueryOfTheFormerEmbedder(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			h := newThree(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}})
			h.fill(3)
			f := h.changed
			given := newEmbedder()
			first := enginetest.NewGate()
			given.Hold(first)
			former, _ := f.change(given)
			gate := enginetest.NewGate()
			former.Hold(gate)
			got := make(chan []result)
			go func() {
				q := changeQueries[0]
				q.Filters.TenantID = f.ann.TenantID
				hits, err := f.eng.Search(t.Context(), q)
				if err != nil {
					t.Error(err)
				}
				got <- results(hits)
			}()
			<-gate.Arrived()
			first.Open()
			f.waitChanged()
			gate.Open()
			wantEqual(t, <-got, h.of.results(changeQueries[0]))
			if !slices.Contains(given.Texts(), changeQueries[0].Query) {
				t.Error("the query was not embedded again")
			}
		})
	}
}

// TestIngestOfTheFormerEmbedder changes the embedder while an ingest, at each of its
// batches, waits for the former one.
func TestIngestOfTheFormerEmbedder(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		for batch := range 4 {
			t.Run(fmt.Sprintf("%s/%d", s.name, batch), func(t *testing.T) {
				t.Parallel()
				f := newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}, BatchSize: 1})
				f.add(f.ann, "There before the change", "one\n\ntwo")
				first := enginetest.NewGate()
				given := newEmbedder()
				given.Hold(first)
				former, _ := f.change(given)
				e := f.create(f.ann, document("Ingested at the same time", "one\n\ntwo\n\nthree"))
				gate := enginetest.NewGate()
				former.Hold(gate)
				job := f.ingest(f.ann, e.ID, "")
				gate.Pass(batch)
				for range batch + 1 {
					<-gate.Arrived()
				}
				first.Open()
				f.waitChanged()
				f.chunks(given)
				gate.Open()
				if done := f.waitStatus(job, quire.JobSucceeded); done.Attempts != 1 {
					t.Errorf("%d attempts", done.Attempts)
				}
				wantEqual(t, f.texts(e.ID), []string{"Ingested at the same time", "one", "two", "three"})
				f.chunks(given)
			})
		}
	}
}

// wantMismatch checks the error for chunks of another embedder.
func wantMismatch(t *testing.T, err error, want quire.EmbedderMismatch) {
	t.Helper()
	wantCode(t, err, quire.CodeConflict)
	var got *quire.EmbedderMismatch
	if !errors.As(err, &got) || *got != want {
		t.Errorf("error %v holds %+v, want %+v", err, got, want)
	}
	for _, name := range []string{want.Stored, want.Given, want.Former} {
		if !strings.Contains(err.Error(), name) || !strings.Contains(got.Error(), name) {
			t.Errorf("%q does not name %q", err, name)
		}
	}
}

func TestEmbedderMismatch(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		e := f.add(f.ann, "Vectors of one model", "text\n\nmore text")
		f.add(f.bob, "More vectors of it", "text")
		f.stop(t.Context())
		old, other, third := f.embedder.Fingerprint(), newEmbedder(), &enginetest.Embedder{Model: "third"}
		open := func(given, former *enginetest.Embedder) error {
			opts := f.opts
			if former != nil {
				opts.Former = former
			}
			eng, err := quire.NewEngine(t.Context(), f.Library, enginetest.NewIndex(), given, f.llm, &opts)
			if err == nil {
				t.Error("it was opened")
				f.check(eng.Close(t.Context()))
			}
			return err
		}
		wantMismatch(t, open(other, nil), quire.EmbedderMismatch{Stored: old, Given: other.Fingerprint()})
		wantMismatch(t, open(other, third), quire.EmbedderMismatch{Stored: old, Given: other.Fingerprint(), Former: third.Fingerprint()})

		// Nothing leaves chunks of two embedders behind; if there are any, nothing opens.
		f.check(f.store.Update(t.Context(), func(tx quire.Tx) error {
			chunks, err := tx.ChunksOf(t.Context(), e.ID)
			if err != nil {
				return err
			}
			chunks[1].Fingerprint, chunks[1].Vector = other.Fingerprint(), other.Vector("text")
			return tx.ReplaceChunks(t.Context(), e.ID, chunks)
		}))
		for _, pair := range [][2]*enginetest.Embedder{{other, f.embedder}, {f.embedder, other}, {f.embedder, nil}, {other, nil}} {
			err := open(pair[0], pair[1])
			var mismatch *quire.EmbedderMismatch
			if wantCode(t, err, quire.CodeConflict); !errors.As(err, &mismatch) {
				t.Errorf("error %v", err)
			}
		}
		f.check(f.DeleteElemental(t.Context(), f.ann, e.ID))
		f.start()
	})
}

// TestFormerIsNotNeeded gives a former embedder where there is nothing to change.
func TestFormerIsNotNeeded(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		third := &enginetest.Embedder{Model: "third"}
		f.opts.Former = third
		f.restart() // nothing is stored
		wantEqual(t, f.eng.Reembedding(), quire.ReembedStatus{})
		f.check(f.eng.WaitReembedded(t.Context()))
		f.add(f.ann, "Vectors of the present one", "text")
		f.restart() // all that is stored is of the embedder given
		wantEqual(t, f.eng.Reembedding(), quire.ReembedStatus{})
		f.opts.Former = &enginetest.Embedder{}
		f.restart() // the former is the same
		wantEqual(t, f.eng.Reembedding(), quire.ReembedStatus{})
		f.chunks(f.embedder)
		if third.Calls() != 0 {
			t.Error("the former embedder was asked")
		}
	})
}

// TestRenamedBeforeTheChange changes the embedder of chunks whose elemental has another
// title than when it was ingested.
func TestRenamedBeforeTheChange(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		e := f.add(f.ann, "The title at first", "one\n\ntwo")
		f.add(f.ann, "The title of another", "one\n\ntwo")
		_, err := f.UpdateElemental(t.Context(), f.ann, e.ID, quire.ElementalPatch{Title: ptr("The title later on")})
		f.check(err)
		_, given := f.change(newEmbedder())
		f.waitChanged()
		for _, c := range f.stored(e.ID)[1:] {
			input := "The title later on\n" + c.Text
			sum := sha256.Sum256([]byte(input))
			if c.Hash != hex.EncodeToString(sum[:]) {
				t.Errorf("%q has the hash of another text", c.Text)
			}
		}
		f.chunks(given)
		calls := given.Calls()
		f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
		if texts := given.Texts(); given.Calls() != calls+1 || texts[len(texts)-1] != "The title later on" {
			t.Errorf("after that an ingest embeds %q", texts)
		}
	})
}

// TestChangeOfManyChunks changes more than fits into one page, in a few calls.
func TestChangeOfManyChunks(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		f := newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}, BatchSize: 5000})
		const each = 600
		for i := range 2 {
			var body strings.Builder
			for n := range each {
				fmt.Fprintf(&body, "The title that all have: %d of %d\n\n", n, n%2*i) // half of them twice
			}
			f.add(f.ann, "The title that all have", body.String())
		}
		_, given := f.change(newEmbedder())
		f.waitChanged()
		chunks := f.chunks(given)
		texts := given.Texts()
		slices.Sort(texts)
		if once := slices.Compact(slices.Clone(texts)); len(chunks) != 2*(each+1) || len(once) != len(texts) || len(once) != each*3/2+1 {
			t.Errorf("%s: %d chunks, %d texts embedded, %d different", s.name, len(chunks), len(texts), len(once))
		}
		if got := f.eng.Reembedding(); got.Done != len(chunks) {
			t.Errorf("%s: %+v", s.name, got)
		}
	}
}

// TestReopenedChange closes in the middle of a change, after each number of batches.
func TestReopenedChange(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			f := newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}, BatchSize: 2})
			for i := range 8 {
				f.add(f.ann, fmt.Sprint("Elemental with number ", i), fmt.Sprintf("one %d\n\ntwo %d\n\nthe same", i, i%2))
			}
			former, given := f.embedder, newEmbedder()
			embedded := map[string]int{} // texts of the calls that came to their end
			opened, batches := 0, 0
			for round := 0; ; round++ {
				gate := enginetest.NewGate()
				session := newEmbedder()
				session.Hold(gate)
				f.stop(t.Context())
				f.opts.Former, f.embedder = nil, session
				_, err := quire.NewEngine(t.Context(), f.Library, enginetest.NewIndex(), session, f.llm, &f.opts)
				wantMismatch(t, err, quire.EmbedderMismatch{Stored: former.Fingerprint(), Given: given.Fingerprint()})
				f.opts.Former = former
				f.start()
				opened++
				pass := round % 4
				gate.Pass(pass)
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					f.eng.WaitReembedded(t.Context()) // f.stop ends it at the latest
				}()
				arrived := 0
				for arrived <= pass {
					select {
					case <-gate.Arrived():
						arrived++
						continue
					case <-ended:
					}
					break
				}
				done := arrived <= pass
				if !done {
					f.stop(t.Context())
					wantCode(t, f.eng.WaitReembedded(t.Context()), quire.CodeClosed)
					f.eng.Close(t.Context())
				}
				<-ended
				calls := session.Batches()
				if !done {
					calls = calls[:len(calls)-1]
				}
				batches += len(calls)
				for _, texts := range calls {
					for _, text := range texts {
						embedded[text]++
					}
				}
				if done {
					gate.Open()
					break
				}
			}
			for text, n := range embedded {
				if n > 1 {
					t.Errorf("%q was embedded %d times", text, n)
				}
			}
			distinct := map[string]bool{}
			for _, c := range f.chunks(f.embedder) {
				distinct[c.Hash] = true
			}
			if len(distinct) != len(embedded) {
				t.Errorf("%d texts were embedded, there are %d", len(embedded), len(distinct))
			}
			f.wantNothingKept(given)
			t.Logf("opened %d times, %d batches, %d texts", opened, batches, len(embedded))
		})
	}
}

// TestChangeTakenBack opens with the former embedder again in the middle of a change,
// then changes to a third one.
func TestChangeTakenBack(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		f.opts.BatchSize = 1
		f.restart()
		f.add(f.ann, "Changed and changed back", "one\n\ntwo\n\nthree")
		gate := enginetest.NewGate()
		given := newEmbedder()
		given.Hold(gate)
		former, _ := f.change(given)
		gate.Pass(2)
		for range 3 {
			<-gate.Arrived()
		}
		f.stop(t.Context())
		f.embedder, f.opts.Former = former, nil
		f.start()
		f.chunks(former)
		f.wantNothingKept(given)

		f.change(given)
		gate.Pass(2)
		for range 3 {
			<-gate.Arrived()
		}
		f.stop(t.Context())
		third := &enginetest.Embedder{Model: "third", Dim: 32}
		f.embedder = third
		f.start()
		f.waitChanged()
		f.chunks(third)
		f.wantNothingKept(given)
		gate.Open()
	})
}

func TestWaitReembeddedListensToItsContext(t *testing.T) {
	t.Parallel()
	f := onMemory(t)
	f.add(f.ann, "Nobody waits so long", "text")
	gate := enginetest.NewGate()
	given := newEmbedder()
	given.Hold(gate)
	f.change(given)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.eng.WaitReembedded(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	gate.Open()
	f.waitChanged()
}
