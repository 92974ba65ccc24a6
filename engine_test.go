package quire_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(changeChild); path != "" {
		changeEmbedder(path)
		return
	}
	if path := os.Getenv(writeChild); path != "" {
		writeUntilKilled(path)
		return
	}
	if path := os.Getenv(ingestChild); path != "" {
		ingestAll(path)
		return
	}
	goleak.VerifyTestMain(m)
}

// engineFixture is a Library with an Engine over fakes.
type engineFixture struct {
	*fixture
	eng      *quire.Engine
	opts     quire.EngineOptions
	embedder *enginetest.Embedder
	llm      *enginetest.LLM
	index    *enginetest.Index
	words    *textCopy // nil if opts has another text index, or is to have none
	searches int       // how many f.search made
}

// paragraphs is a Chunker that splits at blank lines.
type paragraphs struct{}

func (paragraphs) Chunks(text string) []quire.Span {
	var spans []quire.Span
	at := 0
	for p := range strings.SplitSeq(text, "\n\n") {
		if strings.TrimSpace(p) != "" {
			spans = append(spans, quire.Span{Start: at, End: at + len(p)})
		}
		at += len(p) + 2
	}
	return spans
}

func newEngineFixture(t *testing.T, s quire.Store, opts quire.EngineOptions) *engineFixture {
	t.Helper()
	f := &engineFixture{fixture: newFixture(t, s, nil), opts: opts, embedder: enginetest.NewEmbedder(), llm: enginetest.NewLLM()}
	if opts.Text == nil { // searches are by vectors all the same, unless they say so
		f.words = newTextCopy()
		f.opts.Text, f.opts.Mode = f.words, quire.SearchVector
	}
	f.start()
	t.Cleanup(f.close)
	return f
}

// close is that of fixture, with the Engine before it.
func (f *engineFixture) close() {
	f.t.Helper()
	if f.Library == nil {
		return
	}
	wantSound(f.t, f.eng)
	f.stop(context.Background())
	f.fixture.close()
	f.eng, f.index = nil, nil
}

// onMemory reports whether the fixture's Store is that in memory.
func (f *engineFixture) onMemory() bool {
	_, ok := f.store.(*store.Memory)
	return ok
}

// start makes an Engine with a new index.
func (f *engineFixture) start() {
	f.t.Helper()
	f.index = enginetest.NewIndex()
	eng, err := quire.NewEngine(f.t.Context(), f.Library, f.index, f.embedder, f.llm, &f.opts)
	if err != nil {
		f.t.Fatal(err)
	}
	f.eng = eng
}

func (f *engineFixture) stop(ctx context.Context) {
	f.t.Helper()
	if err := f.eng.Close(ctx); err != nil {
		f.t.Errorf("close the engine: %v", err)
	}
}

func (f *engineFixture) restart() {
	f.t.Helper()
	f.stop(f.t.Context())
	f.start()
}

// onEachEngine runs a test with an Engine over each Store, splitting at
// paragraphs.
func onEachEngine(t *testing.T, test func(t *testing.T, f *engineFixture)) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			test(t, newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}}))
		})
	}
}

// onMemory makes an Engine over a Store in memory, splitting at paragraphs.
func onMemory(t *testing.T) *engineFixture {
	t.Helper()
	return newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Chunker: paragraphs{}})
}

func (f *engineFixture) ingest(a quire.Actor, elementalID, traceID string) quire.Job {
	f.t.Helper()
	j, err := f.eng.Ingest(f.t.Context(), a.TenantID, quire.IngestRequest{ElementalID: elementalID, TraceID: traceID})
	if err != nil {
		f.t.Fatalf("ingest %s: %v", elementalID, err)
	}
	return j
}

// wait returns a job when it has ended.
func (f *engineFixture) wait(j quire.Job) quire.Job {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), 20*time.Minute)
	defer cancel()
	done, err := f.eng.Wait(ctx, j.TenantID, j.ID)
	if err != nil {
		f.t.Fatalf("wait for %s: %v", j.ID, err)
	}
	return done
}

// waitStatus waits for a job and checks how it ended.
func (f *engineFixture) waitStatus(j quire.Job, want quire.JobStatus) quire.Job {
	f.t.Helper()
	done := f.wait(j)
	if done.Status != want {
		f.t.Errorf("job %s is %s (%s), want %s", j.ID, done.Status, done.Error, want)
	}
	return done
}

// inStep waits until the index has taken over what was committed. A job is over
// when the Store says so, an instant before that; whoever reads through the Engine
// waits for it.
func (f *engineFixture) inStep() {
	f.t.Helper()
	if h := f.eng.Health(f.t.Context()); !h.Components["index"].Up {
		f.t.Fatal("the index is not up")
	}
}

// settle waits until a tenant has no active job.
func (f *engineFixture) settle(a quire.Actor) {
	f.t.Helper()
	jobs, err := f.eng.Jobs(f.t.Context(), a.TenantID, "", quire.Page{Size: 100})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, j := range jobs.Items {
		f.wait(j)
	}
}

// add creates a document of the actor and ingests it.
func (f *engineFixture) add(a quire.Actor, title, body string) quire.Elemental {
	f.t.Helper()
	e := f.create(a, document(title, body))
	f.waitStatus(f.ingest(a, e.ID, ""), quire.JobSucceeded)
	return e
}

// update changes the body of an elemental.
func (f *engineFixture) update(a quire.Actor, id, body string) {
	f.t.Helper()
	if _, err := f.UpdateElemental(f.t.Context(), a, id, quire.ElementalPatch{Body: &body}); err != nil {
		f.t.Fatal(err)
	}
}

// stored returns the chunks of an elemental in the Store, after checking that the
// indexes hold what the Store holds: at once, or, when a commit comes between the looks at
// them, soon.
func (f *engineFixture) stored(elementalID string) []quire.Chunk {
	f.t.Helper()
	var mine []quire.Chunk
	var diff string
	for range 200 {
		if mine, diff = f.compare(elementalID); diff == "" {
			return mine
		}
		time.Sleep(10 * time.Millisecond)
	}
	f.t.Errorf("an index does not hold what the store holds (-store +index):\n%s", diff)
	return mine
}

// compare returns the chunks of an elemental in the Store, and how the indexes differ from
// all that is there.
func (f *engineFixture) compare(elementalID string) (mine []quire.Chunk, diff string) {
	f.t.Helper()
	want := map[string]quire.Chunk{}
	err := f.store.View(f.t.Context(), func(tx quire.ReadTx) error {
		for c, err := range tx.AllChunks(f.t.Context()) {
			if err != nil {
				return err
			}
			want[c.ID] = c
		}
		var err error
		mine, err = tx.ChunksOf(f.t.Context(), elementalID)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	f.inStep()
	have := map[string]quire.Chunk{}
	for _, c := range f.index.Chunks() {
		have[c.ID] = c
	}
	diff = cmp.Diff(want, have, emptyIsNil, ofNoIndex)
	if f.words != nil {
		diff += cmp.Diff(want, f.words.content(), emptyIsNil)
	}
	return mine, diff
}

// ofNoIndex passes over what no VectorIndex reads, and so need not be given.
var ofNoIndex = cmpopts.IgnoreFields(quire.Chunk{}, "ColumnID", "ItemID", "Title", "Heading", "Text", "Start", "End", "Ordinal", "Hash")

// emptyIsNil compares empty slices as equal to nil ones.
var emptyIsNil = cmp.Options{
	cmp.Transformer("strings", func(s []string) string { return fmt.Sprintf("%q", s) }),
}

// texts returns the texts of the stored chunks of an elemental.
func (f *engineFixture) texts(elementalID string) []string {
	f.t.Helper()
	var texts []string
	for _, c := range f.stored(elementalID) {
		texts = append(texts, c.Text)
	}
	return texts
}

// search returns the texts that a search of the actor's tenant finds.
func (f *engineFixture) search(a quire.Actor, query string, filters quire.Filters) []string {
	f.t.Helper()
	filters.TenantID = a.TenantID
	f.searches++
	hits, err := f.eng.Search(f.t.Context(), quire.SearchRequest{Query: query, Filters: filters, Limit: 100})
	if err != nil {
		f.t.Fatalf("search %q: %v", query, err)
	}
	var texts []string
	for _, h := range hits {
		texts = append(texts, h.Chunk.Text)
	}
	return texts
}

func wantEqual(t *testing.T, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestNewEngineChecksItsInput(t *testing.T) {
	t.Parallel()
	f := newFixture(t, store.NewMemory(), nil)
	index, embedder, llm := enginetest.NewIndex(), enginetest.NewEmbedder(), enginetest.NewLLM()
	tests := []struct {
		field    string
		lib      *quire.Library
		index    quire.VectorIndex
		embedder quire.Embedder
		llm      quire.LLM
		opts     quire.EngineOptions
	}{
		{"lib", nil, index, embedder, llm, quire.EngineOptions{}},
		{"index", f.Library, nil, embedder, llm, quire.EngineOptions{}},
		{"embedder", f.Library, index, nil, llm, quire.EngineOptions{}},
		{"llm", f.Library, index, embedder, nil, quire.EngineOptions{}},
		{"EngineOptions.Workers", f.Library, index, embedder, llm, quire.EngineOptions{Workers: -1}},
		{"EngineOptions.BatchSize", f.Library, index, embedder, llm, quire.EngineOptions{BatchSize: -1}},
		{"EngineOptions.MaxAttempts", f.Library, index, embedder, llm, quire.EngineOptions{MaxAttempts: -1}},
		{"EngineOptions.ChatSources", f.Library, index, embedder, llm, quire.EngineOptions{ChatSources: 101}},
		{"EngineOptions.ContextTokens", f.Library, index, embedder, llm, quire.EngineOptions{ContextTokens: -1}},
	}
	for _, tt := range tests {
		_, err := quire.NewEngine(t.Context(), tt.lib, tt.index, tt.embedder, tt.llm, &tt.opts)
		wantField(t, err, tt.field)
	}
}

func TestOneEngineForALibrary(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		e := f.add(f.ann, "The first engine", "its own text")
		before := f.stored(e.ID) // waits until the index has taken them over
		_, err := quire.NewEngine(t.Context(), f.Library, f.index, f.embedder, f.llm, nil)
		wantCode(t, err, quire.CodeConflict)
		if len(f.index.Chunks()) != len(before) || f.eng.Library() != f.Library {
			t.Error("the refused engine took something away from the first")
		}
		f.restart()
	})
}

func TestOtherEmbedderIsRefused(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		e := f.add(f.ann, "Vectors of one model", "text")
		f.stop(t.Context())
		other := &enginetest.Embedder{Dim: 64}
		_, err := quire.NewEngine(t.Context(), f.Library, enginetest.NewIndex(), other, f.llm, nil)
		wantCode(t, err, quire.CodeConflict)
		if !strings.Contains(err.Error(), "former embedder") {
			t.Errorf("%q does not say what to do", err)
		}
		f.start() // the refused engine has let the library go
		if _, err := f.eng.DeleteElemental(t.Context(), f.ann.TenantID, e.ID); err != nil {
			t.Fatal(err)
		}
		f.stop(t.Context())
		f.embedder = other
		f.start()
	})
}

func TestRestartFillsTheIndex(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		one := f.add(f.ann, "First of them all", "alpha\n\nbeta")
		two := f.add(f.bob, "Second of them all", "gamma")
		// Without an engine, content and chunks go on in the Store.
		f.stop(t.Context())
		if err := f.DeleteElemental(t.Context(), f.bob, two.ID); err != nil {
			t.Fatal(err)
		}
		f.start()
		wantEqual(t, f.texts(one.ID), []string{"First of them all", "alpha", "beta"})
		wantEqual(t, f.texts(two.ID), []string(nil))
		if calls := f.embedder.Calls(); calls != 2 {
			t.Errorf("the embedder was called %d times, want 2", calls)
		}
	})
}

func TestClosedEngine(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		ctx := t.Context()
		e := f.add(f.ann, "A closed engine", "text")
		waiting := make(chan error, 1)
		held := enginetest.NewGate()
		f.embedder.Hold(held)
		f.update(f.ann, e.ID, "other text")
		job := f.ingest(f.ann, e.ID, "")
		<-held.Arrived()
		go func() {
			_, err := f.eng.Wait(context.Background(), f.ann.TenantID, job.ID)
			waiting <- err
		}()
		f.stop(ctx)
		f.stop(ctx)
		wantCode(t, <-waiting, quire.CodeClosed)

		filters := quire.Filters{TenantID: f.ann.TenantID}
		_, e1 := f.eng.Ingest(ctx, f.ann.TenantID, quire.IngestRequest{ElementalID: e.ID})
		_, e2 := f.eng.Job(ctx, f.ann.TenantID, job.ID)
		_, e3 := f.eng.Jobs(ctx, f.ann.TenantID, "", quire.Page{})
		_, e4 := f.eng.Wait(ctx, f.ann.TenantID, job.ID)
		_, e5 := f.eng.Search(ctx, quire.SearchRequest{Query: "q", Filters: filters})
		_, e6 := f.eng.Chat(ctx, quire.ChatRequest{Query: "q", Filters: filters})
		_, e7 := f.eng.Delete(ctx, filters)
		_, e8 := f.eng.DeleteElemental(ctx, f.ann.TenantID, e.ID)
		for i, err := range []error{e1, e2, e3, e4, e5, e6, e7, e8, f.eng.Healthy(ctx)} {
			if !errors.Is(err, quire.ErrClosed) {
				t.Errorf("call %d: %v", i+1, err)
			}
		}
		if f.eng.Health(ctx).Up {
			t.Error("a closed engine is up")
		}
	})
}

// TestCloseGivesUpWaiting closes while an embedder does not listen to its context.
func TestCloseGivesUpWaiting(t *testing.T) {
	t.Parallel()
	f := newFixture(t, store.NewMemory(), nil)
	deaf := &deafEmbedder{Embedder: enginetest.NewEmbedder(), entered: make(chan struct{}), leave: make(chan struct{})}
	eng, err := quire.NewEngine(t.Context(), f.Library, enginetest.NewIndex(), deaf, enginetest.NewLLM(), nil)
	if err != nil {
		t.Fatal(err)
	}
	e := f.create(f.ann, document("Nobody listens here", "text"))
	if _, err := eng.Ingest(t.Context(), f.ann.TenantID, quire.IngestRequest{ElementalID: e.ID}); err != nil {
		t.Fatal(err)
	}
	<-deaf.entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := eng.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("close: %v", err)
	}
	close(deaf.leave)
	if err := eng.Close(t.Context()); err != nil {
		t.Errorf("close again: %v", err)
	}
}

// deafEmbedder does not notice when its context ends.
type deafEmbedder struct {
	*enginetest.Embedder
	entered, leave chan struct{}
}

func (e *deafEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	close(e.entered)
	<-e.leave
	return e.Embedder.Embed(context.WithoutCancel(ctx), texts)
}
