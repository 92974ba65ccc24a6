package extract_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/engine/extract"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, data string
		want             extract.Document
	}{
		{"markdown", "a.md", "intro\n\n# The *title*\n", extract.Document{Title: "The title", Text: "intro\n\n# The *title*\n", Format: "markdown"}},
		{"markdown without heading", "dir/notes.MD", "body", extract.Document{Title: "notes", Text: "body", Format: "markdown"}},
		{"text", "a.txt", "\nFirst line\nrest", extract.Document{Title: "First line", Text: "\nFirst line\nrest", Format: "text"}},
		{"byte order mark", "a.txt", "\ufeffHello", extract.Document{Title: "Hello", Text: "Hello", Format: "text"}},
		{"UTF-16", "a.txt", "\xff\xfeH\x00\xe9\x00", extract.Document{Title: "Hé", Text: "Hé", Format: "text"}},
		{"no name", "", strings.Repeat("word ", 30), extract.Document{Title: "Untitled", Text: strings.Repeat("word ", 30), Format: "text"}},
		{
			"html", "a.html", "<title>A  page</title><nav>menu</nav><script>x()</script><h2 id=x>Part</h2><p>Text &amp; <b>more</b></p><pre>a &lt; b\n  c</pre>",
			extract.Document{Title: "A page", Text: "## Part\n\nText & **more**\n\n```\na < b\n  c\n```", Format: "html"},
		},
		{"html by content", "page", "<!DOCTYPE html><p>Hi</p><h1>Heading</h1>", extract.Document{Title: "Heading", Text: "Hi\n\n# Heading", Format: "html"}},
		{
			"title in a comment", "a.html", "<!--{\n\"Title\": \"Kept here\"}-->\n<h2>Part</h2>",
			extract.Document{Title: "Kept here", Text: "## Part", Format: "html"},
		},
		{
			"table", "a.htm", "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",
			extract.Document{Title: "a", Text: "| A | B |\n|---|---|\n| 1 | 2 |", Format: "html"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := extract.Text(c.file, []byte(c.data), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTextRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, data string
		opts             *extract.Options
		code             quire.Code
		reason           string
	}{
		{"empty", "a.md", "", nil, quire.CodeInvalid, "is empty"},
		{"only a byte order mark", "a.md", "\ufeff", nil, quire.CodeInvalid, "holds no text"},
		{"blank", "a.txt", " \n\t\u00a0", nil, quire.CodeInvalid, "holds no text"},
		{"html without text", "a.html", "<script>alert(1)</script>", nil, quire.CodeInvalid, "holds no text"},
		{"invalid UTF-8", "a.md", "abc\xff", nil, quire.CodeInvalid, "from byte 3"},
		{"cut UTF-8", "a.md", "abc\xf0\x9f", nil, quire.CodeInvalid, "from byte 3"},
		{"NUL", "a.txt", strings.Repeat("a", 600) + "\x00", nil, quire.CodeInvalid, "NUL"},
		{"PNG", "a.txt", "\x89PNG\r\n\x1a\n\x00\x00", nil, quire.CodeInvalid, "image/png"},
		{"PDF", "a.md", "%PDF-1.7 text", nil, quire.CodeInvalid, "application/pdf"},
		{"too large", "a.md", "12345", &extract.Options{MaxBytes: 4}, quire.CodeTooLarge, "at most 4"},
		{"deep HTML", "a.html", strings.Repeat("<div>", 100_000), nil, quire.CodeInvalid, "nested"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := extract.Text(c.file, []byte(c.data), c.opts)
			if quire.CodeOf(err) != c.code || !strings.Contains(fmt.Sprint(err), c.reason) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestSupported(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"a.md": true, "A.HTML": true, "b/c.txt": true, "a.go": false, "md": false, "": false} {
		if got := extract.Supported(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// The documents that come with Go are long pages with what is hard to convert:
// grammars and code in <pre>, tables, definition lists.
func TestGoDocuments(t *testing.T) {
	t.Parallel()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("the go command does not tell where it is:", err)
	}
	for file, phrases := range map[string][]string{
		"go_spec.html": {
			"# ", "### Send statements", "A send on a closed channel proceeds by causing a [run-time panic]", "ForClause = [ InitStmt ] \";\" [ Condition ] \";\" [ PostStmt ] .",
			"a, b = b, a  // exchange a and b",
		},
		"go_mem.html": {"The closing of a channel is synchronized before a receive that returns a zero value"},
		"asm.html":    {"TEXT", "### "},
	} {
		data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "doc", file))
		if err != nil {
			t.Skip("this Go distribution has no documents:", err)
		}
		doc, err := extract.Text(file, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range phrases {
			if !strings.Contains(doc.Text, p) {
				t.Errorf("%s: %q is missing", file, p)
			}
		}
		for _, tag := range []string{"<p>", "<pre", "<div", "</h2>", "<table"} {
			if strings.Contains(doc.Text, tag) {
				t.Errorf("%s: %q is left over", file, tag)
			}
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a.html", "<table><tr><td><pre>x</table><title>y")
	f.Add("a.md", "---\n# x")
	f.Add("a", "\xff\xfe\x00\xd8")
	f.Fuzz(func(t *testing.T, name, data string) {
		doc, err := extract.Text(name, []byte(data), nil)
		if err != nil {
			return
		}
		if doc.Title == "" || strings.TrimSpace(doc.Text) == "" || !utf8.ValidString(doc.Title+doc.Text) || strings.Contains(doc.Text, "\x00") {
			t.Errorf("%q, %q: %+v", name, data, doc)
		}
	})
}

func ExampleText() {
	doc, err := extract.Text("page.html", []byte("<title>Otters</title><p>They <em>swim</em>.</p>"), nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s: %s\n", doc.Title, doc.Text)
	// Output: Otters: They *swim*.
}
