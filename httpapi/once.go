package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/quirelib/quire"
)

// idempotencyKey is the header that makes a request take effect once. Its meaning
// follows the IETF draft "The Idempotency-Key HTTP Header Field", but for the quotes:
// the value is taken as it is.
const idempotencyKey = "Idempotency-Key"

// once calls the route's handler. With an Idempotency-Key, what it does commits together
// with its answer, which is sent again to whoever asks again. An answer that refuses
// undoes everything and is not kept.
func (s *server) once(c *call) error {
	keys := c.r.Header.Values(idempotencyKey)
	switch {
	case len(keys) == 0:
		return c.route.handle(s, c)
	case len(keys) > 1:
		return quire.Errorf(quire.CodeInvalid, "%s must be sent once", idempotencyKey)
	}
	ctx, err := s.lib.InspectUploads(c.r.Context(), c.actor(), uploadsIn(c.body, s.lib.MaxBatch())...)
	if err != nil {
		return err
	}
	key := quire.OnceKey{Route: c.route.method + " " + c.route.pattern, Key: keys[0], Request: c.fingerprint()}
	rec := newRecording()
	answer, repeated, err := s.lib.Once(ctx, c.actor(), key, func(ctx context.Context) (quire.Answer, error) {
		inner := *c
		inner.w, inner.r, inner.held = rec, c.r.WithContext(ctx), nil // the recorded answer still is to be sent
		if err := c.route.handle(s, &inner); err != nil {
			return quire.Answer{}, err
		}
		answer, err := rec.end()
		if err == nil && answer.Status >= http.StatusBadRequest {
			err = refusal(answer)
		}
		return answer, err
	})
	var refused refusal
	if errors.As(err, &refused) {
		return c.replay(quire.Answer(refused))
	}
	if err != nil {
		return err
	}
	if repeated {
		c.w.Header().Set("Idempotent-Replayed", "true")
	}
	return c.replay(answer)
}

// fingerprint tells the request apart from others: by method, path, query and body.
func (c *call) fingerprint() string {
	h := sha256.New()
	io.WriteString(h, c.r.Method+" "+c.r.URL.RequestURI()+"\n") // a hash takes everything
	h.Write(c.body)
	return hex.EncodeToString(h.Sum(nil))
}

// refusal is an answer that must not be kept, as the error that undoes what led to it.
type refusal quire.Answer

// Error makes it an error.
func (refusal) Error() string { return "the request was refused" }

// recording is an http.ResponseWriter that keeps an answer, compressed: with its
// renderings it can be many times longer than the request.
type recording struct {
	header http.Header
	status int
	size   int
	body   bytes.Buffer
	zip    *gzip.Writer // to body
}

func newRecording() *recording {
	r := &recording{header: http.Header{}, status: http.StatusOK, zip: zippers.Get().(*gzip.Writer)}
	r.zip.Reset(&r.body)
	return r
}

// zippers are *gzip.Writers: each has tables of several hundred kilobytes.
var zippers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level exists
	}
	return w
}}

// Header is what http.ResponseWriter says.
func (r *recording) Header() http.Header { return r.header }

// WriteHeader is what http.ResponseWriter says.
func (r *recording) WriteHeader(status int) { r.status = status }

// Write is what http.ResponseWriter says.
func (r *recording) Write(p []byte) (int, error) {
	n, err := r.zip.Write(p)
	r.size += n
	return n, err
}

// end returns what was recorded. The body is compressed, Content-Length says how long
// it is without that.
func (r *recording) end() (quire.Answer, error) {
	if err := r.zip.Close(); err != nil {
		return quire.Answer{}, err
	}
	zippers.Put(r.zip)
	header := map[string]string{"Content-Length": strconv.Itoa(r.size)}
	for name, values := range r.header {
		if name != "Content-Length" {
			header[name] = strings.Join(values, ", ")
		}
	}
	return quire.Answer{Status: r.status, Header: header, Body: r.body.Bytes()}, nil
}

// replay sends a recorded answer.
func (c *call) replay(answer quire.Answer) error {
	unzip, err := gzip.NewReader(bytes.NewReader(answer.Body))
	if err != nil {
		return err
	}
	h := c.w.Header()
	for name, value := range answer.Header {
		h[name] = []string{value} // Set would change the spelling of list_URL
	}
	out := newLongAnswer(c, answer.Status)
	defer out.release()
	if _, err := io.Copy(out, unzip); err != nil {
		return err
	}
	return out.end()
}
