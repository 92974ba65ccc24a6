package quire_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

// changeInBubble runs a test on three engines over Stores in memory, with a clock that
// jumps, before the embedder of the first is changed.
func changeInBubble(t *testing.T, s func() quire.Store, test func(t *testing.T, h *three)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newThree(t, s(), quire.EngineOptions{Chunker: paragraphs{}, BatchSize: 3})
		h.fill(5)
		test(t, h)
	})
}

func inMemory() quire.Store { return store.NewMemory() }

// TestNewEmbedderFailsAtTimes changes to an embedder that fails, panics and returns
// nonsense at times.
func TestNewEmbedderFailsAtTimes(t *testing.T) {
	changeInBubble(t, inMemory, func(t *testing.T, h *three) {
		f := h.changed
		var log strings.Builder
		f.opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
		given := newEmbedder()
		given.Fail(1, errors.New("secret text of the provider"))
		given.Spoil(1, enginetest.SpoilNaN)
		begin := time.Now()
		former, _ := f.change(given)
		synctest.Wait()
		s := f.eng.Reembedding()
		if !s.Running || s.Done != 0 || s.Total != 20 || quire.CodeOf(s.Err) != quire.CodeUnavailable || strings.Contains(s.Err.Error(), "secret") {
			t.Errorf("after a failure: %+v", s)
		}
		health := f.eng.Health(t.Context())
		wantEqual(t, health.Components["embedder"].Counts, map[string]int{"reembed_done": 0, "reembed_total": 20, "reembed_failures": 1})
		if !health.Up || health.Components["embedder"].Name != former.Fingerprint() {
			t.Errorf("health %+v", health)
		}
		h.wantLike(h.old)
		gate := enginetest.NewGate()
		given.Hold(gate)
		for range 2 { // the spoilt batch and that after it
			<-gate.Arrived()
			gate.Pass(1)
		}
		<-gate.Arrived()
		if s := f.eng.Reembedding(); s.Err != nil || s.Done < 3 {
			t.Errorf("after a success: %+v", s)
		}
		h.wantLike(h.old)
		given.PanicOn("Elemental")
		gate.Open()
		for {
			synctest.Wait()
			if s := f.eng.Reembedding(); quire.CodeOf(s.Err) == quire.CodeInternal {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		h.wantLike(h.old)
		given.PanicOn("")
		f.waitChanged()
		h.wantLike(h.of)
		if took := time.Since(begin); took > time.Minute {
			t.Errorf("took %v", took)
		}
		if text := log.String(); !strings.Contains(text, "secret text of the provider") || strings.Contains(text, "apples") || !strings.Contains(text, "the embedder was changed") {
			t.Errorf("log: %s", text)
		}
	})
}

// TestNewEmbedderRefuses changes to an embedder that refuses a text for good.
func TestNewEmbedderRefuses(t *testing.T) {
	changeInBubble(t, inMemory, func(t *testing.T, h *three) {
		f := h.changed
		given := newEmbedder()
		refusal := quire.Errorf(quire.CodeInvalid, "the text is too strange")
		const want = "the embedder refused it: the text is too strange"
		gate := enginetest.NewGate()
		given.Hold(gate)
		former, _ := f.change(given)
		gate.Pass(1)
		<-gate.Arrived()
		<-gate.Arrived()
		given.Fail(1, refusal)
		gate.Open()
		if err := f.eng.WaitReembedded(t.Context()); err == nil || err.Error() != want {
			t.Errorf("error %v", err)
		}
		if s := f.eng.Reembedding(); s.Running || s.Err == nil || s.Err.Error() != want || s.Done == 0 || s.Done == s.Total {
			t.Errorf("after the refusal: %+v", s)
		}
		if c := f.eng.Health(t.Context()).Components["embedder"]; c.Counts["reembed_failures"] != 1 || !c.Up {
			t.Errorf("health: %+v", c)
		}
		calls := given.Calls()
		h.add("later", "Elemental that came later", "red apples")
		time.Sleep(time.Hour)
		h.wantLike(h.old)
		f.chunks(former)
		if given.Calls() != calls {
			t.Error("it went on")
		}
		f.restart() // and another try
		f.waitChanged()
		h.wantLike(h.of)
	})
}

// TestIndexFailsAtTheChange lets the index refuse what it is filled with.
func TestIndexFailsAtTheChange(t *testing.T) {
	changeInBubble(t, inMemory, func(t *testing.T, h *three) {
		f := h.changed
		gate := enginetest.NewGate()
		given := newEmbedder()
		given.Hold(gate)
		former, _ := f.change(given)
		<-gate.Arrived()
		f.index.FailReplace(1, errors.New("index down"))
		gate.Open()
		synctest.Wait()
		if s := f.eng.Reembedding(); !s.Running || s.Err == nil {
			t.Errorf("after the index has failed: %+v", s)
		}
		f.index.FailReplace(1, errors.New("index still down"))
		_, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "red", Filters: quire.Filters{TenantID: f.ann.TenantID}})
		wantCode(t, err, quire.CodeUnavailable)
		h.each(func(f *engineFixture) { f.update(f.ann, "e1", "red boat\n\nword 3"); f.ingest(f.ann, "e1", "") })
		h.wantLike(h.old)
		f.chunks(former)
		f.waitChanged()
		h.wantLike(h.of)
		f.chunks(given)
	})
}

// forgetful is a Store whose commits fail at times: those that would change the
// embedder of all chunks.
type forgetful struct {
	quire.Store
	left atomic.Int64
}

func (s *forgetful) Update(ctx context.Context, fn func(tx quire.Tx) error) error {
	return s.Store.Update(ctx, func(tx quire.Tx) error {
		before, _ := tx.PlainChunks(ctx, "", 1)
		if err := fn(tx); err != nil {
			return err
		}
		after, _ := tx.PlainChunks(ctx, "", 1)
		if len(before)*len(after) == 1 && before[0].Fingerprint != after[0].Fingerprint && s.left.Add(-1) >= 0 {
			return errors.New("the disk is full")
		}
		return nil
	})
}

// TestCommitFailsAtTheChange lets the transaction fail that changes the embedder, when
// the index is filled already.
func TestCommitFailsAtTheChange(t *testing.T) {
	s := &forgetful{Store: store.NewMemory()}
	changeInBubble(t, func() quire.Store { return s }, func(t *testing.T, h *three) {
		f := h.changed
		s.left.Store(2)
		former, given := f.change(newEmbedder())
		synctest.Wait()
		if s := f.eng.Reembedding(); !s.Running || s.Err == nil {
			t.Errorf("after the failure: %+v", s)
		}
		// An ingest that comes before any search has repaired the index.
		h.each(func(f *engineFixture) { f.update(f.ann, "e1", "red boat\n\nword 3"); f.ingest(f.ann, "e1", "") })
		h.wantLike(h.old)
		f.chunks(former)
		f.waitChanged()
		h.wantLike(h.of)
		f.chunks(given)
		f.wantNothingKept(given)
	})
}

// rival is an Embedder that lets something be ingested whenever it is asked, except
// inside of a transaction.
type rival struct {
	*enginetest.Embedder
	f      *engineFixture
	came   int // ingests
	inside int // calls inside of a transaction
}

func (e *rival) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := e.f.store.Update(short, func(quire.Tx) error { return nil }); err != nil {
		e.inside++
	} else if e.came++; e.came < 1000 { // else it would never end
		el := e.f.create(e.f.bob, document(fmt.Sprint("Comes in between ", e.came), fmt.Sprint("text ", e.came)))
		e.f.waitStatus(e.f.ingest(e.f.bob, el.ID, ""), quire.JobSucceeded)
	}
	return e.Embedder.Embed(ctx, texts)
}

// TestChangeAmongManyIngests lets an ingest come before each try to change the embedder.
func TestChangeAmongManyIngests(t *testing.T) {
	inBubble(t, func(t *testing.T, f *engineFixture) {
		f.add(f.ann, "There before the change", "text")
		f.stop(t.Context())
		f.opts.Former = f.embedder
		given := &rival{Embedder: newEmbedder(), f: f}
		eng, err := quire.NewEngine(t.Context(), f.Library, f.index, given, f.llm, &f.opts)
		f.check(err)
		f.eng = eng
		f.waitChanged()
		if given.inside != 1 || given.came > 100 {
			t.Errorf("%d calls inside of a transaction, after %d ingests", given.inside, given.came)
		}
		f.embedder = given.Embedder
		if n := len(f.chunks(given.Embedder)); n != 2*(1+given.came) {
			t.Errorf("%d chunks after %d ingests", n, given.came)
		}
		t.Logf("%d ingests came in between", given.came)
	})
}
