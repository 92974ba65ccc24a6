package enginetest

import (
	"context"
	"testing"

	"github.com/quirelib/quire"
)

var lifeCases = []indexCase{
	{"life/stats", testStats},
	{"life/reset", testReset},
	{"life/cancelled", testLifeCancelled},
	{"life/close", testClose},
}

func testStats(t *testing.T, open opener) {
	x := setup(t, open)
	x.agreeOnAll()
	x.add(chunk(1, "t", "a", away(1)), chunk(2, "t", "a", away(2)), chunk(3, "u", "b", away(3)))
	if got, err := x.index.Stats(t.Context()); err != nil || got != (quire.IndexStats{Vectors: 3, Dimension: dim}) {
		t.Errorf("Stats() = %+v, %v with 3 vectors of %d", got, err, dim)
	}
	x.replace("t", "a", chunk(4, "t", "a", away(1)))
	x.agreeOnAll()
	x.replace("t", "a")
	x.agreeOnAll()
	x.replace("u", "b")
	if got, err := x.index.Stats(t.Context()); err != nil || got != (quire.IndexStats{}) {
		t.Errorf("Stats() = %+v, %v of an emptied index", got, err)
	}
}

func testReset(t *testing.T, open opener) {
	x := setup(t, open)
	reset := func() {
		t.Helper()
		if err := x.index.Reset(t.Context()); err != nil {
			t.Fatalf("Reset: %v", err)
		}
		x.oracle.Reset(t.Context())
		x.agreeOnAll()
		for _, tenant := range []string{"t", "u"} {
			if hits := x.search(corner(0), quire.Filters{TenantID: tenant}, 5); len(hits) != 0 {
				t.Errorf("tenant %q has %v after Reset", tenant, ids(hits))
			}
		}
	}
	reset()
	x.add(chunk(1, "t", "a", away(1)), chunk(2, "u", "b", away(2)))
	reset()
	// Even vectors of another length, as another Embedder makes them.
	x.replace("t", "a", chunk(3, "t", "a", []float32{0, 1, 0}))
	x.agree([]float32{1, 1, 0}, quire.Filters{TenantID: "t"}, 3)
}

func testLifeCancelled(t *testing.T, open opener) {
	x := setup(t, open)
	x.add(chunk(1, "t", "a", away(1)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, "Reset with a cancelled context", x.index.Reset(ctx), context.Canceled)
	_, err := x.index.Stats(ctx)
	wantError(t, "Stats with a cancelled context", err, context.Canceled)
	x.agreeOnAll("t")
}

func testClose(t *testing.T, open opener) {
	x := setup(t, open)
	x.add(chunk(1, "t", "a", away(1)))
	for range 2 {
		if err := x.index.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
	ctx := t.Context()
	wantError(t, "Replace after Close", x.index.Replace(ctx, "t", "a", []quire.Chunk{chunk(2, "t", "a", away(2))}), quire.ErrClosed)
	wantError(t, "removing after Close", x.index.Replace(ctx, "t", "a", nil), quire.ErrClosed)
	wantError(t, "Reset after Close", x.index.Reset(ctx), quire.ErrClosed)
	_, err := x.index.Search(ctx, corner(0), quire.Filters{TenantID: "t"}, 1)
	wantError(t, "Search after Close", err, quire.ErrClosed)
	_, err = x.index.Stats(ctx)
	wantError(t, "Stats after Close", err, quire.ErrClosed)
}
