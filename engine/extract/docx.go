package extract

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"

	"github.com/quirelib/quire"
)

// The limits of a DOCX file, which is a ZIP archive of XML.
const (
	maxEntries    = 10_000
	maxPart       = 64 << 20 // bytes of a part, unpacked
	maxRatio      = 200      // of what is unpacked to what is packed, in parts over a megabyte
	maxXMLDepth   = 256
	maxAttributes = 100_000 // of one element
)

// docx returns the text of a DOCX file (ECMA-376) as Markdown: headings, lists and tables
// as such; deleted text, headers, footers and notes left out.
func (x *Extractor) docx(ctx context.Context, data []byte) (string, error) {
	// The directory is read as a whole, with one record for each of these.
	if n := bytes.Count(data, []byte("PK\x01\x02")); n > maxEntries {
		return "", invalid("is an archive of %d files; at most %d are read", n, maxEntries)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", invalid("is a damaged archive")
	}
	parts := map[string]*zip.File{}
	for _, f := range archive.File {
		parts[f.Name] = f
	}
	main := parts["word/document.xml"]
	if main == nil {
		return "", invalid("is not a text document, but %s", http.DetectContentType(data))
	}
	d := &document{maxText: x.maxText}
	for _, part := range []struct {
		file *zip.File
		read func(*xml.Decoder) error
	}{
		{parts["word/styles.xml"], d.readStyles},
		{parts["word/numbering.xml"], d.readNumbering},
		{main, d.readBody},
	} {
		if part.file == nil {
			continue
		}
		if err := readPart(ctx, part.file, part.read); err != nil {
			if errors.Is(err, errTooMuchText) {
				return "", x.tooLong()
			}
			return "", err
		}
	}
	return d.markdown(), nil
}

// readPart reads one XML file of an archive, within limits.
func readPart(ctx context.Context, f *zip.File, read func(*xml.Decoder) error) error {
	rc, err := f.Open()
	if err != nil {
		return invalid("is a damaged or encrypted DOCX")
	}
	defer rc.Close()
	limit := min(maxPart, max(1<<20, maxRatio*int64(f.CompressedSize64)))
	in := &partReader{ctx: ctx, r: rc, left: limit}
	err = read(xml.NewDecoder(in))
	var e *quire.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case in.left < 0:
		return quire.Errorf(quire.CodeTooLarge, "is a DOCX that unpacks to more than is allowed")
	case err == nil || errors.Is(err, errTooMuchText) || errors.As(err, &e):
		return err
	}
	return invalid("is a damaged DOCX: its XML cannot be read")
}

// partReader ends a part that is larger than it may be, or that nobody waits for any more.
type partReader struct {
	ctx  context.Context
	r    io.Reader
	left int64
	// equals is how many equals signs there were since the last tag began: at least as many as
	// it has attributes, which the decoder keeps until it ends.
	equals int
}

var errTooMuchXML = errors.New("more XML than is allowed")

// Read implements io.Reader.
func (p *partReader) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b)
	if p.left -= int64(n); p.left < 0 {
		return 0, errTooMuchXML
	}
	for _, c := range b[:n] {
		switch c {
		case '<': // which no tag has inside
			p.equals = 0
		case '=':
			p.equals++
		}
		if p.equals > maxAttributes {
			p.left = -1
			return 0, errTooMuchXML
		}
	}
	return n, err
}

// walk goes through an XML file. Elements are told apart by their local names: which
// prefix stands for which namespace is the same in all files of this kind.
func walk(d *xml.Decoder, start func(xml.StartElement) error, end func(name string) error, text func(string)) error {
	for depth := 0; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxXMLDepth {
				return invalid("is a DOCX that nests elements more than %d levels deep", maxXMLDepth)
			}
			err = start(t)
		case xml.EndElement:
			depth--
			err = end(t.Name.Local)
		case xml.CharData:
			text(string(t))
		}
		if err != nil {
			return err
		}
	}
}

// attr returns an attribute by its local name.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
