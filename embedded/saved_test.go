package embedded_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine/chromem"
	"github.com/quirelib/quire/engine/flat"
	"github.com/quirelib/quire/store"
	"github.com/quirelib/quire/store/sqlite"
)

// graphPassages are enough passages for a graph.
const graphPassages = 1100

// graphDirectory makes a directory with passages of one tenant.
func graphDirectory(t *testing.T, dir string, embedder quire.Embedder, word string) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "quire.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	const each = 50
	err = s.Update(t.Context(), func(tx quire.Tx) error {
		for first := 0; first < graphPassages; first += each {
			id := fmt.Sprint("e", first)
			chunks, texts := make([]quire.Chunk, each), make([]string, each)
			for i := range chunks {
				texts[i] = graphText(word, first+i)
				chunks[i] = quire.Chunk{ID: fmt.Sprint("c", first+i), TenantID: "ada", UserID: "ada", ElementalID: id, ItemID: id, Source: "document",
					Title: "Numbers", Text: texts[i], End: len(texts[i]), Ordinal: i, Fingerprint: embedder.Fingerprint()}
			}
			vectors, err := embedder.Embed(t.Context(), texts)
			if err != nil {
				return err
			}
			for i := range chunks {
				chunks[i].Vector = vectors[i]
			}
			if err := tx.ReplaceChunks(t.Context(), id, chunks); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

func graphText(word string, n int) string {
	return fmt.Sprintf("%s w%d of page w%d in book w%d", word, n, n/7, n/31)
}

// watched is a flat index that tells how it was loaded.
type watched struct {
	*flat.Index
	held, loaded int
	size         int64 // of what was loaded last
	err          error // of that
}

func (w *watched) Hold() {
	w.held++
	w.Index.Hold()
}

func (w *watched) Load(ctx context.Context, r io.Reader) error {
	w.loaded++
	counted := &counting{r: r}
	w.err = w.Index.Load(ctx, counted)
	w.size = counted.n
	return w.err
}

type counting struct {
	r io.Reader
	n int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// lines is a log that is read while it is written.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// graphQuire is an open directory with a graph.
type graphQuire struct {
	*embedded.Quire
	index *watched
	log   *lines
}

// openGraph opens a directory, searches in it before and after the graph is built, and
// returns it.
func openGraph(t *testing.T, dir string, embedder quire.Embedder, rows int) *graphQuire {
	t.Helper()
	q := &graphQuire{index: &watched{Index: flat.New(&flat.Options{GraphRows: rows})}, log: &lines{}}
	t.Cleanup(func() { q.index.Close() })
	q.Quire = open(t, dir, &embedded.Options{Index: q.index, Embedder: embedder,
		Engine: &quire.EngineOptions{Logger: slog.New(slog.NewTextHandler(q.log, nil))}})
	q.find(t)
	if err := q.index.Built(t.Context()); err != nil {
		t.Fatal(err)
	}
	q.find(t)
	return q
}

func (q *graphQuire) find(t *testing.T) {
	t.Helper()
	hits, err := q.Engine.Search(t.Context(), quire.SearchRequest{Query: graphText("note", 444), Mode: quire.SearchVector, Filters: quire.Filters{TenantID: "ada"}})
	if err != nil || len(hits) == 0 || hits[0].Chunk.Text != graphText("note", 444) {
		t.Errorf("%d hits, %v", len(hits), err)
	}
}

func (q *graphQuire) close(t *testing.T) {
	t.Helper()
	if err := q.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A graph is kept beside the database, for this user alone, and taken whole by the next
// opening.
func TestGraphKept(t *testing.T) {
	t.Parallel()
	dir, embedder := t.TempDir(), hashing(t, 64)
	graphDirectory(t, dir, embedder, "note")
	q := openGraph(t, dir, embedder, 1)
	if q.index.size != 0 || q.index.err != nil {
		t.Errorf("%d bytes were loaded, error %v", q.index.size, q.index.err)
	}
	q.close(t)
	file := filepath.Join(dir, "quire.graph")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of the file is %o", info.Mode().Perm())
	}
	if data, err := os.ReadFile(file); err != nil || bytes.Contains(data, []byte("note")) || bytes.Contains(data, []byte("ada")) {
		t.Errorf("the file holds a text or a tenant, or %v", err)
	}
	q = openGraph(t, dir, embedder, 1)
	if q.index.size != info.Size() || q.index.err != nil { // no error: every entry was in it
		t.Errorf("%d of %d bytes were loaded, error %v", q.index.size, info.Size(), q.index.err)
	}
	q.close(t)
	q.close(t) // writes nothing again: the directory may be another's now
	if log := q.log.String(); log != "" {
		t.Errorf("logged: %s", log)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.new")); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	// An index without a graph has no use for the file.
	q = openGraph(t, dir, embedder, 0)
	q.close(t)
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there, or %v", err)
	}
}

// Whatever is in the place of the file, the directory opens, finds everything, says what is
// wrong, and has a good file after it was closed.
func TestGraphFileDamaged(t *testing.T) {
	t.Parallel()
	embedder := hashing(t, 64)
	other := t.TempDir()
	graphDirectory(t, other, embedder, "words")
	q := openOther(t, other, embedder)
	q.close(t)
	foreign, err := os.ReadFile(filepath.Join(other, "quire.graph"))
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(file string, data []byte) error{
		"gone":      func(file string, _ []byte) error { return os.Remove(file) },
		"empty":     func(file string, _ []byte) error { return os.Truncate(file, 0) },
		"shortened": func(file string, data []byte) error { return os.Truncate(file, int64(len(data)/2)) },
		"a flipped bit": func(file string, data []byte) error {
			data[len(data)/3] ^= 16
			return os.WriteFile(file, data, 0o600)
		},
		"a text": func(file string, _ []byte) error {
			return os.WriteFile(file, []byte("no graph at all, but a text"), 0o600)
		},
		"of another one": func(file string, _ []byte) error { return os.WriteFile(file, foreign, 0o600) },
		"a directory in its place": func(file string, _ []byte) error {
			return errors.Join(os.Remove(file), os.MkdirAll(filepath.Join(file, "x"), 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			graphDirectory(t, dir, embedder, "note")
			openGraph(t, dir, embedder, 1).close(t)
			file := filepath.Join(dir, "quire.graph")
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := damage(file, data); err != nil {
				t.Fatal(err)
			}
			q := openGraph(t, dir, embedder, 1)
			silent := name == "gone" || name == "empty"
			if told := strings.Contains(q.log.String(), "is not used as it is"); told == silent {
				t.Errorf("logged: %s", q.log.String())
			}
			q.close(t)
			q = openGraph(t, dir, embedder, 1)
			if blocked := name == "a directory in its place"; (q.index.size > 0 && q.index.err == nil) == blocked {
				t.Errorf("then %d bytes were loaded, error %v", q.index.size, q.index.err)
			}
		})
	}
}

// openOther opens a directory that has not what find wants.
func openOther(t *testing.T, dir string, embedder quire.Embedder) *graphQuire {
	t.Helper()
	q := &graphQuire{index: &watched{Index: flat.New(&flat.Options{GraphRows: 1})}}
	t.Cleanup(func() { q.index.Close() })
	q.Quire = open(t, dir, &embedded.Options{Index: q.index, Embedder: embedder})
	if err := q.index.Built(t.Context()); err != nil {
		t.Fatal(err)
	}
	return q
}

// What has just been built is saved while the directory is open, so that a kill does not cost
// it. What changes after that is linked anew.
func TestGraphAfterKill(t *testing.T) {
	t.Parallel()
	dir, embedder := t.TempDir(), hashing(t, 64)
	graphDirectory(t, dir, embedder, "note")
	q := openGraph(t, dir, embedder, 1)
	file := filepath.Join(dir, "quire.graph")
	var data []byte
	for err := error(os.ErrNotExist); err != nil; time.Sleep(time.Millisecond) {
		if data, err = os.ReadFile(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if _, err := q.Engine.DeleteElemental(t.Context(), "ada", "e0"); err != nil {
		t.Fatal(err)
	}
	q.close(t)
	if err := os.WriteFile(file, data, 0o600); err != nil { // as if it had been killed
		t.Fatal(err)
	}
	q = openGraph(t, dir, embedder, 1)
	if q.index.size != int64(len(data)) || q.index.err != nil && !errors.Is(q.index.err, quire.ErrConflict) {
		t.Errorf("%d of %d bytes were loaded, error %v", q.index.size, len(data), q.index.err)
	}
}

// There is no file without a directory of ours, and an index that Open has no use for is let
// go.
func TestGraphNotKept(t *testing.T) {
	t.Parallel()
	dir, embedder := t.TempDir(), hashing(t, 64)
	s := store.NewMemory()
	defer s.Close()
	index := &watched{Index: flat.New(&flat.Options{GraphRows: 1})}
	defer index.Close()
	q := open(t, dir, &embedded.Options{Store: s, Index: index, Embedder: embedder})
	if err := q.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if index.held != 0 || index.loaded != 0 {
		t.Errorf("held %d times and loaded %d times beside a Store that was given", index.held, index.loaded)
	}
	graphDirectory(t, dir, embedder, "note")
	if _, err := embedded.Open(t.Context(), dir, &embedded.Options{Index: index, Embedder: hashing(t, 128)}); err == nil {
		t.Fatal("another embedder is taken")
	}
	if index.held != 1 || index.loaded != 1 || index.size != 0 {
		t.Errorf("held %d times and loaded %d times, %d bytes, by an Open that failed", index.held, index.loaded, index.size)
	}
	defaults := chromem.New(nil)
	defer defaults.Close()
	if err := open(t, dir, &embedded.Options{Index: defaults, Embedder: embedder}).Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found, err := filepath.Glob(filepath.Join(dir, "quire.graph*")); err != nil || len(found) != 0 {
		t.Errorf("found %v, %v", found, err)
	}
}

// A backup that was given the name of the saved graph, or of its draft, stays as it is.
func TestGraphIsNoBackup(t *testing.T) {
	t.Parallel()
	embedder := hashing(t, 64)
	for _, name := range []string{"quire.graph", "quire.graph.new"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			graphDirectory(t, dir, embedder, "note")
			openGraph(t, dir, embedder, 1).close(t)
			file := filepath.Join(dir, name)
			q := openGraph(t, dir, embedder, 1) // with what is saved, so that nothing is until it is closed
			if err := os.RemoveAll(filepath.Join(dir, "quire.graph")); err != nil {
				t.Fatal(err)
			}
			if err := q.Library.Backup(t.Context(), file); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // it is there when it is closed, and then when it is opened too
				q.close(t)
				if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
					t.Fatalf("a backup of %d bytes has %d now, %v", len(before), len(after), err)
				}
				if !strings.Contains(q.log.String(), "until it is moved away") {
					t.Errorf("logged: %s", q.log.String())
				}
				q = openGraph(t, dir, embedder, 1)
			}
			if err := os.Rename(file, filepath.Join(t.TempDir(), "quire.db")); err != nil {
				t.Fatal(err)
			}
			q.close(t)
			if q = openGraph(t, dir, embedder, 1); q.index.size == 0 {
				t.Error("nothing is saved when the backup is gone")
			}
		})
	}
}
