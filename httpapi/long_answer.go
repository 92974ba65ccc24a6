package httpapi

import (
	"bytes"
	"io"
	"strconv"
	"sync"
	"unicode/utf8"
)

// longAnswerLimit is how much of a long answer is held back.
const longAnswerLimit = 1 << 20

// longAnswer is the body of an answer that may be longer than memory should hold. Up to
// longAnswerLimit nothing is sent, so that an error can still change the status;
// beyond it, the answer goes out as it comes, and an error cuts the connection.
type longAnswer struct {
	c      *call
	status int
	buf    *bytes.Buffer
}

// buffers are those of long answers that were short.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled is how large a buffer may be that is kept.
const maxPooled = 64 << 10

func newLongAnswer(c *call, status int) *longAnswer {
	return &longAnswer{c: c, status: status, buf: buffers.Get().(*bytes.Buffer)}
}

// release gives the buffer back. The answer is not to be used any more.
func (a *longAnswer) release() {
	if a.buf.Cap() <= maxPooled {
		a.buf.Reset()
		buffers.Put(a.buf)
	}
	a.buf = nil
}

// Write is what io.Writer says.
func (a *longAnswer) Write(p []byte) (int, error) {
	a.buf.Write(p)
	if a.buf.Len() < longAnswerLimit {
		return len(p), nil
	}
	return len(p), a.send()
}

// writePacked writes text that is compressed, as it is if the answer is recorded.
func (a *longAnswer) writePacked(p packed) error {
	rec, ok := a.c.w.(*recording)
	if !ok {
		return p.unpackTo(a)
	}
	if err := a.send(); err != nil {
		return err
	}
	return rec.writePacked(p)
}

// WriteString is what io.StringWriter says.
func (a *longAnswer) WriteString(s string) (int, error) {
	return a.Write(append(a.AvailableBuffer(), s...))
}

// AvailableBuffer returns room to append to, for the next Write, as that of bufio.Writer
// does.
func (a *longAnswer) AvailableBuffer() []byte { return a.buf.AvailableBuffer() }

func (a *longAnswer) send() error {
	if !a.c.started {
		a.c.started = true
		a.c.giveBackBody()
		a.c.w.Header().Set("Content-Type", "application/json; charset=utf-8")
		a.c.w.WriteHeader(a.status)
	}
	defer a.buf.Reset()
	return a.c.write(a.buf.Bytes())
}

// errGone ends a handler whose client has left. Nobody sees the status.
var errGone = &problem{status: 499, message: "the client has left"}

// end sends what is left. Of all that the answer was made of, nothing else is needed.
func (a *longAnswer) end() error {
	if !a.c.started {
		a.c.w.Header().Set("Content-Length", strconv.Itoa(a.buf.Len()))
	}
	a.c.settle(a.buf.Cap())
	return a.send()
}

// jsonText writes text as the inside of a JSON string. A rune may be split between
// two writes.
type jsonText struct {
	w    io.Writer
	rest []byte // the beginning of a rune
}

// Write is what io.Writer says.
func (t *jsonText) Write(p []byte) (int, error) {
	whole, rest := wholeRunes(append(t.rest, p...))
	t.rest = bytes.Clone(rest)
	return len(p), t.write(whole)
}

// writeText writes what write writes as a JSON string.
func writeText(w io.Writer, write func(w io.Writer) error) error {
	if _, err := io.WriteString(w, `"`); err != nil {
		return err
	}
	text := &jsonText{w: w}
	if err := write(text); err != nil {
		return err
	}
	if err := text.end(); err != nil {
		return err
	}
	_, err := io.WriteString(w, `"`)
	return err
}

func (t *jsonText) write(text []byte) error { return writeInside(t.w, string(text)) }

// end writes what is left of a text that ends inside a rune.
func (t *jsonText) end() error { return t.write(t.rest) }

// wholeRunes splits text before a rune that is not complete yet, at most three bytes
// before its end.
func wholeRunes[T []byte | string](text T) (whole, rest T) {
	b := []byte(text[max(0, len(text)-utf8.UTFMax+1):])
	for i := range b {
		if utf8.RuneStart(b[i]) && !utf8.FullRune(b[i:]) {
			cut := len(text) - len(b) + i
			return text[:cut], text[cut:]
		}
	}
	return text, text[len(text):]
}
