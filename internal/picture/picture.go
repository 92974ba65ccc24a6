// Package picture looks at uploaded files: what type they are, and of images how
// large they are and what a blurred preview shows. It believes the bytes only, never a
// name or a claimed type.
package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"mime"
	"strings"

	"github.com/bbrks/go-blurhash"
	"github.com/gabriel-vasile/mimetype"
	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// Info describes an image.
type Info struct {
	MIMEType string
	Width    int // pixels
	Height   int
	Blur     string // blurhash of the first frame, on white (https://blurha.sh)
}

// Refused is why a file is not accepted as an image. Its text goes on after the name
// of a field, and is safe to show.
type Refused string

// Error returns the reason.
func (r Refused) Error() string { return string(r) }

// The reasons that do not depend on a limit.
const (
	ErrType      Refused = "must be a PNG, JPEG, GIF or WebP image; that is not what its bytes are"
	ErrEmpty     Refused = "is an image without pixels"
	ErrDamaged   Refused = "is an image that is damaged or cut off"
	ErrTrailing  Refused = "is an image with other data after its end"
	ErrTooTricky Refused = "is a JPEG image of too many scans; save it as a plain one"
)

// format is how images of a type are read.
type format struct {
	decode func(io.Reader) (image.Image, error)
	size   func(io.Reader) (image.Config, error)
	// frame checks the structure of the whole file and returns what is to be decoded.
	frame func(data []byte) ([]byte, error)
}

// The image types that are accepted. SVG is none of them: it is a document that can
// hold scripts.
var formats = map[string]format{
	"image/png":  {png.Decode, png.DecodeConfig, pngFrame},
	"image/jpeg": {jpeg.Decode, jpeg.DecodeConfig, jpegFrame},
	"image/gif":  {gif.Decode, gif.DecodeConfig, gifFrame},
	"image/webp": {webp.Decode, webp.DecodeConfig, webpFrame},
}

// IsImage reports whether a MIME type is one that Inspect accepts. Browsers show
// files of these types and never run anything in them.
func IsImage(mimeType string) bool { return formats[mimeType].decode != nil }

// Binary is the MIME type of bytes that tell nothing about themselves.
const Binary = "application/octet-stream"

// Type returns the MIME type of a file and the usual end of its name, such as ".pdf",
// "" if there is none.
func Type(data []byte) (mimeType, extension string) {
	mimeType = Binary
	// The detector reads untrusted bytes in many formats; that it fails on some must
	// not end the process.
	defer func() { _ = recover() }()
	found := mimetype.Detect(data)
	for m := found; m != nil; m = m.Parent() {
		if IsImage(m.String()) { // an animated PNG is a PNG too
			return m.String(), m.Extension()
		}
	}
	// A charset other than UTF-8 is what the file says about itself: it may be anything.
	name, params, err := mime.ParseMediaType(found.String())
	switch {
	case err != nil:
		return Binary, ""
	case strings.EqualFold(params["charset"], "utf-8"):
		name += "; charset=utf-8"
	}
	return name, found.Extension()
}

// Inspect decodes an image. An image with more than maxPixels (width times height) is
// refused before memory is taken for it; of what is accepted, decoding takes up to 16
// bytes a pixel. Of an animation only the first frame is decoded. All errors are Refused.
func Inspect(data []byte, maxPixels int) (info Info, err error) {
	defer func() {
		if p := recover(); p != nil {
			info, err = Info{}, ErrDamaged
		}
	}()
	img, err := checked(data, maxPixels)
	if err != nil {
		return Info{}, err
	}
	decoded, err := img.decode(bytes.NewReader(img.frame))
	if err != nil {
		return Info{}, ErrDamaged
	}
	blur, err := blurOf(decoded)
	if err != nil {
		return Info{}, err
	}
	return Info{MIMEType: img.mimeType, Width: img.size.Width, Height: img.size.Height, Blur: blur}, nil
}

// Pixels returns how many pixels Inspect would decode, without decoding any: 0 for what it
// would refuse before that.
func Pixels(data []byte, maxPixels int) (pixels int) {
	defer func() {
		if p := recover(); p != nil {
			pixels = 0
		}
	}()
	img, err := checked(data, maxPixels)
	if err != nil {
		return 0
	}
	return max(img.size.Width*img.size.Height, img.frameSize.Width*img.frameSize.Height)
}

// candidate is an image that has passed all checks that need no decoding.
type candidate struct {
	mimeType  string
	decode    func(io.Reader) (image.Image, error)
	size      image.Config
	frame     []byte // what is to be decoded
	frameSize image.Config
}

func checked(data []byte, maxPixels int) (c candidate, err error) {
	c.mimeType, _ = Type(data)
	f, ok := formats[c.mimeType]
	if !ok {
		return c, ErrType
	}
	c.decode = f.decode
	if c.size, err = f.checkSize(data, maxPixels); err != nil {
		return c, err
	}
	if c.frame, err = f.frame(data); err != nil {
		return c, err
	}
	// The frame of an animation has a size of its own.
	c.frameSize, err = f.checkSize(c.frame, maxPixels)
	return c, err
}

// checkSize reads the size that an image claims.
func (f format) checkSize(data []byte, maxPixels int) (image.Config, error) {
	config, err := f.size(bytes.NewReader(data))
	switch {
	case err != nil:
		return config, ErrDamaged
	case config.Width < 1 || config.Height < 1:
		return config, ErrEmpty
	case config.Height > maxPixels/config.Width:
		return config, Refused(fmt.Sprintf("has %d x %d pixels; at most %d in all are allowed", config.Width, config.Height, maxPixels))
	}
	return config, nil
}

// thumbnail is the longer side of what is hashed. A blurhash shows no more detail, and
// of a whole photo it would take seconds.
const thumbnail = 32

// blurOf returns the blurhash of a picture: four components along the longer side,
// three along the other.
func blurOf(img image.Image) (string, error) {
	size := img.Bounds().Size()
	if size.X < 1 || size.Y < 1 {
		return "", ErrEmpty
	}
	longer := max(size.X, size.Y)
	if longer > thumbnail {
		size.X, size.Y = max(1, size.X*thumbnail/longer), max(1, size.Y*thumbnail/longer)
	}
	small := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(small, small.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(small, small.Rect, img, img.Bounds(), draw.Over, nil)
	x, y := 4, 3
	if size.Y > size.X {
		x, y = 3, 4
	}
	hash, err := blurhash.Encode(x, y, small)
	if err != nil {
		return "", ErrDamaged
	}
	return hash, nil
}
