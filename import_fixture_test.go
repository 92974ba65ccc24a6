package quire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/archive"
	"github.com/quirelib/quire/store"
)

// entry is a record of an archive that a test takes apart.
type entry struct {
	Kind string
	Data map[string]any
	Blob []byte
}

// take takes an archive apart.
func take(t testing.TB, data []byte) []entry {
	t.Helper()
	r, err := archive.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var all []entry
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		e := entry{Kind: rec.Kind}
		d := json.NewDecoder(bytes.NewReader(rec.Data))
		d.UseNumber()
		if err := d.Decode(&e.Data); err != nil {
			t.Fatal(err)
		}
		if e.Blob, err = r.Blob(1 << 30); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
}

// forge makes an archive whose checksums are right.
func forge(t testing.TB, entries []entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := archive.NewWriter(&b)
	for _, e := range entries {
		if err := w.Record(e.Kind, e.Data, e.Blob); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// smallArchive has one of everything: a table with a cell, a list, media, comments,
// rates, marks, tags, a guest and chunks.
func smallArchive(t testing.TB) []byte {
	t.Helper()
	from := newInstance(t, store.NewMemory(), nil)
	ctx := context.Background()
	u, err := from.CreateUser(ctx, quire.UserInput{ID: "user", TenantID: acme})
	from.must(err)
	a := u.Actor()
	tag, err := from.CreateTag(ctx, a, quire.TagInput{Title: "tag", Color: "#abc", ElementalTypeID: 1})
	from.must(err)
	in := document("The only document", "one\n\ntwo")
	in.ID, in.TagIDs, in.TopicIDs = "doc", []int64{tag.ID}, []int{1}
	in.Media = quire.MediaInput{Images: []quire.Upload{upload("dot.gif", dot(t))}, Files: []quire.Upload{upload("a.txt", []byte("text"))}}
	e, err := from.CreateElemental(ctx, a, in)
	from.must(err)
	in = document("Some text snippet", "one")
	in.ID, in.TypeID = "snippet", quire.TypeSnippet
	_, err = from.CreateElemental(ctx, a, in)
	from.must(err)
	table, err := from.CreateTable(ctx, a, quire.TableInput{Title: "The only table", Columns: []string{"C"}, Rows: []string{"R"}, Cells: [][]string{{"cell"}}})
	from.must(err)
	_, err = from.CreateList(ctx, a, quire.ListInput{Title: "List", Items: []quire.ItemInput{{ElementalID: "doc"}}})
	from.must(err)
	guest := quire.Actor{UserID: "guest", TenantID: "elsewhere"}
	c, err := from.Comment(ctx, guest, e.ID, "a comment")
	from.must(err)
	_, err = from.Reply(ctx, a, e.ID, c.ID, "a reply")
	from.must(err)
	_, err = from.Rate(ctx, guest, quire.Subject{ElementalID: e.ID}, 4, "good")
	from.must(err)
	_, err = from.Save(ctx, guest, quire.Subject{ElementalID: e.ID}, true)
	from.must(err)
	for _, id := range []string{e.ID, table.ID} {
		_, err = from.eng.Ingest(ctx, acme, quire.IngestRequest{ElementalID: id})
		from.must(err)
	}
	from.idle(acme)
	return from.export(acme)
}

// target is an instance with content of its own, and what it holds before an import.
type target struct {
	*instance
	before string
}

func newTarget(t testing.TB) *target {
	t.Helper()
	in := newInstance(t, store.NewMemory(), nil)
	fillLibrary(in, 1, 2)
	tg := &target{instance: in}
	tg.before = tg.dump()
	return tg
}

// dump is everything that the Store holds of the tenants of these tests, which is what
// their exports hold, and the keys, jobs and chunks.
func (tg *target) dump() string {
	tg.t.Helper()
	var b strings.Builder
	ctx := context.Background()
	for _, tenant := range []string{acme, "elsewhere", "other", "home"} {
		err := tg.eng.Export(ctx, tenant, &b)
		fmt.Fprintln(&b, tenant, err)
	}
	tg.must(tg.store.View(ctx, func(tx quire.ReadTx) error {
		chunks, err := tx.CountChunks(ctx)
		if err != nil {
			return err
		}
		jobs, err := tx.CountJobs(ctx)
		if err != nil {
			return err
		}
		_, lists, err := tx.SearchLists(ctx, quire.ListSearch{Viewer: quire.Viewer{OthersToo: true}, Limit: 1})
		fmt.Fprintln(&b, chunks, jobs, lists, len(tg.index.Chunks()))
		return err
	}))
	return b.String()
}

// refuses imports an archive that must be refused and leave everything as it was.
func (tg *target) refuses(what string, data []byte, codes ...quire.Code) error {
	tg.t.Helper()
	_, err := tg.importing(data, &quire.ImportOptions{TenantID: "home"})
	if !slices.Contains(codes, quire.CodeOf(err)) {
		tg.t.Errorf("%s: error %v (%s), want one of %v", what, err, quire.CodeOf(err), codes)
	}
	return err
}

func (tg *target) unchanged(what string) {
	tg.t.Helper()
	if tg.dump() != tg.before {
		tg.t.Fatalf("%s: something was imported", what)
	}
}

// find returns the place of the nth record of a kind.
func find(t testing.TB, es []entry, kind string, n int) int {
	t.Helper()
	for i, e := range es {
		if e.Kind != kind {
			continue
		}
		if n == 0 {
			return i
		}
		n--
	}
	t.Fatalf("there is no %s", kind)
	return 0
}

// hostile changes one field of the nth record of a kind.
type hostile struct {
	kind  string
	nth   int
	field string
	value any
	code  quire.Code // "" for invalid
}

// The records of the small archive by id: the order of elementals is that of their ids,
// and those of tables are random.
func nthWith(t testing.TB, es []entry, kind, field string, want func(any) bool) int {
	t.Helper()
	n := 0
	for _, e := range es {
		if e.Kind != kind {
			continue
		}
		if want(e.Data[field]) {
			return n
		}
		n++
	}
	t.Fatalf("there is no %s with such a %s", kind, field)
	return 0
}

// count is how many records of a kind there are.
func count(es []entry, kind string) (n int) {
	for _, e := range es {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// with is a copy of an archive in which fields of the nth record of a kind are others.
func with(t testing.TB, es []entry, kind string, nth int, fields map[string]any) []entry {
	t.Helper()
	bad := slices.Clone(es)
	i := find(t, bad, kind, nth)
	bad[i].Data = maps.Clone(bad[i].Data)
	maps.Copy(bad[i].Data, fields)
	return bad
}

// forgeRaw makes an archive of JSON texts as they are.
func forgeRaw(t testing.TB, lines ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := archive.NewWriter(&b)
	for _, line := range lines {
		parts := strings.SplitN(line, " ", 3)
		if err := w.Record(parts[0], json.RawMessage(parts[2]), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func empty(t *testing.T, in *instance) {
	t.Helper()
	in.must(in.store.View(context.Background(), func(tx quire.ReadTx) error {
		n, err := tx.CountChunks(context.Background())
		_, lists, err2 := tx.SearchLists(context.Background(), quire.ListSearch{Viewer: quire.Viewer{OthersToo: true}, Limit: 1})
		jobs, err3 := tx.CountJobs(context.Background())
		if n+lists+len(jobs)+len(in.index.Chunks()) > 0 {
			t.Fatal("something was imported")
		}
		return errors.Join(err, err2, err3)
	}))
}
