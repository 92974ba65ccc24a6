package extract

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/quirelib/quire"
)

func TestText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, data string
		want             Document
	}{
		{"markdown", "a/b.md", "intro\n\n## The *title* ##\n\ntext", Document{"The title", "intro\n\n## The *title* ##\n\ntext", FormatMarkdown}},
		{"setext heading", "b.markdown", "```\n# no\n```\n\nTitle\n---\n", Document{"Title", "```\n# no\n```\n\nTitle\n---\n", FormatMarkdown}},
		{"no heading", "Notes of May.md", "text", Document{"Notes of May", "text", FormatMarkdown}},
		{"front matter", "b.md", "---\nlayout: x\ntitle: \"A: b\"\n---\n# C\n", Document{"A: b", "# C\n", FormatMarkdown}},
		{"front matter with a blank line", "b.md", "---\ntitle: 'A'\n\nauthor: B\n---\n\nC\n", Document{"A", "\nC\n", FormatMarkdown}},
		{"front matter without title", "b.md", "---\nlayout: x\n---\n# C\n", Document{"C", "# C\n", FormatMarkdown}},
		{"nothing but front matter", "b.md", "---\ntitle: x\n---\n", Document{"x", "---\ntitle: x\n---\n", FormatMarkdown}},
		{"rules are no front matter", "b.md", "---\n\ntitle: x\n\n---\ny", Document{"b", "---\n\ntitle: x\n\n---\ny", FormatMarkdown}},
		{"markup in Markdown stays", "b.md", "<p>x</p>", Document{"b", "<p>x</p>", FormatMarkdown}},

		{"html", "C:\\x\\b.HTM", "<title>A &amp; b\n c</title><h1>H</h1><p>x", Document{"A & b c", "# H\n\nx", FormatHTML}},
		{"first heading", "b.html", "<h2>H <i>i</i></h2><h1>J</h1>x", Document{"H i", "## H *i*\n\n# J\n\nx", FormatHTML}},
		{"no title", "b.html", "x", Document{"b", "x", FormatHTML}},
		{"sniffed", "page", "<!DOCTYPE html><p>x", Document{"page", "x", FormatHTML}},
		{"sniffed late", "page.cgi", "\n <html><p>x", Document{"page", "x", FormatHTML}},

		{"plain", "b.txt", "<b>x</b> *y*\n", Document{"b", "<b>x</b> *y*\n", FormatText}},
		{"title line", "b.txt", "\nA title\n\ntext", Document{"A title", "\nA title\n\ntext", FormatText}},
		{"underlined title", "b.rst", "A title\n=======\ntext", Document{"A title", "A title\n=======\ntext", FormatText}},
		{"a sentence is no title", "b.txt", "A sentence.\n\ntext", Document{"b", "A sentence.\n\ntext", FormatText}},
		{"a paragraph is no title", "b.txt", "a\nb", Document{"b", "a\nb", FormatText}},
		{"other names", "main.go", "package main\n", Document{"main", "package main\n", FormatText}},
		{"a wrong name", "b.pdf", "text", Document{"b", "text", FormatText}},
		{"no name", "", "text", Document{"Untitled", "text", FormatText}},
		{"hidden file", ".txt", "text", Document{"Untitled", "text", FormatText}},
		{"long title", "b.html", "<title>" + strings.Repeat("é", 300) + "</title>x", Document{strings.Repeat("é", 199) + "…", "x", FormatHTML}},

		{"line ends", "b.txt", "a\r\nb\rc\n", Document{"b", "a\nb\nc\n", FormatText}},
		{"UTF-8 mark", "b.md", "\ufeff# A", Document{"A", "# A", FormatMarkdown}},
		{"UTF-16 little endian", "b.md", "\xff\xfe" + utf16Of("# Ä😀", 0), Document{"Ä😀", "# Ä😀", FormatMarkdown}},
		{"UTF-16 big endian", "b.md", "\xfe\xff" + utf16Of("# Ä😀", 1), Document{"Ä😀", "# Ä😀", FormatMarkdown}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Text(tt.file, []byte(tt.data), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// utf16Of encodes s with the high byte at the given place of each pair.
func utf16Of(s string, low int) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		pair := [2]byte{}
		pair[low], pair[1-low] = byte(u), byte(u>>8)
		b.Write(pair[:])
	}
	return b.String()
}

func TestErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, data string
		code             quire.Code
		says             string
	}{
		{"empty", "dir/a.md", "", quire.CodeInvalid, "is empty"},
		{"blank", "a.txt", " \n\t\n", quire.CodeInvalid, "holds no text"},
		{"blank with a mark", "a.txt", "\ufeff\n", quire.CodeInvalid, "holds no text"},
		{"only a mark", "a.txt", "\ufeff", quire.CodeInvalid, "holds no text"},
		{"page without text", "a.html", "<title>x</title><script>y</script>", quire.CodeInvalid, "holds no text"},
		{"not UTF-8", "a.txt", "caf\xe9", quire.CodeInvalid, "is not valid UTF-8 from byte 3 on"},
		{"cut UTF-8", "a.txt", "caf\xc3", quire.CodeInvalid, "is not valid UTF-8 from byte 3 on"},
		{"NUL far behind", "a.txt", strings.Repeat("x", 2000) + "\x00", quire.CodeInvalid, "byte 2000 is NUL"},
		{"control characters", "a.txt", "\x01\x02\x03", quire.CodeInvalid, "not a text document, but application/octet-stream"},
		{"odd UTF-16", "a.txt", "\xff\xfeabc", quire.CodeInvalid, "its length is odd"},
		{"half a character", "a.txt", "\xff\xfe\x3d\xd8", quire.CodeInvalid, "half a character at byte 2"},
		{"PDF", "a.pdf", "%PDF-1.7\n", quire.CodeInvalid, "is not a text document, but application/pdf"},
		{"PNG named as text", "a.txt", "\x89PNG\r\n\x1a\n", quire.CodeInvalid, "but image/png"},
		{"ZIP", "a.docx", "PK\x03\x04", quire.CodeInvalid, "but application/zip"},
		{"GIF polyglot", "a.html", "GIF89a<p>x", quire.CodeInvalid, "but image/gif"},
		{"too deep", "a.html", strings.Repeat("<div>", 100_000), quire.CodeInvalid, "more than 512 levels deep"},
		{"too large", "a.txt", strings.Repeat("x", 101), quire.CodeTooLarge, `has 101 bytes; the limit is 100`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := &Options{}
			if tt.code == quire.CodeTooLarge {
				opts.MaxBytes = 100
			}
			got, err := Text(tt.file, []byte(tt.data), opts)
			if quire.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got the error %v (%s), want %s with %q", err, quire.CodeOf(err), tt.code, tt.says)
			}
			if got != (Document{}) {
				t.Errorf("got %v besides the error", got)
			}
		})
	}
	if _, err := Text("a.txt", make([]byte, DefaultMaxBytes+1), nil); !errors.Is(err, quire.ErrTooLarge) {
		t.Errorf("over the default limit: got %v, want ErrTooLarge", err)
	}
}

func TestSupported(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.md", "a.MARKDOWN", "x/y/a.html", "a.b.htm", `x\a.txt`, "a.rst", ".md"} {
		if !Supported(name) {
			t.Errorf("%q is not supported", name)
		}
	}
	for _, name := range []string{"", "a", "md", "a.pdf", "a.md/b", "a.md.bak", "a.png"} {
		if Supported(name) {
			t.Errorf("%q is supported", name)
		}
	}
}

// Real documentation: every file has a title and keeps its text.
func TestMarkdownDocs(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../shared/data/markdown-docs/*")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("shared/data is absent; TestText covers the rules")
	}
	count, named := 0, 0
	err = filepath.WalkDir("../../../shared/data/markdown-docs", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !Supported(path) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		doc, err := Text(path, data, nil)
		if err != nil {
			return err
		}
		count++
		if doc.Title+filepath.Ext(path) == filepath.Base(path) {
			named++
		}
		if !strings.HasSuffix(strings.ReplaceAll(string(data), "\r\n", "\n"), doc.Text) || len(doc.Text) < len(data)/2 {
			t.Errorf("%s: %d of %d bytes of text", d.Name(), len(doc.Text), len(data))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d of them titled by their name", count, named)
}

func FuzzText(f *testing.F) {
	for _, name := range []string{"a.md", "a.html", "a.txt", "a"} {
		f.Add(name, []byte("---\ntitle: x\n---\n# A\n\n```\nb"))
		f.Add(name, []byte("<table><tr><td colspan=9>a<br>b<td><ul><li>c</table><dl><dt>d<dd>e<pre>f</pre>&lt;g&gt; <a href=#h>i</a>x<sup>2</sup>"))
		f.Add(name, []byte("\xff\xfea\x00"))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		doc, err := Text(name, data, nil)
		switch quire.CodeOf(err) {
		case "":
			if strings.TrimSpace(doc.Text) == "" || doc.Title == "" || strings.ContainsAny(doc.Title, "\n\r") || strings.Contains(doc.Text, "\r") && doc.Format != FormatHTML {
				t.Errorf("%q", doc)
			}
		case quire.CodeInvalid:
		default:
			t.Errorf("got %v", err)
		}
	})
}
