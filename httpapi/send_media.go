package httpapi

import (
	"bytes"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/internal/picture"
)

// What http.ServeContent may refuse.
var mediaRefusals = map[int]string{
	http.StatusRequestedRangeNotSatisfiable: "the range is malformed or lies outside of the file",
	http.StatusPreconditionFailed:           "the file is not the one that If-Match names",
}

// sendMedia answers with the bytes of a file, or a range of them. They come from a user:
// only images are shown by a browser, everything else is saved, and nothing in it runs.
func (c *call) sendMedia(m quire.Media, data []byte) error {
	disposition := "attachment"
	if picture.IsImage(m.MIMEType) {
		disposition = "inline"
	}
	h := c.w.Header()
	h.Set("Content-Type", servedType(m.MIMEType))
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": m.Name}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	// The bytes of an id never change: another file gets another id.
	h.Set("ETag", strconv.Quote(formatID(m.ID)))
	r := c.r
	if strings.Contains(r.Header.Get("Range"), ",") {
		// Several ranges at once may be ignored (RFC 9110, section 14.2) and are: parts
		// inside of an answer would carry types of their own.
		r = r.Clone(r.Context())
		r.Header.Del("Range")
	}
	c.settle(len(data))
	w := &mediaWriter{c: c}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	return w.end()
}

// servedType is the type that a file is served with: its own, unless a browser would run
// what is in it, or load it as a part of a page. Those are bytes.
func servedType(mimeType string) string {
	name, _, _ := strings.Cut(mimeType, ";")
	name = strings.ToLower(strings.TrimSpace(name))
	kind, format, _ := strings.Cut(name, "/")
	switch {
	case kind == "multipart", kind == "message", // archives of web pages
		strings.HasSuffix(format, "xml"), // SVG and XHTML among it
		strings.Contains(format, "html"),
		strings.HasSuffix(format, "script"), format == "css", format == "xsl",
		format == "wasm", format == "x-shockwave-flash", format == "x-java-applet":
		return picture.Binary
	}
	return mimeType
}

// mediaWriter is what http.ServeContent writes to.
type mediaWriter struct {
	c       *call
	refused int // a status from 400 on: its answer is a text, in place of which ours is sent
}

// Header is what http.ResponseWriter says.
func (w *mediaWriter) Header() http.Header { return w.c.w.Header() }

// WriteHeader is what http.ResponseWriter says.
func (w *mediaWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.refused = status
		return
	}
	w.c.started = true
	w.c.w.WriteHeader(status)
}

// Write is what io.Writer says. Each write gets a deadline, as in call.write.
func (w *mediaWriter) Write(p []byte) (int, error) {
	if w.refused != 0 {
		return len(p), nil
	}
	return w.c.writePart(p)
}

// end says why a request was refused. That the client has left is no error of the handler.
func (w *mediaWriter) end() error {
	if w.refused == 0 {
		// Left behind, a deadline would end the next request of the connection.
		_ = http.NewResponseController(w.c.w).SetWriteDeadline(time.Time{})
		return nil
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store") // ServeContent drops it for errors
	for _, name := range []string{"Content-Disposition", "Content-Security-Policy", "ETag"} {
		h.Del(name)
	}
	return &problem{status: w.refused, message: mediaRefusals[w.refused]}
}
