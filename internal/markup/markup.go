// Package markup renders the Markdown of a body: as sanitised HTML, as plain text
// and as a ProseMirror-style document.
//
// It reads CommonMark with the GitHub extensions (tables, strikethrough, task
// lists, bare links). All functions take any string, hostile ones included, never
// fail, and are safe for concurrent use.
package markup

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

var engine = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	// Raw HTML passes here because the sanitiser sees all of it afterwards.
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

// HTML renders Markdown as HTML that is safe to put into a page: no script, no
// event handler, no style, and no URL but http, https, mailto, relative ones and
// data: images. Raw HTML in the Markdown goes through the same sanitiser. Links
// carry rel="nofollow noopener".
func HTML(markdown string) string {
	var b bytes.Buffer
	if err := engine.Convert([]byte(markdown), &b); err != nil {
		return ""
	}
	return Sanitize(b.String())
}
