package enginetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/quirelib/quire"
)

var errAsked = errors.New("asked for")

func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, e := NewGate(), NewEmbedder()
		e.Hold(gate)
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error, 4)
		var calls sync.WaitGroup
		for range 3 {
			calls.Go(func() {
				_, err := e.Embed(ctx, []string{"a"})
				errs <- err
			})
		}
		synctest.Wait()
		if len(gate.Arrived()) != 3 || len(errs) != 0 {
			t.Fatalf("%d arrived and %d ended, want 3 and 0", len(gate.Arrived()), len(errs))
		}
		gate.Pass(2)
		synctest.Wait()
		if len(errs) != 2 || <-errs != nil || <-errs != nil {
			t.Fatal("Pass(2) did not let two calls through")
		}
		cancel()
		calls.Wait()
		wantError(t, "a held call that is cancelled", <-errs, context.Canceled)

		gate.Open()
		gate.Open()
		if _, err := e.Embed(t.Context(), nil); err != nil {
			t.Errorf("through an open gate: %v", err)
		}
		e.Hold(nil)
		if _, err := e.Embed(t.Context(), nil); err != nil || len(gate.Arrived()) != 4 {
			t.Errorf("without a gate: %v, %d arrived", err, len(gate.Arrived()))
		}
	})
}

func TestEmbedderMeaning(t *testing.T) {
	e := NewEmbedder()
	query := e.Vector("red apples")
	near, middle, far := e.Vector("Red: apples!"), e.Vector("green apples"), e.Vector("stone bridges")
	if !same(query, near) || cosine(query, middle) < 0.4 || cosine(query, middle) > 0.6 || cosine(query, far) != 0 {
		t.Errorf("cosines %v, %v, %v; want 1, 0.5, 0", cosine(query, near), cosine(query, middle), cosine(query, far))
	}
	if a, b := NewEmbedder(), (&Embedder{Model: "other", Dim: 8}); a.Fingerprint() != "fake/256" || b.Fingerprint() != "other/8" || b.Dimension() != 8 {
		t.Errorf("fingerprints %q and %q", a.Fingerprint(), b.Fingerprint())
	}
}

func TestEmbedderFaults(t *testing.T) {
	e := NewEmbedder()
	e.Spoil(1, SpoilMissing)
	e.Fail(2, errAsked)
	for range 2 {
		_, err := e.Embed(t.Context(), []string{"a"})
		wantError(t, "Embed", err, errAsked)
	}
	if vectors, err := e.Embed(t.Context(), []string{"b"}); err != nil || len(vectors) != 0 {
		t.Errorf("the spoiled call: %d vectors, %v", len(vectors), err)
	}
	if vectors, err := e.Embed(t.Context(), []string{"c", "d"}); err != nil || len(vectors) != 2 {
		t.Errorf("afterwards: %d vectors, %v", len(vectors), err)
	}
	want := [][]string{{"a"}, {"a"}, {"b"}, {"c", "d"}}
	if diff := cmp.Diff(want, e.Batches()); diff != "" || e.Calls() != 4 || len(e.Texts()) != 5 {
		t.Errorf("%d calls, %d texts (-want +got):\n%s", e.Calls(), len(e.Texts()), diff)
	}
}

func TestEmbedderPanics(t *testing.T) {
	e := NewEmbedder()
	e.PanicOn("poison")
	embed := func(text string) (recovered any) {
		defer func() { recovered = recover() }()
		e.Embed(t.Context(), []string{"first", text})
		return nil
	}
	if embed("with poison in it") == nil {
		t.Error("it did not panic for the marker")
	}
	if p := embed("without"); p != nil {
		t.Errorf("it panicked without the marker: %v", p)
	}
	e.PanicOn("")
	if p := embed("poison"); p != nil {
		t.Errorf("it panicked after the end of that: %v", p)
	}
}

// generate takes pieces until take says no.
func generate(ctx context.Context, m *LLM, req *quire.LLMRequest, take func() bool) (pieces []string, err error) {
	for piece, err := range m.Generate(ctx, req) {
		if err != nil {
			return pieces, err
		}
		pieces = append(pieces, piece)
		if !take() {
			break
		}
	}
	return pieces, nil
}

func always() bool { return true }

func TestLLMEnds(t *testing.T) {
	m := NewLLM("one ", "two ", "three")
	req := lighthouse()
	ctx, cancel := context.WithCancel(t.Context())
	m.Fail(1, 2, errAsked)
	m.Fail(1, 0, quire.ErrNoAnswer)
	m.Fail(1, 99, errAsked)
	for _, c := range []struct {
		take   func() bool
		pieces int // yielded
		err    error
	}{
		{always, 2, errAsked},
		{always, 0, quire.ErrNoAnswer},
		{always, 3, errAsked},
		{always, 3, nil},
		{func() bool { return false }, 1, nil},
		{func() bool { cancel(); return true }, 1, context.Canceled},
	} {
		pieces, err := generate(ctx, m, req, c.take)
		if len(pieces) != c.pieces || !errors.Is(err, c.err) {
			t.Errorf("got %q, %v; want %d pieces, %v", pieces, err, c.pieces, c.err)
		}
	}
	var got []string
	for _, g := range m.Generations() {
		got = append(got, fmt.Sprint(g.Pieces, " ", g.End))
		if end := <-m.Ended(); end != g.End {
			t.Errorf("Ended delivers %q, Generations says %q", end, g.End)
		}
		if diff := cmp.Diff(*req, g.Request); diff != "" {
			t.Errorf("the recorded request differs (-want +got):\n%s", diff)
		}
	}
	want := []string{"2 failed", "0 failed", "3 failed", "3 complete", "1 stopped", "1 cancelled"}
	if diff := cmp.Diff(want, got); diff != "" || len(m.Requests()) != len(want) {
		t.Errorf("generations (-want +got):\n%s", diff)
	}
}

func TestLLMHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, gate := NewLLM("one", "two"), NewGate()
		m.Hold(gate)
		ctx, cancel := context.WithCancel(t.Context())
		var taken []string
		var err error
		var call sync.WaitGroup
		call.Go(func() { taken, err = generate(ctx, m, lighthouse(), always) })
		gate.Pass(1)
		synctest.Wait()
		if g := m.Generations()[0]; g.Pieces != 1 || g.End != EndRunning {
			t.Errorf("between two pieces: %d, %q; want 1 and still running", g.Pieces, g.End)
		}
		cancel()
		call.Wait()
		if !slices.Equal(taken, []string{"one"}) || !errors.Is(err, context.Canceled) || <-m.Ended() != EndCancelled {
			t.Errorf("cancelled between two pieces: %q, %v", taken, err)
		}
	})
}

func TestLLMQuotes(t *testing.T) {
	var m LLM // the zero value quotes
	pieces, err := generate(t.Context(), &m, lighthouse(), always)
	text := strings.Join(pieces, "")
	if err != nil || !strings.Contains(text, "41 metres tall") || !strings.Contains(text, "[1]") || strings.Contains(text, "[3]") {
		t.Errorf("answer %q, %v", text, err)
	}
	_, err = generate(t.Context(), &m, ask("Who painted ceilings?", 1, "Bread is baked."), always)
	wantError(t, "without a shared word", err, quire.ErrNoAnswer)

	m.ScriptFunc(func(req *quire.LLMRequest) []string { return []string{req.Question} })
	if pieces, err := generate(t.Context(), &m, ask("What?", 1, "x"), always); err != nil || !slices.Equal(pieces, []string{"What?"}) {
		t.Errorf("scripted by a function: %q, %v", pieces, err)
	}
	m.Script()
	if pieces, err := generate(t.Context(), &m, ask("What?", 1, "x"), always); err != nil || len(pieces) != 0 {
		t.Errorf("scripted with nothing: %q, %v", pieces, err)
	}
}

func TestIndexFaults(t *testing.T) {
	x := NewIndex()
	x.FailReplace(1, errAsked)
	x.FailSearch(1, errAsked)
	c := []quire.Chunk{chunk(2, "t", "a", away(1)), chunk(1, "t", "a", away(2))}
	wantError(t, "Replace", x.Replace(t.Context(), "t", "a", c), errAsked)
	if got := x.Chunks(); len(got) != 0 {
		t.Errorf("a failed Replace left %v", got)
	}
	wantError(t, "Replace", x.Replace(t.Context(), "t", "a", c), nil)
	_, err := x.Search(t.Context(), corner(0), quire.Filters{TenantID: "t"}, 1)
	wantError(t, "Search", err, errAsked)
	if got := x.Chunks(); len(got) != 2 || got[0].ID != chunkID(1) || x.Replaces() != 2 {
		t.Errorf("Chunks() = %v after %d calls", got, x.Replaces())
	}
	x.Chunks()[0].Vector[0] = 9
	if x.Chunks()[0].Vector[0] == 9 {
		t.Error("Chunks hands out its own memory")
	}
	for what, chunks := range map[string][]quire.Chunk{
		"another tenant":     {chunk(3, "u", "a", away(1))},
		"another elemental":  {chunk(3, "t", "b", away(1))},
		"the same id twice":  {chunk(3, "t", "a", away(1)), chunk(3, "t", "a", away(2))},
		"no id":              {{TenantID: "t", ElementalID: "a", Vector: away(1)}},
		"a vector too short": {chunk(3, "t", "a", away(1)[1:])},
	} {
		wantError(t, what, x.Replace(t.Context(), "t", "a", chunks), quire.ErrInvalid)
	}
	wantError(t, "an id of another elemental", x.Replace(t.Context(), "t", "b", []quire.Chunk{chunk(1, "t", "b", away(1))}), quire.ErrInvalid)
}

func TestIndexHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, gate := NewIndex(), NewGate()
		x.Hold(gate)
		var call sync.WaitGroup
		call.Go(func() { x.Replace(t.Context(), "t", "a", []quire.Chunk{chunk(1, "t", "a", away(1))}) })
		<-gate.Arrived()
		if got := x.Chunks(); len(got) != 0 {
			t.Errorf("a held Replace stored %v", got)
		}
		gate.Open()
		call.Wait()
		if got := x.Chunks(); len(got) != 1 {
			t.Errorf("afterwards there are %v", got)
		}
	})
}
