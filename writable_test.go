package quire_test

import (
	"testing"

	"github.com/quirelib/quire"
)

// TestHealthOfWrites: a store that takes no writes is down, until it takes one: Health tries,
// as nobody else may.
func TestHealthOfWrites(t *testing.T) {
	t.Parallel()
	s := &failingStore{Store: stores[0].open(t), updates: make(chan error, 100)}
	f := newEngineFixture(t, s, quire.EngineOptions{Chunker: paragraphs{}})
	want := func(up bool, failures int) {
		t.Helper()
		h := f.eng.Health(t.Context())
		if c := h.Components["store"]; h.Up != up || c.Up != up || c.Counts["write_failures"] != failures {
			t.Errorf("up %v, the store %+v; want %v, %d", h.Up, c, up, failures)
		}
	}
	create := func() error {
		_, err := f.CreateElemental(t.Context(), f.ann, document("A text that is stored", "text"))
		return err
	}
	want(true, 0)
	for range 3 {
		s.updates <- quire.Errorf(quire.CodeUnavailable, "the storage is full")
	}
	wantCode(t, create(), quire.CodeUnavailable)
	want(false, 2)
	want(false, 3)
	want(true, 3)
	s.updates <- quire.Errorf(quire.CodeUnavailable, "the storage is full")
	wantCode(t, create(), quire.CodeUnavailable)
	f.check(create())
	want(true, 4)
	s.updates <- quire.Errorf(quire.CodeUnavailable, "the storage is full")
	wantCode(t, create(), quire.CodeUnavailable)
	s.updates <- nil // somebody who had nothing to write
	f.check(create())
	s.updates <- quire.Errorf(quire.CodeUnavailable, "the storage is full")
	want(false, 6)
	want(true, 6)
	s.updates <- quire.Errorf(quire.CodeConflict, "this is nothing of the store's")
	wantCode(t, create(), quire.CodeConflict)
	want(true, 6)
	if !t.Failed() {
		t.Log("A3: 6 writes refused by the store, 6 counted: down after each until one that Health tries succeeds")
	}
}
