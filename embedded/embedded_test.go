package embedded_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine/chromem"
	"github.com/quirelib/quire/engine/flat"
	"github.com/quirelib/quire/store"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		importChild(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

func open(t *testing.T, dir string, opts *embedded.Options) *embedded.Quire {
	t.Helper()
	q, err := embedded.Open(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return q
}

// addDocument stores a document of a new user and ingests it.
func addDocument(t *testing.T, q *embedded.Quire, body string) quire.Actor {
	t.Helper()
	ctx := t.Context()
	u, err := q.Library.CreateUser(ctx, quire.UserInput{ID: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := q.Library.CreateElemental(ctx, u.Actor(), quire.ElementalInput{
		ID: "doc", Title: "A document to find", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: body,
	})
	if err != nil {
		t.Fatal(err)
	}
	job, err := q.Engine.Ingest(ctx, u.TenantID, quire.IngestRequest{ElementalID: e.ID})
	if err == nil {
		job, err = q.Engine.Wait(ctx, u.TenantID, job.ID)
	}
	if err != nil || job.Status != quire.JobSucceeded {
		t.Fatalf("job %+v, error %v", job, err)
	}
	return u.Actor()
}

// findDocument searches for the document that addDocument stored.
func findDocument(t *testing.T, q *embedded.Quire, a quire.Actor, phrase string) {
	t.Helper()
	hits, err := q.Engine.Search(t.Context(), quire.SearchRequest{Query: phrase, Filters: quire.Filters{TenantID: a.TenantID}})
	if err != nil {
		t.Fatal(err)
	}
	if len(hits) != 1 || !strings.Contains(hits[0].Chunk.Text, phrase) {
		t.Errorf("%q finds %+v", phrase, hits)
	}
}

func TestRestart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "by", "Open")
	q := open(t, dir, nil)
	a := addDocument(t, q, "The lighthouse keeper counts the waves.")
	findDocument(t, q, a, "lighthouse keeper")

	if _, err := embedded.Open(t.Context(), dir, nil); !errors.Is(err, quire.ErrLocked) {
		t.Errorf("a second Open gives %v, want ErrLocked", err)
	}
	for range 2 { // closing twice is no error
		if err := q.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := q.Library.User(t.Context(), "ada"); !errors.Is(err, quire.ErrClosed) {
		t.Errorf("after Close the Library gives %v", err)
	}

	q = open(t, dir, nil)
	findDocument(t, q, a, "lighthouse keeper")
	e, err := q.Library.Elemental(t.Context(), a, "doc")
	if err != nil || e.Body != "The lighthouse keeper counts the waves." {
		t.Errorf("got %q, error %v", e.Body, err)
	}
}

func TestDirectoryMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes")
	}
	dir := filepath.Join(t.TempDir(), "data")
	open(t, dir, nil)
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o700 {
		t.Errorf("the mode is %o, want 700", got)
	}
}

// TestSwapped checks that Close leaves open what the caller gave.
func TestSwapped(t *testing.T) {
	t.Parallel()
	for name, index := range map[string]quire.VectorIndex{"chromem-go": chromem.New(nil), "flat": flat.New(nil)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := store.NewMemory()
			defer s.Close()
			defer index.Close()
			opts := &embedded.Options{Store: s, Index: index}
			q := open(t, "", opts)
			a := addDocument(t, q, "A second opening finds the same words.")
			if got := q.Engine.Health(t.Context()).Components["index"].Name; got != name {
				t.Errorf("health names the index %q, want %q", got, name)
			}
			if err := q.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			stats, err := index.Stats(t.Context())
			if err != nil || stats.Vectors != 1 {
				t.Errorf("the index has %+v, error %v", stats, err)
			}
			findDocument(t, open(t, "", opts), a, "second opening")
		})
	}
}

// failingIndex is an index that cannot be filled.
type failingIndex struct{ quire.VectorIndex }

func (failingIndex) Reset(context.Context) error { return errors.New("no room") }

func TestOpenFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("not a directory"), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "quire.db"), []byte("This is no database."), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, dir string
		want      quire.Code
	}{
		{"no directory", "", quire.CodeInvalid},
		{"a file in the way", file, quire.CodeInvalid},
		{"not a database", foreign, quire.CodeCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q, err := embedded.Open(t.Context(), c.dir, nil)
			if quire.CodeOf(err) != c.want || q != nil {
				t.Errorf("got %v, error %v (%s), want %s", q, err, quire.CodeOf(err), c.want)
			}
			if err != nil && c.dir != "" && strings.Contains(err.Error(), c.dir) {
				t.Errorf("the message holds the path: %v", err)
			}
		})
	}
}

// TestNothingStaysOpen opens a directory again after an Open that failed late.
func TestNothingStaysOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	index := chromem.New(nil)
	defer index.Close()
	_, err := embedded.Open(t.Context(), dir, &embedded.Options{Index: failingIndex{index}})
	if err == nil {
		t.Fatal("Open with a broken index gives no error")
	}
	open(t, dir, nil)
}

// TestAttachedFiles: the default parts read attached files.
func TestAttachedFiles(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	q := open(t, t.TempDir(), &embedded.Options{Engine: &quire.EngineOptions{Workers: 1}})
	u, err := q.Library.CreateUser(ctx, quire.UserInput{ID: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := q.Library.CreateElemental(ctx, quire.Actor{UserID: u.ID, TenantID: u.TenantID}, quire.ElementalInput{
		Title: "Rules of the harbour", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: "See the file.",
		Media: quire.MediaInput{Files: []quire.Upload{{Name: "fees.csv", Data: []byte("Boat,Fee\ndinghy,4 crowns\nschooner,90 crowns\n")}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	job, err := q.Engine.Ingest(ctx, u.TenantID, quire.IngestRequest{ElementalID: e.ID})
	if err != nil {
		t.Fatal(err)
	}
	if job, err = q.Engine.Wait(ctx, u.TenantID, job.ID); err != nil || job.Status != quire.JobSucceeded || len(job.Problems) != 0 {
		t.Fatalf("%+v, %v", job, err)
	}
	answer, err := q.Engine.Chat(ctx, quire.ChatRequest{Query: "What is the fee of a schooner?", Filters: quire.Filters{TenantID: u.TenantID}})
	if err != nil || !strings.Contains(answer.Answer, "90 crowns") || len(answer.Sources) == 0 || answer.Sources[0].Chunk.Source != "file" {
		t.Errorf("%+v, %v", answer, err)
	}
}
