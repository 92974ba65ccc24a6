package enginetest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quirelib/quire"
)

var textLifeCases = []textCase{
	{"life/reset", testTextReset},
	{"life/cancelled", testTextCancelled},
	{"life/close", testTextClose},
	{"concurrent/replace and reset are atomic", testTextAtomic},
	{"concurrent/close", testTextConcurrentClose},
}

func testTextReset(t *testing.T, open textOpener) {
	x := setupText(t, open)
	reset := func() {
		t.Helper()
		if err := x.index.Reset(t.Context()); err != nil {
			t.Fatalf("Reset: %v", err)
		}
		x.finds("falk", ofT)
	}
	reset()
	x.add(textChunk(1, "falk"))
	reset()
	x.add(textChunk(1, "murb"))
	x.finds("murb", ofT, 1)
}

func testTextCancelled(t *testing.T, open textOpener) {
	x := setupText(t, open)
	x.add(textChunk(1, "falk"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, "Replace with a cancelled context", x.index.Replace(ctx, "t", "e1", []quire.Chunk{textChunk(1, "murb")}), context.Canceled)
	wantError(t, "removing with a cancelled context", x.index.Replace(ctx, "t", "e1", nil), context.Canceled)
	wantError(t, "Reset with a cancelled context", x.index.Reset(ctx), context.Canceled)
	_, err := x.index.Search(ctx, "falk", ofT, 1)
	wantError(t, "Search with a cancelled context", err, context.Canceled)
	x.finds("falk", ofT, 1)
}

func testTextClose(t *testing.T, open textOpener) {
	x := setupText(t, open)
	x.add(textChunk(1, "falk"))
	for range 2 {
		if err := x.index.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
	wantError(t, "Replace after Close", x.index.Replace(t.Context(), "t", "e1", []quire.Chunk{textChunk(1, "murb")}), quire.ErrClosed)
	wantError(t, "removing after Close", x.index.Replace(t.Context(), "t", "e1", nil), quire.ErrClosed)
	wantError(t, "Reset after Close", x.index.Reset(t.Context()), quire.ErrClosed)
	_, err := x.index.Search(t.Context(), "falk", ofT, 1)
	wantError(t, "Search after Close", err, quire.ErrClosed)
}

// testTextAtomic writes an elemental over and over, every set of its own size, and now
// and then resets. Whoever searches must see one set, whole, or nothing.
func testTextAtomic(t *testing.T, open textOpener) {
	x := setupText(t, open)
	done := make(chan struct{})
	var searchers sync.WaitGroup
	for range 2 {
		searchers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				hits, err := x.index.Search(t.Context(), "falk", ofT, 1000)
				if err != nil || len(hits)%10 != 0 {
					t.Errorf("Search during Replace and Reset: %d hits, %v; want a multiple of 10", len(hits), err)
					return
				}
			}
		})
	}
	for round := range size(300, 80) {
		var chunks []quire.Chunk
		for n := range 10 * (1 + round%8) {
			c := textChunk(n, fmt.Sprint("falk murb ", round))
			c.ElementalID = "e"
			chunks = append(chunks, c)
		}
		if err := x.index.Replace(t.Context(), "t", "e", chunks); err != nil {
			t.Errorf("Replace: %v", err)
		}
		if round%10 == 9 {
			if err := x.index.Reset(t.Context()); err != nil {
				t.Errorf("Reset: %v", err)
			}
		}
	}
	close(done)
	searchers.Wait()
}

// testTextConcurrentClose closes under load, as testConcurrentClose does.
func testTextConcurrentClose(t *testing.T, open textOpener) {
	x := setupText(t, open)
	started := make(chan struct{}, 6)
	var closed atomic.Bool
	var workers sync.WaitGroup
	for w := range 6 {
		workers.Go(func() {
			for round := 0; ; round++ {
				afterwards := closed.Load()
				c := textChunk(w, fmt.Sprint("falk ", round))
				err := x.index.Replace(t.Context(), "t", c.ElementalID, []quire.Chunk{c})
				if err == nil {
					_, err = x.index.Search(t.Context(), "falk", ofT, 3)
				}
				if round == 0 {
					started <- struct{}{}
				}
				if err != nil || afterwards {
					wantError(t, "a call beside or after Close", err, quire.ErrClosed)
					return
				}
			}
		})
	}
	for range 6 {
		<-started
	}
	if err := x.index.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	closed.Store(true)
	workers.Wait()
}
