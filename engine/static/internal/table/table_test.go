package table

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// sample returns a table of three words.
func sample(tb testing.TB) *Table {
	tb.Helper()
	t, err := New([]string{"the", "straße", "x"}, [][]float32{{7 / reach, -7 / reach, 1, 0}, {0, 0.5, -0.25, 0}, {0, 0, 0, 0}})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// sealed returns a file with the checksum that it should have.
func sealed(body string) string {
	return string(binary.LittleEndian.AppendUint32([]byte(body), crc32.ChecksumIEEE([]byte(body))))
}

// header returns the first bytes of a file.
func header(words, dimension, text uint32) string {
	b := []byte(magic)
	for _, n := range []uint32{words, dimension, text} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return string(b)
}

func TestTable(t *testing.T) {
	t.Parallel()
	table, err := Parse(string(sample(t).File()))
	if err != nil {
		t.Fatal(err)
	}
	rank, ok := table.Rank("straße")
	if rank != 1 || !ok {
		t.Errorf("rank %d, %t", rank, ok)
	}
	if rank, ok := table.Rank("strasse"); ok {
		t.Errorf("a word that is not there has rank %d", rank)
	}
	sum := []float32{1, 1, 1, 1}
	table.Add(sum, 0, 2)
	if diff := cmp.Diff([]float32{15, -13, 3, 1}, sum, cmpopts.EquateApprox(0, 1e-5)); diff != "" {
		t.Error(diff)
	}
}

// TestTableRounds checks that what is read is what was written, up to half a step, or
// to what is cut off.
func TestTableRounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfDistinct(rapid.StringMatching(`[a-zé]{1,9}`), rapid.ID[string]).Draw(t, "words")
		dimension := 2 * rapid.IntRange(1, 4).Draw(t, "dimension")
		vectors := make([][]float32, len(words))
		for i := range vectors {
			vectors[i] = rapid.SliceOfN(rapid.Float32Range(-100, 100), dimension, dimension).Draw(t, "vector")
		}
		made, err := New(words, vectors)
		if err != nil {
			t.Fatal(err)
		}
		if len(words) == 0 {
			made.Dimension = dimension
		}
		read, err := Parse(string(made.File()))
		if err != nil {
			t.Fatal(err)
		}
		for i, vector := range vectors {
			if rank, ok := read.Rank(words[i]); rank != i || !ok {
				t.Fatalf("%q has rank %d, %t", words[i], rank, ok)
			}
			got := make([]float32, dimension)
			read.Add(got, i, 1)
			limit := 7 * read.Scales[i]
			for k, x := range vector {
				x = max(-limit, min(limit, x))
				if math.Abs(float64(got[k]-x)) > float64(read.Scales[i])*0.501 {
					t.Fatalf("%q: %v, want %v", words[i], got, vector)
				}
			}
		}
	})
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	good := string(sample(t).File())
	body := good[:len(good)-sumSize]
	scales := headerSize + len("the\nstraße\nx\n")
	for name, tt := range map[string]struct{ file, want string }{
		"nothing":         {"", "no table"},
		"a short file":    {sealed(magic), "no table"},
		"another file":    {sealed(strings.Repeat("x", 40)), "no table"},
		"a changed bit":   {body[:40] + string(body[40]^1) + good[41:], "checksum"},
		"a lost end":      {good[:len(good)-1], "checksum"},
		"a sealed loss":   {sealed(body[:len(body)-1]), "bytes instead of"},
		"many words":      {sealed(header(maxWords+1, 2, 0)), "larger than allowed"},
		"no dimension":    {sealed(header(0, 0, 0)), "must be even"},
		"odd vectors":     {sealed(header(0, 3, 0)), "must be even"},
		"long vectors":    {sealed(header(1, math.MaxUint32, 0)), "larger than allowed"},
		"a long text":     {sealed(header(0, 2, math.MaxUint32)), "larger than allowed"},
		"a missing word":  {sealed(strings.Replace(body, "the\nstra", "theystra", 1)), "2 words instead of 3"},
		"an open word":    {sealed(header(1, 2, 1) + "a" + strings.Repeat("\x00", 5)), "line feed"},
		"a word twice":    {sealed(header(2, 2, 4) + "a\na\n" + strings.Repeat("\x00", 10)), "twice"},
		"no number":       {sealed(body[:scales] + "\xff\xff\xff\xff" + body[scales+4:]), "out of its range"},
		"an infinity":     {sealed(body[:scales] + "\x00\x00\x80\x7f" + body[scales+4:]), "out of its range"},
		"a negative":      {sealed(body[:scales] + "\x00\x00\x80\xbf" + body[scales+4:]), "out of its range"},
		"a blank word":    {sealed(header(1, 2, 1) + "\n" + strings.Repeat("\x00", 5)), "empty"},
		"a second layout": {sealed("qwv2" + body[4:]), "no table"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := Parse(tt.file); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		words   []string
		vectors [][]float32
	}{
		"a word too many":   {[]string{"a", "b"}, [][]float32{{1, 2}}},
		"a word twice":      {[]string{"a", "a"}, [][]float32{{1, 2}, {1, 2}}},
		"different lengths": {[]string{"a", "b"}, [][]float32{{1, 2}, {1, 2, 3, 4}}},
		"an odd length":     {[]string{"a"}, [][]float32{{1}}},
	} {
		if _, err := New(tt.words, tt.vectors); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// FuzzParse checks that a file is refused or whole: all of its words have a finite
// vector, and it is written as it was read.
func FuzzParse(f *testing.F) {
	good := string(sample(f).File())
	f.Add(good[:len(good)-sumSize])
	f.Add(header(0, 2, 0))
	f.Add(header(1, 2, 2) + "a\n" + strings.Repeat("\x01", 5))
	f.Add("")
	f.Fuzz(func(t *testing.T, body string) {
		file := sealed(body)
		table, err := Parse(file)
		if err != nil {
			return
		}
		sum := make([]float32, table.Dimension)
		for i, word := range table.Words {
			if rank, ok := table.Rank(word); rank != i || !ok {
				t.Fatalf("%q has rank %d, %t", word, rank, ok)
			}
			table.Add(sum, i, 1)
		}
		for _, x := range sum {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				t.Fatalf("a sum is %v", x)
			}
		}
		if string(table.File()) != file {
			t.Fatal("the file differs when it is written again")
		}
	})
}
