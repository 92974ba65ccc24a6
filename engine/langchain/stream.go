package langchain

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// The lengths of lines.
const (
	maxLine = 16 << 20
	// langchaingo fails on lines of server-sent events over 64 KiB, and takes longer lines
	// of Ollama's, over 512,000 bytes, for the end of the answer.
	maxPassed = 60 << 10
	// maxPart is how much text is put into one event when a longer one is cut: JSON makes
	// up to six bytes of one.
	maxPart = 8 << 10
)

// wire is the streaming format of a provider.
type wire interface {
	// payload returns the JSON in a line, nil if there is none.
	payload(line []byte) []byte
	// frame makes a line of an event.
	frame(payload []byte) []byte
	// look says what an event means.
	look(payload []byte) (event, error)
	// text finds the text in an event: the object that holds it, and under which key.
	// ok is false if it holds none.
	text(event map[string]any) (holder map[string]any, key string, ok bool)
	// part makes an event that says no more than a part of what another one says.
	part(event map[string]any, text string) map[string]any
}

// event is what an event of a stream means, beside the text in it.
type event struct {
	skip  bool   // it is of no use to langchaingo
	whole bool   // the answer is complete from here on
	last  bool   // nothing follows
	stop  string // why the model ended
}

// stream is the body of a streamed answer. It gives langchaingo whole events in lines
// that it can read. When the answer breaks off, Read returns the error, and the call
// knows it too.
type stream struct {
	wire  wire
	call  *call
	body  io.Closer
	lines *bufio.Reader
	out   []byte // read from here first
	err   error  // then this
	whole bool
}

func newStream(body io.ReadCloser, w wire, c *call) *stream {
	return &stream{wire: w, call: c, body: body, lines: bufio.NewReader(body)}
}

// Close implements io.Closer.
func (s *stream) Close() error { return s.body.Close() }

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	for len(s.out) == 0 && s.err == nil {
		s.next()
	}
	if len(s.out) == 0 {
		return 0, s.err
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	return n, nil
}

// next reads a line.
func (s *stream) next() {
	line, err := s.line()
	if payload := s.wire.payload(bytes.TrimRight(line, "\r\n")); len(payload) > 0 {
		if failure := s.take(payload); failure != nil {
			s.err = s.call.fail(failure)
			return
		}
	}
	switch {
	case s.err != nil || err == nil:
	case !errors.Is(err, io.EOF):
		s.err = s.call.fail(err)
	case !s.whole:
		s.err = s.call.fail(errEndedEarly)
	default:
		s.err = io.EOF
	}
}

// line reads a line of any length up to maxLine.
func (s *stream) line() ([]byte, error) {
	var line []byte
	for {
		part, err := s.lines.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("a line of the stream is over %d bytes", maxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// take passes an event on.
func (s *stream) take(payload []byte) error {
	e, err := s.wire.look(payload)
	if err != nil {
		return err
	}
	s.whole = s.whole || e.whole || e.last
	s.call.stopped(e.stop)
	if !e.skip {
		events, err := cut(s.wire, payload)
		if err != nil {
			return err
		}
		for _, ev := range events {
			s.out = append(s.out, s.wire.frame(ev)...)
		}
	}
	if e.last {
		s.err = io.EOF
	}
	return nil
}

// cut makes several events of one that is too long for langchaingo.
func cut(w wire, payload []byte) ([][]byte, error) {
	if len(payload) <= maxPassed {
		return [][]byte{payload}, nil
	}
	var ev map[string]any
	if err := json.Unmarshal(payload, &ev); err != nil {
		return nil, err
	}
	var events [][]byte
	add := func(ev map[string]any) error {
		data, err := json.Marshal(ev)
		events = append(events, data)
		return err
	}
	if holder, key, ok := w.text(ev); ok {
		text, _ := holder[key].(string)
		for len(text) > 0 {
			n := min(len(text), maxPart)
			for n < len(text) && !utf8.RuneStart(text[n]) {
				n--
			}
			if err := add(w.part(ev, text[:n])); err != nil {
				return nil, err
			}
			text = text[n:]
		}
		holder[key] = ""
	}
	if err := add(ev); err != nil {
		return nil, err
	}
	if rest := len(events[len(events)-1]); rest > maxPassed {
		return nil, fmt.Errorf("an event of the stream has %d bytes beside its text", rest)
	}
	return events, nil
}

// decode reads the JSON of an event, and the error that it may be instead.
func decode(payload []byte, into any) error {
	if err := json.Unmarshal(payload, into); err != nil {
		if !json.Valid(payload) {
			return fmt.Errorf("a line of the stream is not JSON: %w", err)
		}
		// Valid, but with other types: an error of a shape of its own, or nothing we know.
		if e := faultIn(payload); e != nil {
			return e
		}
		return fmt.Errorf("an event of the stream is not what it should be: %w", err)
	}
	if e := faultIn(payload); e != nil {
		return e
	}
	return nil
}

// The fields of server-sent events.
var dataField = []byte("data:")

// dataOf returns what an SSE line carries. Comments and other fields carry nothing; a
// line of plain JSON is an error that a proxy wrote where a stream should be.
func dataOf(line []byte) []byte {
	if data, ok := bytes.CutPrefix(line, dataField); ok {
		return bytes.TrimSpace(data)
	}
	if bytes.HasPrefix(line, []byte("{")) {
		return line
	}
	return nil
}

// frameData makes an SSE event.
func frameData(payload []byte) []byte {
	return fmt.Appendf(nil, "data: %s\n\n", payload)
}
