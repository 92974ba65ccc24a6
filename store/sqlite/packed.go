package sqlite

import (
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"fmt"

	"github.com/quirelib/quire"
)

// A packed row is what a page shows of an elemental, in one value: SQLite and
// database/sql take longer for 36 columns of a row than for all the rest of a page. It
// is the number of its values, then each of them: a kind, and a varint or a length with
// so many bytes.
const (
	packedNull byte = iota
	packedInt
	packedText
)

// pack packs values that database/sql would take as parameters: integers, booleans,
// strings, and pointers to such, which may be nil.
func pack(values []any) ([]byte, error) {
	b := binary.AppendUvarint(make([]byte, 0, 512), uint64(len(values)))
	for i, v := range values {
		plain, err := driver.DefaultParameterConverter.ConvertValue(v)
		if err != nil {
			return nil, err
		}
		switch v := plain.(type) {
		case nil:
			b = append(b, packedNull)
		case int64:
			b = binary.AppendVarint(append(b, packedInt), v)
		case bool:
			b = binary.AppendVarint(append(b, packedInt), truth(v))
		case string:
			b = binary.AppendUvarint(append(b, packedText), uint64(len(v)))
			b = append(b, v...)
		default:
			return nil, fmt.Errorf("value %d: a %T cannot be packed", i, plain)
		}
	}
	return b, nil
}

func truth(v bool) int64 {
	if v {
		return 1
	}
	return 0
}

// unpack sets what the pointers point to, as Scan would. ok is false if the row was packed
// with another number of values, by another version of this package. The texts are parts
// of one string.
func unpack(b []byte, to []any) (ok bool, err error) {
	r := unpacker{b, string(b)}
	if n, err := r.uvarint(); err != nil || n != uint64(len(to)) {
		return false, err
	}
	for _, dest := range to {
		if err := r.next(dest); err != nil {
			return false, err
		}
	}
	return true, nil
}

// unpacker reads a packed row.
type unpacker struct {
	rest []byte
	text string // the whole row
}

func (r *unpacker) uvarint() (uint64, error) {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		return 0, damaged("a packed row ends too early")
	}
	r.rest = r.rest[n:]
	return v, nil
}

func (r *unpacker) varint() (int64, error) {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		return 0, damaged("a packed row ends too early")
	}
	r.rest = r.rest[n:]
	return v, nil
}

func (r *unpacker) string() (string, error) {
	n, err := r.uvarint()
	if err != nil || n > uint64(len(r.rest)) {
		return "", damaged("a packed row ends too early")
	}
	at := len(r.text) - len(r.rest)
	r.rest = r.rest[n:]
	return r.text[at : at+int(n)], nil
}

// next sets what dest points to to the next value.
func (r *unpacker) next(dest any) error {
	if len(r.rest) == 0 {
		return damaged("a packed row ends too early")
	}
	kind := r.rest[0]
	r.rest = r.rest[1:]
	switch kind {
	case packedNull:
		return assignNull(dest)
	case packedInt:
		v, err := r.varint()
		if err != nil {
			return err
		}
		return assignInt(dest, v)
	case packedText:
		v, err := r.string()
		if err != nil {
			return err
		}
		return assignText(dest, v)
	}
	return damaged("a packed row holds a value of kind %d", kind)
}

func assignNull(dest any) error {
	switch p := dest.(type) {
	case **int64:
		*p = nil
		return nil
	case sql.Scanner:
		return p.Scan(nil)
	}
	return damaged("a packed null is to be a %T", dest)
}

func assignInt(dest any, v int64) error {
	switch p := dest.(type) {
	case *int64:
		*p = v
	case *int:
		*p = int(v)
	case *bool:
		*p = v != 0
	case *quire.Visibility:
		*p = quire.Visibility(v)
	case **int64:
		n := v // escapes, which v should not
		*p = &n
	case moment:
		p.set(v)
	case sql.Scanner:
		return p.Scan(v)
	default:
		return damaged("a packed number is to be a %T", dest)
	}
	return nil
}

func assignText(dest any, v string) error {
	switch p := dest.(type) {
	case *string:
		*p = v
	case interface{ set(s string) error }: // an arrayTo
		return p.set(v)
	case sql.Scanner:
		return p.Scan(v)
	default:
		return damaged("a packed text is to be a %T", dest)
	}
	return nil
}
