package httpapi

import (
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
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	Size      int64     `json:"size"`
	CreatedAt time.Time `json:"created_at"`
	URL       string    `json:"url"`
	Data      []byte    `json:"data"`
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
			out.Files = append(out.Files, fileJSON{ID: m.ID, Name: m.Name, Size: m.Size, CreatedAt: m.CreatedAt.UTC(), URL: url})
		}
	}
	return out
}
