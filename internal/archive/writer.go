package archive

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
)

// Writer writes an archive. It is for one goroutine. After an error every later call
// returns that error.
type Writer struct {
	out     *bufio.Writer
	sum     hash.Hash
	number  int64 // of the next frame
	records map[string]int
	err     error
}

// NewWriter begins an archive.
func NewWriter(w io.Writer) *Writer {
	sum := sha256.New()
	a := &Writer{sum: sum, records: map[string]int{}}
	a.out = bufio.NewWriterSize(w, 64<<10)
	a.write([]byte(fmt.Sprintf("%s%d\n", magic, Version)))
	return a
}

// write writes and hashes bytes, unless there was an error before.
func (w *Writer) write(p []byte) {
	if w.err == nil {
		w.sum.Write(p) // never fails
		_, w.err = w.out.Write(p)
	}
}

func (w *Writer) frame(kind byte, payload []byte) {
	h := head(kind, w.number, len(payload))
	w.number++
	w.write([]byte(h + " " + checksum(h, payload) + "\n"))
	w.write(payload)
	w.write([]byte{'\n'})
}

// Record adds a record: its kind, a word of lower-case letters and '_', what it says,
// encoded as JSON, and its blob, which may be nil. ErrTooLarge if the JSON text is
// longer than MaxRecord.
func (w *Writer) Record(kind string, v any, blob []byte) error {
	if w.err != nil {
		return w.err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %d ", kind, len(blob))
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	payload := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if len(payload) > MaxRecord {
		return ErrTooLarge
	}
	w.records[kind]++
	w.frame('r', payload)
	for len(blob) > 0 && w.err == nil {
		n := min(len(blob), maxPart)
		w.frame('b', blob[:n])
		blob = blob[n:]
	}
	return w.err
}

// Close ends the archive. An archive without it is incomplete, and known to be.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	payload, err := json.Marshal(end{Records: w.records, SHA256: hex.EncodeToString(w.sum.Sum(nil))})
	if err != nil {
		return err
	}
	w.frame('e', payload)
	if w.err == nil {
		w.err = w.out.Flush()
	}
	return w.err
}
