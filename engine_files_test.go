package quire_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/extract"
	"github.com/quirelib/quire/store"
)

// onEachFileEngine runs a test with an Engine that reads files over each Store. A nil
// extractor means the built-in one.
func onEachFileEngine(t *testing.T, x quire.Extractor, test func(t *testing.T, f *engineFixture)) {
	t.Parallel()
	if x == nil {
		x = extract.New(nil)
	}
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			test(t, newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}, Extractor: x, MaxAttempts: 2}))
		})
	}
}

// pdfFile makes a PDF with a line of text.
func pdfFile(line, trailer string) []byte {
	content := "BT /F 12 Tf 72 720 Td (" + line + ") Tj ET"
	return fmt.Appendf(nil, `%%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Count 1/Kids[4 0 R]/Resources<</Font<</F 3 0 R>>>>>>endobj
3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>endobj
4 0 obj<</Type/Page/Parent 2 0 R/Contents 5 0 R>>endobj
5 0 obj<</Length %d>>stream
%s
endstream endobj
trailer<</Root 1 0 R%s>>
%%%%EOF
`, len(content), content, trailer)
}

// docxFile makes a DOCX with that body.
func docxFile(t *testing.T, body string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(w, `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>%s</w:body></w:document>`, body)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func docxParagraph(text string) string { return "<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>" }

// attach adds files to an elemental, at most three at once, and returns their ids by name.
func (f *engineFixture) attach(id string, files ...quire.Upload) map[string]string {
	f.t.Helper()
	ids := map[string]string{}
	for some := range slices.Chunk(files, 3) {
		e, err := f.AddMedia(f.t.Context(), f.ann, id, quire.MediaInput{Files: some})
		f.check(err)
		for _, m := range e.Details.Media {
			if m.Kind == quire.MediaFile {
				ids[m.Name] = fmt.Sprint(m.ID)
			}
		}
	}
	return ids
}

// fileTexts are the texts of the stored chunks of an elemental by item, after a check of
// what they repeat.
func (f *engineFixture) fileTexts(e quire.Elemental) map[string]string {
	f.t.Helper()
	out := map[string]string{}
	for _, c := range f.stored(e.ID) {
		if want := map[bool]string{true: "document", false: "file"}[c.ItemID == e.ID]; c.Source != want || c.Title != e.Title || c.TypeName != "Document" || c.ColumnID != "" {
			f.t.Errorf("chunk %+v", c)
		}
		if out[c.ItemID] != "" {
			out[c.ItemID] += "|"
		}
		out[c.ItemID] += c.Text
	}
	return out
}

// TestFilesAreSources: files of each kind are found and cited; what cannot be read is told
// in the job and does not keep the rest back.
func TestFilesAreSources(t *testing.T) {
	onEachFileEngine(t, nil, func(t *testing.T, f *engineFixture) {
		e := f.create(f.ann, document("Rules of the harbour", "own words"))
		good := map[string]struct{ file, query, text string }{
			"text":     {"plain quokka", "quokka", "plain quokka"},
			"markdown": {"# Animals\n\nmarked wombat", "wombat", "# Animals|marked wombat"},
			"html":     {"<title>x</title><p>paged <b>numbat</b>", "numbat", "paged **numbat**"},
			"csv":      {"Animal,Legs\nbandicoot,4\n", "bandicoot", "Animal: bandicoot\nLegs: 4"},
			"pdf":      {string(pdfFile("printed bilby", "")), "bilby", "printed bilby"},
			"docx":     {string(docxFile(t, docxParagraph("worded dugong")+docxParagraph("more"))), "dugong", "worded dugong|more"},
		}
		names := map[string]string{"text": "a.txt", "markdown": "a.md", "html": "a.html", "csv": "a.csv", "pdf": "a.pdf", "docx": "a.docx"}
		bad := map[string][]byte{
			"locked.pdf": pdfFile("secret", "/Encrypt 9 0 R"),
			"cut.pdf":    []byte("%PDF-1.4\n1 0 obj<<"),
			"blank.txt":  []byte(" \n "),
			"bomb.docx":  docxFile(t, strings.Repeat(" ", 80<<20)),
			"pic.gif":    dot(t),
		}
		var files []quire.Upload
		for kind, g := range good {
			files = append(files, upload(names[kind], []byte(g.file)))
		}
		for name, data := range bad {
			files = append(files, upload(name, data))
		}
		ids := f.attach(e.ID, files...)
		job := f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)

		want := map[string]string{e.ID: "Rules of the harbour|own words"}
		for kind, g := range good {
			want[ids[names[kind]]] = g.text
		}
		if diff := cmp.Diff(want, f.fileTexts(e)); diff != "" {
			t.Errorf("chunks (-want +got):\n%s", diff)
		}
		for _, g := range good {
			found, err := f.eng.Search(t.Context(), quire.SearchRequest{Query: g.query, Filters: quire.Filters{TenantID: f.ann.TenantID, Source: "file"}, Limit: 1})
			f.check(err)
			if len(found) != 1 || !strings.Contains(found[0].Chunk.Text, g.query) {
				t.Errorf("%s: found %+v", g.query, found)
			}
			answer, err := f.ask("where is the " + g.query)
			f.check(err)
			cited := slices.ContainsFunc(answer.Sources, func(h quire.SearchHit) bool {
				return strings.Contains(h.Chunk.Text, g.query) && h.Chunk.Source == "file" && h.Chunk.ItemID != e.ID
			})
			if !cited {
				t.Errorf("%s: the answer %q cites %q", g.query, answer.Answer, sourceTexts(answer.Sources))
			}
		}
		reasons := map[string]string{}
		for _, p := range job.Problems {
			if p.ItemID != ids[p.Name] {
				t.Errorf("problem %+v, the id is %s", p, ids[p.Name])
			}
			reasons[p.Name] = p.Reason
		}
		wantEqual(t, reasons, map[string]string{
			"locked.pdf": "is an encrypted PDF",
			"cut.pdf":    "is a damaged PDF: no page can be found in it",
			"blank.txt":  "holds no text",
			"bomb.docx":  "is a DOCX that unpacks to more than is allowed",
			"pic.gif":    "is not a text document, but image/gif",
		})
		if job.Error != "" || job.Total != len(f.stored(e.ID)) {
			t.Errorf("job %+v", job)
		}
	})
}

// TestFilesFollow: what becomes of files and their elemental reaches the chunks.
func TestFilesFollow(t *testing.T) {
	onEachFileEngine(t, nil, func(t *testing.T, f *engineFixture) {
		ctx := t.Context()
		in := document("Rules of the harbour", "own words")
		e := f.create(f.ann, in)
		ids := f.attach(e.ID, upload("a.txt", []byte("one\n\ntwo")), upload("b.md", []byte("three")))
		if n := len(f.stored(e.ID)); n != 0 {
			t.Fatalf("%d chunks before the first ingest", n)
		}
		f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
		f.inStep()
		calls := f.embedder.Calls()

		tag := f.tag("tides")
		_, err := f.AttachTag(ctx, f.ann, e.ID, tag)
		f.check(err)
		_, err = f.UpdateElemental(ctx, f.ann, e.ID, quire.ElementalPatch{Title: ptr("Rules of the marina")})
		f.check(err)
		for _, c := range f.stored(e.ID) {
			if !slices.Equal(c.TagNames, []string{"tides"}) || c.Title != "Rules of the marina" {
				t.Errorf("chunk %q has the tags %q and the title %q", c.Text, c.TagNames, c.Title)
			}
		}
		wantEqual(t, len(f.search(f.ann, "words", quire.Filters{TagNames: []string{"tides"}, Source: "file"})), 3)
		_, err = f.UpdateTag(ctx, f.ann, tag, quire.TagPatch{Title: ptr("currents")})
		f.check(err)
		wantEqual(t, len(f.search(f.ann, "words", quire.Filters{TagNames: []string{"currents"}, Source: "file"})), 3)
		if n := f.embedder.Calls() - calls - f.searches; n != 0 {
			t.Errorf("%d calls of the embedder for metadata", n)
		}

		calls, f.searches = f.embedder.Calls(), 0
		remove := func(name string) {
			t.Helper()
			var n int64
			_, err := fmt.Sscan(ids[name], &n)
			f.check(err)
			_, err = f.RemoveMedia(ctx, f.ann, e.ID, quire.MediaRemoval{Files: []int64{n}})
			f.check(err)
		}
		remove("a.txt")
		e.Title = "Rules of the marina"
		wantEqual(t, f.fileTexts(e), map[string]string{e.ID: "Rules of the harbour|own words", ids["b.md"]: "three"})
		remove("b.md")
		wantEqual(t, f.fileTexts(e), map[string]string{e.ID: "Rules of the harbour|own words"})
		if n := f.embedder.Calls() - calls; n != 0 {
			t.Errorf("%d calls of the embedder for deletions", n)
		}
		wantEqual(t, f.search(f.ann, "two", quire.Filters{Source: "file"}), []string(nil))
	})
}

// TestHitsNameTheirFiles: hits and sources tell the file that a passage is from, by the
// name that it has now.
func TestHitsNameTheirFiles(t *testing.T) {
	onEachFileEngine(t, nil, func(t *testing.T, f *engineFixture) {
		ctx := t.Context()
		e := f.create(f.ann, document("Rules of the harbour", "own words on anchors"))
		ids := f.attach(e.ID, upload("a.txt", []byte("anchors need chains\n\nbut chains need no anchors")), upload("b.md", []byte("anchors are heavy")))
		f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
		want := func(what string, names map[string]int) {
			t.Helper()
			hits, err := f.eng.Search(ctx, quire.SearchRequest{Query: "anchors", Filters: quire.Filters{TenantID: f.ann.TenantID}})
			f.check(err)
			answer, err := f.ask("anchors")
			f.check(err)
			found := map[string]int{}
			for i, h := range append(hits, answer.Sources...) {
				own := h.Chunk.ItemID == e.ID
				if own && h.FileID+h.FileName != "" || !own && h.FileID != h.Chunk.ItemID {
					t.Errorf("%s: hit %+v", what, h)
				}
				if i < len(hits) {
					found[h.FileName]++
				} else if names[h.FileName] == 0 {
					t.Errorf("%s: source %+v", what, h)
				}
			}
			wantEqual(t, found, names)
		}
		want("attached", map[string]int{"": 2, "a.txt": 2, "b.md": 1})
		var id int64
		_, err := fmt.Sscan(ids["a.txt"], &id)
		f.check(err)
		f.check(f.store.Update(ctx, func(tx quire.Tx) error {
			m, err := tx.Media(ctx, id)
			if err != nil {
				return err
			}
			data, err := tx.MediaData(ctx, id)
			if err != nil {
				return err
			}
			m.Name = "renamed.txt"
			return tx.PutMedia(ctx, m, data)
		}))
		want("renamed", map[string]int{"": 2, "renamed.txt": 2, "b.md": 1})
		_, err = f.RemoveMedia(ctx, f.ann, e.ID, quire.MediaRemoval{Files: []int64{id}})
		f.check(err)
		want("deleted", map[string]int{"": 2, "b.md": 1})
		// Another process that has the Store open too may have deleted a file a moment ago.
		_, err = fmt.Sscan(ids["b.md"], &id)
		f.check(err)
		f.check(f.store.Update(ctx, func(tx quire.Tx) error { return tx.DeleteMedia(ctx, id) }))
		hits, err := f.eng.Search(ctx, quire.SearchRequest{Query: "anchors", Filters: quire.Filters{TenantID: f.ann.TenantID, Source: "file"}})
		f.check(err)
		if len(hits) != 1 || hits[0].FileID != ids["b.md"] || hits[0].FileName != "" {
			t.Errorf("of a file that is gone: %+v", hits)
		}
	})
}

// TestFilesAreIngestedByThemselves: an elemental of the knowledge base is ingested again
// when its files change.
func TestFilesAreIngestedByThemselves(t *testing.T) {
	onEachFileEngine(t, nil, func(t *testing.T, f *engineFixture) {
		ctx := t.Context()
		in := document("Rules of the harbour", "own words")
		in.Settings.KnowledgeBase = true
		in.Media.Files = []quire.Upload{upload("a.txt", []byte("one"))}
		e := f.create(f.ann, in)
		texts := func() []string {
			t.Helper()
			f.settle(f.ann)
			texts := slices.Collect(maps.Values(f.fileTexts(e)))
			slices.Sort(texts)
			return texts
		}
		own := "Rules of the harbour|own words"
		wantEqual(t, texts(), []string{own, "one"})
		f.attach(e.ID, upload("b.txt", []byte("two")))
		wantEqual(t, texts(), []string{own, "one", "two"})
		_, err := f.UpdateElemental(ctx, f.ann, e.ID, quire.ElementalPatch{Media: quire.MediaPatch{Files: &[]quire.Upload{upload("c.txt", []byte("three"))}}})
		f.check(err)
		wantEqual(t, texts(), []string{own, "three"})
		before := f.embedder.Calls()
		f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
		if n := f.embedder.Calls() - before; n != 0 {
			t.Errorf("%d calls of the embedder without a change", n)
		}
		f.check(f.DeleteElemental(ctx, f.ann, e.ID))
		wantEqual(t, f.search(f.ann, "three", quire.Filters{}), []string(nil))
	})
}

// TestFilesOfCells: the files of a cell are sources of its table, in its column, with its
// tags.
func TestFilesOfCells(t *testing.T) {
	onEachFileEngine(t, nil, func(t *testing.T, f *engineFixture) {
		ctx := t.Context()
		e := f.fixture.table(f.ann, 2, 2, []string{"a", "b"}, []string{"c"})
		_, err := f.UpdateElemental(ctx, f.ann, e.ID, quire.ElementalPatch{KnowledgeBase: ptr(true)})
		f.check(err)
		column := e.Details.Columns[0]
		cell := column.Cells[0].ID
		_, err = f.AttachTag(ctx, f.ann, cell, f.tag("of the cell"))
		f.check(err)
		ids := f.attach(cell, upload("cell.txt", []byte("in a cell")), upload("bad.bin", []byte{0}))
		table := f.attach(e.ID, upload("table.txt", []byte("of the table")))
		f.settle(f.ann)
		files := func() map[string]string {
			t.Helper()
			out := map[string]string{}
			for _, c := range f.stored(e.ID) {
				if c.Source == "file" {
					out[c.ItemID] = fmt.Sprint(c.Text, " ", c.ColumnID, " ", c.TagNames, " ", c.TypeName)
				}
			}
			return out
		}
		inTable := "of the table  [] Table"
		wantEqual(t, files(), map[string]string{ids["cell.txt"]: fmt.Sprint("in a cell ", column.ID, " [of the cell] Table"), table["table.txt"]: inTable})
		jobs, err := f.eng.Jobs(ctx, f.ann.TenantID, "", quire.Page{Size: 1})
		f.check(err)
		if p := jobs.Items[0].Problems; len(p) != 1 || p[0].ItemID != ids["bad.bin"] || p[0].Name != "bad.bin" {
			t.Errorf("problems %+v", p)
		}
		_, err = f.UpdateElemental(ctx, f.ann, cell, quire.ElementalPatch{Media: quire.MediaPatch{Files: &[]quire.Upload{upload("new.txt", []byte("another"))}}})
		f.check(err)
		if got := files()[ids["cell.txt"]]; got != "" {
			t.Errorf("%q is there after its file was replaced", got)
		}
		f.settle(f.ann)
		if got := files(); len(got) != 2 || !strings.Contains(fmt.Sprint(got), "another "+fmt.Sprint(column.ID)) {
			t.Errorf("%q", got)
		}
		f.check(f.DeleteElemental(ctx, f.ann, cell))
		wantEqual(t, files(), map[string]string{table["table.txt"]: inTable})
	})
}

// scripted is an Extractor that does what the name of a file says.
type scripted struct {
	mu    sync.Mutex
	calls map[string]int
	hold  map[string]chan struct{} // waits here
	begun chan string
}

func (s *scripted) Extract(ctx context.Context, file quire.File, data []byte) (string, error) {
	s.mu.Lock()
	if s.calls == nil {
		s.calls = map[string]int{}
	}
	s.calls[file.Name]++
	n, hold := s.calls[file.Name], s.hold[file.Name]
	s.mu.Unlock()
	if hold != nil && n == 1 {
		s.begun <- file.Name
		select {
		case <-hold:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	switch file.Name {
	case "panics":
		panic("a reader of its own")
	case "fails":
		return "", errors.New("secret address")
	case "fails once":
		if n == 1 {
			return "", quire.Errorf(quire.CodeUnavailable, "later")
		}
	case "blank":
		return " \n", nil
	case "broken":
		return "a\xff", nil
	case "too large":
		return "", quire.ErrTooLarge
	}
	return string(data), nil
}

// TestExtractorOfOnesOwn: whatever an Extractor does, it costs its file at most.
func TestExtractorOfOnesOwn(t *testing.T) {
	x := &scripted{}
	f := newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Chunker: paragraphs{}, Extractor: x, MaxAttempts: 2})
	e := f.create(f.ann, document("Rules of the harbour", "own words"))
	var files []quire.Upload
	for _, name := range []string{"panics", "fails", "fails once", "blank", "broken", "too large", "works"} {
		files = append(files, upload(name, []byte("text of "+name)))
	}
	ids := f.attach(e.ID, files...)
	job := f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
	reasons := map[string]string{}
	for _, p := range job.Problems {
		reasons[p.Name] = p.Reason
	}
	wantEqual(t, reasons, map[string]string{
		"panics": "cannot be read: its reader failed unexpectedly", "fails": "cannot be read at the moment", "blank": "holds no text",
		"broken": "its text is not valid UTF-8", "too large": quire.ErrTooLarge.Error(),
	})
	if job.Attempts != 2 {
		t.Errorf("%d attempts, want another one for what may pass", job.Attempts)
	}
	wantEqual(t, f.fileTexts(e), map[string]string{e.ID: "Rules of the harbour|own words", ids["works"]: "text of works", ids["fails once"]: "text of fails once"})
}

// TestWithoutExtractor: files are left alone.
func TestWithoutExtractor(t *testing.T) {
	onEachEngine(t, func(t *testing.T, f *engineFixture) {
		e := f.create(f.ann, document("Rules of the harbour", "own words"))
		f.attach(e.ID, upload("a.txt", []byte("one")))
		job := f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
		wantEqual(t, f.fileTexts(e), map[string]string{e.ID: "Rules of the harbour|own words"})
		if job.Problems != nil {
			t.Errorf("problems %+v", job.Problems)
		}
	})
}

// TestFilesChangeWhileTheyAreRead: what is added, replaced or deleted during an extraction
// is what stays.
func TestFilesChangeWhileTheyAreRead(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		for _, change := range []string{"add", "delete", "delete the elemental", "nothing"} {
			t.Run(s.name+"/"+change, func(t *testing.T) {
				t.Parallel()
				x := &scripted{hold: map[string]chan struct{}{"a.txt": make(chan struct{})}, begun: make(chan string)}
				f := newEngineFixture(t, s.open(t), quire.EngineOptions{Chunker: paragraphs{}, Extractor: x})
				ctx := t.Context()
				e := f.create(f.ann, document("Rules of the harbour", "own words"))
				ids := f.attach(e.ID, upload("a.txt", []byte("one")), upload("b.txt", []byte("two")))
				job := f.ingest(f.ann, e.ID, "")
				<-x.begun
				want := map[string]string{e.ID: "Rules of the harbour|own words", ids["a.txt"]: "one", ids["b.txt"]: "two"}
				status := quire.JobSucceeded
				switch change {
				case "add":
					more := f.attach(e.ID, upload("c.txt", []byte("three")))
					want[more["c.txt"]] = "three"
				case "delete": // also the one that is to be read next
					_, err := f.UpdateElemental(ctx, f.ann, e.ID, quire.ElementalPatch{Media: quire.MediaPatch{Files: &[]quire.Upload{}}})
					f.check(err)
					want = map[string]string{e.ID: want[e.ID]}
				case "delete the elemental":
					f.check(f.DeleteElemental(ctx, f.ann, e.ID))
					want, status = map[string]string{}, quire.JobCancelled
				}
				close(x.hold["a.txt"])
				done := f.waitStatus(job, status)
				if done.Problems != nil {
					t.Errorf("problems %+v", done.Problems)
				}
				wantEqual(t, f.fileTexts(e), want)
			})
		}
	}
}

// TestLargeFile reads a file as large as may be, and one of real documents each.
func TestLargeFile(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Extractor: extract.New(nil)})
	e := f.create(f.ann, document("Rules of the harbour", "own words"))
	line := strings.Repeat("a long line of words, ", 40) + "\n\n"
	size := 16 << 20
	if testing.Short() {
		size = 2 << 20
	}
	large := strings.Repeat(line, size/len(line)-1) + "the last word is zanzibar"
	ids := f.attach(e.ID, upload("large.txt", []byte(large)), upload("small.txt", []byte("a small quagga")))
	job := f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
	byItem := map[string]int{}
	for _, c := range f.stored(e.ID) {
		byItem[c.ItemID]++
		if c.ItemID == ids["large.txt"] && c.Text != large[c.Start:c.End] {
			t.Fatalf("chunk %d is not its range", c.Ordinal)
		}
	}
	t.Logf("%d bytes: %d chunks", len(large), byItem[ids["large.txt"]])
	if byItem[ids["large.txt"]] < 1000 || byItem[ids["small.txt"]] != 1 || len(job.Problems) != 0 {
		t.Errorf("%v chunks, problems %+v", byItem, job.Problems)
	}
	wantEqual(t, strings.Contains(strings.Join(f.search(f.ann, "zanzibar", quire.Filters{}), ""), "zanzibar"), true)
}

// TestSharedFiles ingests the files of ../shared as attachments: documents succeed, hostile
// ones are told.
func TestSharedFiles(t *testing.T) {
	t.Parallel()
	var paths []string
	err := filepath.WalkDir("../shared/data/markdown-docs", func(path string, d os.DirEntry, err error) error {
		if err == nil && extract.Supported(path) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Skip("shared/data is absent; the other tests cover each kind of file")
	}
	if testing.Short() {
		paths = paths[:min(60, len(paths))]
	}
	f := newEngineFixture(t, store.NewMemory(), quire.EngineOptions{Extractor: extract.New(nil), Workers: 1})
	chunks := 0
	for some := range slices.Chunk(paths, 15) {
		e := f.create(f.ann, document("Documents of a site", "own words"))
		var files []quire.Upload
		for i, path := range some {
			data, err := os.ReadFile(path)
			f.check(err)
			files = append(files, upload(fmt.Sprintf("%d-%s", i, filepath.Base(path)), data))
		}
		ids := f.attach(e.ID, files...)
		job := f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded)
		found := map[string]bool{}
		for _, c := range f.stored(e.ID) {
			found[c.ItemID] = true
			chunks++
		}
		if len(job.Problems) != 0 || len(found) != len(ids)+1 {
			t.Errorf("%d files: %d with chunks, problems %+v", len(ids), len(found)-1, job.Problems)
		}
	}
	t.Logf("%d files, %d chunks", len(paths), chunks)
}
