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
)

// HTML renders Markdown as HTML that is safe to put into a page: no script, style,
// event handler or form, and no URL but http, https, mailto and relative ones, and
// for images data: URLs of PNG, JPEG, GIF and WebP. Raw HTML in the Markdown goes
// through the same sanitiser, and its tags are balanced. Links carry
// rel="nofollow noopener".
func HTML(markdown string) string {
	if len(markdown) > maxInput {
		return "<pre>" + html.EscapeString(validUTF8(markdown)) + "</pre>\n"
	}
	tree, source := parse(markdown)
	var b bytes.Buffer
	if err := htmlRenderer.Render(&b, source, tree); err != nil {
		// A bytes.Buffer takes every write, and no renderer here fails by itself.
		panic("markup: " + err.Error())
	}
	return Sanitize(b.String())
}
