package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"testing"
)

// bomb is an image that takes far more memory than its file has bytes.
type bomb struct {
	name string
	data []byte
}

// pngBomb is a PNG of one color with one bit a pixel, and all its data.
func pngBomb(t *testing.T, w, h int) []byte {
	t.Helper()
	var pixels bytes.Buffer
	z := zlib.NewWriter(&pixels)
	line := make([]byte, 1+(w+7)/8)
	for range h {
		if _, err := z.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	head = append(head, 1, 0, 0, 0, 0)
	file := []byte("\x89PNG\r\n\x1a\n")
	for _, chunk := range []struct{ kind, data string }{{"IHDR", string(head)}, {"IDAT", pixels.String()}, {"IEND", ""}} {
		body := []byte(chunk.kind + chunk.data)
		file = binary.BigEndian.AppendUint32(file, uint32(len(chunk.data)))
		file = append(file, body...)
		file = binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(body))
	}
	return file
}

// jpegBomb is a small JPEG whose header claims another size.
func jpegBomb(t *testing.T, w, h int) []byte {
	t.Helper()
	data := jpegOf(t, gradient(8, 8))
	at := bytes.Index(data, []byte("\xff\xc0")) + 5 // behind marker, length and depth
	binary.BigEndian.PutUint16(data[at:], uint16(h))
	binary.BigEndian.PutUint16(data[at+2:], uint16(w))
	return data
}

// gifBomb is a small GIF whose screen and image claim another size.
func gifBomb(t *testing.T, w, h int) []byte {
	t.Helper()
	data := gifOf(t, 8, 8, 1)
	for _, at := range []int{6, bytes.Index(data, []byte("\x2c\x00\x00\x00\x00\x08\x00")) + 5} {
		binary.LittleEndian.PutUint16(data[at:], uint16(w))
		binary.LittleEndian.PutUint16(data[at+2:], uint16(h))
	}
	return data
}

// sharedBombs are those of ../shared/data.
func sharedBombs(t *testing.T) (bombs []bomb) {
	t.Helper()
	text, err := os.ReadFile("../../../shared/data/extra/files.json")
	if errors.Is(err, fs.ErrNotExist) {
		t.Log("../shared/data/extra/files.json is not there; own bombs only")
		return nil
	}
	var files []struct {
		Name   string
		Base64 []byte
	}
	if err == nil {
		err = json.Unmarshal(text, &files)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.Contains(f.Name, "bomb") || strings.Contains(f.Name, "huge") {
			bombs = append(bombs, bomb{f.Name, f.Base64})
		}
	}
	if len(bombs) == 0 {
		t.Error("the shared files hold no bomb")
	}
	return bombs
}

// TestBombs: an image with too many pixels is refused by what it claims, without memory
// for them. The test is not parallel: it measures.
func TestBombs(t *testing.T) {
	const maxPixels, maxBytes = 1_000_000, 1 << 20
	shared := sharedBombs(t)
	bombs := append([]bomb{
		{"png of 15 million pixels", pngBomb(t, 5_000, 3_000)}, {"png of 100 million pixels", pngBomb(t, 10_000, 10_000)},
		{"png, wide", pngBomb(t, 16_000_000, 1)}, {"png, high", pngBomb(t, 1, 4_000_000)},
		{"jpeg", jpegBomb(t, 65_500, 65_500)}, {"gif", gifBomb(t, 65_535, 65_535)},
		{"webp", riff("VP8L", lossless(16_383, 16_383))}, {"frame of webp", animation(1, 1, 16_383, 16_383)},
	}, shared...)
	most, size := uint64(0), 0
	for _, b := range bombs {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		info, err := Inspect(b.data, maxPixels)
		counted := Pixels(b.data, maxPixels)
		runtime.ReadMemStats(&after)
		if why := Refused(""); !errors.As(err, &why) || !strings.Contains(err.Error(), "pixels; at most") || counted != 0 {
			t.Errorf("%s: %+v, %v, %d pixels to decode", b.name, info, err, counted)
		}
		took := after.TotalAlloc - before.TotalAlloc
		if took > maxBytes {
			t.Errorf("%s took %d bytes", b.name, took)
		}
		most, size = max(most, took), max(size, len(b.data))
	}
	if t.Failed() {
		return
	}
	t.Logf("F6: %d image bombs, %d of them shared, of up to %d bytes: all refused by what they claim, with %d KiB of memory at most", len(bombs), len(shared), size, most>>10)
}
