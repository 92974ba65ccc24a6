package quire_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store"
)

// TestPartsAreOfOneEngine: a Store or index that an Engine works with is refused to another,
// which would empty it, until that one is closed.
func TestPartsAreOfOneEngine(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Chunker: paragraphs{}})
	f.add(f.ann, "Of a lighthouse", "the lamp burns")
	other := func(s quire.Store, index quire.VectorIndex, text quire.TextIndex) (*quire.Engine, error) {
		lib, err := quire.NewLibrary(t.Context(), s, nil)
		f.check(err)
		return quire.NewEngine(t.Context(), lib, index, f.embedder, f.llm, &quire.EngineOptions{Text: text})
	}
	index := enginetest.NewIndex()
	for name, try := range map[string]func() (*quire.Engine, error){
		"store":      func() (*quire.Engine, error) { return other(f.store, index, nil) },
		"index":      func() (*quire.Engine, error) { return other(store.NewMemory(), f.index, nil) },
		"text index": func() (*quire.Engine, error) { return other(store.NewMemory(), index, f.words) },
	} {
		_, err := try()
		wantCode(t, err, quire.CodeConflict)
		if err != nil && !strings.HasPrefix(err.Error(), "the "+name+" is in use by another engine; ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	hits, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "the lamp burns", Filters: quire.Filters{TenantID: f.ann.TenantID}})
	if err != nil || len(hits) != 2 {
		t.Errorf("found %v, %v", hits, err)
	}
	// What was refused has kept nothing.
	second, err := other(store.NewMemory(), index, nil)
	f.check(err)
	f.check(second.Close(t.Context()))
	second, err = other(store.NewMemory(), index, nil)
	f.check(err)
	f.check(second.Close(t.Context()))
}

// noNumbers is an Embedder that breaks its contract.
type noNumbers struct{ quire.Embedder }

func (noNumbers) Dimension() int { return 0 }

func TestEmbedderWithoutNumbers(t *testing.T) {
	t.Parallel()
	lib, err := quire.NewLibrary(t.Context(), store.NewMemory(), nil)
	if err != nil {
		t.Fatal(err)
	}
	index := enginetest.NewIndex()
	_, err = quire.NewEngine(t.Context(), lib, index, noNumbers{enginetest.NewEmbedder()}, enginetest.NewLLM(), nil)
	wantCode(t, err, quire.CodeInvalid)
	e, err := quire.NewEngine(t.Context(), lib, index, enginetest.NewEmbedder(), enginetest.NewLLM(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestCloseEndsAnswers: an answer that is being written when the Engine is closed ends, also
// where the LLM does not look at its context, and says so.
func TestCloseEndsAnswers(t *testing.T) {
	t.Parallel()
	f := scriptedChat(t)
	f.stop(t.Context())
	var err error
	f.eng, err = quire.NewEngine(t.Context(), f.Library, f.index, f.embedder, &watchedLLM{}, nil)
	f.check(err)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var failed error
	pieces := 0
	for _, err := range f.eng.ChatStream(ctx, quire.ChatRequest{Query: "the only text", Filters: quire.Filters{TenantID: f.ann.TenantID}}) {
		if pieces++; pieces == 3 {
			f.check(f.eng.Close(t.Context()))
		}
		failed = err
	}
	if !errors.Is(failed, quire.ErrClosed) {
		t.Errorf("after %d pieces: %v", pieces, failed)
	}
}

// TestCloseEndsSearches: a search that waits for the Embedder does not outlive the Engine.
func TestCloseEndsSearches(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Chunker: paragraphs{}})
	f.add(f.ann, "Of a lighthouse", "the lamp burns")
	gate := enginetest.NewGate()
	f.embedder.Hold(gate)
	failed := make(chan error)
	go func() {
		_, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: "lamp", Filters: quire.Filters{TenantID: f.ann.TenantID}})
		failed <- err
	}()
	<-gate.Arrived()
	f.check(f.eng.Close(t.Context()))
	wantCode(t, <-failed, quire.CodeClosed)
}
