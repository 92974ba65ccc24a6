package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// brokenFS cannot open some of its files and folders.
type brokenFS struct {
	fstest.MapFS
	broken map[string]bool
}

func (b brokenFS) Open(name string) (fs.File, error) {
	if b.broken[name] {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return b.MapFS.Open(name)
}

func (b brokenFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if b.broken[name] {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return b.MapFS.ReadDir(name)
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestScan(t *testing.T) {
	t.Parallel()
	fsys := brokenFS{
		MapFS: fstest.MapFS{
			"b.md":                     file("b"),
			"a.html":                   file("a"),
			"sub/deep/c.TXT":           file("c"),
			"photo.jpg":                file("jpg"),
			".hidden.md":               file("h"),
			".git/config.md":           file("h"),
			"node_modules/pkg/read.md": file("n"),
			"link.md":                  {Mode: fs.ModeSymlink},
			"pipe.md":                  {Mode: fs.ModeNamedPipe},
			"locked/d.md":              file("d"),
		},
		broken: map[string]bool{"locked": true},
	}
	got, err := scan(t.Context(), fsys)
	if err != nil {
		t.Fatal(err)
	}
	want := corpus{
		files: []string{"a.html", "b.md", "sub/deep/c.TXT"},
		skipped: []skipped{
			{path: "link.md", reason: "is a symbolic link"},
			{path: "locked", reason: "cannot be read: permission denied", unread: true},
			{path: "pipe.md", reason: "is not a regular file"},
		},
		others: 1,
		named:  []string{"photo.jpg"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(corpus{}, skipped{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestUnsupported(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{"a.md": file("a")}
	for i, want := range []string{
		"", "1 file of another kind was not read: 1.pdf", "2 files of other kinds were not read: 1.pdf, 2.pdf",
		"3 files of other kinds were not read: 1.pdf, 2.pdf, 3.pdf", "4 files of other kinds were not read: 1.pdf, 2.pdf, 3.pdf, 4.pdf",
		"5 files of other kinds were not read: 1.pdf, 2.pdf, 3.pdf, 4.pdf, 5.pdf",
		"6 files of other kinds were not read: 1.pdf, 2.pdf, 3.pdf, 4.pdf, 5.pdf, ..",
	} {
		if i > 0 {
			fsys[fmt.Sprintf("%d.pdf", i)] = file("x")
		}
		c, err := scan(t.Context(), fsys)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.unsupported(); got != want {
			t.Errorf("%d files: %q, want %q", i, got, want)
		}
	}
}

func TestScanUnreadableFolder(t *testing.T) {
	t.Parallel()
	_, err := scan(t.Context(), brokenFS{MapFS: fstest.MapFS{}, broken: map[string]bool{".": true}})
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want a permission error", err)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	fsys := brokenFS{
		MapFS: fstest.MapFS{
			"good.md":   file("# A good document\n\nIt has a sentence."),
			"page.html": file("<html><head><title>A page of HTML</title></head><body><p>Some text.</p></body></html>"),
			"go.html":   file("<!--{\n\"Title\": \"The Go Spec\",\n\"Path\": \"/spec\"}-->\n<h2>Introduction</h2><p>Some text.</p>"),
			"empty.md":  file(""),
			"blank.txt": file(" \n\t\n"),
			"blank.md":  file("\n\n\n"),
			"tags.html": file("<html><body><p></p></body></html>"),
			"latin1.md": file("caf\xe9 au lait"),
			"nul.txt":   file("a\x00b"),
			"huge.txt":  file(strings.Repeat("x", maxFile+1)),
			"line.txt":  file(strings.Repeat("word ", 200_000)),
			"locked.md": file("secret"),
		},
		broken: map[string]bool{"locked.md": true},
	}
	for _, c := range []struct {
		path, title, skipped, note string
		unread                     bool
	}{
		{path: "good.md", title: "A good document"},
		{path: "page.html", title: "A page of HTML"},
		{path: "go.html", title: "The Go Spec"},
		{path: "empty.md", skipped: "is empty"},
		{path: "blank.txt", skipped: "holds no text"},
		{path: "blank.md", skipped: "holds no text"},
		{path: "tags.html", skipped: "holds no text"},
		{path: "latin1.md", skipped: "is not valid UTF-8 from byte 3 on"},
		{path: "nul.txt", skipped: "is not a text document, but application/octet-stream"},
		{path: "huge.txt", skipped: "is larger than 16 MiB"},
		{path: "line.txt", title: "line — line.txt", note: "is taken, but holds a line of 1000000 bytes: its passages may begin or end inside a sentence"},
		{path: "locked.md", skipped: "cannot be read: permission denied", unread: true},
		{path: "absent.md", skipped: "cannot be read: file does not exist", unread: true},
	} {
		t.Run(c.path, func(t *testing.T) {
			t.Parallel()
			doc, err := read(fsys, c.path)
			sk := &skipped{}
			if err != nil && !errors.As(err, &sk) {
				t.Fatalf("the error is %T, not a *skipped: %v", err, err)
			}
			got := []any{doc.title, sk.reason, doc.note, sk.unread}
			if diff := cmp.Diff([]any{c.title, c.skipped, c.note, c.unread}, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, of, path, want string }{
		{"good", "The Go Memory Model", "go_mem.html", "The Go Memory Model"},
		{"none", "", "guide/installation.md", "guide/installation.md"},
		{"short", "Tools", "initial/3-tools.md", "Tools — initial/3-tools.md"},
		{"short with a short path", "A", "a.md", "Document A — a.md"},
		{"no letter", "2024-01-01", "0.md", "2024-01-01 — 0.md"},
		{"no letter anywhere", "1234567890", "1", "Document 1234567890 — 1"},
		{"none and a short path", "", "tea.txt", "Document tea.txt"},
		{"long", strings.Repeat("long ", 30), "x.md", strings.TrimSpace(strings.Repeat("long ", 20)) + "…"},
		{"lines", "A title\n  on two lines", "x.md", "A title on two lines"},
		{"escape sequence", "A \x1b[31mred\x1b[0m title", "x.md", "A [31mred[0m title"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := title(c.of, c.path); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestTitleRule checks the Library's rule for whatever a file may be called.
func TestTitleRule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		of, p := rapid.String().Draw(t, "title"), rapid.StringN(1, -1, 255).Draw(t, "path")
		got := title(of, p)
		n := utf8.RuneCountInString(strings.TrimSpace(got))
		if n < minTitle || n > maxTitle || !strings.ContainsFunc(got, unicode.IsLetter) || !utf8.ValidString(got) {
			t.Fatalf("%q is no title", got)
		}
	})
}
