package httpapi

import (
	"bytes"
	"io"
	"strconv"
	"time"

	"github.com/quirelib/quire"
)

type imageJSON struct {
	ID     int64  `json:"id"`
	URL    string `json:"url"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Blur   string `json:"blur"`
}

type fileJSON struct {
	ID        int64       `json:"id"`
	Name      string      `json:"name"`
	Size      int64       `json:"size"`
	CreatedAt time.Time   `json:"created_at"`
	URL       string      `json:"url"`
	Data      byteNumbers `json:"data"`
}

// byteNumbers are bytes as an array of numbers; nil is null.
type byteNumbers []byte

// MarshalJSON writes the array.
func (b byteNumbers) MarshalJSON() ([]byte, error) {
	if b == nil {
		return []byte("null"), nil
	}
	var out bytes.Buffer
	out.WriteByte('[')
	err := writeByteNumbers(&out, b)
	out.WriteByte(']')
	return out.Bytes(), err
}

// writeByteNumbers writes the inside of the array, a part at a time: it is up to four
// times as long as the bytes.
func writeByteNumbers(w io.Writer, data []byte) error {
	const part = 32 << 10
	text := make([]byte, 0, part+len(",255"))
	for i, b := range data {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(text, uint64(b), 10)
		if len(text) < part {
			continue
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		text = text[:0]
	}
	_, err := w.Write(text)
	return err
}

// fileOf is a file without its bytes.
func (s *server) fileOf(m quire.Media) fileJSON {
	return fileJSON{ID: m.ID, Name: m.Name, Size: m.Size, CreatedAt: m.CreatedAt.UTC(), URL: s.lib.MediaURL(m)}
}

// mediaJSON is all media of an elemental or list. Arrays without content are [].
type mediaJSON struct {
	Images      []imageJSON `json:"images"`
	CoverImages []imageJSON `json:"cover_images"`
	AvatarImage *string     `json:"avatar_image"`
	Files       []fileJSON  `json:"files"`
}

// mediaOf sorts media by what they are for. The bytes of files are not among it.
func (s *server) mediaOf(media []quire.Media) mediaJSON {
	out := mediaJSON{Images: []imageJSON{}, CoverImages: []imageJSON{}, Files: []fileJSON{}}
	for _, m := range media {
		url := s.lib.MediaURL(m)
		image := imageJSON{ID: m.ID, URL: url, Width: m.Width, Height: m.Height, Blur: m.Blur}
		switch m.Kind {
		case quire.MediaImage:
			out.Images = append(out.Images, image)
		case quire.MediaCover:
			out.CoverImages = append(out.CoverImages, image)
		case quire.MediaAvatar:
			out.AvatarImage = &url
		case quire.MediaFile:
			out.Files = append(out.Files, s.fileOf(m))
		}
	}
	return out
}
