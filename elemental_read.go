package quire

import (
	"context"
	"strings"
)

// Elemental reads an elemental by id: any user may, whatever its visibility.
func (l *Library) Elemental(ctx context.Context, a Actor, id string) (Elemental, error) {
	var out Elemental
	err := l.viewAs(ctx, a, func(tx ReadTx) error {
		rec, err := tx.Elemental(ctx, id)
		if err != nil {
			return err
		}
		out, err = l.wholeElemental(ctx, tx, a, rec)
		return err
	})
	return out, err
}

// ElementalSizes returns the sizes of those of the elementals that exist, cheaply however
// large they are: whoever knows its id may read an elemental.
func (l *Library) ElementalSizes(ctx context.Context, a Actor, ids []string) (map[string]ElementalSize, error) {
	var sizes map[string]ElementalSize
	err := l.viewAs(ctx, a, func(tx ReadTx) (err error) {
		sizes, err = tx.ElementalSizes(ctx, ids)
		return err
	})
	return sizes, err
}

// SearchElementals finds the actor's elementals and others' Public ones by text,
// best first. All words must occur in title, description, tags or body, which of a
// table are the texts in it; the last one may be the beginning of a word. Cells are
// found with their table only. A blank text is ErrInvalid; one without any
// letter or digit finds nothing.
func (l *Library) SearchElementals(ctx context.Context, a Actor, in SearchInput) (Paged[Elemental], error) {
	page, err := in.Page.normal()
	if err != nil {
		return Paged[Elemental]{}, err
	}
	if strings.TrimSpace(in.Text) == "" {
		var probs problems
		probs.add("search", "must not be empty")
		return Paged[Elemental]{}, probs.err()
	}
	out := Paged[Elemental]{Page: page}
	err = l.viewAs(ctx, a, func(tx ReadTx) error {
		recs, total, err := tx.SearchElementals(ctx, ElementalSearch{
			Text: textQuery(in.Text), Viewer: viewer(a), WithoutBody: in.WithoutBody, Offset: page.offset(), Limit: page.Size,
		})
		if err != nil {
			return err
		}
		out.Total = total
		if in.WithoutBody && in.WithoutTags {
			out.Items, err = l.untagged(ctx, tx, a, recs)
			return err
		}
		out.Items, err = l.itemsOf(ctx, tx, a, recs, !in.WithoutBody, true)
		return err
	})
	return out, err
}

// UserElementals reads one page of the actor's own elementals, Public and Unlisted, in
// lists or in none, newest first. Cells are left out unless TypeID asks for them: they are
// read with their table. Body, TutorialSteps and Details are empty, as in ListItems without
// details. A type or tag that nothing of the actor has finds nothing.
func (l *Library) UserElementals(ctx context.Context, a Actor, in UserElementalsInput) (Paged[Elemental], error) {
	page, err := in.Page.normal()
	if err != nil {
		return Paged[Elemental]{}, err
	}
	out := Paged[Elemental]{Page: page}
	err = l.viewAs(ctx, a, func(tx ReadTx) error {
		recs, total, err := tx.NewestElementals(ctx, ElementalQuery{
			OwnerID: a.UserID, TypeID: in.TypeID, TagID: in.TagID, Offset: page.offset(), Limit: page.Size,
		})
		if err != nil {
			return err
		}
		out.Total = total
		if in.WithoutTags {
			out.Items, err = l.untagged(ctx, tx, a, recs)
			return err
		}
		out.Items, err = l.resolveElementals(ctx, tx, a, recs)
		return err
	})
	return out, err
}

// viewer is what an actor may find: everything of its own, of others what is
// Public.
func viewer(a Actor) Viewer { return Viewer{OwnerID: a.UserID, OthersToo: true} }
