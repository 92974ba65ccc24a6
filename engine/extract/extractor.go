package extract

import (
	"bytes"
	"context"
	"strings"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/pdf"
)

// DefaultMaxText is the size limit of the text of a file unless Options say otherwise:
// 16 MiB.
const DefaultMaxText = 16 << 20

// Extractor is the [quire.Extractor] for text, Markdown, HTML, PDF, DOCX, CSV and TSV
// files. It is made for files that nobody vouches for: reading one ends within bounds of
// time and memory. It is safe for concurrent use.
type Extractor struct {
	maxBytes, maxText int
}

// New makes an Extractor. A nil opts means the defaults.
func New(opts *Options) *Extractor {
	x := &Extractor{maxBytes: DefaultMaxBytes, maxText: DefaultMaxText}
	if opts != nil && opts.MaxBytes > 0 {
		x.maxBytes = opts.MaxBytes
	}
	if opts != nil && opts.MaxText > 0 {
		x.maxText = opts.MaxText
	}
	return x
}

// Extract implements [quire.Extractor]. What a file is, its bytes decide; where they are
// text of any kind, the end of its name does, then its declared type.
func (x *Extractor) Extract(ctx context.Context, file quire.File, data []byte) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if len(data) > x.maxBytes {
		return "", quire.Errorf(quire.CodeTooLarge, "has %d bytes; the limit is %d", len(data), x.maxBytes)
	}
	text, err := x.read(ctx, file, data)
	text = lineEnds.Replace(text) // a page may have other ones as entities
	switch {
	case err != nil:
		return "", err
	case len(text) > x.maxText:
		return "", x.tooLong()
	case strings.TrimSpace(text) == "":
		return "", invalid("holds no text")
	}
	return text, nil
}

func (x *Extractor) tooLong() error {
	return quire.Errorf(quire.CodeTooLarge, "holds more than %d bytes of text", x.maxText)
}

// office is how files of older office programs begin, and newer ones with a password.
var office = []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")

func (x *Extractor) read(ctx context.Context, file quire.File, data []byte) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return x.docx(ctx, data)
	case bytes.HasPrefix(data, office):
		return "", invalid("is an office file with a password or of a kind from before 2007; save it as DOCX or PDF")
	case pdf.Is(data):
		return x.pdf(ctx, data)
	}
	if kind := tableKind(file); kind != 0 {
		return x.table(ctx, data, kind)
	}
	name := file.Name
	if _, known := formats[extension(name)]; !known && strings.HasPrefix(file.ContentType, "text/html") {
		name = ".html"
	}
	doc, err := readText(ctx, name, data, &Options{MaxBytes: x.maxBytes})
	return doc.Text, err
}

// tableKind returns what separates the values of a file that is a table of text: a comma
// stands for any separator. 0: it is something else.
func tableKind(file quire.File) rune {
	ext := extension(file.Name)
	declared, _, _ := strings.Cut(file.ContentType, ";")
	if _, known := formats[ext]; known {
		declared = "" // it is less to be trusted: the content of a page may look like a table
	}
	switch {
	case ext == ".tsv" || ext == ".tab" || declared == "text/tab-separated-values":
		return '\t'
	case ext == ".csv" || declared == "text/csv":
		return ','
	}
	return 0
}
