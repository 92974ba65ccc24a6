package quire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quirelib/quire/internal/picture"
)

// Upload is a file that is to be stored with an elemental or list. Its type is found
// out from its bytes, whatever its name says.
type Upload struct {
	// Name is a label, kept byte for byte: 1..255 bytes of UTF-8 without NUL. Default:
	// the kind, the place from 1 and the usual end for the type, such as "image-1.png".
	Name string
	Data []byte // 1..LibraryOptions.MaxMediaBytes bytes
}

// MediaInput are the files of a new elemental or list, or more of them for one that is
// there: at most 3 images, 3 covers and 3 files at once, in AddMedia 4 images and 4
// covers. Images, covers and the avatar are PNG, JPEG, GIF or WebP images of at most
// LibraryOptions.MaxPixels pixels, of MaxPixelsPerCall together; a file may be anything.
type MediaInput struct {
	Images []Upload
	Covers []Upload
	Files  []Upload
	Avatar *Upload
}

// MediaPatch changes the files of an elemental or list: what is given of a kind
// replaces all that there is of it, and an empty slice removes them. Kinds that are nil
// stay as they are. The limits are those of MediaInput.
type MediaPatch struct {
	Images   *[]Upload
	Covers   *[]Upload
	Files    *[]Upload
	Avatar   *Upload
	NoAvatar bool // removes the avatar; wins over Avatar
}

// MediaRemoval names files of an elemental by their ids.
type MediaRemoval struct {
	Images []int64
	Covers []int64
	Files  []int64
	Avatar bool
}

// The limits on media.
const (
	maxUploads    = 3 // of a kind in one call
	maxAddedMedia = 4 // images and covers in one AddMedia
	maxMedia      = 15
	maxFileName   = 255 // bytes
	// maxDecoding is how many images a Library decodes at once, of different users: each may
	// take memory of 16 bytes a pixel.
	maxDecoding = 2
)

// uploads are the files of one kind, with the field that they came in.
type uploads struct {
	kind  MediaKind
	field string
	files []Upload
}

// at is the path of one of the files in wire names.
func (u uploads) at(i int) string {
	if u.kind == MediaAvatar {
		return u.field
	}
	return u.field + "/" + itoa(i)
}

func (in MediaInput) byKind() []uploads {
	all := []uploads{{MediaImage, "images", in.Images}, {MediaCover, "cover_images", in.Covers}, {MediaFile, "files", in.Files}}
	if in.Avatar != nil {
		all = append(all, uploads{MediaAvatar, "avatar", []Upload{*in.Avatar}})
	}
	return all
}

func (in MediaInput) empty() bool {
	return len(in.Images)+len(in.Covers)+len(in.Files) == 0 && in.Avatar == nil
}

// input is what a patch brings.
func (p MediaPatch) input() MediaInput {
	var in MediaInput
	set(&in.Images, p.Images)
	set(&in.Covers, p.Covers)
	set(&in.Files, p.Files)
	if !p.NoAvatar {
		in.Avatar = p.Avatar
	}
	return in
}

// kinds are those that a patch replaces.
func (p MediaPatch) kinds() (kinds []MediaKind) {
	for _, k := range []struct {
		kind  MediaKind
		given bool
	}{
		{MediaImage, p.Images != nil}, {MediaCover, p.Covers != nil}, {MediaFile, p.Files != nil},
		{MediaAvatar, p.Avatar != nil || p.NoAvatar},
	} {
		if k.given {
			kinds = append(kinds, k.kind)
		}
	}
	return kinds
}

// checkUploads checks what can be checked without looking at pixels. images is how many
// images and covers are allowed.
func (l *Library) checkUploads(p *problems, in MediaInput, images int) {
	for _, u := range in.byKind() {
		most := images
		if u.kind == MediaFile {
			most = maxUploads
		}
		if len(u.files) > most {
			p.add(u.field, "at most %d are allowed in one request", most)
			continue
		}
		for i, f := range u.files {
			switch {
			case len(f.Data) == 0:
				p.add(u.at(i)+"/file_buffer", "must not be empty")
			case len(f.Data) > l.opts.MaxMediaBytes:
				p.add(u.at(i)+"/file_buffer", "must have at most %d bytes", l.opts.MaxMediaBytes)
			}
			if len(f.Name) > maxFileName || !utf8.ValidString(f.Name) || strings.ContainsRune(f.Name, 0) {
				p.add(u.at(i)+"/file_name", "must have at most %d bytes of valid UTF-8 without NUL characters", maxFileName)
			}
		}
	}
}

// draft is a file that has passed all checks; only its id and owner are missing.
type draft struct {
	Media
	data []byte
}

// draftMedia looks into the files of a call that checkUploads has passed.
func (l *Library) draftMedia(ctx context.Context, a Actor, in MediaInput) ([]draft, error) {
	if err := l.checkPixels(in)[0]; err != nil {
		return nil, err
	}
	return l.draftFiles(ctx, a, in)
}

// draftFiles looks into files that checkUploads and checkPixels have passed. It takes time
// and memory, so it happens outside of transactions.
func (l *Library) draftFiles(ctx context.Context, a Actor, in MediaInput) ([]draft, error) {
	var drafts []draft
	var probs problems
	for _, u := range in.byKind() {
		for i, f := range u.files {
			d, err := l.draftFile(ctx, a, u.kind, i, f)
			if why := picture.Refused(""); errors.As(err, &why) {
				probs.add(u.at(i)+"/file_buffer", "%s", why)
			} else if err != nil {
				return nil, err
			}
			drafts = append(drafts, d)
		}
	}
	return drafts, probs.err()
}

// draftFile describes one file; place is its place among those of its kind.
func (l *Library) draftFile(ctx context.Context, a Actor, kind MediaKind, place int, f Upload) (draft, error) {
	mimeType, extension := picture.Type(f.Data)
	d := draft{Media{Kind: kind, Name: f.Name, MIMEType: mimeType, Size: int64(len(f.Data))}, f.Data}
	if d.Name == "" {
		d.Name = fmt.Sprintf("%s-%d%s", kind, place+1, extension)
	}
	if kind == MediaFile {
		return d, ctx.Err()
	}
	info, err := l.inspectImage(ctx, a.UserID, f.Data)
	d.Width, d.Height, d.Blur = info.Width, info.Height, info.Blur
	return d, err
}

// draftUploads checks uploads, of which images images and covers are allowed.
func (l *Library) draftUploads(ctx context.Context, a Actor, in MediaInput, images int) ([]draft, error) {
	var probs problems
	if l.checkUploads(&probs, in, images); len(probs) > 0 {
		return nil, probs.err()
	}
	return l.draftMedia(ctx, a, in)
}

// draftNew checks the uploads of an actor for what is about to be made.
func (l *Library) draftNew(ctx context.Context, a Actor, in MediaInput) ([]draft, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	return l.draftUploads(ctx, a, in, maxUploads)
}

// draftFor checks uploads for an owner that is there. Whose it is, is checked first: a
// stranger must not make the Library work.
func (l *Library) draftFor(ctx context.Context, a Actor, owner MediaOwner, in MediaInput, images int) ([]draft, error) {
	if in.empty() {
		return nil, nil // nothing to do before the transaction
	}
	err := l.viewAs(ctx, a, func(tx ReadTx) error { return ownSubject(ctx, tx, a, owner) })
	if err != nil {
		return nil, err
	}
	return l.draftUploads(ctx, a, in, images)
}

// ownSubject checks that the actor may change an elemental or list.
func ownSubject(ctx context.Context, tx ReadTx, a Actor, o MediaOwner) error {
	if o.ElementalID != "" {
		_, err := ownElemental(ctx, tx, a, o.ElementalID)
		return err
	}
	_, err := ownList(ctx, tx, a, o.ListID)
	return err
}
