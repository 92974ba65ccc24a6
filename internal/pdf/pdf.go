// Package pdf reads the text of PDF files (ISO 32000-2). It is made for files that
// nobody vouches for: whatever a file says of itself, the reading ends, within limits of
// work and memory, and never with a panic.
//
// It finds the objects of a file by going through it, so that damaged files are read as
// far as they go. It does not decrypt, and it sees no text in images.
package pdf

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
)

// Why a file is not read.
var (
	ErrNoPDF     = errors.New("is not a PDF")
	ErrDamaged   = errors.New("is a damaged PDF: no page can be found in it")
	ErrEncrypted = errors.New("is an encrypted PDF")
	ErrNoText    = errors.New("is a PDF without text; its pages may be pictures")
	ErrUnmapped  = errors.New("is a PDF whose fonts do not say which characters they show")
	// ErrTooLarge: reading it would take more work or memory, or give more text, than is
	// allowed.
	ErrTooLarge = errors.New("is a PDF that is too large or too complicated to read")
)

// Is reports whether data begins as a PDF does: other bytes may come first.
func Is(data []byte) bool {
	return bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-"))
}

// Text returns the text of each page that has any, as lines; paragraphs, as far as they
// can be told by their distance, are apart by a blank line. maxText limits the bytes of
// all of it. The error is one of this package's, or the context's.
func Text(ctx context.Context, data []byte, maxText int) ([]string, error) {
	if !Is(data) {
		return nil, ErrNoPDF
	}
	w := &work{ctx: ctx}
	f := openFile(data, w)
	if w.err == nil && f.trailer["Encrypt"] != nil {
		return nil, ErrEncrypted
	}
	pages := f.pages()
	var texts []string
	shown, unknown := 0, 0
	for _, p := range pages {
		c := &content{file: f, room: maxText - shown}
		c.page(p)
		if w.err != nil {
			break
		}
		text := c.out.text()
		unknown += strings.Count(text, "\uFFFD")
		if shown += len(text); shown > maxText {
			return nil, ErrTooLarge
		}
		if strings.TrimSpace(text) != "" {
			texts = append(texts, text)
		}
	}
	switch {
	case w.err != nil:
		return nil, w.err
	case len(pages) == 0:
		return nil, ErrDamaged
	case len(texts) == 0:
		return nil, ErrNoText
	case unknown*len("\uFFFD")*3 > shown: // a third of all
		return nil, ErrUnmapped
	}
	return texts, nil
}

// pages returns the pages in order, each with the resources that it inherits. Where the
// trailer does not lead to them, what says that it is the catalogue does; those that are
// in no tree come in the order of their numbers.
func (f *file) pages() []dict {
	var pages []dict
	seen := map[ref]bool{}
	var walk func(v any, resources any, depth int)
	walk = func(v any, resources any, depth int) {
		if r, ok := v.(ref); ok {
			if seen[r] {
				return
			}
			seen[r] = true
		}
		d := f.dict(v)
		if d == nil || depth > maxNesting || len(pages) >= maxPages || !f.work.spend(1) {
			return
		}
		if r := d["Resources"]; r != nil {
			resources = r
		}
		kids, ok := f.resolve(d["Kids"]).([]any)
		if !ok {
			if d["Contents"] != nil {
				pages = append(pages, dict{"Contents": d["Contents"], "Resources": resources})
			} else if d["Type"] == name("Page") {
				pages = append(pages, dict{})
			}
			return
		}
		for _, kid := range kids {
			walk(kid, resources, depth+1)
		}
	}
	walk(f.dict(f.trailer["Root"])["Pages"], nil, 0)
	if len(pages) > 0 {
		return pages
	}
	nums := slices.Sorted(maps.Keys(f.places))
	for _, kind := range []name{"Catalog", "Page"} {
		for _, num := range nums {
			if d := f.dict(ref(num)); d["Type"] != kind {
				continue
			} else if kind == "Catalog" {
				walk(d["Pages"], nil, 0)
			} else {
				walk(ref(num), f.dict(d["Parent"])["Resources"], 0)
			}
		}
	}
	return pages
}
