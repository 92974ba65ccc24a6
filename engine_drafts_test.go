package quire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store/sqlite"
)

// drafts returns how many drafts there are of an elemental and the fixture's embedder.
func (f *engineFixture) drafts(elementalID string) (n int) {
	f.t.Helper()
	f.check(f.store.View(f.t.Context(), func(tx quire.ReadTx) error {
		drafts, err := tx.Drafts(f.t.Context(), elementalID, f.embedder.Fingerprint())
		n = len(drafts)
		return err
	}))
	return n
}

// TestKillBetweenBatches kills a process that ingests one long elemental while a batch is
// with the embedder, when one has just come back, and while the chunks are written. What
// the Engine had got before is not embedded again.
func TestKillBetweenBatches(t *testing.T) {
	t.Parallel()
	const passages = 10 * ingestBatch
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, s, nil)
	var body []string
	for n := range passages - 1 {
		body = append(body, fmt.Sprintf("passage number%d of many", n))
	}
	e := f.create(f.ann, document("An elemental with lantern light", strings.Join(body, "\n\n")))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	begun, open := map[string]int{}, map[string]int{} // how often a text was embedded, and was so when the kill came
	for _, kill := range []struct {
		place  string
		n      int
		unkept bool // the Engine had not got the last batch
	}{{"embed", 3, true}, {"embedded", 2, true}, {"embed", 4, true}, {"replaced", 1, false}} {
		said, ok := runToKill(t, dir, kill.place, kill.n)
		if !ok {
			t.Fatalf("the process never was at %s", kill.place)
		}
		var last []string
		for _, line := range said {
			if texts, ok := strings.CutPrefix(line, "embed "); ok {
				last = nil
				if err := json.Unmarshal([]byte(texts), &last); err != nil {
					t.Fatal(err)
				}
				for _, text := range last {
					begun[text]++
				}
			}
		}
		if kill.unkept {
			for _, text := range last {
				open[text]++
			}
		}
	}
	left, g := finishIngest(t, dir, map[string]string{e.ID: "lantern light"})
	if texts := g.embedder.Texts(); len(texts) > 1 { // the phrase that finishIngest searches for
		t.Errorf("%d texts were embedded after the last kill, which came when all were", len(texts)-1)
	}
	if len(left.chunks) != passages || len(begun) != passages {
		t.Errorf("%d chunks of %d texts, want %d", len(left.chunks), len(begun), passages)
	}
	again := 0
	for text, n := range begun {
		again += n - 1
		if n != 1+open[text] {
			t.Errorf("%q was embedded %d times; it was with the embedder at %d kills", text, n, open[text])
		}
	}
	t.Logf("4 kills: %d texts embedded, %d of them again, all of which were with the embedder when a kill came", len(begun), again)
}

// TestDraftsGo ends an ingest in each way after two batches have come back: no draft
// outlives it.
func TestDraftsGo(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		for name, end := range map[string]func(f *engineFixture, e quire.Elemental, j quire.Job, gate *enginetest.Gate) quire.JobStatus{
			"succeeded": func(f *engineFixture, e quire.Elemental, j quire.Job, gate *enginetest.Gate) quire.JobStatus {
				return quire.JobSucceeded
			},
			"failed": func(f *engineFixture, e quire.Elemental, j quire.Job, gate *enginetest.Gate) quire.JobStatus {
				f.embedder.Fail(1, quire.ErrInvalid)
				return quire.JobFailed
			},
			"cancelled": func(f *engineFixture, e quire.Elemental, j quire.Job, gate *enginetest.Gate) quire.JobStatus {
				f.cancel(j, quire.JobCancelled)
				return quire.JobCancelled
			},
			"superseded": func(f *engineFixture, e quire.Elemental, j quire.Job, gate *enginetest.Gate) quire.JobStatus {
				f.update(f.ann, e.ID, "another text")
				return quire.JobSucceeded
			},
			"knowledge deleted": func(f *engineFixture, e quire.Elemental, j quire.Job, gate *enginetest.Gate) quire.JobStatus {
				_, err := f.eng.DeleteElemental(f.t.Context(), j.TenantID, e.ID)
				f.check(err)
				return quire.JobCancelled
			},
			"elemental deleted": func(f *engineFixture, e quire.Elemental, j quire.Job, gate *enginetest.Gate) quire.JobStatus {
				f.check(f.DeleteElemental(f.t.Context(), f.ann, e.ID))
				if n := f.drafts(e.ID); n != 0 {
					f.t.Errorf("%d drafts outlive the elemental", n)
				}
				return quire.JobCancelled
			},
		} {
			t.Run(s.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				f := newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}, Workers: 1, BatchSize: 1})
				e, job, gate := f.ingestUpTo(3, false, "Ends in some way", "one\n\ntwo\n\nthree")
				if n := f.drafts(e.ID); n != 2 {
					t.Errorf("%d drafts after two batches", n)
				}
				want := end(f, e, job, gate)
				gate.Open()
				f.waitStatus(job, want)
				f.settle(f.ann)
				if n := f.drafts(e.ID); n != 0 {
					t.Errorf("%d drafts are left", n)
				}
			})
		}
	}
}

// Drafts stay while another ingest of the elemental can use them.
func TestDraftsOfTwoJobs(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, stores[0].open(t), quire.EngineOptions{Chunker: paragraphs{}, Workers: 1, BatchSize: 1})
	e, first, gate := f.ingestUpTo(3, false, "Ingested twice", "one\n\ntwo\n\nthree")
	second := f.ingest(f.ann, e.ID, "second")
	f.cancel(first, quire.JobCancelled)
	if n := f.drafts(e.ID); n != 2 {
		t.Errorf("%d drafts, want 2", n)
	}
	gate.Open()
	f.waitStatus(second, quire.JobSucceeded)
	times := map[string]int{}
	for _, text := range f.embedder.Texts() {
		times[text]++
	}
	if len(times) != 4 || times["Ingested twice"] != 1 || times["Ingested twice\none"] != 1 {
		t.Errorf("embedded %v", times)
	}
	if n := f.drafts(e.ID); n != 0 {
		t.Errorf("%d drafts are left", n)
	}
}

// An attempt that fails leaves what it has paid for to the next one, also over a restart.
func TestDraftsAreUsed(t *testing.T) {
	inBubble(t, func(t *testing.T, f *engineFixture) {
		f.opts.BatchSize = 1
		f.restart()
		gate := enginetest.NewGate()
		f.embedder.Hold(gate)
		e := f.create(f.ann, document("Fails in the middle", "one\n\ntwo\n\nthree"))
		job := f.ingest(f.ann, e.ID, "")
		gate.Pass(2)
		synctest.Wait()
		f.embedder.Hold(nil)
		f.stop(context.Background())
		f.embedder.Fail(1, quire.ErrUnavailable)
		f.start()
		f.waitStatus(job, quire.JobSucceeded)
		calls := map[string]int{}
		for _, text := range f.embedder.Texts() {
			calls[text]++
		}
		wantEqual(t, calls, map[string]int{
			"Fails in the middle": 1, "Fails in the middle\none": 1, "Fails in the middle\ntwo": 3, "Fails in the middle\nthree": 1,
		})
	})
}
