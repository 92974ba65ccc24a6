// Package archive is the byte format of an exported library: a sequence of records,
// each a kind with a JSON text and, where there is one, a blob of bytes. It knows
// nothing of what the records mean.
//
// An archive is a line that names the format and its version, then frames:
//
//	quire-archive 1
//	<type> <number> <length> <checksum>
//	<length bytes>
//	...
//
// A frame begins with a line of ASCII, its fields separated by one space: a type of one
// letter; the number of the frame, from 0; the length of what follows in bytes, both
// decimal; and eight lower-case hex digits, the CRC-32C of the line up to the length,
// and of what follows. What follows is the payload and a line feed that is not
// counted. The types are:
//
//	r  a record: its kind, a space, the size of its blob, a space, a JSON object
//	b  the next part of the blob of the last record, 1 to 1,048,576 bytes
//	e  the end: a JSON object with the SHA-256 of all bytes before this frame, in
//	   hex, as "sha256", and the number of records of each kind as "records"
//
// Nothing follows the end. Both sides hold one record in memory at a time, and one
// part of a blob unless the consumer collects it.
package archive

import (
	"errors"
	"fmt"
	"hash/crc32"
)

// Version is the version of the format that this package writes and reads.
const Version = 1

// magic begins the first line of every archive.
const magic = "quire-archive "

// The limits of the format, in bytes.
const (
	// MaxRecord is how long the payload of a record may be, its blob apart.
	MaxRecord = 64 << 20
	// maxPart is how long a part of a blob may be.
	maxPart = 1 << 20
	// maxLine is how long a line may be that is no payload.
	maxLine = 64
	// maxKind is how long a kind may be.
	maxKind = 32
)

// Damaged says what is wrong with the bytes of an archive.
type Damaged string

// Error implements error.
func (d Damaged) Error() string { return string(d) }

func damaged(format string, args ...any) error { return Damaged(fmt.Sprintf(format, args...)) }

// ErrNewer is the error for an archive of a later version of the format.
var ErrNewer = errors.New("the archive has a newer format")

// ErrTooLarge is the error for a record that is longer than MaxRecord.
var ErrTooLarge = errors.New("a record is too large for the format")

// end is the payload of the last frame.
type end struct {
	Records map[string]int `json:"records"`
	SHA256  string         `json:"sha256"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is the CRC-32C of a frame.
func checksum(head string, payload []byte) string {
	sum := crc32.Update(crc32.Checksum([]byte(head), castagnoli), castagnoli, payload)
	return fmt.Sprintf("%08x", sum)
}

// head is the line of a frame without its checksum.
func head(kind byte, number int64, length int) string {
	return fmt.Sprintf("%c %d %d", kind, number, length)
}
