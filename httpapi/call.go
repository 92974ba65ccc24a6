package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quirelib/quire"
)

// call is one request while it is being answered, by one goroutine.
type call struct {
	s         *server
	w         http.ResponseWriter
	r         *http.Request
	requestID string
	group     group
	route     route
	params    map[string]string // of the path
	body      []byte            // strictly checked JSON; nil on routes without a body

	slow *slowBody // the body that is read; nil if it has no deadlines

	user          quire.User
	authenticated bool
	started       bool // the status has been sent

	ahead renderings // made for the answer before it is known

	held []claim // memory that was taken for the request
	sent int64   // bytes of the answer that were written
}

func (c *call) actor() quire.Actor { return c.user.Actor() }

// metaJSON is the meta of the content interface. The misspelt key is the one that
// the interface defines.
type metaJSON struct {
	Version         string `json:"version"`
	IsAuthenticaded bool   `json:"is_authenticaded"`
	IsAuthenticated bool   `json:"is_authenticated"`
	Limit           int    `json:"limit"`
	Offset          int    `json:"offset"`
	Total           int    `json:"total"`
	*pageJSON              // only in paged answers
}

type pageJSON struct {
	Size int `json:"size"`
	Page int `json:"page"`
}

// envelope is a successful answer of the content interface.
type envelope struct {
	Code     int      `json:"code"`
	Meta     metaJSON `json:"meta"`
	Response any      `json:"response"`
}

func (c *call) meta(total int) metaJSON {
	return metaJSON{Version: apiVersion, IsAuthenticaded: c.authenticated, IsAuthenticated: c.authenticated, Total: total}
}

// respond sends one thing in the envelope.
func (c *call) respond(status int, response any) error {
	return c.sendJSON(status, envelope{Code: status, Meta: c.meta(1), Response: response})
}

// respondAll sends an array that is not paged in the envelope.
func respondAll[T any](c *call, status int, items []T) error {
	return c.sendJSON(status, envelope{Code: status, Meta: c.meta(len(items)), Response: items})
}

// pageMeta is the meta of one page of a longer array.
func (c *call) pageMeta(page quire.Page, total int) metaJSON {
	m := c.meta(total)
	m.Limit, m.Offset = page.Size, (page.Number-1)*page.Size
	m.pageJSON = &pageJSON{Size: page.Size, Page: page.Number}
	return m
}

// respondEach sends one page of a longer array in the envelope, as sendInside does. page is the
// one that the Library has read.
func respondEach(c *call, items iter.Seq2[any, error], page quire.Page, total int) error {
	head := envelope{Code: http.StatusOK, Meta: c.pageMeta(page, total), Response: []any{}}
	return c.sendInside(head, `"response":[]`, items)
}

// sendInside sends an envelope of any length, with the status in it: items go where
// it has the empty array at, such as `"items":[]`. Each is encoded and let go before the
// next one is asked for. Quotes inside of texts are escaped, so that at is found only
// where it is meant.
func (c *call) sendInside(e envelope, at string, items iter.Seq2[any, error]) error {
	return c.writeInside(e, at, func(w io.Writer) error { return encodeEach(w, items) })
}

// encodeEach writes the inside of an array, each item before the next one is asked for.
func encodeEach(w io.Writer, items iter.Seq2[any, error]) error {
	separator := ""
	for v, err := range items {
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, separator); err != nil {
			return err
		}
		separator = ","
		if err := encodeTo(w, v); err != nil {
			return err
		}
	}
	return nil
}

// selfEncoded is a value that is too large to be encoded at once.
type selfEncoded interface{ encodeTo(w io.Writer) error }

// encodeTo writes a value as JSON.
func encodeTo(w io.Writer, v any) error {
	switch v := v.(type) {
	case selfEncoded:
		return v.encodeTo(w)
	case string:
		return writeString(w, v)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// respondLarge is respond for what may be selfEncoded.
func (c *call) respondLarge(status int, response any) error {
	if _, large := response.(selfEncoded); !large {
		return c.respond(status, response)
	}
	const at = `"response":[]`
	head := envelope{Code: status, Meta: c.meta(1), Response: []any{}}
	return c.writeInstead(head, at, func(w io.Writer) error {
		if _, err := io.WriteString(w, strings.TrimSuffix(at, "[]")); err != nil {
			return err
		}
		return encodeTo(w, response)
	})
}

// writeInside is sendInside for what writes the inside of the array itself.
func (c *call) writeInside(e envelope, at string, inside func(w io.Writer) error) error {
	return c.writeInstead(e, at, func(w io.Writer) error {
		if _, err := io.WriteString(w, strings.TrimSuffix(at, "]")); err != nil {
			return err
		}
		if err := inside(w); err != nil {
			return err
		}
		_, err := io.WriteString(w, "]")
		return err
	})
}

// writeInstead sends an envelope, in which what write writes stands in the place of at.
func (c *call) writeInstead(e envelope, at string, write func(w io.Writer) error) error {
	whole, err := json.Marshal(e)
	if err != nil {
		return err
	}
	before, after, _ := strings.Cut(string(whole), at)
	out := newLongAnswer(c, e.Code)
	defer out.release()
	if _, err := io.WriteString(out, before); err != nil {
		return err
	}
	if err := write(out); err != nil {
		return err
	}
	if _, err := io.WriteString(out, after+"\n"); err != nil {
		return err
	}
	return out.end()
}

// noContent answers 204.
func (c *call) noContent() error {
	c.started = true
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// sendJSON encodes body and then sends it: what cannot be encoded is an error while
// the status can still say so. A failing connection is no error of the handler.
func (c *call) sendJSON(status int, body any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // the Content-Type and nosniff already keep it from being read as HTML
	if err := enc.Encode(body); err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(buf.Len()))
	if status == http.StatusServiceUnavailable && h.Get("Retry-After") == "" {
		h.Set("Retry-After", strconv.Itoa(retryAfter)) // each 503 goes through here
	}
	c.started = true
	c.w.WriteHeader(status)
	c.settle(buf.Cap())
	_ = c.write(buf.Bytes())
	return nil
}

// writePart is as much of a body as gets one deadline.
const writePart = 64 << 10

// What goes beyond bufferedPart has longTimes as long. By then the buffers of the connection
// are full, and a system wakes who writes not as soon as there is room for a part, but when a
// third of a buffer is free (Linux, with up to 4 MiB of it).
const (
	bufferedPart = 1 << 20
	longTimes    = 3
)

// write sends a part of the body. Who stops reading gives up the connection, so that
// it does not hold the answer in memory for ever; who reads slowly gets all of it, if
// each writePart is taken within Options.WriteTimeout.
func (c *call) write(body []byte) error {
	// Over HTTP/2, a deadline that passes between two writes ends the stream.
	defer func() { _ = http.NewResponseController(c.w).SetWriteDeadline(time.Time{}) }()
	for part := range slices.Chunk(body, writePart) {
		if _, err := c.writePart(part); err != nil {
			return errGone
		}
	}
	return nil
}

// writeDeadline is until when the next part of the answer has to be written.
func (c *call) writeDeadline() time.Time {
	wait := c.s.opts.WriteTimeout
	if c.sent > bufferedPart {
		wait *= longTimes
	}
	return time.Now().Add(wait)
}

// writePart writes a part of the answer within a deadline, which it leaves behind.
func (c *call) writePart(part []byte) (int, error) {
	_ = http.NewResponseController(c.w).SetWriteDeadline(c.writeDeadline())
	n, err := c.w.Write(part)
	c.sent += int64(n)
	return n, err
}

// limitEnd gives a deadline to what net/http does for the answer after the handler: it
// writes what is still in its buffers, and then takes the deadline back.
func (c *call) limitEnd() {
	_ = http.NewResponseController(c.w).SetWriteDeadline(c.writeDeadline())
}

// readBody reads the body of the request into memory that is held for it.
func (c *call) readBody() (err error) {
	var stops []func() (ended bool)
	defer func() {
		for _, stop := range stops {
			if stop() {
				err = errOvertaken
			}
		}
	}()
	c.body, err = readBody(c.w, c.r, &c.s.opts, func(length, cost int64) error {
		b := c.s.bodies(length)
		err := c.claim(b, cost, b.size)
		if err == nil && c.slow != nil {
			stops = append(stops, b.read(c.user.ID, c.slow, length, cost))
		}
		return err
	})
	return err
}

// A body is read without waiting for memory up to freeBody; up to smallBody it does not wait
// for large ones.
const (
	freeBody  = 16 << 10
	smallBody = 1 << 20
)

// readBody reads a JSON body. Before it reads more than freeBody, it calls hold with the length
// it may have by then and the memory that it may take besides what was held before: it is copied
// once as it grows.
func readBody(w http.ResponseWriter, r *http.Request, o *Options, hold func(length, cost int64) error) ([]byte, error) {
	if err := checkBodyHeaders(r.Header); err != nil {
		return nil, err
	}
	limit := o.MaxBodyBytes
	tooLarge := quire.Errorf(quire.CodeTooLarge, "the body is over the limit of %d bytes", limit)
	if r.ContentLength > limit {
		return nil, tooLarge
	}
	data, err := readGrowing(http.MaxBytesReader(w, r.Body, limit), r.ContentLength, limit, hold)
	if refused := (*problem)(nil); errors.As(err, &refused) {
		return nil, err
	}
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &problem{status: http.StatusRequestTimeout,
			message: fmt.Sprintf("the body comes too slowly: each %d KiB of it must arrive within %v", readPart>>10, o.ReadTimeout)}
	case err != nil:
		return nil, quire.Errorf(quire.CodeInvalid, "the body could not be read to its end").WithCause(err)
	}
	return data, nil
}

// readGrowing reads a body to its end; length is the announced one, -1 without. Of one that is
// longer than freeBody nobody knows how long it becomes: it gets room for smallBody at once, and
// then for the most, of another budget, so that several do not wait for each other halfway.
func readGrowing(body io.Reader, length, limit int64, hold func(length, cost int64) error) ([]byte, error) {
	var data bytes.Buffer
	held, most := int64(0), max(length, freeBody)
	for {
		if most > freeBody {
			if err := hold(most, 2*(most-held)); err != nil {
				return nil, err
			}
			held = most
		}
		_, err := data.ReadFrom(io.LimitReader(body, most+1-int64(data.Len())))
		if err != nil || int64(data.Len()) <= most {
			return data.Bytes(), err
		}
		if most = limit; held == 0 {
			most = min(smallBody, limit)
		}
	}
}

// checkBodyHeaders accepts JSON in UTF-8 without compression; a body without a
// Content-Type is taken as JSON.
func checkBodyHeaders(h http.Header) error {
	for _, encoding := range h.Values("Content-Encoding") {
		if !strings.EqualFold(encoding, "identity") {
			return unsupported("Content-Encoding is not supported; send the JSON uncompressed")
		}
	}
	types := h.Values("Content-Type")
	if len(types) == 0 {
		return nil
	}
	const want = "Content-Type must be application/json in UTF-8; files and pictures go in it as base64, in file_buffer"
	if len(types) > 1 {
		return unsupported(want)
	}
	mediaType, params, err := mime.ParseMediaType(types[0])
	if err != nil || mediaType != "application/json" {
		return unsupported(want)
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return unsupported(want)
	}
	return nil
}
