package embedded_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
)

// stuck is a writer or reader that stands still until it is released.
type stuck struct{ arrived, release chan struct{} }

func newStuck() stuck { return stuck{make(chan struct{}, 1), make(chan struct{})} }

func (s stuck) wait(p []byte) (int, error) {
	select {
	case s.arrived <- struct{}{}:
	default:
	}
	<-s.release
	return len(p), nil
}

func (s stuck) Write(p []byte) (int, error) { return s.wait(p) }
func (s stuck) Read(p []byte) (int, error)  { return s.wait(p) }

// TestCloseWhileMoving closes a Quire while the writer of an export and the reader of an
// import stand still. Close does not wait for either, and both are told.
func TestCloseWhileMoving(t *testing.T) {
	leaks := goleak.IgnoreCurrent()
	dir := t.TempDir()
	q := open(t, dir, nil)
	a := addDocument(t, q, "The lighthouse keeper counts the waves.")
	if _, err := q.Library.CreateElemental(t.Context(), a, quire.ElementalInput{ // more than what is on its way
		Title: "A long document", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: strings.Repeat("x", 1<<20),
	}); err != nil {
		t.Fatal(err)
	}
	w, r := newStuck(), newStuck()
	exported, imported := make(chan error, 1), make(chan error, 1)
	go func() { exported <- q.Engine.Export(t.Context(), a.TenantID, w) }()
	go func() {
		_, err := q.Engine.Import(t.Context(), r, nil)
		imported <- err
	}()
	<-w.arrived
	<-r.arrived
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if err := q.Close(ctx); err != nil {
		t.Errorf("Close: %v", err)
	}
	t.Logf("closed within %v", time.Since(begin).Round(time.Millisecond))
	again := open(t, dir, nil)
	findDocument(t, again, a, "lighthouse keeper")
	if err := again.Close(t.Context()); err != nil {
		t.Error(err)
	}
	close(w.release)
	close(r.release)
	for name, result := range map[string]chan error{"Export": exported, "Import": imported} {
		if err := <-result; !errors.Is(err, quire.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	goleak.VerifyNone(t, leaks)
}

// TestCloseEndsWithItsContext closes a Quire while a part of it stands still that nobody
// can wake.
func TestCloseEndsWithItsContext(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := newStuck()
	q, err := embedded.Open(t.Context(), dir, &embedded.Options{Engine: &quire.EngineOptions{Chunker: stuckChunker{s}}})
	if err != nil {
		t.Fatal(err)
	}
	u, err := q.Library.CreateUser(t.Context(), quire.UserInput{ID: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Library.CreateElemental(t.Context(), u.Actor(), quire.ElementalInput{
		Title: "A text to be split", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: "text",
		Settings: quire.Settings{KnowledgeBase: true},
	}); err != nil {
		t.Fatal(err)
	}
	<-s.arrived
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if err := q.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Close: %v", err)
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("Close took %v", took)
	}
	if err := open(t, dir, nil).Close(t.Context()); err != nil { // the Store is free
		t.Error(err)
	}
	close(s.release)
	if err := q.Engine.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

type stuckChunker struct{ stuck }

func (c stuckChunker) Chunks(text string) []quire.Span {
	c.wait(nil)
	return []quire.Span{{Start: 0, End: len(text)}}
}
