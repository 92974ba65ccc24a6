package embedded_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine/flat"
	"github.com/quirelib/quire/store"
)

// unreadable is an Extractor that reads nothing.
type unreadable struct{}

func (unreadable) Extract(context.Context, quire.File, []byte) (string, error) {
	return "", quire.ErrInvalid.WithCause(errors.New("no file at all"))
}

// readOnly is a Store that refuses to write when it is told to.
type readOnly struct {
	quire.Store
	refuses bool
}

func (s *readOnly) Update(ctx context.Context, fn func(quire.Tx) error) error {
	if s.refuses {
		return errors.New("the disk is full")
	}
	return s.Store.Update(ctx, fn)
}

// Records of the parts that embedded opens, by what makes them.
const (
	ofLibrary = "noting the use of a key failed"
	ofEngine  = "an attached file could not be read"
	ofGraph   = "what was saved of the index is not used"
)

// happenings makes the Library and the Engine log something.
func happenings(t *testing.T, opts embedded.Options) {
	t.Helper()
	memory := &readOnly{Store: store.NewMemory()}
	opts.Store = memory
	q := open(t, "", &opts)
	ada := addDocument(t, q, "All about a boat")
	e, err := q.Library.CreateElemental(t.Context(), ada, quire.ElementalInput{
		Title: "A document with a file", TypeID: quire.TypeDocument, CategoryID: quire.CategoryText, Body: "See the file.",
		Media: quire.MediaInput{Files: []quire.Upload{{Name: "a.txt", Data: []byte("x")}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	job, err := q.Engine.Ingest(t.Context(), ada.TenantID, quire.IngestRequest{ElementalID: e.ID})
	if err == nil {
		_, err = q.Engine.Wait(t.Context(), ada.TenantID, job.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, secret, err := q.Library.CreateKey(t.Context(), ada.UserID, quire.KeyInput{})
	if err != nil {
		t.Fatal(err)
	}
	memory.refuses = true
	if _, err := q.Library.Authenticate(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	memory.refuses = false
}

// newLog returns a log and a logger that writes to it.
func newLog() (*lines, *slog.Logger) {
	l := &lines{}
	return l, slog.New(slog.NewTextHandler(l, nil))
}

// wantLogged checks which records a log has.
func wantLogged(t *testing.T, name string, log *lines, want ...string) {
	t.Helper()
	for _, record := range []string{ofLibrary, ofEngine, ofGraph} {
		if logged := strings.Contains(log.String(), record); logged != slices.Contains(want, record) {
			t.Errorf("%s: %q is logged: %v; the log is %s", name, record, logged, log)
		}
	}
}

// TestLogger: Options.Logger has the records of all parts, but for those that have a Logger of
// their own, and the caller's options stay as they are.
func TestLogger(t *testing.T) {
	t.Parallel()
	all, logger := newLog()
	engine := &quire.EngineOptions{Extractor: unreadable{}}
	happenings(t, embedded.Options{Logger: logger, Engine: engine})
	wantLogged(t, "one for all", all, ofLibrary, ofEngine)
	if engine.Logger != nil {
		t.Error("the caller's options were changed")
	}

	rest, logger := newLog()
	ofItself, own := newLog()
	happenings(t, embedded.Options{Logger: logger, Library: &quire.LibraryOptions{Logger: own}, Engine: engine})
	wantLogged(t, "all but the Library", rest, ofEngine)
	wantLogged(t, "the Library", ofItself, ofLibrary)

	rest, logger = newLog()
	ofItself, own = newLog()
	happenings(t, embedded.Options{Logger: logger, Engine: &quire.EngineOptions{Extractor: unreadable{}, Logger: own}})
	wantLogged(t, "all but the Engine", rest, ofLibrary)
	wantLogged(t, "the Engine", ofItself, ofEngine)

	happenings(t, embedded.Options{Engine: engine}) // without any it says nothing, and works
}

// TestLoggerOfGraph: what goes wrong with the saved graph is logged too.
func TestLoggerOfGraph(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "quire.graph"), 0o700); err != nil { // which is no file
		t.Fatal(err)
	}
	log, logger := newLog()
	index := flat.New(&flat.Options{GraphRows: 100})
	t.Cleanup(func() { index.Close() })
	open(t, dir, &embedded.Options{Index: index, Logger: logger})
	wantLogged(t, "the graph", log, ofGraph)
}
