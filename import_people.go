package quire

import (
	"context"
	"strings"
)

// tenant reads which tenant was exported, and makes sure that a tenant that is here
// already gets content of another instance only where that was asked for.
func (in *importer) tenant(ctx context.Context, r record) error {
	t, err := decode[tenantEntry](r)
	if err != nil {
		return err
	}
	var probs problems
	if t.ID == "" {
		probs.add("id", "must not be empty")
	}
	if checkText(&probs, "id", t.ID, maxName); len(probs) > 0 {
		return probs.err()
	}
	if in.result.TenantID = in.opts.TenantID; in.opts.TenantID != "" {
		return nil
	}
	in.result.TenantID = t.ID
	others, err := hasOthers(ctx, in.tx, t.ID, "")
	if err == nil && others {
		err = Errorf(CodeConflict, "its tenant is here already. An archive that was imported before cannot be imported again; of any other, say which tenant it goes to in ImportOptions.TenantID, which may be the same one")
	}
	return err
}

func (in *importer) theCatalogue(_ context.Context, r record) (err error) {
	in.catalogue, err = decode[catalogueEntry](r)
	return err
}

func (in *importer) user(ctx context.Context, r record) error {
	u, err := decode[userEntry](r)
	if err != nil {
		return err
	}
	var probs problems
	if checkTime(&probs, "created_at", u.CreatedAt); len(probs) > 0 {
		return probs.err()
	}
	user := User{
		ID: u.ID, TenantID: in.result.TenantID, Name: u.Name, Username: u.Username, Email: u.Email,
		AvatarURL: u.AvatarURL, CreatedAt: exact(u.CreatedAt),
	}
	if err := user.check(); err != nil {
		return err
	}
	if in.people[user.ID] {
		return Errorf(CodeInvalid, "the user %q is in the archive already", user.ID)
	}
	if err := absent(in.tx.User(ctx, user.ID)); err != nil {
		return conflict(err, "a user with the id \""+user.ID+"\" "+takenHere)
	}
	if err := in.ownsNothing(ctx, user.ID); err != nil {
		return err
	}
	in.people[user.ID] = true
	in.result.Users++
	return in.tx.PutUser(ctx, user)
}

// guest reads somebody who is not a user of the tenant.
func (in *importer) guest(ctx context.Context, r record) error {
	g, err := decode[guestEntry](r)
	if err != nil {
		return err
	}
	var probs problems
	if g.ID == "" {
		probs.add("id", "must not be empty")
	}
	if checkText(&probs, "id", g.ID, maxName); len(probs) > 0 {
		return probs.err()
	}
	if in.people[g.ID] {
		return Errorf(CodeInvalid, "the user %q is in the archive already", g.ID)
	}
	in.people[g.ID] = true
	if in.opts.KnownGuests {
		return nil
	}
	if err := absent(in.tx.User(ctx, g.ID)); err != nil {
		return conflict(err, "there is a user here with the id \""+g.ID+"\", in whose name the archive holds content: set ImportOptions.KnownGuests if that is the same one")
	}
	return in.ownsNothing(ctx, g.ID)
}

// ownsNothing refuses the id of somebody who is no user here but owns content here.
func (in *importer) ownsNothing(ctx context.Context, id string) error {
	if in.opts.KnownGuests {
		return nil
	}
	owns, err := ownsOutside(ctx, in.tx, id, "")
	if err == nil && owns {
		err = Errorf(CodeConflict, "somebody with the id %q owns content here already: set ImportOptions.KnownGuests if that is the same one", id)
	}
	return err
}

// known refuses the name of somebody who is not in the archive.
func (in *importer) known(userID string) error {
	if in.people[userID] {
		return nil
	}
	return Errorf(CodeInvalid, "it names a user who is not in the archive")
}

func (in *importer) tag(ctx context.Context, r record) error {
	e, err := decode[tagEntry](r)
	if err != nil {
		return err
	}
	var probs problems
	if checkTimes(&probs, e.CreatedAt, &e.UpdatedAt); len(probs) > 0 {
		return probs.err()
	}
	t := Tag(e)
	t.CreatedAt, t.UpdatedAt = exact(t.CreatedAt), exact(t.UpdatedAt)
	if err := in.known(t.OwnerID); err != nil {
		return err
	}
	if t.Title != strings.TrimSpace(t.Title) {
		return Errorf(CodeInvalid, "title: must not begin or end with white space")
	}
	typeName := func() (string, bool) {
		t, ok := in.lib.catalogue.Load().elementalType(t.ElementalTypeID)
		return t.Name, ok
	}
	if err := sameName("type", t.ElementalTypeID, in.catalogue.Types, typeName); err != nil {
		return err
	}
	if err := in.lib.checkTag(t); err != nil {
		return err
	}
	_, twice := in.tags[t.ID]
	if err := freeNumber(t.ID, twice, func() error { return absent(in.tx.Tag(ctx, t.ID)) }); err != nil {
		return err
	}
	in.tags[t.ID] = t.OwnerID
	in.result.Tags++
	return in.tx.PutTag(ctx, t)
}

// maxNumber is the largest id of tags, lists and media, and the largest count in an archive.
const maxNumber = 1<<53 - 1

// takenHere says that an id is taken, and what to do.
const takenHere = "exists here already, as after an earlier import of the same archive: an import adds and never replaces, so import into a library that has none of its ids, such as an empty one"

// freeNumber checks the id of a tag, list or file of the archive.
func freeNumber(id int64, twice bool, absent func() error) error {
	switch {
	case id < 1 || id > maxNumber:
		return Errorf(CodeInvalid, "id: must be between 1 and 2^53 - 1")
	case twice:
		return Errorf(CodeInvalid, "its id %d is in the archive already", id)
	}
	return conflict(absent(), "its id "+takenHere)
}
