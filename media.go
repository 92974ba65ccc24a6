package quire

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/quirelib/quire/internal/id"
)

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

// AddMedia adds files to an elemental of the actor, behind those it has; an avatar
// replaces the present one. An elemental has at most 15 of each kind. ErrForbidden if it
// is another user's.
func (l *Library) AddMedia(ctx context.Context, a Actor, elementalID string, in MediaInput) (Elemental, error) {
	owner := MediaOwner{ElementalID: elementalID}
	drafts, err := l.draftFor(ctx, a, owner, in, maxAddedMedia)
	if err != nil {
		return Elemental{}, err
	}
	return l.changeMedia(ctx, a, elementalID, func(tx Tx) (bool, error) {
		have, _, err := detach(ctx, tx, owner, func(m Media) bool { return m.Kind == MediaAvatar && in.Avatar != nil })
		if err != nil {
			return false, err
		}
		if err := checkRoom(have, in); err != nil {
			return false, err
		}
		return len(drafts) > 0, attach(ctx, tx, owner, have, drafts)
	})
}

// RemoveMedia deletes files of an elemental of the actor. An id that the elemental does
// not have of that kind is passed over. ErrForbidden if it is another user's.
func (l *Library) RemoveMedia(ctx context.Context, a Actor, elementalID string, r MediaRemoval) (Elemental, error) {
	ids := map[MediaKind][]int64{MediaImage: r.Images, MediaCover: r.Covers, MediaFile: r.Files}
	var probs problems
	l.checkIDs(&probs, "images", len(r.Images))
	l.checkIDs(&probs, "cover_images", len(r.Covers))
	l.checkIDs(&probs, "files", len(r.Files))
	if err := probs.err(); err != nil {
		return Elemental{}, err
	}
	return l.changeMedia(ctx, a, elementalID, func(tx Tx) (bool, error) {
		_, removed, err := detach(ctx, tx, MediaOwner{ElementalID: elementalID}, func(m Media) bool {
			return slices.Contains(ids[m.Kind], m.ID) || m.Kind == MediaAvatar && r.Avatar
		})
		return removed, err
	})
}

// changeMedia runs change on an elemental of the actor. Its media are part of its
// content: the elemental gets its next version, and is ingested again.
func (l *Library) changeMedia(ctx context.Context, a Actor, id string, change func(tx Tx) (changed bool, err error)) (Elemental, error) {
	ctx, done, err := l.indexStoredAhead(ctx, a, id)
	if err != nil {
		return Elemental{}, err
	}
	defer done()
	return l.changeElemental(ctx, a, func(tx Tx, ch *changes) (ElementalRecord, error) {
		rec, err := ownElemental(ctx, tx, a, id)
		if err != nil {
			return ElementalRecord{}, err
		}
		changed, err := change(tx)
		if err != nil {
			return ElementalRecord{}, err
		}
		if !changed {
			return rec, nil
		}
		if rec, err = l.saveContent(ctx, tx, ch, rec); err != nil || rec.TypeID != TypeCell {
			return rec, err
		}
		return rec, l.saveTable(ctx, tx, ch, rec.TableID) // with which its files are ingested
	})
}

// checkRoom checks how many files of each kind there would be.
func checkRoom(have []Media, in MediaInput) error {
	count := make(map[MediaKind]int)
	for _, m := range have {
		count[m.Kind]++
	}
	var probs problems
	for _, u := range in.byKind() {
		if n := count[u.kind]; n+len(u.files) > maxMedia {
			probs.add(u.field, "at most %d are allowed in all; there are %d", maxMedia, n)
		}
	}
	return probs.err()
}

// apply replaces the kinds that a patch has, by drafts made from it.
func (p MediaPatch) apply(ctx context.Context, tx Tx, owner MediaOwner, drafts []draft) (changed bool, err error) {
	kinds := p.kinds()
	if len(kinds) == 0 {
		return false, nil
	}
	have, removed, err := detach(ctx, tx, owner, func(m Media) bool { return slices.Contains(kinds, m.Kind) })
	if err != nil {
		return false, err
	}
	return removed || len(drafts) > 0, attach(ctx, tx, owner, have, drafts)
}

// attach adds files to an owner, those of each kind behind the ones it has.
func attach(ctx context.Context, tx Tx, owner MediaOwner, have []Media, drafts []draft) error {
	next := make(map[MediaKind]int)
	for _, m := range have {
		next[m.Kind] = max(next[m.Kind], m.Ordinal+1)
	}
	for _, d := range drafts {
		m := d.Media
		m.Owner, m.Ordinal, m.CreatedAt = owner, next[m.Kind], now()
		next[m.Kind]++
		var err error
		if m.ID, err = freeMediaID(ctx, tx); err != nil {
			return err
		}
		if err := tx.PutMedia(ctx, m, d.data); err != nil {
			return err
		}
	}
	return nil
}

// freeMediaID makes an id. Ids are random and PutMedia replaces what has the same one.
func freeMediaID(ctx context.Context, tx Tx) (int64, error) {
	for {
		n := id.Int53()
		if err := absent(tx.Media(ctx, n)); !errors.Is(err, ErrConflict) {
			return n, err
		}
	}
}

// detach deletes those files of an owner that are to go, and returns the others.
func detach(ctx context.Context, tx Tx, owner MediaOwner, gone func(Media) bool) (left []Media, removed bool, err error) {
	all, err := tx.MediaOf(ctx, []MediaOwner{owner})
	if err != nil {
		return nil, false, err
	}
	for _, m := range all[owner] {
		if !gone(m) {
			left = append(left, m)
			continue
		}
		removed = true
		if err := tx.DeleteMedia(ctx, m.ID); err != nil {
			return nil, false, err
		}
	}
	return left, removed, nil
}

// ElementalFile reads a file of an elemental: any user may who knows its id. Images,
// covers and avatars are read by Image. ErrNotFound if the elemental has no such file.
func (l *Library) ElementalFile(ctx context.Context, a Actor, elementalID string, id int64) (Media, []byte, error) {
	return l.readMedia(ctx, a, id, func(m Media) bool {
		return m.Kind == MediaFile && elementalID != "" && m.Owner.ElementalID == elementalID
	})
}

// ListFile is ElementalFile for a list.
func (l *Library) ListFile(ctx context.Context, a Actor, listID, id int64) (Media, []byte, error) {
	return l.readMedia(ctx, a, id, func(m Media) bool {
		return m.Kind == MediaFile && listID != 0 && m.Owner.ListID == listID
	})
}

// Image reads an image, cover or avatar: any user may who knows its id. ErrNotFound if
// there is none, or if the id is that of a file.
func (l *Library) Image(ctx context.Context, a Actor, id int64) (Media, []byte, error) {
	return l.readMedia(ctx, a, id, func(m Media) bool { return m.Kind != MediaFile })
}

// MediaSize returns how many bytes a file, image, cover or avatar has, for whoever looks for
// room before it is read. ErrNotFound if there is none.
func (l *Library) MediaSize(ctx context.Context, a Actor, id int64) (int64, error) {
	var m Media
	err := l.viewAs(ctx, a, func(tx ReadTx) (err error) {
		m, err = tx.Media(ctx, id)
		return err
	})
	return m.Size, err
}

// readMedia reads a file if it is what was asked for.
func (l *Library) readMedia(ctx context.Context, a Actor, id int64, wanted func(Media) bool) (Media, []byte, error) {
	var m Media
	var data []byte
	err := l.viewAs(ctx, a, func(tx ReadTx) (err error) {
		if m, err = tx.Media(ctx, id); err != nil {
			return err
		}
		if !wanted(m) {
			return ErrNotFound
		}
		data, err = tx.MediaData(ctx, id)
		return err
	})
	if err != nil {
		return Media{}, nil, err
	}
	return m, data, nil
}
