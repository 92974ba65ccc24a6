package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"io"

	"golang.org/x/image/tiff/lzw"
)

// maxFilters is how many filters a stream may have, one inside the other; filterCost is
// what using one costs, in bytes, even if nothing comes out of it.
const (
	maxFilters = 4
	filterCost = 16 << 10
)

// decode returns the content of a stream; false if it has a filter that is not for text,
// such as that of an image. What is damaged at its end is used up to there.
func (f *file) decode(s *stream) ([]byte, bool) {
	filters := f.list(s.dict["Filter"])
	params := f.list(s.dict["DecodeParms"])
	if len(filters) > maxFilters {
		return nil, false
	}
	data := s.raw
	if len(filters) == 0 && !f.used(len(data)) {
		return nil, false
	}
	for i, filter := range filters {
		var param dict
		if i < len(params) {
			param, _ = f.resolve(params[i]).(dict)
		}
		n, _ := f.resolve(filter).(name)
		if !f.work.touch(len(data) + filterCost) {
			return nil, false
		}
		rd := open(n, data)
		if rd == nil {
			return nil, false
		}
		var b bytes.Buffer
		room := maxDecoded - f.work.decoded
		_, _ = io.Copy(&b, io.LimitReader(rd, int64(room)+1)) // an error ends the data
		if !f.used(b.Len()) {
			return nil, false
		}
		data = f.unpredict(b.Bytes(), param)
	}
	return data, true
}

// used counts the bytes of a stream that is used, and reports whether to go on.
func (f *file) used(bytes int) bool {
	if f.work.decoded += bytes; f.work.decoded > maxDecoded && f.work.err == nil {
		f.work.err = ErrTooLarge
	}
	return f.work.touch(bytes) && f.work.spend(bytes/64)
}

// open starts a filter; nil if there is no such one for text.
func open(filter name, data []byte) io.Reader {
	switch filter {
	case "FlateDecode", "Fl":
		if rd, err := zlib.NewReader(bytes.NewReader(data)); err == nil {
			return rd
		}
		return bytes.NewReader(nil)
	case "LZWDecode", "LZW":
		return lzw.NewReader(bytes.NewReader(data), lzw.MSB, 8)
	case "ASCII85Decode", "A85":
		data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("<~"))
		data, _, _ = bytes.Cut(data, []byte("~"))
		return ascii85.NewDecoder(bytes.NewReader(data))
	case "ASCIIHexDecode", "AHx":
		l := lexer{data: data}
		return bytes.NewReader([]byte(l.hex()))
	case "RunLengthDecode", "RL":
		return &runLength{data: data}
	}
	return nil
}

// list returns a value that may be an array or a single one as an array.
func (f *file) list(v any) []any {
	switch v := f.resolve(v).(type) {
	case nil:
		return nil
	case []any:
		return v
	default:
		return []any{v}
	}
}

// runLength decodes ISO 32000-2, 7.4.5.
type runLength struct {
	data []byte
	run  []byte
}

// Read implements io.Reader.
func (r *runLength) Read(p []byte) (int, error) {
	if len(r.run) == 0 {
		if len(r.data) < 2 || r.data[0] == 128 {
			return 0, io.EOF
		}
		n := int(r.data[0])
		if n < 128 {
			n = min(n+1, len(r.data)-1)
			r.run, r.data = r.data[1:1+n], r.data[1+n:]
		} else {
			r.run, r.data = bytes.Repeat(r.data[1:2], 257-n), r.data[2:]
		}
	}
	n := copy(p, r.run)
	r.run = r.run[n:]
	return n, nil
}

// unpredict undoes the PNG predictors (7.4.4.4), in place.
func (f *file) unpredict(data []byte, param dict) []byte {
	if whole(f.resolve(param["Predictor"]), 1, 15) < 10 {
		return data
	}
	colors := whole(f.resolve(param["Colors"]), 1, 32)
	bits := whole(f.resolve(param["BitsPerComponent"]), 8, 16)
	columns := whole(f.resolve(param["Columns"]), 1, 1<<20)
	size := max(1, colors*bits/8)                      // bytes of a pixel
	width := min((colors*bits*columns+7)/8, len(data)) // no row is longer than all of them
	above := make([]byte, width)
	out := data[:0]
	for len(data) > 1 {
		kind, row := data[0], data[1:min(len(data), width+1)]
		data = data[1+len(row):]
		for i := range row {
			var left, corner byte
			if i >= size {
				left, corner = row[i-size], above[i-size]
			}
			row[i] += predicted(kind, left, above[i], corner)
		}
		clear(above[copy(above, row):])
		out = append(out, row...)
	}
	return out
}

func predicted(kind, left, above, corner byte) byte {
	switch kind {
	case 1:
		return left
	case 2:
		return above
	case 3:
		return byte((int(left) + int(above)) / 2)
	case 4: // Paeth
		p := int(left) + int(above) - int(corner)
		l, a, c := distance(p, left), distance(p, above), distance(p, corner)
		switch {
		case l <= a && l <= c:
			return left
		case a <= c:
			return above
		}
		return corner
	}
	return 0
}

func distance(p int, b byte) int { return max(p-int(b), int(b)-p) }
