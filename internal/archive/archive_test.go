package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// sample is one record with what it is made of.
type sample struct {
	Kind, Data string
	Blob       []byte
}

func write(t testing.TB, samples ...sample) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, s := range samples {
		if err := w.Record(s.Kind, rawJSON(s.Data), s.Blob); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rawJSON is JSON as it is.
type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func read(r io.Reader) (all []sample, err error) {
	a, err := NewReader(r)
	if err != nil {
		return nil, err
	}
	for {
		rec, err := a.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		s := sample{Kind: rec.Kind, Data: string(rec.Data)}
		if len(all)%2 == 0 { // the others are skipped
			if s.Blob, err = a.Blob(rec.BlobSize); err != nil {
				return all, err
			}
		}
		all = append(all, s)
	}
}

// The bytes of a small archive are what the package says that they are: this one was
// made by another program, from the description.
func TestFormat(t *testing.T) {
	t.Parallel()
	got := string(write(t, sample{"user", `{"id":"<ada>"}`, nil}, sample{"text", `{}`, []byte("a\nb")}))
	want := `quire-archive 1
r 0 21 a426867d
user 0 {"id":"<ada>"}
r 1 9 21df779f
text 3 {}
b 2 3 5478830a
a
b
e 3 107 1e47b7b2
{"records":{"text":1,"user":1},"sha256":"f13ccdfe3598296e8212da0cd08fc79efedfec961594ade140a7e393d7d1a0a0"}
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	big := bytes.Repeat([]byte("0123456789abcdef"), 3*maxPart/16+1)
	want := []sample{
		{"one", `{"a":1}`, nil}, {"two", `{}`, nil}, {"big", `{"é":"\u2028"}`, big}, {"skipped", `{}`, nil},
		{"part", `{}`, big[:maxPart]}, {"a_b", `{}`, nil}, {"small", `{}`, []byte{0}},
	}
	written := append([]sample{}, want...)
	written[3].Blob = big // which is skipped
	data := write(t, written...)
	for name, r := range map[string]io.Reader{
		"whole": bytes.NewReader(data), "halves": iotest.HalfReader(bytes.NewReader(data)), "with its end": iotest.DataErrReader(bytes.NewReader(data)),
	} {
		got, err := read(r)
		if err != nil {
			t.Fatal(name, err)
		}
		if d := cmp.Diff(want, got, cmp.Comparer(bytes.Equal)); d != "" {
			t.Errorf("%s (-want +got):\n%.500s", name, d)
		}
	}
	var copied bytes.Buffer
	if err := Copy(&copied, bytes.NewReader(data)); err != nil || !bytes.Equal(copied.Bytes(), data) {
		t.Errorf("Copy: %v, %d of %d bytes", err, copied.Len(), len(data))
	}
}

// A frame that says it is long does not make the reader take memory. The test is not
// parallel: it measures.
func TestLengthsAreNotBelieved(t *testing.T) {
	var most uint64
	heads := []string{
		"quire-archive 1\nr 0 67108864 00000000\nx", "quire-archive 1\nb 0 1048576 00000000\nx", "quire-archive 1\nr 0 67108865 00000000\n",
		"quire-archive 1\nb 0 1048577 00000000\n", "quire-archive 1\nr 0 -1 00000000\n", "quire-archive 1\nr 0 99999999999999999999 00000000\n",
		"quire-archive 1\n" + strings.Repeat("r", 100), "quire-archive 1\n\n", "quire-archive 1\n 0 0 0\n", "quire-archive 1\nr\n", "", "q", strings.Repeat("q", 100),
	}
	for _, head := range heads {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := read(strings.NewReader(head))
		runtime.ReadMemStats(&after)
		if d := Damaged(""); !errors.As(err, &d) {
			t.Errorf("%.40q: %v", head, err)
		}
		took := after.TotalAlloc - before.TotalAlloc
		if took > 4<<20 {
			t.Errorf("%.40q took %d bytes", head, took)
		}
		most = max(most, took)
	}
	if t.Failed() {
		return
	}
	t.Logf("F8: %d archives that claim lengths of up to 64 MiB and more: all refused, with %d KiB at most", len(heads), most>>10)
}

func TestReadersAndWritersFail(t *testing.T) {
	t.Parallel()
	data := write(t, sample{"one", `{}`, []byte("blob")})
	broken := errors.New("broken")
	for i := range data {
		r := io.MultiReader(bytes.NewReader(data[:i]), iotest.ErrReader(broken))
		if _, err := read(r); !errors.Is(err, broken) {
			t.Errorf("a reader that breaks after %d bytes: %v", i, err)
		}
	}
	w := NewWriter(failing{broken})
	err := w.Record("one", rawJSON(`{}`), bytes.Repeat([]byte("x"), 1<<20))
	if !errors.Is(err, broken) || !errors.Is(w.Record("two", rawJSON(`{}`), nil), broken) || !errors.Is(w.Close(), broken) {
		t.Errorf("a writer that breaks: %v", err)
	}
	if err := NewWriter(io.Discard).Record("big", rawJSON(`"`+strings.Repeat("x", MaxRecord)+`"`), nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a record that is too large: %v", err)
	}
	if err := Copy(failing{broken}, bytes.NewReader(data)); !errors.Is(err, broken) {
		t.Errorf("a copy that breaks: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestVersions(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]error{
		"quire-archive 2\n": ErrNewer, "quire-archive 12\n": ErrNewer, "quire-archive 0\n": Damaged("the first line of the archive is damaged"),
		"quire-archive 01\n": Damaged("the first line of the archive is damaged"), "other 1\n": Damaged("this is not an archive of this program"),
	} {
		if _, err := NewReader(strings.NewReader(line)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", line, err, want)
		}
	}
}

func TestBlobLimit(t *testing.T) {
	t.Parallel()
	a, err := NewReader(bytes.NewReader(write(t, sample{"one", `{}`, make([]byte, 100)})))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Next(); err != nil {
		t.Fatal(err)
	}
	_, err = a.Blob(99)
	if d := Damaged(""); !errors.As(err, &d) {
		t.Errorf("a blob over the limit: %v", err)
	}
}

// FuzzReader reads anything. What it takes is what Writer would have written.
func FuzzReader(f *testing.F) {
	f.Add(write(f))
	f.Add(write(f, sample{"user", `{"id":"ada"}`, nil}, sample{"text", `{}`, []byte("a\nb")}))
	f.Add([]byte("quire-archive 1\nr 0 9 00000000\ntext 3 {}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		samples, err := read(bytes.NewReader(data))
		if err != nil {
			if d := Damaged(""); !errors.As(err, &d) && !errors.Is(err, ErrNewer) {
				t.Fatalf("error %v", err)
			}
			return
		}
		if err := Copy(io.Discard, bytes.NewReader(data)); err != nil {
			t.Fatalf("Copy refuses what Next takes: %v", err)
		}
		if len(samples) == 0 && !bytes.HasPrefix(data, []byte(fmt.Sprint(magic, Version))) {
			t.Fatalf("%q was taken", data)
		}
	})
}
