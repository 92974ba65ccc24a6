package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/enginetest"
	"github.com/quirelib/quire/store/sqlite"
)

// echo is a service that refuses everything and repeats what it got, with its key, in the
// ways that services do; in turn it panics with it.
type echo struct {
	*enginetest.Embedder
	key   string
	on    atomic.Bool
	panic atomic.Bool
	calls atomic.Int64
}

func (e *echo) failure(texts ...string) error {
	e.calls.Add(1)
	text := fmt.Sprintf("Post \"https://%s@api.example/v1?api_key=%s\": 401 Incorrect API key provided: %s. Authorization: Bearer %s; body: %q; raw: %s",
		e.key, e.key, e.key, e.key, texts, strings.Join(texts, "|"))
	if e.panic.Load() {
		panic(text)
	}
	return errors.New(text)
}

func (e *echo) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if e.on.Load() {
		return nil, e.failure(texts...)
	}
	return e.Embedder.Embed(ctx, texts)
}

func (e *echo) Name() string { return "echo" }

func (e *echo) Generate(_ context.Context, req *quire.LLMRequest) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		texts := []string{req.Question, req.Query}
		for _, m := range req.Messages {
			texts = append(texts, m.Content)
		}
		for _, s := range req.Sources {
			texts = append(texts, s.Text)
		}
		yield("", e.failure(texts...))
	}
}

func (e *echo) Rewrite(_ context.Context, question string, history []quire.Message) (string, error) {
	texts := []string{question}
	for _, m := range history {
		texts = append(texts, m.Content)
	}
	return "", e.failure(texts...)
}

func (e *echo) Rerank(_ context.Context, query string, hits []quire.SearchHit) ([]float64, error) {
	texts := []string{query}
	for _, h := range hits {
		texts = append(texts, h.Chunk.Text)
	}
	return nil, e.failure(texts...)
}

// secrets is a server all of whose models fail and repeat what they got.
type secrets struct {
	*fixture
	echo   *echo
	log    *logged
	dir    string
	id     string
	bodies []string // of answers that must hold no secret
}

const (
	secretText  = "Halcyon kept the seventh ledger under the blue stairs."
	secretQuery = "where did halcyon keep it?"
)

func newSecrets(t *testing.T) *secrets {
	t.Helper()
	s := &secrets{echo: &echo{Embedder: enginetest.NewEmbedder(), key: "Zx9-provider-credential-4711"}, log: &logged{}, dir: filepath.Join(t.TempDir(), "hidden-directory")}
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	st, err := sqlite.Open(t.Context(), filepath.Join(s.dir, "quire.db"), &sqlite.Options{Synchronous: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	logger := slog.New(slog.NewJSONHandler(s.log, nil)) // at Info
	s.fixture = newFixtureWith(t, st, nil, quire.LibraryOptions{Logger: logger})
	s.withModels(s.echo, &quire.EngineOptions{Logger: logger, MaxAttempts: 1, Reranker: s.echo})
	s.h = New(s.lib, s.eng, &Options{Logger: logger, FailedKeys: Rate{PerMinute: 600, Burst: 100}})
	s.id = s.elemental(s.ann, "The ledger of somebody", `,"description":"`+secretText+`"`)
	s.ingest(s.ann, s.id)
	return s
}

// withModels adds an engine whose models are the echo, and serves all routes.
func (f *fixture) withModels(e *echo, opts *quire.EngineOptions) {
	f.t.Helper()
	eng, err := quire.NewEngine(f.t.Context(), f.lib, enginetest.NewIndex(), e, e, opts)
	if err != nil {
		f.t.Fatal(err)
	}
	f.eng = eng
	f.t.Cleanup(func() {
		if err := eng.Close(context.Background()); err != nil {
			f.t.Error(err)
		}
	})
	f.h = New(f.lib, eng, nil)
}

// ask sends a request and keeps what is answered.
func (s *secrets) ask(key, method, path, body string) answer {
	s.t.Helper()
	a := s.do(key, method, path, body)
	s.bodies = append(s.bodies, fmt.Sprintln(a.status, a.header, a.body))
	return a
}

// fail asks for everything that a model is needed for, and for the state of the server.
func (s *secrets) fail() {
	s.t.Helper()
	filters := `"query":"` + secretQuery + `","filters":{"tenant_id":"ann"}`
	history := `,"history":[{"role":"user","content":"` + secretQuery + `"},{"role":"assistant","content":"` + secretText + `"}]`
	for _, embeds := range []bool{false, true} { // or what comes after it fails
		s.echo.on.Store(embeds)
		s.ask(s.ann.key, "POST", "/v1/kb/search", "{"+filters+"}")
		for _, path := range []string{"/v1/kb/chat", "/v1/kb/chat/stream"} {
			s.ask(s.ann.key, "POST", path, "{"+filters+"}")
			s.ask(s.ann.key, "POST", path, "{"+filters+history+"}")
			s.ask(s.ann.key, "POST", path, `{"mode":"vector",`+filters+history+"}") // no reranker
		}
	}
	id := s.elemental(s.ann, "Another ledger", `,"description":"`+secretText+` `+fmt.Sprint(len(s.bodies))+`"`)
	job := s.ask(s.ann.key, "POST", "/v1/kb/elemental", `{"elemental_id":"`+id+`"}`).want(202).str("data.job_id")
	s.echo.on.Store(false)
	s.ask(s.ann.key, "GET", "/v1/kb/jobs/"+job, "")
	s.state()
}

// state asks for what everybody, and who has a key, may know of the server.
func (s *secrets) state() {
	s.t.Helper()
	s.ask("", "GET", "/health", "")
	s.ask("", "GET", "/v1/health", "")
	s.ask(s.ann.key, "GET", "/health/detailed", "")
	s.ask(s.ann.key, "GET", "/v1/kb/jobs", "")
	s.ask("a-guessed-key-0123456789", "GET", "/v1/lists", "")
	s.ask("", "GET", "/v1/elemental/"+s.id, "")
}

// TestSecrets: whatever services repeat in their failures, and whatever else goes wrong,
// neither a log nor an answer to somebody else holds a key, a text, a question or a path.
func TestSecrets(t *testing.T) {
	t.Parallel()
	s := newSecrets(t)
	s.fail()
	s.echo.panic.Store(true)
	s.fail()
	canaries := map[string]string{
		"a user's key": s.ann.key, "a wrong key": "a-guessed-key-0123456789", "the provider's key": s.echo.key,
		"a text": "seventh ledger", "a question": "halcyon keep", "the path of the data": "hidden-directory",
	}
	records := len(s.log.all())
	// The file is moved away: the log may say where it was, nobody else is told.
	moved := filepath.Join(s.dir, "moved.db")
	if err := os.Rename(filepath.Join(s.dir, "quire.db"), moved); err != nil {
		t.Fatal(err)
	}
	s.ask(s.ann.key, "GET", "/v1/elemental/"+s.id, "").want(503)
	s.state()
	if err := os.Rename(moved, filepath.Join(s.dir, "quire.db")); err != nil {
		t.Fatal(err)
	}
	hits := 0
	for name, canary := range canaries {
		for i, record := range s.log.all() {
			if i < records && strings.Contains(record, canary) || i >= records && canary != "hidden-directory" && strings.Contains(record, canary) {
				hits++
				t.Errorf("a record of the log holds %s: %.1500s", name, record)
			}
		}
		for _, body := range s.bodies {
			if strings.Contains(body, canary) {
				hits++
				t.Errorf("an answer holds %s: %.1500s", name, body)
			}
		}
	}
	if calls := s.echo.calls.Load(); calls < 20 || records < 20 {
		t.Errorf("only %d failures, %d records", calls, records)
	}
	if t.Failed() {
		return
	}
	t.Logf("H2: %d canaries, %d failures of services that repeat their key and what they got: %d in %d records of the log and %d answers",
		len(canaries), s.echo.calls.Load(), hits, len(s.log.all()), len(s.bodies))
}

// TestStrangersAreToldLittle: without a key that is known to be good, nobody is told what keeps
// the service from answering; the log is.
func TestStrangersAreToldLittle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixtureOn(t, db, nil).withEngine(nil, nil)
	var log logged
	f.h = New(f.lib, f.eng, &Options{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	srv := httptest.NewServer(f.h)
	t.Cleanup(srv.Close)
	if err := os.Rename(filepath.Join(dir, "quire.db"), filepath.Join(dir, "moved.db")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/lists", "/v1/elemental/5", "/v1/kb/jobs", "/health/detailed"} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", srv.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Api-Key", "a-guessed-key-0123456789")
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 503 || !strings.Contains(string(body), problem503.message) || strings.Contains(string(body), "database") {
			t.Errorf("%s: %d %s, %v", path, resp.StatusCode, body, err)
		}
		id := resp.Header.Get("X-Request-Id")
		if !slices.ContainsFunc(log.all(), func(r string) bool { return strings.Contains(r, id) && strings.Contains(r, "moved away") }) {
			t.Errorf("%s: the log does not say of the request %s what it was", path, id)
		}
	}
	if err := os.Rename(filepath.Join(dir, "moved.db"), filepath.Join(dir, "quire.db")); err != nil {
		t.Fatal(err)
	}
}
