// Package markup renders the Markdown of a body: as sanitised HTML, as plain text
// and as a ProseMirror-style document.
//
// It reads CommonMark with the GitHub extensions: tables, strikethrough, task
// lists and bare links. A tag whose name is no HTML element, such as <topic>, is
// text. A document of more than 2 MiB is taken as preformatted text; in a smaller
// one, lists and quotes nest 16 levels deep, and what is beyond that or would make
// the time more than proportional to the size stays as the text that it is
// written as.
//
// All functions take any string, hostile ones included, never fail, and are safe
// for concurrent use.
package markup

import (
	"bytes"
	"html"
	"io"
	"strings"
)

// HTML renders Markdown as HTML that is safe to put into a page: no script, style,
// event handler or form, and no URL but http, https, mailto and relative ones, and
// for images data: URLs of PNG, JPEG, GIF and WebP. Raw HTML in the Markdown goes
// through the same sanitiser, and its tags are balanced. Links carry
// rel="nofollow noopener".
func HTML(markdown string) string {
	if len(markdown) > maxInput {
		var b strings.Builder
		_ = WriteHTML(&b, markdown) // a strings.Builder takes every write
		return b.String()
	}
	tree, source := parse(markdown)
	var b bytes.Buffer
	if err := htmlRenderer.Render(&b, source, tree); err != nil {
		// A bytes.Buffer takes every write, and no renderer here fails by itself.
		panic("markup: " + err.Error())
	}
	return Sanitize(b.String())
}

// WriteHTML writes what HTML returns. What is too long to be parsed is written a part at a
// time: escaped, it may be five times as long.
func WriteHTML(w io.Writer, markdown string) error {
	if len(markdown) <= maxInput {
		_, err := io.WriteString(w, HTML(markdown))
		return err
	}
	if _, err := io.WriteString(w, "<pre>"); err != nil {
		return err
	}
	const part = 32 << 10
	for text := validUTF8(markdown); len(text) > 0; {
		n := min(part, len(text))
		if _, err := io.WriteString(w, html.EscapeString(text[:n])); err != nil {
			return err
		}
		text = text[n:]
	}
	_, err := io.WriteString(w, "</pre>\n")
	return err
}
