// Package extract turns files into text to ingest: Markdown as it is, HTML, PDF, DOCX and
// CSV as Markdown, and any other text as it is. [Extractor] reads files that are attached
// to elementals, [Text] documents of text with their titles.
package extract

import (
	"context"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/quirelib/quire"
)

// The formats that a file is read as.
const (
	FormatMarkdown = "markdown"
	FormatHTML     = "html"
	FormatText     = "text"
)

// DefaultMaxBytes is the size limit of a file unless Options say otherwise: 16 MiB.
const DefaultMaxBytes = 16 << 20

// Options change what is taken.
type Options struct {
	// MaxBytes is the size of the largest file that is read. Zero or less means
	// DefaultMaxBytes.
	MaxBytes int
	// MaxText is the size of the longest text that an Extractor returns, in bytes. Zero or
	// less means DefaultMaxText.
	MaxText int
}

// Document is the text of a file.
type Document struct {
	// Title is at most 200 characters on one line, and never empty. Of a page it is its
	// title element or first heading, of Markdown the title of the front matter or the
	// first heading, of other text a first line that stands alone. Failing that, it is
	// the name of the file without its extension.
	Title string
	// Text is Markdown if Format is FormatMarkdown or FormatHTML. It is UTF-8 with LF line ends, and
	// neither empty nor blank.
	Text   string
	Format string
}

// formats are the extensions of files that are documents.
var formats = map[string]string{
	".md": FormatMarkdown, ".markdown": FormatMarkdown, ".mdown": FormatMarkdown, ".mkd": FormatMarkdown,
	".html": FormatHTML, ".htm": FormatHTML, ".xhtml": FormatHTML,
	".txt": FormatText, ".text": FormatText, ".rst": FormatText, ".adoc": FormatText, ".org": FormatText, ".csv": FormatText, ".tsv": FormatText,
}

// Supported reports whether the extension of a file name is one of a document:
// Markdown, HTML or plain text. It is meant for walks over directories; [Text] also
// takes files with other names if they hold text.
func Supported(name string) bool {
	_, ok := formats[extension(name)]
	return ok
}

// Text reads a file. The name decides about the format by its extension; with one
// that says nothing, data that looks like HTML is HTML and everything else is plain
// text. Only the last element of name is used.
//
// The text has to be UTF-8, or UTF-16 with a byte order mark. Pages lose what is no
// text of theirs (scripts, styles, navigation, form controls, images but for their
// alternative text) and the links that lead nowhere without the page (to a fragment
// or a relative address); pre elements become fenced code blocks with their text
// unchanged. Front matter of Markdown is left out, unless there is nothing else.
//
// A file that is empty, blank, binary, in another encoding, or HTML that nests
// elements more than 512 levels deep is a quire.CodeInvalid error that says so, one
// that is over the size limit quire.CodeTooLarge. The messages do not repeat the
// name. A nil opts means the defaults.
func Text(name string, data []byte, opts *Options) (Document, error) {
	return readText(context.Background(), name, data, opts)
}

// readText is Text, which ends soon after ctx does.
func readText(ctx context.Context, name string, data []byte, opts *Options) (Document, error) {
	limit := DefaultMaxBytes
	if opts != nil && opts.MaxBytes > 0 {
		limit = opts.MaxBytes
	}
	file := lastElement(name)
	if len(data) > limit {
		return Document{}, quire.Errorf(quire.CodeTooLarge, "has %d bytes; the limit is %d", len(data), limit)
	}
	text, err := decode(data)
	if err != nil {
		return Document{}, err
	}
	doc := Document{Format: formatOf(file, text)}
	switch doc.Format {
	case FormatHTML:
		doc.Title, doc.Text, err = fromHTML(ctx, text)
	case FormatMarkdown:
		doc.Title, doc.Text = fromMarkdown(text)
	default:
		doc.Title, doc.Text = titleLine(text), text
	}
	if err != nil {
		return Document{}, err
	}
	if strings.TrimSpace(doc.Text) == "" {
		return Document{}, quire.Errorf(quire.CodeInvalid, "holds no text")
	}
	doc.Title = clip(doc.Title)
	if doc.Title == "" {
		doc.Title = clip(strings.TrimSuffix(file, path.Ext(file)))
	}
	if doc.Title == "" {
		doc.Title = "Untitled"
	}
	return doc, nil
}

func formatOf(file, text string) string {
	if f, ok := formats[extension(file)]; ok {
		return f
	}
	if strings.HasPrefix(http.DetectContentType([]byte(text[:min(len(text), 512)])), "text/html") {
		return FormatHTML
	}
	return FormatText
}

// lastElement returns the last element of a path, of either kind of system.
func lastElement(name string) string {
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

func extension(name string) string { return strings.ToLower(path.Ext(lastElement(name))) }

// clip makes one line of at most 200 characters.
func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > 200 {
		s = strings.TrimSpace(string([]rune(s)[:199])) + "…"
	}
	return s
}
