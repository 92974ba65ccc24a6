package archive

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Record is a record as it was written.
type Record struct {
	Kind     string
	Data     []byte // a JSON text in valid UTF-8, which may still not be what it should say
	BlobSize int64  // how long its blob is, as the record says
}

// Reader reads an archive. It is for one goroutine.
type Reader struct {
	in      *bufio.Reader
	sum     hash.Hash
	number  int64 // of the next frame
	blob    int64 // what is still to come of the blob of the last record
	records map[string]int
	err     error // io.EOF after the end
}

// NewReader reads the first line. ErrNewer if the archive has a later version of the
// format; a Damaged if it is none.
func NewReader(r io.Reader) (*Reader, error) {
	a := &Reader{in: bufio.NewReaderSize(r, 64<<10), sum: sha256.New(), records: map[string]int{}}
	line, err := a.line()
	if d := Damaged(""); errors.As(err, &d) || err == nil && !strings.HasPrefix(line, magic) {
		return nil, Damaged("this is not an archive of this program")
	}
	if err != nil {
		return nil, err
	}
	v, err := strconv.Atoi(line[len(magic):])
	switch {
	case err != nil || v < 1 || strconv.Itoa(v) != line[len(magic):]:
		return nil, Damaged("the first line of the archive is damaged")
	case v > Version:
		return nil, ErrNewer
	}
	return a, nil
}

// Next returns the next record, skipping what was not read of the blob of the one
// before; io.EOF at the end of an archive that is whole. A Damaged says what is wrong;
// other errors are those of the reader below.
func (r *Reader) Next() (Record, error) {
	for r.blob > 0 && r.err == nil {
		_, r.err = r.part()
	}
	if r.err != nil {
		return Record{}, r.err
	}
	rec, err := r.next()
	r.err = err
	return rec, err
}

func (r *Reader) next() (Record, error) {
	before := r.sum.Sum(nil)
	kind, payload, err := r.frame()
	switch {
	case err != nil:
		return Record{}, err
	case kind == 'r':
		return r.record(payload)
	case kind == 'e':
		return Record{}, r.end(payload, before)
	}
	return Record{}, damaged("frame %d of the archive is a part of a blob that no record has", r.number-1)
}

// record takes the payload of a record apart.
func (r *Reader) record(payload []byte) (Record, error) {
	kind, rest, ok := bytes.Cut(payload, []byte(" "))
	size, data, ok2 := bytes.Cut(rest, []byte(" "))
	n, err := strconv.ParseInt(string(size), 10, 64)
	if !ok || !ok2 || err != nil || n < 0 || strconv.FormatInt(n, 10) != string(size) || !isKind(kind) {
		return Record{}, damaged("frame %d of the archive is no record", r.number-1)
	}
	if !utf8.Valid(data) {
		return Record{}, damaged("frame %d of the archive is not valid UTF-8", r.number-1)
	}
	r.blob = n
	r.records[string(kind)]++
	return Record{Kind: string(kind), Data: data, BlobSize: n}, nil
}

func isKind(kind []byte) bool {
	for _, c := range kind {
		if (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return len(kind) > 0 && len(kind) <= maxKind
}

// end checks the last frame and that nothing follows it.
func (r *Reader) end(payload, sum []byte) error {
	var e end
	if err := json.Unmarshal(payload, &e); err != nil {
		return Damaged("the end of the archive is damaged")
	}
	if e.SHA256 != hex.EncodeToString(sum) {
		return Damaged("the checksum of the whole archive is wrong: it was changed after it was written")
	}
	if !maps.Equal(e.Records, r.records) {
		return Damaged("the archive does not hold as many records as it says")
	}
	switch _, err := r.in.ReadByte(); err {
	case nil:
		return Damaged("something follows the end of the archive")
	default:
		return err // io.EOF
	}
}

// Blob returns the rest of the blob of the last record. A Damaged if it is longer than
// limit, of which nothing was read then.
func (r *Reader) Blob(limit int64) ([]byte, error) {
	if r.blob > limit && r.err == nil {
		return nil, damaged("its blob has %d bytes; at most %d are allowed", r.blob, limit)
	}
	var b []byte // grows with what is there, whatever the record says
	for r.blob > 0 && r.err == nil {
		var part []byte
		part, r.err = r.part()
		b = append(b, part...)
	}
	return b, r.err
}

// part reads the next part of a blob.
func (r *Reader) part() ([]byte, error) {
	kind, payload, err := r.frame()
	switch n := int64(len(payload)); {
	case err != nil:
		return nil, err
	case kind != 'b' || n == 0 || n > r.blob:
		return nil, damaged("frame %d of the archive is not the part of a blob that it should be", r.number-1)
	default:
		r.blob -= n
		return payload, nil
	}
}

// frame reads a frame and checks its number, length and checksum.
func (r *Reader) frame() (kind byte, payload []byte, err error) {
	line, err := r.line()
	if err != nil {
		return 0, nil, err
	}
	h, sum, _ := cutLast(line)
	_, length, _ := cutLast(h)
	n, err := strconv.Atoi(length)
	limit := MaxRecord
	if strings.HasPrefix(h, "b") {
		limit = maxPart
	}
	if err != nil || n < 0 || n > limit || !strings.ContainsRune("rbe", rune(h[0])) {
		return 0, nil, damaged("frame %d of the archive does not begin as it should", r.number)
	}
	if h != head(h[0], r.number, n) {
		return 0, nil, damaged("frame %d of the archive is not the one that should be there: some are missing, twice or in another order", r.number)
	}
	payload, err = r.bytes(n + 1)
	if err != nil {
		return 0, nil, err
	}
	if payload[n] != '\n' || checksum(h, payload[:n]) != sum {
		return 0, nil, damaged("the checksum of frame %d of the archive is wrong", r.number)
	}
	r.number++
	return h[0], payload[:n], nil
}

// cutLast cuts a line at its last space.
func cutLast(line string) (before, after string, found bool) {
	i := strings.LastIndexByte(line, ' ')
	if i < 0 {
		return line, "", false
	}
	return line[:i], line[i+1:], true
}

// line reads a line without its end.
func (r *Reader) line() (string, error) {
	var line []byte
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			return "", r.cut(err)
		}
		r.sum.Write([]byte{c})
		if c == '\n' {
			return string(line), nil
		}
		if line = append(line, c); len(line) > maxLine {
			return "", damaged("frame %d of the archive does not begin as it should", r.number)
		}
	}
}

// bytes reads n bytes, into a buffer that grows with what is there.
func (r *Reader) bytes(n int) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(min(n, maxPart+1))
	if _, err := io.CopyN(&b, r.in, int64(n)); err != nil {
		return nil, r.cut(err)
	}
	r.sum.Write(b.Bytes())
	return b.Bytes(), nil
}

// cut makes an end in the middle a Damaged.
func (r *Reader) cut(err error) error {
	if errors.Is(err, io.EOF) {
		return Damaged("the archive ends before its end: it is incomplete")
	}
	return err
}

// Copy copies an archive and checks all of it on the way. The error is that of the
// check, of the reader or of the writer; then what was copied is of no use.
func Copy(w io.Writer, r io.Reader) error {
	a, err := NewReader(io.TeeReader(r, w))
	for err == nil {
		_, err = a.Next()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
