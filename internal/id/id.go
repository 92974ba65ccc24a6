// Package id makes the identifiers and secrets of this module.
package id

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"

	"github.com/google/uuid"
)

// pointSpace is the namespace of chunk ids; changing it would change the id of
// every stored chunk.
var pointSpace = uuid.MustParse("6f1d2c1e-3f0b-5a52-9a57-0d4d8a9b7c11")

// New returns a time-ordered UUID (version 7, RFC 9562).
func New() string { return uuid.Must(uuid.NewV7()).String() }

// Point returns the UUID (version 5) of a chunk: the same parts give the same
// id, so that ingesting again replaces a chunk instead of adding one.
func Point(parts ...string) string {
	var name []byte
	for _, p := range parts {
		// The length in front keeps ("a","bc") and ("ab","c") apart.
		name = binary.AppendUvarint(name, uint64(len(p)))
		name = append(name, p...)
	}
	return uuid.NewSHA1(pointSpace, name).String()
}

// Int53 returns a random positive integer below 2^53, which JavaScript and JSON
// carry exactly and which cannot be guessed.
func Int53() int64 {
	var b [8]byte
	for {
		rand.Read(b[:]) // never fails since Go 1.24
		if n := int64(binary.LittleEndian.Uint64(b[:]) >> 11); n > 0 {
			return n
		}
	}
}

// Secret returns a new API key: prefix and 256 random bits in URL-safe base64.
func Secret(prefix string) string {
	var b [32]byte
	rand.Read(b[:])
	return prefix + base64.RawURLEncoding.EncodeToString(b[:])
}
