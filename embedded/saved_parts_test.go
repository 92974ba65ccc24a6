//go:build unix

package embedded_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/embedded"
	"github.com/quirelib/quire/engine/flat"
)

// broken is a quire.SavedIndex one of whose parts panics, or never has everything made.
type broken struct {
	*flat.Index
	part string
}

func (b broken) fail(part string) {
	if b.part == part {
		panic(part)
	}
}

func (b broken) Hold() {
	b.fail("hold")
	b.Index.Hold()
}

func (b broken) Load(ctx context.Context, r io.Reader) error {
	b.fail("load")
	return b.Index.Load(ctx, r)
}

func (b broken) Built(ctx context.Context) error {
	b.fail("built")
	if b.part == "slow" {
		<-ctx.Done()
		return ctx.Err()
	}
	return b.Index.Built(ctx)
}

func (b broken) Save(ctx context.Context, w io.Writer) error {
	b.fail("save")
	return b.Index.Save(ctx, w)
}

// Whatever a part of the index does, the directory opens and closes, and what the index has
// not made as a whole does not replace what was saved.
func TestGraphIndexBroken(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"hold", "load", "built", "save", "slow"} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			dir, embedder := t.TempDir(), hashing(t, 64)
			graphDirectory(t, dir, embedder, "note")
			openGraph(t, dir, embedder, 1).close(t)
			path := filepath.Join(dir, "quire.graph")
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			index := broken{flat.New(&flat.Options{GraphRows: 1}), part}
			defer index.Index.Close()
			q, err := embedded.Open(t.Context(), dir, &embedded.Options{Index: index, Embedder: embedder})
			if err != nil {
				t.Fatal(err)
			}
			hits, err := q.Engine.Search(t.Context(), quire.SearchRequest{Query: graphText("note", 7), Filters: quire.Filters{TenantID: "ada"}})
			if err != nil || len(hits) == 0 {
				t.Errorf("%d hits, %v", len(hits), err)
			}
			if err := q.Close(t.Context()); err != nil {
				t.Error(err)
			}
			after, err := os.ReadFile(path)
			if err != nil || part != "hold" && !bytes.Equal(before, after) {
				t.Errorf("the file has %d bytes instead of %d, %v", len(after), len(before), err)
			}
			openGraph(t, dir, embedder, 1).close(t)
		})
	}
}

// A named pipe in the place of the file is not waited for.
func TestGraphFilePipe(t *testing.T) {
	t.Parallel()
	dir, embedder := t.TempDir(), hashing(t, 64)
	graphDirectory(t, dir, embedder, "note")
	path := filepath.Join(dir, "quire.graph")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	q := openGraph(t, dir, embedder, 1)
	q.close(t)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("afterwards: %v, %v", info, err)
	}
}
