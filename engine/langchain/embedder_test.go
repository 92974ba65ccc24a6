package langchain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/tmc/langchaingo/embeddings"
)

// embedder makes an Embedder of the server.
func (s *modelServer) embedderOf(tb testing.TB, dimension int, opts *EmbedderOptions) *Embedder {
	tb.Helper()
	make := NewOpenAIEmbedder
	if s.provider == Ollama {
		make = NewOllamaEmbedder
	}
	e, err := make(s.at(), dimension, opts)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// TestRunEmbedder runs the suite for Embedders against a server of each provider that has
// embeddings.
func TestRunEmbedder(t *testing.T) {
	for _, p := range []Provider{OpenAI, Ollama} {
		t.Run(string(p), func(t *testing.T) {
			enginetest.RunEmbedder(t, func(tb testing.TB) quire.Embedder { return newServer(tb, p).embedderOf(tb, 256, nil) })
		})
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	e := newServer(t, OpenAI).embedderOf(t, 1536, nil)
	if e.Fingerprint() != "langchain/openai/test-model/1536" || e.Dimension() != 1536 {
		t.Errorf("%q, %d", e.Fingerprint(), e.Dimension())
	}
}

// TestShuffled has a server answer in every order of its indexes.
func TestShuffled(t *testing.T) {
	t.Parallel()
	texts := []string{"one fish", "two birds", "three trees", "four stones"}
	plain := newServer(t, OpenAI).embedderOf(t, 256, nil)
	want, err := plain.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	orders := permutations(len(texts))
	for _, order := range orders {
		s := newServer(t, OpenAI)
		s.fails(func(w http.ResponseWriter, r *http.Request, _ *session) {
			vectors, _ := s.embedder.Embed(r.Context(), texts)
			writeJSON(w, embeddingList(vectors, order))
		})
		got, err := s.embedderOf(t, 256, nil).Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(order, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order %v: other vectors", order)
		}
	}
	t.Logf("%d orders", len(orders))
}

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, p := range permutations(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	return all
}

// TestEmbeddingFailures has servers answer two texts badly.
func TestEmbeddingFailures(t *testing.T) {
	t.Parallel()
	raw := func(body string) func(http.ResponseWriter, *http.Request, *session) {
		return func(w http.ResponseWriter, _ *http.Request, _ *session) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, body)
		}
	}
	for _, f := range []failure{
		{name: "429", fault: answers(429, "12", `{"error":{"message":"slow down"}}`), code: quire.CodeUnavailable, status: 429, retryAfter: 12 * time.Second, cause: "slow down"},
		{name: "500", fault: answers(500, "", "x"), code: quire.CodeUnavailable, status: 500},
		{name: "400", fault: answers(400, "", `{"error":{"message":"input is too long"}}`), code: quire.CodeInvalid, status: 400, cause: "too long"},
		{name: "422", fault: answers(422, "", `{"error":"inputs must not be empty"}`), code: quire.CodeInvalid, status: 422, cause: "must not"},
		{name: "error with status 200", fault: raw(`{"error":{"message":"no credits","code":429}}`), code: quire.CodeUnavailable, status: 429},
		{name: "an index twice", fault: raw(`{"data":[{"index":1,"embedding":[1,0]},{"index":1,"embedding":[0,1]}]}`), code: quire.CodeUnavailable, cause: "index"},
		{name: "an index too high", fault: raw(`{"data":[{"index":0,"embedding":[1,0]},{"index":2,"embedding":[0,1]}]}`), code: quire.CodeUnavailable, cause: "index"},
		{name: "a negative index", fault: raw(`{"data":[{"index":0,"embedding":[1,0]},{"index":-1,"embedding":[0,1]}]}`), code: quire.CodeUnavailable, cause: "index"},
		{name: "one too few", fault: raw(`{"data":[{"index":0,"embedding":[1,0]}]}`), code: quire.CodeUnavailable},
		{name: "one too many", fault: raw(`{"data":[{"embedding":[1,0]},{"embedding":[1,0]},{"embedding":[1,0]}]}`), code: quire.CodeUnavailable},
		{name: "none", fault: raw(`{"data":[]}`), code: quire.CodeUnavailable},
		{name: "another length", fault: raw(`{"data":[{"index":0,"embedding":[1,0,0]},{"index":1,"embedding":[0,1,0]}]}`), code: quire.CodeUnavailable},
		{name: "zero", fault: raw(`{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[0,1]}]}`), code: quire.CodeUnavailable},
		{name: "null", fault: raw(`{"data":[{"index":0,"embedding":null},{"index":1,"embedding":[0,1]}]}`), code: quire.CodeUnavailable},
		{name: "too large for float32", fault: raw(`{"data":[{"index":0,"embedding":[1e300,0]},{"index":1,"embedding":[0,1]}]}`), code: quire.CodeUnavailable},
		{name: "not JSON", fault: raw(`{"data":[{"index":0,`), code: quire.CodeUnavailable},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			vectors, err := newServer(t, OpenAI).fails(f.fault).embedderOf(t, 2, nil).Embed(t.Context(), []string{"a", "b"})
			if vectors != nil {
				t.Errorf("%d vectors beside the error", len(vectors))
			}
			f.check(t, err)
		})
	}
	// Servers without indexes keep the order.
	got, err := newServer(t, OpenAI).fails(raw(`{"data":[{"embedding":[3,4]},{"embedding":[0,2]}]}`)).embedderOf(t, 2, nil).Embed(t.Context(), []string{"a", "b"})
	if diff := cmp.Diff([][]float32{{.6, .8}, {0, 1}}, got); err != nil || diff != "" {
		t.Errorf("without indexes: %v\n%s", err, diff)
	}
}

// foreign is a langchaingo embedder that was made elsewhere.
type foreign func(ctx context.Context, texts []string) ([][]float32, error)

func (f foreign) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	return f(ctx, texts)
}

func (f foreign) EmbedQuery(context.Context, string) ([]float32, error) {
	return nil, errors.New("not used")
}

func TestForeignEmbedders(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for name, c := range map[string]struct {
		vectors [][]float32
		err     error
		code    quire.Code
	}{
		"good":           {[][]float32{{2, 0}, {0, -3}}, nil, ""},
		"huge and tiny":  {[][]float32{{math.MaxFloat32, 0}, {0, -math.SmallestNonzeroFloat32}}, nil, ""},
		"NaN":            {[][]float32{{1, 0}, {nan, 0}}, nil, quire.CodeUnavailable},
		"infinite":       {[][]float32{{inf, 0}, {0, 1}}, nil, quire.CodeUnavailable},
		"zero":           {[][]float32{{1, 0}, {0, 0}}, nil, quire.CodeUnavailable},
		"nil":            {nil, nil, quire.CodeUnavailable},
		"one too few":    {[][]float32{{1, 0}}, nil, quire.CodeUnavailable},
		"another length": {[][]float32{{1, 0}, {1}}, nil, quire.CodeUnavailable},
		"error":          {nil, errors.New("broke"), quire.CodeUnavailable},
		"for good":       {nil, quire.ErrInvalid, quire.CodeInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := NewEmbedder(foreign(func(context.Context, []string) ([][]float32, error) { return c.vectors, c.err }), "mine", "m", 2, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.Embed(t.Context(), []string{"a", "b"})
			if quire.CodeOf(err) != c.code {
				t.Fatalf("code %q, want %q: %v", quire.CodeOf(err), c.code, err)
			}
			if err == nil && (len(got) != 2 || got[0][0] != 1 || got[1][1] != -1) {
				t.Errorf("not of unit length: %v", got)
			}
		})
	}
}

// TestTextsStay has an embedder of langchaingo that strips line ends, in place.
func TestTextsStay(t *testing.T) {
	t.Parallel()
	var sent [][]string
	client := embeddings.EmbedderClientFunc(func(_ context.Context, texts []string) ([][]float32, error) {
		sent = append(sent, slices.Clone(texts))
		vectors := make([][]float32, len(texts))
		for i := range texts {
			vectors[i] = []float32{1}
			texts[i] = "changed"
		}
		return vectors, nil
	})
	inner, err := embeddings.NewEmbedder(client, embeddings.WithBatchSize(0))
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEmbedder(inner, "mine", "m", 1, &EmbedderOptions{BatchTexts: 3, BatchBytes: 20})
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"two\nlines", "", " \n", "caf\xe9", "nine byte", strings.Repeat("x", 30), "y", "twenty bytes of text"}
	before := slices.Clone(texts)
	if _, err := e.Embed(t.Context(), texts); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, texts); diff != "" {
		t.Errorf("the caller's texts changed\n%s", diff)
	}
	want := [][]string{{"two\nlines", ".", "."}, {"caf\uFFFD", "nine byte"}, {strings.Repeat("x", 30)}, {"y"}, {"twenty bytes of text"}}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("batches (-want +sent)\n%s", diff)
	}
	if !inner.StripNewLines || inner.BatchSize != 0 {
		t.Error("the caller's embedder was changed")
	}
}

func TestSendDimension(t *testing.T) {
	t.Parallel()
	for _, send := range []bool{true, false} {
		s := newServer(t, OpenAI)
		if _, err := s.embedderOf(t, 256, &EmbedderOptions{SendDimension: send}).Embed(t.Context(), []string{"a"}); err != nil {
			t.Fatal(err)
		}
		if _, sent := s.seen()[0].body["dimensions"]; sent != send {
			t.Errorf("SendDimension %v: sent %v", send, s.seen()[0].body)
		}
	}
}

func TestNewEmbedderRefuses(t *testing.T) {
	t.Parallel()
	inner := foreign(nil)
	for name, err := range map[string]error{
		"no embedder":    second(NewEmbedder(nil, "p", "m", 1, nil)),
		"no provider":    second(NewEmbedder(inner, "", "m", 1, nil)),
		"no model":       second(NewEmbedder(inner, "p", "", 1, nil)),
		"no dimension":   second(NewEmbedder(inner, "p", "m", 0, nil)),
		"negative batch": second(NewEmbedder(inner, "p", "m", 1, &EmbedderOptions{BatchTexts: -1})),
		"negative bytes": second(NewEmbedder(inner, "p", "m", 1, &EmbedderOptions{BatchBytes: -1})),
	} {
		if quire.CodeOf(err) != quire.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCancelEmbedding ends the context while the server works.
func TestCancelEmbedding(t *testing.T) {
	t.Parallel()
	for _, p := range []Provider{OpenAI, Ollama} {
		s := newServer(t, p).fails(func(_ http.ResponseWriter, r *http.Request, _ *session) { <-r.Context().Done() })
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := s.embedderOf(t, 2, nil).Embed(ctx, []string{"a"}); err != context.DeadlineExceeded {
			t.Errorf("%s: %v", p, err)
		}
	}
}
