package extract

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/quirelib/quire"
)

// decode returns the text of a file, with LF line ends.
func decode(data []byte) (string, error) {
	if len(data) == 0 {
		return "", invalid("is empty")
	}
	data, err := toUTF8(data)
	if err != nil {
		return "", err
	}
	if kind, _, _ := strings.Cut(http.DetectContentType(data), ";"); !strings.HasPrefix(kind, "text/") {
		return "", invalid("is not a text document, but %s", kind)
	}
	if at := bytes.IndexByte(data, 0); at >= 0 {
		return "", invalid("is not a text document: byte %d is NUL", at)
	}
	if at := firstInvalid(data); at >= 0 {
		return "", invalid("is not valid UTF-8 from byte %d on", at)
	}
	return lineEnds.Replace(string(data)), nil
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func invalid(format string, args ...any) error {
	return quire.Errorf(quire.CodeInvalid, format, args...)
}

// toUTF8 takes off a byte order mark and decodes the UTF-16 that it announces.
func toUTF8(data []byte) ([]byte, error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return data[3:], nil
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return data, nil
	}
	if len(data)%2 != 0 {
		return nil, invalid("is not UTF-16, although its byte order mark says so: its length is odd")
	}
	var b bytes.Buffer
	for at := 2; at < len(data); at += 2 {
		r := rune(order.Uint16(data[at:]))
		if utf16.IsSurrogate(r) {
			low := utf8.RuneError
			if at+3 < len(data) {
				low = rune(order.Uint16(data[at+2:]))
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return nil, invalid("is not UTF-16, although its byte order mark says so: half a character at byte %d", at)
			}
			at += 2
		}
		b.WriteRune(r)
	}
	return b.Bytes(), nil
}

// firstInvalid returns the place of the first byte that is not UTF-8, -1 if there is
// none.
func firstInvalid(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	at := 0
	for {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
}
