package quire

import (
	"context"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/quirelib/quire/internal/id"
)

// MaxTags is how many tags an elemental or list may have. Each is a word for search and
// in every chunk, which are written anew when it is renamed.
const MaxTags = 100

// TagInput is what a tag is made of.
type TagInput struct {
	Title           string // 1..100 characters, not blank
	Color           string // "#" and 3, 4, 6 or 8 hex digits
	Description     string // at most 20,000 characters
	ElementalTypeID int    // required: an elemental type of the catalogue, for which clients offer the tag; it may go on others too
	SourceUserID    string
	SourceTagID     string
}

// TagPatch changes a tag: nil fields stay as they are.
type TagPatch struct {
	Title           *string
	Color           *string
	Description     *string
	ElementalTypeID *int
}

var colour = regexp.MustCompile(`^#([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$`)

// CreateTag adds a tag of the actor.
func (l *Library) CreateTag(ctx context.Context, a Actor, in TagInput) (Tag, error) {
	t := Tag{
		ID: id.Int53(), OwnerID: a.UserID, Title: strings.TrimSpace(in.Title), Color: in.Color, Description: in.Description,
		ElementalTypeID: in.ElementalTypeID, SourceUserID: in.SourceUserID, SourceTagID: in.SourceTagID, CreatedAt: now(),
	}
	t.UpdatedAt = t.CreatedAt
	if err := l.checkTag(t); err != nil {
		return Tag{}, err
	}
	err := l.changeAs(ctx, a, func(tx Tx, _ *changes) error {
		if err := absent(tx.Tag(ctx, t.ID)); err != nil {
			return err
		}
		return tx.PutTag(ctx, t)
	})
	if err != nil {
		return Tag{}, err
	}
	return t, nil
}

func (l *Library) checkTag(t Tag) error {
	var probs problems
	checkLabel(&probs, "title", t.Title)
	if !colour.MatchString(t.Color) {
		probs.add("color", "must be '#' and 3, 4, 6 or 8 hex digits")
	}
	checkText(&probs, "description", t.Description, maxDescription)
	checkText(&probs, "source_user_id", t.SourceUserID, maxName)
	checkText(&probs, "source_tag_id", t.SourceTagID, maxName)
	switch cat := l.catalogue.Load(); {
	case t.ElementalTypeID == 0:
		probs.add("elementalTypeId", "is required; it must be one of %s", typeChoices(cat.Types))
	default:
		if _, ok := cat.elementalType(t.ElementalTypeID); !ok {
			probs.add("elementalTypeId", "must be an elemental type of the catalogue: one of %s", typeChoices(cat.Types))
		}
	}
	return probs.err()
}

// Tags reads all tags of the actor, oldest first.
func (l *Library) Tags(ctx context.Context, a Actor) ([]Tag, error) {
	var tags []Tag
	err := l.viewAs(ctx, a, func(tx ReadTx) (err error) {
		tags, err = tx.TagsOf(ctx, a.UserID)
		return err
	})
	return tags, err
}

// FindTags returns the ids of all tags of the actor, oldest first: for [Library.TagsByID].
func (l *Library) FindTags(ctx context.Context, a Actor) ([]int64, error) {
	var ids []int64
	err := l.viewAs(ctx, a, func(tx ReadTx) (err error) {
		ids, err = tx.TagIDsOf(ctx, a.UserID)
		return err
	})
	return ids, err
}

// TagsByID iterates over those of the tags that are the actor's, in the order of ids. They are
// read in portions, so that memory holds few long descriptions at a time. What was deleted
// meanwhile is left out. An error is the last thing yielded.
func (l *Library) TagsByID(ctx context.Context, a Actor, ids []int64) iter.Seq2[Tag, error] {
	return inTurn(a, ids, func(rest []int64) (tags []Tag, n int, err error) {
		rest = rest[:min(lightPortion, len(rest))]
		err = l.viewAs(ctx, a, func(tx ReadTx) error {
			sizes, err := tx.TagSizes(ctx, rest)
			if err != nil {
				return err
			}
			n = portionOf(rest, func(id int64) int64 { return sizes[id] })
			found, err := tx.Tags(ctx, rest[:n])
			for _, id := range rest[:n] {
				if t, ok := found[id]; ok && t.OwnerID == a.UserID {
					tags = append(tags, t)
				}
			}
			return err
		})
		return tags, n, err
	})
}

// UpdateTag changes a tag of the actor; searches and stored chunks see it at once. What
// has the tag stays the version that it is.
// Another user's tag is ErrNotFound.
func (l *Library) UpdateTag(ctx context.Context, a Actor, id int64, p TagPatch) (Tag, error) {
	var t Tag
	var err error
	if p.Title != nil {
		ahead, done, err := l.indexTaggedAhead(ctx, a, id)
		if err != nil {
			return Tag{}, err
		}
		defer done()
		ctx = ahead
	}
	err = l.changeAs(ctx, a, func(tx Tx, ch *changes) error {
		old, err := ownTag(ctx, tx, a, id)
		if err != nil {
			return err
		}
		t = old
		if p.Title != nil {
			t.Title = strings.TrimSpace(*p.Title)
		}
		set(&t.Color, p.Color)
		set(&t.Description, p.Description)
		set(&t.ElementalTypeID, p.ElementalTypeID)
		if err := l.checkTag(t); err != nil {
			return err
		}
		t.UpdatedAt = now()
		if err := tx.PutTag(ctx, t); err != nil || t.Title == old.Title {
			return err
		}
		return retag(ctx, tx, ch, id)
	})
	if err != nil {
		return Tag{}, err
	}
	return t, nil
}

// DeleteTag deletes a tag of the actor and takes it off everything that has it.
func (l *Library) DeleteTag(ctx context.Context, a Actor, id int64) error {
	ctx, done, err := l.indexTaggedAhead(ctx, a, id)
	if err != nil {
		return err
	}
	defer done()
	return l.changeAs(ctx, a, func(tx Tx, ch *changes) error {
		if _, err := ownTag(ctx, tx, a, id); err != nil {
			return err
		}
		if err := l.untag(ctx, tx, ch, id); err != nil {
			return err
		}
		return tx.DeleteTag(ctx, id)
	})
}

// AttachTag puts a tag of the actor on an elemental of the actor; twice is no
// error. ErrNotFound for another user's tag, ErrForbidden for another user's
// elemental, ErrInvalid if it has MaxTags others.
func (l *Library) AttachTag(ctx context.Context, a Actor, elementalID string, tagID int64) (Elemental, error) {
	return l.editTags(ctx, a, elementalID, tagID, func(ids []int64) []int64 { return unique(append(ids, tagID)) })
}

// DetachTag takes a tag of the actor off an elemental of the actor; if it is not
// on it, nothing changes. Errors are those of AttachTag but for ErrInvalid.
func (l *Library) DetachTag(ctx context.Context, a Actor, elementalID string, tagID int64) (Elemental, error) {
	return l.editTags(ctx, a, elementalID, tagID, func(ids []int64) []int64 {
		return slices.DeleteFunc(ids, func(t int64) bool { return t == tagID })
	})
}

func (l *Library) editTags(ctx context.Context, a Actor, elementalID string, tagID int64, edit func([]int64) []int64) (Elemental, error) {
	ctx, done, err := l.indexStoredAhead(ctx, a, elementalID)
	if err != nil {
		return Elemental{}, err
	}
	defer done()
	return l.changeElemental(ctx, a, func(tx Tx, ch *changes) (ElementalRecord, error) {
		rec, err := ownElemental(ctx, tx, a, elementalID)
		if err != nil {
			return ElementalRecord{}, err
		}
		if _, err := ownTag(ctx, tx, a, tagID); err != nil {
			return ElementalRecord{}, err
		}
		edited := edit(slices.Clone(rec.TagIDs))
		if slices.Equal(edited, rec.TagIDs) {
			return rec, nil
		}
		if len(edited) > len(rec.TagIDs) {
			var probs problems
			checkTags(&probs, edited)
			if err := probs.err(); err != nil {
				return ElementalRecord{}, err
			}
		}
		rec.TagIDs = edited
		return l.saveElemental(ctx, tx, ch, rec)
	})
}

// checkTags checks how many tags an elemental or list has.
func checkTags(p *problems, ids []int64) {
	if len(ids) > MaxTags {
		p.add("tagIds", "must have at most %d tags", MaxTags)
	}
}

// ownTag reads a tag that the actor may use: another user's is as unknown as one
// that does not exist.
func ownTag(ctx context.Context, tx ReadTx, a Actor, id int64) (Tag, error) {
	t, err := tx.Tag(ctx, id)
	if err == nil && t.OwnerID != a.UserID {
		err = ErrNotFound
	}
	return t, err
}

// ownTags reads tags that a request names in its body: all must be the owner's.
func ownTags(ctx context.Context, tx ReadTx, ownerID string, ids []int64) ([]Tag, error) {
	tags, err := tx.Tags(ctx, ids)
	if err != nil {
		return nil, err
	}
	var probs problems
	for i, id := range ids {
		if t, ok := tags[id]; !ok || t.OwnerID != ownerID {
			probs.add("tagIds/"+itoa(i), "must be the id of one of your tags")
		}
	}
	return pick(tags, ids), probs.err()
}

// tagsInOrder reads the tags of a record, in the order of their ids there.
func tagsInOrder(ctx context.Context, tx ReadTx, ids []int64) ([]Tag, error) {
	tags, err := tx.Tags(ctx, ids)
	return pick(tags, ids), err
}
