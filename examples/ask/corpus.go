package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/extract"
)

const (
	// maxFile is the largest file that is read, in bytes: what the Library takes as
	// the body of one elemental by default.
	maxFile = 16 << 20
	// longLine is the length, in bytes, from which a line is worth a word: text with
	// such lines is often not prose.
	longLine = 100_000
)

// maxNamed is how many files of other kinds are named.
const maxNamed = 5

// A document is one file of the folder, ready to be stored.
type document struct {
	path  string // relative to the folder, with slashes
	title string
	body  string // Markdown or plain text
	note  string // what the reader should know about it; "" for nothing
}

// A skipped file or folder gave no document.
type skipped struct {
	path   string // relative to the folder, with slashes
	reason string
	// unread means that it could not be looked at, so that what an earlier run stored
	// of it is to stay.
	unread bool
}

func (s *skipped) Error() string { return s.reason }

// A corpus is what a folder holds.
type corpus struct {
	files   []string  // the paths of the documents, in lexical order
	skipped []skipped // named like documents, but none
	others  int       // files of other kinds
	named   []string  // the first of them
}

// scan looks through a folder and all folders inside it. Hidden files and folders
// and node_modules are left out, symbolic links are not followed.
func scan(ctx context.Context, fsys fs.FS) (corpus, error) {
	var c corpus
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		switch {
		case ctx.Err() != nil || err != nil && p == ".":
			return err
		case err != nil:
			c.skipped = append(c.skipped, skipped{path: p, reason: "cannot be read: " + reason(err), unread: true})
			return fs.SkipDir
		case p != "." && strings.HasPrefix(d.Name(), "."), d.IsDir() && d.Name() == "node_modules":
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
		case !extract.Supported(p):
			if c.others++; len(c.named) < maxNamed {
				c.named = append(c.named, p)
			}
		case d.Type()&fs.ModeSymlink != 0:
			c.skipped = append(c.skipped, skipped{path: p, reason: "is a symbolic link"})
		case !d.Type().IsRegular():
			c.skipped = append(c.skipped, skipped{path: p, reason: "is not a regular file"})
		default:
			c.files = append(c.files, p)
		}
		return nil
	})
	return c, err
}

// unsupported says how many files are of other kinds and which, "" if there are none.
func (c corpus) unsupported() string {
	if c.others == 0 {
		return ""
	}
	names := make([]string, len(c.named))
	for i, p := range c.named {
		names[i] = oneLine(p)
	}
	what := fmt.Sprintf("%d files of other kinds were not read: %s", c.others, strings.Join(names, ", "))
	if c.others == 1 {
		what = "1 file of another kind was not read: " + names[0]
	}
	if c.others > len(names) {
		what += ", .."
	}
	return what
}

// read turns one file into a document. Its error is always a *skipped.
func read(fsys fs.FS, p string) (document, error) {
	data, err := readFile(fsys, p)
	switch {
	case err != nil:
		return document{}, &skipped{path: p, reason: "cannot be read: " + reason(err), unread: true}
	case len(data) > maxFile:
		return document{}, &skipped{path: p, reason: fmt.Sprintf("is larger than %d MiB", maxFile>>20)}
	}
	doc, err := extract.Text(path.Base(p), data, nil)
	if err != nil {
		return document{}, &skipped{path: p, reason: err.Error()}
	}
	return document{path: p, title: title(doc.Title, p), body: doc.Text, note: lineNote(doc.Text)}, nil
}

// readFile reads a file, but hardly more than maxFile of it.
func readFile(fsys fs.FS, p string) ([]byte, error) {
	f, err := fsys.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

// reason is the last part of a chain of file errors: the path stands before it
// anyway.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// lineNote says whether a text has a very long line.
func lineNote(text string) string {
	longest := 0
	for line := range strings.Lines(text) {
		longest = max(longest, len(line))
	}
	if longest < longLine {
		return ""
	}
	return fmt.Sprintf("is taken, but holds a line of %d bytes: its passages may begin or end inside a sentence", longest)
}

// The limits of an elemental's title, in characters.
const (
	minTitle = 10
	maxTitle = 100
)

// title makes a title that the Library takes: that of the document, with the path
// behind it where that is too short.
func title(of, p string) string {
	t := oneLine(of)
	switch {
	case t == "":
		t = cmp.Or(oneLine(p), "without a name")
	case tooShort(t):
		t = strings.TrimSpace(t + " — " + oneLine(p))
	}
	if tooShort(t) {
		t = "Document " + t
	}
	if r := []rune(t); len(r) > maxTitle {
		t = strings.TrimSpace(string(r[:maxTitle-1])) + "…"
	}
	return t
}

func tooShort(title string) bool {
	return utf8.RuneCountInString(title) < minTitle || !strings.ContainsFunc(title, unicode.IsLetter)
}

// oneLine returns s without line breaks, control characters and invalid bytes.
func oneLine(s string) string {
	return strings.Join(strings.Fields(printable(strings.ToValidUTF8(s, "�"))), " ")
}

// A source is the folder that the documents come from.
type source struct {
	key  string // names it in a library that keeps the documents of several
	name string // for people
	dir  string
}

// chooseSource returns the folder of the -dir flag, or the documents that come
// with the Go distribution if that is "".
func chooseSource(ctx context.Context, dir string) (source, error) {
	if dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return source{}, err
		}
		if info, err := os.Stat(abs); err == nil && !info.IsDir() {
			return source{}, quire.Errorf(quire.CodeInvalid, "-dir takes a folder, and %s is a file: name the folder that it is in, %s", oneLine(dir), oneLine(filepath.Dir(dir)))
		}
		return source{key: abs, name: dir, dir: abs}, nil
	}
	for _, root := range goRoots(ctx) {
		doc := filepath.Join(root, "doc")
		if info, err := os.Stat(doc); err == nil && info.IsDir() {
			// The key is not the path: another Go version is another state of the same
			// documents.
			return source{key: "go-doc", name: doc, dir: doc}, nil
		}
	}
	return source{}, quire.Errorf(quire.CodeNotFound, "the documents of the Go distribution were not found; name a folder of Markdown, HTML or text with -dir")
}

// goRoots returns the places where Go may be, the likeliest first.
func goRoots(ctx context.Context) []string {
	var roots []string
	if out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output(); err == nil {
		roots = append(roots, strings.TrimSpace(string(out)))
	}
	if root := os.Getenv("GOROOT"); root != "" {
		roots = append(roots, root)
	}
	return append(roots, "/usr/local/go", "/usr/lib/go", `C:\Program Files\Go`)
}
