package quire_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

// panicText is what the parts below panic with: for the log only.
const panicText = "secret of a part"

// breaking says which method of the parts below panics at the moment.
type breaking struct{ method atomic.Value }

func (b *breaking) set(method string) { b.method.Store(method) }

func (b *breaking) at(method string) {
	if b.method.Load() == method {
		panic(panicText)
	}
}

type breakingEmbedder struct {
	quire.Embedder
	*breaking
}

func (p breakingEmbedder) Fingerprint() string {
	p.at("Embedder.Fingerprint")
	return p.Embedder.Fingerprint()
}

func (p breakingEmbedder) Dimension() int {
	p.at("Embedder.Dimension")
	return p.Embedder.Dimension()
}

func (p breakingEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	p.at("Embedder.Embed")
	return p.Embedder.Embed(ctx, texts)
}

type breakingIndex struct {
	quire.VectorIndex
	*breaking
}

func (p breakingIndex) Replace(ctx context.Context, tenantID, elementalID string, chunks []quire.Chunk) error {
	p.at("VectorIndex.Replace")
	return p.VectorIndex.Replace(ctx, tenantID, elementalID, chunks)
}

func (p breakingIndex) Search(ctx context.Context, query []float32, f quire.Filters, limit int) ([]quire.Hit, error) {
	p.at("VectorIndex.Search")
	return p.VectorIndex.Search(ctx, query, f, limit)
}

func (p breakingIndex) Reset(ctx context.Context) error {
	p.at("VectorIndex.Reset")
	return p.VectorIndex.Reset(ctx)
}

func (p breakingIndex) Stats(ctx context.Context) (quire.IndexStats, error) {
	p.at("VectorIndex.Stats")
	return p.VectorIndex.Stats(ctx)
}

type breakingLLM struct {
	quire.LLM
	*breaking
}

func (p breakingLLM) Name() string {
	p.at("LLM.Name")
	return p.LLM.Name()
}

func (p breakingLLM) Generate(ctx context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
	p.at("LLM.Generate")
	return func(yield func(string, error) bool) {
		defer p.at("LLM.Generate, at its end")
		for piece, err := range p.LLM.Generate(ctx, req) {
			if !yield(piece, err) {
				return
			}
			p.at("LLM.Generate, in the middle")
		}
	}
}

func (p breakingLLM) Rewrite(_ context.Context, question string, _ []quire.Message) (string, error) {
	p.at("Rewriter.Rewrite")
	return question, nil
}

type breakingChunker struct{ *breaking }

func (p breakingChunker) Chunks(text string) []quire.Span {
	p.at("Chunker.Chunks")
	return paragraphs{}.Chunks(text)
}

type breakingReranker struct{ *breaking }

func (p breakingReranker) Rerank(_ context.Context, _ string, hits []quire.SearchHit) ([]float64, error) {
	p.at("Reranker.Rerank")
	return make([]float64, len(hits)), nil
}

// panicFixture is an Engine over parts that can be made to panic, with one document.
type panicFixture struct {
	*fixture
	*breaking
	eng *quire.Engine
	doc quire.Elemental
}

func (f *panicFixture) newEngine() (*quire.Engine, error) {
	return quire.NewEngine(f.t.Context(), f.Library, breakingIndex{enginetest.NewIndex(), f.breaking},
		breakingEmbedder{enginetest.NewEmbedder(), f.breaking}, breakingLLM{enginetest.NewLLM(), f.breaking},
		&quire.EngineOptions{Chunker: breakingChunker{f.breaking}, Reranker: breakingReranker{f.breaking}, MaxAttempts: 1})
}

func newPanicFixture(t *testing.T) *panicFixture {
	f := &panicFixture{fixture: newFixture(t, store.NewMemory(), nil), breaking: &breaking{}}
	f.set("")
	f.doc = f.create(f.ann, document("How to sail", "Sailing needs some wind."))
	var err error
	if f.eng, err = f.newEngine(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.eng.Close(context.Background()) })
	if err := f.ingest(); err != nil {
		t.Fatal(err)
	}
	return f
}

// ingest returns why an ingest of the document has failed.
func (f *panicFixture) ingest() error {
	job, err := f.eng.Ingest(f.t.Context(), f.ann.TenantID, quire.IngestRequest{ElementalID: f.doc.ID})
	if err != nil {
		return err
	}
	if job, err = f.eng.Wait(f.t.Context(), f.ann.TenantID, job.ID); err == nil && job.Status != quire.JobSucceeded {
		return quire.Errorf(quire.CodeInternal, "%s", job.Error).WithCause(errors.New(panicText)) // a job keeps no cause
	}
	return err
}

// TestPanicsOfParts lets every method of every part panic in every method of the Engine
// that calls it: it comes back as a typed error, and afterwards all is as before.
func TestPanicsOfParts(t *testing.T) {
	t.Parallel()
	filters := quire.Filters{TenantID: "ann"}
	history := []quire.Message{{Role: quire.RoleUser, Content: "How do ships move?"}, {Role: quire.RoleAssistant, Content: "In many ways."}}
	methods := map[string]func(*panicFixture) error{
		"Search": func(f *panicFixture) error {
			_, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "sailing", Filters: filters})
			return err
		},
		"Chat": func(f *panicFixture) error {
			_, err := f.eng.Chat(t.Context(), quire.ChatRequest{Query: "What does sailing need?", Filters: filters, History: history})
			return err
		},
		"ChatStream": func(f *panicFixture) (last error) {
			for _, err := range f.eng.ChatStream(t.Context(), quire.ChatRequest{Query: "What does sailing need?", Filters: filters, History: history}) {
				if last != nil {
					t.Errorf("something comes after the error %v", last)
				}
				last = err
			}
			return last
		},
		"Ingest":  (*panicFixture).ingest,
		"Healthy": func(f *panicFixture) error { return f.eng.Healthy(t.Context()) },
		"Health": func(f *panicFixture) error {
			if h := f.eng.Health(t.Context()); !h.Up {
				return quire.Errorf(quire.CodeInternal, "down").WithCause(errors.New(panicText)) // it tells no cause
			}
			return nil
		},
		// The document is deleted although the index does not follow; a search has to wait.
		"Search after Delete": func(f *panicFixture) error {
			if _, err := f.eng.Delete(t.Context(), filters); err != nil {
				return err
			}
			_, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "sailing", Filters: filters})
			return err
		},
		"NewEngine": func(f *panicFixture) error {
			if err := f.eng.Close(t.Context()); err != nil {
				return err
			}
			eng, err := f.newEngine()
			if err == nil {
				return eng.Close(t.Context())
			}
			return err
		},
	}
	all := []string{"Search", "Chat", "ChatStream"}
	tests := map[string][]string{ // the methods that fail
		"Embedder.Fingerprint":        {"NewEngine"},
		"Embedder.Dimension":          {"NewEngine"},
		"Embedder.Embed":              append(all, "Ingest"),
		"VectorIndex.Replace":         {"Search after Delete", "NewEngine"},
		"VectorIndex.Search":          append(all, "Search after Delete"),
		"VectorIndex.Reset":           {"NewEngine"},
		"Reranker.Rerank":             all,
		"VectorIndex.Stats":           {"Healthy", "Health"},
		"LLM.Name":                    {"Health"},
		"LLM.Generate":                {"Chat", "ChatStream"},
		"LLM.Generate, in the middle": {"Chat", "ChatStream"},
		"LLM.Generate, at its end":    {"Chat", "ChatStream"},
		"Rewriter.Rewrite":            nil, // another search is made then
		"Chunker.Chunks":              {"Ingest"},
	}
	cases := 0
	for part, failing := range tests {
		for _, method := range failing {
			cases++
			t.Run(part+" in "+method, func(t *testing.T) {
				t.Parallel()
				f := newPanicFixture(t)
				if part == "Embedder.Embed" {
					body := "Other words, that are to be embedded."
					if _, err := f.UpdateElemental(t.Context(), f.ann, f.doc.ID, quire.ElementalPatch{Body: &body}); err != nil {
						t.Fatal(err)
					}
				}
				f.set(part)
				wantPanicked(t, methods[method](f))
				f.set("")
				if method == "NewEngine" {
					var err error
					if f.eng, err = f.newEngine(); err != nil {
						t.Fatal(err)
					}
				}
				for _, again := range []string{"Ingest", "Search", "Chat", "ChatStream", "Healthy", "Health"} {
					if err := methods[again](f); err != nil {
						t.Errorf("%s afterwards: %v", again, err)
					}
				}
			})
		}
	}
	t.Run("Rewriter.Rewrite in Chat", func(t *testing.T) {
		t.Parallel()
		f := newPanicFixture(t)
		f.set("Rewriter.Rewrite")
		if err := methods["Chat"](f); err != nil {
			t.Error(err)
		}
	})
	t.Logf("%d pairs of part and method", cases+1)
}

// wantPanicked checks the error that a panic has become.
func wantPanicked(t *testing.T, err error) {
	t.Helper()
	var e *quire.Error
	if !errors.As(err, &e) || e.Code != quire.CodeInternal && e.Code != quire.CodeUnavailable {
		t.Fatalf("error %#v", err)
	}
	if strings.Contains(e.Error(), panicText) || !strings.Contains(quire.Cause(err), panicText) {
		t.Errorf("message %q, cause %q", e, quire.Cause(err))
	}
}

// TestPanicOfConsumer: what the reader of a stream panics with is not the LLM's failure.
func TestPanicOfConsumer(t *testing.T) {
	t.Parallel()
	f := newPanicFixture(t)
	events := 0
	defer func() {
		if p := recover(); p != "of the consumer" || events != 1 {
			t.Errorf("after %d events: %v", events, p)
		}
	}()
	for range f.eng.ChatStream(t.Context(), quire.ChatRequest{Query: "What does sailing need?", Filters: quire.Filters{TenantID: "ann"}}) {
		events++
		panic("of the consumer")
	}
}

// TestPanicAfterConsumer: a generation that panics once nobody reads it any more is over.
func TestPanicAfterConsumer(t *testing.T) {
	t.Parallel()
	f := newPanicFixture(t)
	f.set("LLM.Generate, at its end")
	for _, err := range f.eng.ChatStream(t.Context(), quire.ChatRequest{Query: "What does sailing need?", Filters: quire.Filters{TenantID: "ann"}}) {
		if err != nil {
			t.Error(err)
		}
		break
	}
}

// panickingStore panics in its next transactions.
type panickingStore struct {
	quire.Store
	views, updates atomic.Int32
}

func (s *panickingStore) View(ctx context.Context, fn func(tx quire.ReadTx) error) error {
	if s.views.Add(-1) >= 0 {
		panic("a panic of the Store")
	}
	return s.Store.View(ctx, fn)
}

func (s *panickingStore) Update(ctx context.Context, fn func(tx quire.Tx) error) error {
	if s.updates.Add(-1) >= 0 {
		panic("a panic of the Store")
	}
	return s.Store.Update(ctx, fn)
}

// TestPanicOfStore: a Store that panics under a worker, while it looks for jobs or writes
// down how one ended, is not the end of the process, nor of the job.
func TestPanicOfStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &panickingStore{Store: stores[0].open(t)}
		f := newEngineFixture(t, s, quire.EngineOptions{})
		e := f.create(f.ann, document("A store that panics", "text"))
		gate := enginetest.NewGate()
		f.embedder.Hold(gate)
		synctest.Wait()
		s.views.Store(3) // the workers look for jobs
		job := f.ingest(f.ann, e.ID, "")
		<-gate.Arrived()
		s.updates.Store(2) // the commit, and writing down that it failed
		gate.Open()
		f.embedder.Hold(nil)
		time.Sleep(10 * time.Minute)
		f.waitStatus(job, quire.JobSucceeded)
		if s.views.Load() >= 0 || s.updates.Load() >= 0 {
			t.Error("the Store did not panic as often as it should")
		}
	})
}
