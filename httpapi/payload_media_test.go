package httpapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestBuffers: the three forms of a file say the same.
func TestBuffers(t *testing.T) {
	t.Parallel()
	want := make([]byte, 256)
	for i := range want {
		want[i] = byte(255 - i)
	}
	numbers := strings.ReplaceAll(fmt.Sprint(want), " ", ",")
	encoded := base64.StdEncoding.EncodeToString(want)
	for _, text := range []string{
		numbers,
		strings.ReplaceAll(numbers, ",", " \r\n,\t"),
		`{"type":"Buffer","data":` + numbers + `}`,
		`{ "data" : ` + numbers + ` , "type" : null , "more" : [ 300 ] }`,
		`"` + encoded + `"`,
		`"` + strings.ReplaceAll(encoded, "/", `\/`) + `"`,
		`"data:image/png;base64,` + encoded + `"`,
		`"data:;base64,` + encoded + `"`,
	} {
		p := newPlace()
		if got := asBuffer(p, json.RawMessage(text)); !bytes.Equal(got, want) || p.err() != nil {
			t.Errorf("%.60s: %v, %v", text, got, p.err())
		}
	}
	for _, empty := range []string{`[]`, `[ ]`, `{"data":[]}`, `""`, `"data:;base64,"`} {
		p := newPlace()
		if got := asBuffer(p, json.RawMessage(empty)); len(got) != 0 || p.err() != nil {
			t.Errorf("%s: %v, %v", empty, got, p.err())
		}
	}
}

// FuzzByteNumbers compares the reader of numbers with encoding/json.
func FuzzByteNumbers(f *testing.F) {
	for _, text := range []string{`[]`, `[ 0 , 255 ]`, `[0,256]`, `[-1]`, `[1.0]`, `[1e1]`, `[null]`, `["1"]`, `[[1]]`, `[-0]`, `[99999999999999999999]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if checkJSON(text, usual, atOnce) != nil || firstValue(text)[0] != '[' {
			return
		}
		var want []json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		numbers := make([]byte, len(want))
		bad := slices.IndexFunc(want, func(raw json.RawMessage) bool { return json.Unmarshal(raw, new(uint8)) != nil || raw[0] == 'n' })
		for i, raw := range want {
			_ = json.Unmarshal(raw, &numbers[i]) // where that fails, bad says so
		}
		p := newPlace()
		got, err := asByteNumbers(p, firstValue(text)), p.err()
		if bad < 0 && (err != nil || !bytes.Equal(got, numbers)) || bad >= 0 && (err == nil || got != nil) {
			t.Fatalf("%q: %v, %v; the first bad one is %d", text, got, err, bad)
		}
	})
}

// TestBufferMemory: reading a file of many numbers takes hardly more than its bytes.
func TestBufferMemory(t *testing.T) {
	const size = 4 << 20
	body := []byte(`{"images":[],"files":[{"file_name":"a","file_buffer":{"type":"Buffer","data":[` + strings.Repeat("255,", size-1) + `255]}}]}`)
	if err := checkJSON(body, usual, atOnce); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	in := mediaInput(objectOf(body))
	runtime.ReadMemStats(&after)
	if len(in.Files) != 1 || len(in.Files[0].Data) != size || in.Files[0].Data[size-1] != 255 {
		t.Fatal("it was not read")
	}
	taken := after.TotalAlloc - before.TotalAlloc
	if taken > size+size/4 {
		t.Errorf("a body of %d bytes took %d to read", len(body), taken)
	}
	t.Logf("a body of %d bytes took %d more for a file of %d", len(body), taken, size)
}

func TestByteNumbersJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		data byteNumbers
		want string
	}{{nil, "null"}, {byteNumbers{}, "[]"}, {byteNumbers{0}, "[0]"}, {byteNumbers{1, 20, 255}, "[1,20,255]"}} {
		if got, err := json.Marshal(c.data); string(got) != c.want || err != nil {
			t.Errorf("%v: %s, %v", []byte(c.data), got, err)
		}
	}
	data := bytes.Repeat([]byte{7, 0, 255}, 50_000)
	text, err := json.Marshal(byteNumbers(data))
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace()
	if got := asByteNumbers(p, text); !bytes.Equal(got, data) || p.err() != nil {
		t.Errorf("%d bytes came back as %d: %v", len(data), len(got), p.err())
	}
}

func TestPrefersJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		accept, fileType string
		want             bool
	}{
		{"", "image/png", false},
		{"*/*", "image/png", false},
		{"application/*", "image/png", false},
		{"application/json", "image/png", true},
		{"Application/JSON; charset=utf-8", "image/png", true},
		{"application/json, text/plain, */*", "image/png", true},
		{"application/json, text/plain, */*", "text/plain; charset=utf-8", true},
		{"application/json;q=0", "image/png", false},
		{"application/json;q=0, */*", "image/png", false},
		{"application/json;q=0.5, image/png", "image/png", false},
		{"application/json;q=0.5, image/*;q=0.4", "image/png", true},
		{"application/json;q=0.5, image/*;q=0.6, image/png;q=0.1", "image/png", true},
		{"application/json;q=0.5, */*;q=0.6", "image/png", false},
		{"application/json;q=0.001", "image/png", true},
		{"application/json;q=2", "image/png", false},
		{"application/json;q=NaN", "image/png", false},
		{"application/json;q=x", "image/png", false},
		{"application/jsonx", "image/png", false},
		{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "image/png", false},
		{",;,/,\x00", "image/png", false},
	} {
		if got := prefersJSON(strings.SplitAfter(c.accept, ","), c.fileType); got != c.want {
			t.Errorf("%q for %s: %v", c.accept, c.fileType, got)
		}
	}
}
