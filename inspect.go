package quire

import (
	"context"
	"crypto/sha256"
	"errors"

	"github.com/quirelib/quire/internal/picture"
)

// inspections are what was found out about images, by the hash of their bytes.
type inspections map[[sha256.Size]byte]inspection

type inspection struct {
	info    picture.Info
	refused error
}

type inspectionsKey struct{}

// InspectUploads decodes the images of what is about to be added, and returns a context
// with which calls of this Library need not do that again for the same bytes: decoding
// may take seconds, and inside of [Library.Once] all other writers would wait for it.
// Images that will be refused are no error here. The result is only good for the one
// request that it was made for.
func (l *Library) InspectUploads(ctx context.Context, a Actor, ins ...MediaInput) (context.Context, error) {
	if err := a.Check(); err != nil {
		return ctx, err
	}
	found := inspections{}
	tooMany := l.checkPixels(ins...)
	for i, in := range ins {
		var probs problems
		if l.checkUploads(&probs, in, maxAddedMedia); len(probs) > 0 || tooMany[i] != nil {
			continue // nobody will look into these
		}
		for _, u := range in.byKind() {
			if u.kind == MediaFile {
				continue
			}
			for _, f := range u.files {
				info, err := l.inspectImage(ctx, a.UserID, f.Data)
				if refused := picture.Refused(""); err != nil && !errors.As(err, &refused) {
					return ctx, err
				}
				found[sha256.Sum256(f.Data)] = inspection{info, err}
			}
		}
	}
	return context.WithValue(ctx, inspectionsKey{}, found), nil
}

// inspectImage decodes an image of a user, "" for of an archive, when it is its turn, unless
// InspectUploads has. Of a user one is decoded at a time, so that nobody waits for all that
// somebody else sends.
func (l *Library) inspectImage(ctx context.Context, userID string, data []byte) (picture.Info, error) {
	if found, ok := ctx.Value(inspectionsKey{}).(inspections); ok {
		if i, ok := found[sha256.Sum256(data)]; ok {
			return i.info, i.refused
		}
	}
	done, err := l.decoding.wait(ctx, userID)
	if err != nil {
		return picture.Info{}, err
	}
	defer done()
	return picture.Inspect(data, l.opts.MaxPixels)
}

// add notes what was found out about an image that was not refused.
func (i inspections) add(data []byte, info picture.Info) {
	i[sha256.Sum256(data)] = inspection{info: info}
}

// refusedImage gives an image that was refused its code; other errors stay.
func refusedImage(err error) error {
	if why := picture.Refused(""); errors.As(err, &why) {
		return Errorf(CodeInvalid, "its image %s", why)
	}
	return err
}
