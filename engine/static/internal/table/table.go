// Package table holds the words and vectors of the static embedder, and the file
// that they are in.
package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
)

// magic begins a file, and names the version of its layout.
const magic = "qwv1"

// levels is the largest component, and its negative the least.
const levels = 7

// reach is the largest number that a component stands for, relative to the largest one
// of the word. Cutting a few off makes the steps of all others finer.
const reach = 0.85

// The sizes of the header, which is magic, the number of words, the dimension, the
// bytes of the words (each an uint32, little endian), and of the checksum at the end.
const (
	headerSize = 16
	sumSize    = 4
)

// The largest table that is read.
const (
	maxWords     = 1 << 20
	maxDimension = 1 << 12
)

// Table is a vector for each word of a vocabulary. It is safe for concurrent use as
// long as nobody changes it.
//
// A file has the words, most frequent first, each with a line feed behind it; the
// scales, as float32; the components, from -7 to 7, two in a byte; and the CRC-32
// (IEEE) of all before it. Its numbers are little endian.
type Table struct {
	Dimension int       // even
	Words     []string  // most frequent first
	Scales    []float32 // by word; what its components are multiplied by
	Rows      string    // by word, Dimension/2 bytes; the first component of each is in the low half, in two's complement

	index map[string]int32
}

// Parse reads a file. The Table shares its memory.
func Parse(file string) (*Table, error) {
	if len(file) < headerSize+sumSize || file[:len(magic)] != magic {
		return nil, errors.New("this is no table of word vectors")
	}
	number := func(at int) uint32 { return binary.LittleEndian.Uint32([]byte(file[at : at+4])) }
	body := len(file) - sumSize
	if crc32.ChecksumIEEE([]byte(file[:body])) != number(body) {
		return nil, errors.New("the table of word vectors is damaged: its checksum differs")
	}
	words, dimension, text := uint64(number(4)), uint64(number(8)), uint64(number(12))
	if words > maxWords || dimension > maxDimension || text > uint64(body) {
		return nil, errors.New("the table of word vectors is larger than allowed")
	}
	if dimension < 2 || dimension%2 != 0 {
		return nil, fmt.Errorf("the dimension of the table of word vectors is %d, but must be even", dimension)
	}
	if want := headerSize + text + words*(4+dimension/2); want != uint64(body) {
		return nil, fmt.Errorf("the table of word vectors has %d bytes instead of %d", body, want)
	}
	t := &Table{Dimension: int(dimension), Words: make([]string, 0, words), Scales: make([]float32, words)}
	scales := headerSize + int(text)
	for line := range strings.Lines(file[headerSize:scales]) {
		word, ended := strings.CutSuffix(line, "\n")
		if !ended {
			return nil, errors.New("the last word of the table of word vectors has no line feed behind it")
		}
		t.Words = append(t.Words, word)
	}
	for i := range t.Scales {
		t.Scales[i] = math.Float32frombits(number(scales + 4*i))
	}
	t.Rows = file[scales+4*int(words) : body]
	return t, t.check()
}

// check makes the index, and returns what is wrong with the table.
func (t *Table) check() error {
	if len(t.Words) != len(t.Scales) {
		return fmt.Errorf("the table of word vectors has %d words instead of %d", len(t.Words), len(t.Scales))
	}
	t.index = make(map[string]int32, len(t.Words))
	for i, word := range t.Words {
		if word == "" || t.Scales[i] < 0 || !(t.Scales[i] <= maxScale) {
			return fmt.Errorf("word %d of the table of word vectors is empty or out of its range", i)
		}
		t.index[word] = int32(i)
	}
	if len(t.index) != len(t.Words) {
		return errors.New("the table of word vectors has a word twice")
	}
	return nil
}

// maxScale bounds a scale, so that no sum over a text is infinite.
const maxScale = 1 << 16

// Rank returns the place of a word in the order of frequency, from 0.
func (t *Table) Rank(word string) (rank int, ok bool) {
	i, ok := t.index[word]
	return int(i), ok
}

// Add adds factor times the vector of a word, given by its rank, to sum. The products
// are rounded before they are added, so that the sum is the same on machines that
// would fuse the two.
func (t *Table) Add(sum []float32, rank int, factor float32) {
	factor *= t.Scales[rank]
	row := t.Rows[rank*t.Dimension/2:][:t.Dimension/2]
	sum = sum[:2*len(row)]
	for i := range len(row) {
		low, high := int8(row[i]<<4)>>4, int8(row[i])>>4
		sum[2*i] += float32(factor * float32(low))
		sum[2*i+1] += float32(factor * float32(high))
	}
}

// New returns the table of words, most frequent first, and their vectors, of one even
// length, whose components are rounded to 15 levels.
func New(words []string, vectors [][]float32) (*Table, error) {
	t := &Table{Words: words}
	var rows strings.Builder
	for i, vector := range vectors {
		if i == 0 {
			t.Dimension = len(vector)
		}
		if len(vector) != t.Dimension || len(vector)%2 != 0 {
			return nil, fmt.Errorf("vector %d has %d components; all must have one even number", i, len(vector))
		}
		var largest float32
		for _, x := range vector {
			largest = max(largest, x, -x)
		}
		scale := largest * reach / levels
		t.Scales = append(t.Scales, scale)
		for pair := range slices.Chunk(vector, 2) {
			rows.WriteByte(rounded(pair[0], scale)&0xf | rounded(pair[1], scale)<<4)
		}
	}
	t.Rows = rows.String()
	return t, t.check()
}

// rounded returns x in units of scale.
func rounded(x, scale float32) byte {
	if scale == 0 {
		return 0
	}
	return byte(int8(max(-levels, min(levels, math.RoundToEven(float64(x/scale))))))
}

// File returns the file that Parse reads.
func (t *Table) File() []byte {
	text := strings.Join(t.Words, "\n")
	if text != "" {
		text += "\n"
	}
	b := []byte(magic)
	for _, n := range []int{len(t.Words), t.Dimension, len(text)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = append(b, text...)
	for _, scale := range t.Scales {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(scale))
	}
	b = append(b, t.Rows...)
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}
