// Package extract turns files into texts to store and ingest: HTML becomes
// Markdown, Markdown and plain text stay as they are. What is not text is refused
// with the reason.
package extract

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"path"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/segment"
)

// The formats of a Document's origin.
const (
	FormatMarkdown = "markdown"
	FormatHTML     = "html"
	FormatText     = "text"
)

// Document is what was found in a file.
type Document struct {
	Title  string // one line; never empty
	Text   string // Markdown or plain text, valid UTF-8 without NUL, not blank
	Format string // of the file: FormatMarkdown, FormatHTML or FormatText
}

// Options configure Text. The zero value is good.
type Options struct {
	// MaxBytes limits a file, at least 1. Default 16 MiB.
	MaxBytes int
}

// formats by the ending of the file name, in lower case.
var formats = map[string]string{
	".md": FormatMarkdown, ".markdown": FormatMarkdown, ".mdown": FormatMarkdown, ".mkd": FormatMarkdown,
	".html": FormatHTML, ".htm": FormatHTML, ".xhtml": FormatHTML,
	".txt": FormatText, ".text": FormatText, ".rst": FormatText, ".adoc": FormatText, ".org": FormatText,
}

// Supported reports whether the ending of a file's name is one that Text is made
// for. Text takes files with other endings too, if they hold text.
func Supported(name string) bool { return formats[strings.ToLower(path.Ext(name))] != "" }

// Text reads a file: name decides the format, together with the first bytes if its
// ending is unknown. Text in UTF-8 is taken, with or without a byte order mark, and
// in UTF-16 with one. opts may be nil.
//
// A file over the limit is quire.ErrTooLarge. One that is empty or blank, that holds
// something else than text, or that is invalid is quire.ErrInvalid; the message
// says which and does not repeat the name.
func Text(name string, data []byte, opts *Options) (Document, error) {
	limit := 16 << 20
	if opts != nil && opts.MaxBytes > 0 {
		limit = opts.MaxBytes
	}
	if len(data) > limit {
		return Document{}, quire.Errorf(quire.CodeTooLarge, "has %d bytes; at most %d are allowed", len(data), limit)
	}
	text, err := decode(data)
	if err != nil {
		return Document{}, err
	}
	format := formatOf(name, text)
	doc := Document{Text: text, Format: format}
	if format == FormatHTML {
		if doc, err = fromHTML(text); err != nil {
			return Document{}, err
		}
	}
	if strings.TrimSpace(doc.Text) == "" {
		return Document{}, quire.Errorf(quire.CodeInvalid, "holds no text")
	}
	if doc.Title = oneLine(doc.Title); doc.Title == "" {
		doc.Title = titleOf(name, doc)
	}
	return doc, nil
}

// decode returns the bytes as text, or why they are none.
func decode(data []byte) (string, error) {
	if len(data) == 0 {
		return "", quire.Errorf(quire.CodeInvalid, "is empty")
	}
	if text, ok := decodeUTF16(data); ok {
		data = []byte(text)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if kind := http.DetectContentType(data); !strings.HasPrefix(kind, "text/") && bytes.IndexByte(data[:min(len(data), 512)], 0) >= 0 || strings.HasPrefix(kind, "image/") || kind == "application/pdf" || kind == "application/zip" {
		return "", quire.Errorf(quire.CodeInvalid, "is not a text document, but %s", kind)
	}
	switch at := bytes.IndexByte(data, 0); {
	case at >= 0:
		return "", quire.Errorf(quire.CodeInvalid, "is not a text document: byte %d is NUL", at)
	case !utf8.Valid(data):
		return "", quire.Errorf(quire.CodeInvalid, "is not valid UTF-8 from byte %d on", firstInvalid(data))
	}
	return string(data), nil
}

// decodeUTF16 decodes UTF-16 that begins with a byte order mark.
func decodeUTF16(data []byte) (string, bool) {
	var order binary.ByteOrder
	switch {
	case len(data)%2 != 0:
		return "", false
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return "", false
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	return string(utf16.Decode(units)), true
}

func firstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(data)
}

// formatOf decides by the ending of the name, else by what the text begins with.
func formatOf(name, text string) string {
	if f := formats[strings.ToLower(path.Ext(name))]; f != "" {
		return f
	}
	if strings.HasPrefix(http.DetectContentType([]byte(text[:min(len(text), 512)])), "text/html") {
		return FormatHTML
	}
	return FormatText
}

// titleOf is the first heading of level 1, the first line of a text if it is short, or
// else the name without its ending.
func titleOf(name string, doc Document) string {
	if doc.Format == FormatText {
		first, _, _ := strings.Cut(strings.TrimSpace(doc.Text), "\n")
		if t := oneLine(first); len(t) <= 80 {
			return t
		}
	} else {
		for _, b := range segment.Blocks(doc.Text) {
			if b.Kind == segment.Heading && b.Level == 1 {
				if t := segment.Plain(doc.Text[b.Start:b.End]); t != "" {
					return t
				}
			}
		}
	}
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	if t := oneLine(strings.TrimSuffix(base, path.Ext(base))); t != "" {
		return t
	}
	return "Untitled"
}

// oneLine folds white space and drops what is not valid UTF-8.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
}
