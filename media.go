package quire

import "time"

// MediaKind is what a media file is for.
type MediaKind string

// The kinds of media.
const (
	MediaImage  MediaKind = "image"
	MediaCover  MediaKind = "cover"
	MediaAvatar MediaKind = "avatar" // at most one
	MediaFile   MediaKind = "file"   // anything; its text may be ingested
)

// MediaOwner is the elemental or list that media belong to; exactly one field is
// set.
type MediaOwner struct {
	ElementalID string
	ListID      int64
}

// Media describes a stored file. Its bytes are read apart.
type Media struct {
	ID        int64 // 1 <= ID < 2^53, random: an address cannot be guessed
	Owner     MediaOwner
	Kind      MediaKind
	Name      string // as given, a label only, never a path; at most 255 bytes
	MIMEType  string // sniffed from the bytes
	Size      int64  // bytes
	Width     int    // pixels, of images; else 0
	Height    int
	Blur      string // blurhash of images; else ""
	Ordinal   int    // order among the media of its owner and kind, from 0
	CreatedAt time.Time
}
