package quire_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/store"
)

// TestExportOfFiles moves chunks of attached files, of a document and of a cell: they
// are taken over with their vectors, and are found and named as before.
func TestExportOfFiles(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			from := newInstance(t, store.NewMemory(), nil)
			ctx := t.Context()
			u, err := from.CreateUser(ctx, quire.UserInput{ID: "user", TenantID: acme})
			from.must(err)
			a := u.Actor()
			in := document("Rules of the harbour", "own words on ropes")
			in.Media.Files = []quire.Upload{
				upload("quokka.txt", []byte("plain quokka\r\n\r\n  second <ropes> & \u2028 日本")), upload("numbat.html", []byte("<h1>Ropes</h1><p>a &amp; b <b>numbat</b>")),
				upload("late.txt", []byte("<NUL>bilby")),
			}
			e, err := from.CreateElemental(ctx, a, in)
			from.must(err)
			e, err = from.AddMedia(ctx, a, e.ID, quire.MediaInput{Files: []quire.Upload{upload("bad.bin", []byte{0, 1, 2})}})
			from.must(err)
			table, err := from.CreateTable(ctx, a, quire.TableInput{Title: "The only table", Columns: []string{"C"}, Rows: []string{"R"}, Cells: [][]string{{"cell"}}})
			from.must(err)
			_, err = from.AddMedia(ctx, a, table.Details.Columns[0].Cells[0].ID, quire.MediaInput{Files: []quire.Upload{upload("wombat.md", []byte("# Ropes\n\nmarked wombat"))}})
			from.must(err)
			for _, id := range []string{e.ID, table.ID} {
				_, err := from.eng.Ingest(ctx, acme, quire.IngestRequest{ElementalID: id})
				from.must(err)
			}
			from.idle(acme)
			archive := from.export(acme)
			want := chunksOf(from, e.ID, table.ID)
			files := slices.DeleteFunc(slices.Clone(want), func(c quire.Chunk) bool { return c.Source != "file" })
			for _, text := range []string{"quokka", "numbat", "\uFFFDbilby", "wombat"} {
				if !slices.ContainsFunc(files, func(c quire.Chunk) bool { return strings.Contains(c.Text, text) }) {
					t.Fatalf("there is no chunk of a file with %q: the test would show nothing", text)
				}
			}
			to := newInstance(t, s.open(t), nil)
			res, err := to.importing(archive, nil)
			to.must(err)
			if res.Chunks != len(want) || res.Ingests != 0 || res.Media != 5 || to.embedder.Calls() != 0 {
				t.Errorf("result %+v, %d calls of the embedder, for %d chunks", res, to.embedder.Calls(), len(want))
			}
			if d := cmp.Diff(want, chunksOf(to, e.ID, table.ID), emptyIsNil); d != "" {
				t.Errorf("chunks (-exported +imported):\n%s", d)
			}
			to.inStep(t)
			for word, name := range map[string]string{"quokka": "quokka.txt", "numbat": "numbat.html", "wombat": "wombat.md"} {
				hits, err := to.eng.Search(ctx, quire.SearchRequest{Query: word, Filters: quire.Filters{TenantID: acme, Source: "file"}, Limit: 1})
				to.must(err)
				if len(hits) != 1 || hits[0].FileName != name || hits[0].FileID != hits[0].Chunk.ItemID {
					t.Errorf("%s: %+v", word, hits)
				}
			}
			if again := to.export(acme); string(again) != string(archive) {
				t.Error("the archive of what was imported differs")
			}
			// An ingest there finds that it has all vectors already, and the same texts.
			calls := to.embedder.Calls()
			for _, id := range []string{e.ID, table.ID} {
				job, err := to.eng.Ingest(ctx, acme, quire.IngestRequest{ElementalID: id})
				to.must(err)
				job, err = to.eng.Wait(ctx, acme, job.ID)
				if to.must(err); job.Status != quire.JobSucceeded || id == e.ID && (len(job.Problems) != 1 || job.Problems[0].Name != "bad.bin") {
					t.Errorf("job %+v", job)
				}
			}
			if n := to.embedder.Calls() - calls; n != 0 {
				t.Errorf("%d calls of the embedder after the import", n)
			}
			if d := cmp.Diff(want, chunksOf(to, e.ID, table.ID), emptyIsNil); d != "" {
				t.Errorf("chunks after an ingest (-exported +ingested):\n%s", d)
			}
			// Deleting a file there takes its chunks along.
			for _, m := range e.Details.Media {
				_, err := to.RemoveMedia(ctx, a, e.ID, quire.MediaRemoval{Files: []int64{m.ID}})
				to.must(err)
			}
			for _, c := range chunksOf(to, e.ID) {
				if c.Source == "file" {
					t.Errorf("chunk %+v of a file that was deleted", c)
				}
			}
			t.Logf("%d chunks, %d of files", len(want), len(files))
		})
	}
}

// TestExportOfOddChunks: what an import would refuse of a chunk is not exported; its
// elemental is ingested there.
func TestExportOfOddChunks(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(c *quire.Chunk){
		"NUL":             func(c *quire.Chunk) { c.Text = strings.Replace(c.Text, "r", "\x00", 1) },
		"NUL in headings": func(c *quire.Chunk) { c.Heading = []string{"\x00"} },
		"many headings":   func(c *quire.Chunk) { c.Heading = make([]string, 101) },
		"a long heading":  func(c *quire.Chunk) { c.Heading = []string{strings.Repeat("x", 1_001)} },
		"a long text":     func(c *quire.Chunk) { c.Text, c.Start, c.End = strings.Repeat("x", 1<<20+1), 0, 1<<20+1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := newInstance(t, store.NewMemory(), nil)
			ctx := t.Context()
			u, err := from.CreateUser(ctx, quire.UserInput{ID: "user", TenantID: acme})
			from.must(err)
			in := document("Rules of the harbour", "own words")
			in.Media.Files = []quire.Upload{upload("a.txt", []byte("ropes"))}
			e, err := from.CreateElemental(ctx, u.Actor(), in)
			from.must(err)
			_, err = from.eng.Ingest(ctx, acme, quire.IngestRequest{ElementalID: e.ID})
			from.must(err)
			from.idle(acme)
			want := chunksOf(from, e.ID)
			from.must(from.store.Update(ctx, func(tx quire.Tx) error {
				chunks := slices.Clone(want)
				i := slices.IndexFunc(chunks, func(c quire.Chunk) bool { return c.Source == "file" })
				change(&chunks[i])
				return tx.ReplaceChunks(ctx, e.ID, chunks)
			}))
			to := newInstance(t, store.NewMemory(), nil)
			res, err := to.importing(from.export(acme), nil)
			to.must(err)
			if res.Chunks != 0 || res.Ingests != 1 {
				t.Errorf("result %+v", res)
			}
			to.idle(acme)
			if d := cmp.Diff(want, chunksOf(to, e.ID), emptyIsNil); d != "" {
				t.Errorf("chunks (-before +ingested there):\n%s", d)
			}
		})
	}
}

// withNUL is an Extractor that finds NUL characters in some files, which is allowed.
type withNUL struct{ quire.Extractor }

func (x withNUL) Extract(ctx context.Context, file quire.File, data []byte) (string, error) {
	text, err := x.Extractor.Extract(ctx, file, data)
	return strings.ReplaceAll(text, "<NUL>", "\x00"), err
}

// chunksOf are the stored chunks of elementals.
func chunksOf(in *instance, ids ...string) []quire.Chunk {
	in.t.Helper()
	var all []quire.Chunk
	in.must(in.store.View(in.t.Context(), func(tx quire.ReadTx) error {
		for _, id := range ids {
			chunks, err := tx.ChunksOf(in.t.Context(), id)
			if err != nil {
				return fmt.Errorf("chunks of %s: %w", id, err)
			}
			all = append(all, chunks...)
		}
		return nil
	}))
	return all
}
