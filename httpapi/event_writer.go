package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// eventWriter writes server-sent events: one write and one flush for each, the data
// as JSON in one line. It has no goroutine and is for one.
//
// Each write gets a deadline of its own. That of the server (WriteTimeout) counts
// from the request and would cut a long answer; none at all would let a reader that
// has stopped reading hold the generation for ever.
type eventWriter struct {
	c       *call
	rc      *http.ResponseController
	timeout time.Duration
	rest    string // the beginning of a rune that the next piece ends
}

// newEventWriter takes the deadline for writing over from the server. ResponseController
// finds the connection behind writers that have Unwrap; where it does not, the
// server's deadline stays.
func newEventWriter(c *call, timeout time.Duration) *eventWriter {
	w := &eventWriter{c: c, rc: http.NewResponseController(c.w), timeout: timeout}
	_ = w.rc.SetWriteDeadline(time.Time{})
	return w
}

// eventJSON is the data of an event. The kind stands inside, as the interface has no
// event: lines.
type eventJSON struct {
	Event string `json:"event"`
	Data  any    `json:"data"`
}

// message sends a piece of the answer. A rune that the piece has only the beginning
// of waits for the next one, because JSON cannot carry half a rune.
func (w *eventWriter) message(piece string) error {
	var whole string
	if whole, w.rest = wholeRunes(w.rest + piece); whole == "" {
		return nil
	}
	return w.event("message", map[string]string{"content": whole})
}

// finish sends what is left of the text, the sources and the end.
func (w *eventWriter) finish(sources []sourceJSON) error {
	if w.rest != "" {
		if err := w.event("message", map[string]string{"content": w.rest}); err != nil {
			return err
		}
	}
	if err := w.event("sources", map[string]any{"sources": sources}); err != nil {
		return err
	}
	return w.end()
}

// fail sends an error and the end.
func (w *eventWriter) fail(message string) error {
	if err := w.event("error", detailJSON{Detail: message}); err != nil {
		return err
	}
	return w.end()
}

func (w *eventWriter) end() error { return w.send([]byte("data: [DONE]\n\n")) }

// heartbeat sends a comment, which clients skip, so that nobody in between takes the
// connection for dead.
func (w *eventWriter) heartbeat() error { return w.send([]byte(": waiting\n\n")) }

func (w *eventWriter) event(name string, data any) error {
	var b bytes.Buffer
	b.WriteString("data: ")
	enc := json.NewEncoder(&b) // a JSON text has no line break in it, and Encode adds one
	enc.SetEscapeHTML(false)
	if err := enc.Encode(eventJSON{name, data}); err != nil {
		return err
	}
	b.WriteByte('\n')
	return w.send(b.Bytes())
}

// send writes and flushes. The deadline is taken back afterwards: on HTTP/2 it would
// cut the stream while nothing is being written, on HTTP/1 the next answer on the
// same connection.
func (w *eventWriter) send(frame []byte) error {
	if !w.c.started {
		w.c.started = true
		h := w.c.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("X-Accel-Buffering", "no")
		w.c.w.WriteHeader(http.StatusOK)
	}
	_ = w.rc.SetWriteDeadline(time.Now().Add(w.timeout))
	if _, err := w.c.w.Write(frame); err != nil {
		return errGone
	}
	if err := w.rc.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return errGone
	}
	_ = w.rc.SetWriteDeadline(time.Time{})
	return nil
}
