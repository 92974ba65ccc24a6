package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/bbrks/go-blurhash"
)

// gradient is a picture whose corners differ.
func gradient(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, color.NRGBA{uint8(255 * x / w), uint8(255 * y / h), 128, 255})
		}
	}
	return img
}

func encoded(tb testing.TB, encode func(*bytes.Buffer) error) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(tb testing.TB, img image.Image) []byte {
	return encoded(tb, func(b *bytes.Buffer) error { return png.Encode(b, img) })
}

func jpegOf(tb testing.TB, img image.Image) []byte {
	return encoded(tb, func(b *bytes.Buffer) error { return jpeg.Encode(b, img, nil) })
}

// gifOf is an animation of n frames.
func gifOf(tb testing.TB, w, h, n int) []byte {
	frame := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.White, color.Black})
	return encoded(tb, func(b *bytes.Buffer) error {
		return gif.EncodeAll(b, &gif.GIF{Image: slices.Repeat([]*image.Paletted{frame}, n), Delay: make([]int, n)})
	})
}

// riff frames chunks, given as types and data, as a WebP file.
func riff(chunks ...string) []byte {
	body := "WEBP" + chunksOf(chunks...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func chunksOf(chunks ...string) (body string) {
	for i := 0; i < len(chunks); i += 2 {
		body += chunks[i] + string(binary.LittleEndian.AppendUint32(nil, uint32(len(chunks[i+1])))) + chunks[i+1]
		if len(chunks[i+1])%2 == 1 {
			body += "\x00"
		}
	}
	return body
}

// lossless is the VP8L data of an image in one color: every code has one symbol, so
// that a pixel takes no bits (RFC 9649, section 3).
func lossless(w, h int) string {
	var bits []bool
	put := func(v, n int) {
		for i := range n {
			bits = append(bits, v>>i&1 == 1)
		}
	}
	put(w-1, 14)
	put(h-1, 14)
	put(0, 1+3)                                      // alpha is not used; version
	put(0, 3)                                        // no transform, no color cache, no groups of codes
	for _, symbol := range []int{90, 200, 30, 255} { // green, red, blue, alpha
		put(0b101, 3) // a simple code, one symbol, of eight bits
		put(symbol, 8)
	}
	put(0b001, 3) // the code of distances has the symbol 0, of one bit
	put(0, 1)
	data := make([]byte, 1+(len(bits)+7)/8)
	data[0] = 0x2F
	for i, b := range bits {
		if b {
			data[1+i/8] |= 1 << (i % 8)
		}
	}
	return string(data)
}

// canvas is the VP8X data of a WebP file, with its 24-bit sizes.
func canvas(flags byte, w, h int) string {
	return string([]byte{flags, 0, 0, 0}) + size24(w-1) + size24(h-1)
}

func size24(n int) string { return string([]byte{byte(n), byte(n >> 8), byte(n >> 16)}) }

// animation is a WebP animation of one frame.
func animation(w, h, frameW, frameH int) []byte {
	frame := size24(0) + size24(0) + size24(frameW-1) + size24(frameH-1) + size24(100) + "\x00" + chunksOf("VP8L", lossless(frameW, frameH))
	return riff("VP8X", canvas(2, w, h), "ANIM", "\xff\xff\xff\xff\x00\x00", "ANMF", frame, "ANMF", frame)
}

func TestInspect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		data     []byte
		mimeType string
		w, h     int
	}{
		{"png", pngOf(t, gradient(200, 100)), "image/png", 200, 100},
		{"gray png", pngOf(t, image.NewGray16(image.Rect(0, 0, 3, 40))), "image/png", 3, 40},
		{"one pixel", pngOf(t, gradient(1, 1)), "image/png", 1, 1},
		{"a line", pngOf(t, gradient(1, 5000)), "image/png", 1, 5000},
		{"transparent png", pngOf(t, image.NewNRGBA(image.Rect(0, 0, 9, 9))), "image/png", 9, 9},
		{"jpeg", jpegOf(t, gradient(64, 65)), "image/jpeg", 64, 65},
		{"jpeg with a video behind it", append(jpegOf(t, gradient(8, 8)), "\x00\x00\x00\x18ftypmp42"...), "image/jpeg", 8, 8},
		{"gif", gifOf(t, 20, 10, 1), "image/gif", 20, 10},
		{"animated gif", gifOf(t, 20, 10, 9), "image/gif", 20, 10},
		{"webp", riff("VP8L", lossless(30, 20)), "image/webp", 30, 20},
		{"webp with a canvas", riff("VP8X", canvas(0, 30, 20), "VP8L", lossless(30, 20)), "image/webp", 30, 20},
		{"animated webp", animation(50, 40, 30, 20), "image/webp", 50, 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Inspect(c.data, 1_000_000)
			if err != nil {
				t.Fatal(err)
			}
			want := Info{MIMEType: c.mimeType, Width: c.w, Height: c.h, Blur: got.Blur}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			x, y, err := blurhash.Components(got.Blur)
			if err != nil || x+y != 7 || (x > y) != (c.w >= c.h) {
				t.Errorf("blurhash %q has %d x %d components: %v", got.Blur, x, y, err)
			}
		})
	}
}

// The blurhash shows what the image does, and white where it is transparent.
func TestBlur(t *testing.T) {
	t.Parallel()
	at := func(data []byte, x, y int) color.RGBA {
		t.Helper()
		info, err := Inspect(data, 1_000_000)
		if err != nil {
			t.Fatal(err)
		}
		img, err := blurhash.Decode(info.Blur, 32, 32, 1)
		if err != nil {
			t.Fatal(err)
		}
		return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
	}
	photo := jpegOf(t, gradient(640, 640))
	if c := at(photo, 2, 16); c.R > 80 {
		t.Errorf("left: %v", c)
	}
	if c := at(photo, 29, 16); c.R < 175 {
		t.Errorf("right: %v", c)
	}
	if c := at(photo, 16, 29); c.G < 175 {
		t.Errorf("bottom: %v", c)
	}
	if c := at(pngOf(t, image.NewNRGBA(image.Rect(0, 0, 9, 9))), 16, 16); c.R < 250 || c.G < 250 || c.B < 250 {
		t.Errorf("transparent: %v", c)
	}
	if c := at(riff("VP8L", lossless(40, 40)), 16, 16); c.R < 190 || c.R > 210 || c.G < 80 || c.G > 100 || c.B > 40 {
		t.Errorf("webp: %v, want 200, 90, 30", c)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	good := pngOf(t, gradient(20, 10))
	photo := jpegOf(t, gradient(20, 10))
	anim := gifOf(t, 20, 10, 3)
	still := riff("VP8L", lossless(30, 20))
	tooLarge := Refused("has 2000 x 1000 pixels; at most 1000000 in all are allowed")
	scans := append(photo[:len(photo)-2:len(photo)-2], strings.Repeat("\xff\xda\x00\x02\x00\xff\x00\xff\xd1", maxScans)+"\xff\xd9"...)
	for _, c := range []struct {
		name string
		data []byte
		want Refused
	}{
		{"nothing", nil, ErrType},
		{"text", []byte("hello"), ErrType},
		{"svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), ErrType},
		{"html", []byte("<!doctype html><script>alert(1)</script>"), ErrType},
		{"bmp", []byte("BM\x1e\x00\x00\x00\x00\x00\x00\x00\x1a\x00\x00\x00\x0c\x00\x00\x00\x01\x00\x01\x00\x01\x00\x18\x00\x00\x00\xff\x00"), ErrType},
		{"html with the magic of png", []byte("\x89PNG\r\n\x1a\n<html><script>alert(1)</script>"), ErrDamaged},
		{"gif that is a script", []byte("GIF89a/*\x00\x00\x00\x00\x00*/=1;alert(1);//;"), ErrEmpty},
		{"gif without images", append([]byte("GIF89a\x05\x00\x05\x00\x00\x00\x00"), 0x3B), ErrEmpty},
		{"png with a page behind it", append(slices.Clone(good), "<script>alert(1)</script>"...), ErrTrailing},
		{"gif with a page behind it", append(slices.Clone(anim), '<'), ErrTrailing},
		{"webp with a page behind it", append(slices.Clone(still), '<'), ErrTrailing},
		{"large png", pngOf(t, image.NewPaletted(image.Rect(0, 0, 2000, 1000), color.Palette{color.Black})), tooLarge},
		{"large jpeg", jpegOf(t, image.NewGray(image.Rect(0, 0, 2000, 1000))), tooLarge},
		{"large gif", gifOf(t, 2000, 1000, 1), tooLarge},
		{"large webp", riff("VP8L", lossless(2000, 1000)), tooLarge},
		{"canvas of webp that hides the size", riff("VP8X", canvas(0, 1, 1), "VP8L", lossless(16383, 16383)), ErrDamaged},
		{"frame of webp that hides the size", animation(1, 1, 2000, 1000), tooLarge},
		{"webp animation without frames", riff("VP8X", canvas(2, 9, 9), "ANIM", "\xff\xff\xff\xff\x00\x00"), ErrEmpty},
		{"jpeg that takes long", scans, ErrTooTricky},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if info, err := Inspect(c.data, 1_000_000); err != c.want {
				t.Errorf("got %+v, %v; want %v", info, err, c.want)
			}
		})
	}
}

// TestCutOff: whatever is missing at the end, an image is not accepted.
func TestCutOff(t *testing.T) {
	t.Parallel()
	cut := 0
	for _, data := range [][]byte{
		pngOf(t, gradient(20, 10)), jpegOf(t, gradient(20, 10)), gifOf(t, 20, 10, 3), riff("VP8L", lossless(30, 20)), animation(50, 40, 30, 20),
	} {
		for n := range data {
			cut++
			if info, err := Inspect(data[:n], 1_000_000); err == nil {
				t.Errorf("%s: accepted after %d of %d bytes", info.MIMEType, n, len(data))
			}
		}
	}
	t.Logf("%d cut files are refused", cut)
}

func TestType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ data, mimeType, extension string }{
		{"", "text/plain", ".txt"},
		{"\x00\x01\x02\x03", Binary, ""},
		{"plain words", "text/plain; charset=utf-8", ".txt"},
		{"%PDF-1.7\n", "application/pdf", ".pdf"},
		{"<!DOCTYPE html><p>", "text/html; charset=utf-8", ".html"},
		{`<html><meta charset="utf-7"><p>`, "text/html", ".html"},
		{`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>`, "image/svg+xml", ".svg"},
		{"PK\x03\x04\x14\x00", "application/zip", ".zip"},
		{string(gifOf(t, 2, 2, 1)), "image/gif", ".gif"},
	} {
		if mimeType, extension := Type([]byte(c.data)); mimeType != c.mimeType || extension != c.extension {
			t.Errorf("%.20q: %q, %q; want %q, %q", c.data, mimeType, extension, c.mimeType, c.extension)
		}
	}
	if IsImage("image/svg+xml") || IsImage("text/html") || !IsImage("image/webp") {
		t.Error("IsImage is wrong")
	}
}

// FuzzInspect: any bytes are accepted or refused with a reason, within the limit of
// pixels; nothing panics.
func FuzzInspect(f *testing.F) {
	for _, data := range [][]byte{
		pngOf(f, gradient(20, 10)), jpegOf(f, gradient(20, 10)), gifOf(f, 20, 10, 2), riff("VP8L", lossless(30, 20)), animation(50, 40, 30, 20),
		riff("VP8X", canvas(0x10, 4, 4), "ALPH", "\x00"+strings.Repeat("\x80", 16), "VP8 ", "\x30\x01\x00\x9d\x01\x2a\x04\x00\x04\x00"),
		[]byte("\x89PNG\r\n\x1a\n<html>"), []byte("GIF89a/*\x00\x00"), []byte("<svg/>"), nil,
	} {
		f.Add(data)
	}
	const maxPixels = 10_000
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		mimeType, _ := Type(data)
		info, err := Inspect(data, maxPixels)
		if !bytes.Equal(data, before) {
			t.Fatal("the bytes were changed")
		}
		if err != nil {
			if _, ok := err.(Refused); !ok || info != (Info{}) {
				t.Fatalf("%+v, %v", info, err)
			}
			return
		}
		if info.MIMEType != mimeType || info.Width < 1 || info.Height < 1 || info.Width*info.Height > maxPixels || len(info.Blur) != 28 {
			t.Fatalf("%+v", info)
		}
	})
}

// TestPixels counts what would be decoded, and what would be refused before that not at all.
func TestPixels(t *testing.T) {
	t.Parallel()
	good := pngOf(t, gradient(8, 5))
	damaged := bytes.Clone(good)
	damaged[bytes.Index(damaged, []byte("IDAT"))+8] ^= 0xff
	for name, tt := range map[string]struct {
		data []byte
		want int
	}{
		"png": {good, 40}, "jpeg": {jpegOf(t, gradient(6, 7)), 42}, "gif": {gifOf(t, 5, 4, 3), 20}, "undecodable": {damaged, 40},
		"too large": {pngOf(t, gradient(11, 10)), 0}, "trailing": {append(bytes.Clone(good), 0), 0}, "text": {[]byte("text"), 0}, "empty": {nil, 0},
	} {
		if got := Pixels(tt.data, 100); got != tt.want {
			t.Errorf("%s: %d pixels, want %d", name, got, tt.want)
		}
	}
}
